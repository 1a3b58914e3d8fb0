// The summary of a search, as text and as JSON.
#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vicinal/pairs.hpp>
#include <vicinal/report.hpp>

namespace vicinal::tool {

struct Neighbours {
    struct Bin {
        std::uint64_t from, to, bodies;  // bodies with from ... to neighbours
    };
    double mean = 0;
    std::uint64_t max = 0;
    std::vector<Bin> histogram;
};

// How many neighbours each body has.
Neighbours neighbours(std::span<const std::uint64_t> degrees);

// Degrees from pairs: of both bodies of a pair, or only of the first.
template <Real T, int D>
std::vector<std::uint64_t> degrees(const PairColumns<T, D>& pairs, std::size_t bodies,
                                   bool of_both) {
    std::vector<std::uint64_t> result(bodies);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        ++result[pairs.i(k)];
        if (of_both) ++result[pairs.j(k)];
    }
    return result;
}

// The frame of a trajectory, counted from 1.
struct FrameNumber {
    std::size_t number = 1, of = 1;
    bool chosen = false;  // by --frame
};

struct Summary {
    struct Set {
        std::string role;  // "with" or "queries"
        std::string file;
        std::uint64_t count = 0;
    };
    std::string file;
    std::optional<FrameNumber> frame;  // of the file; none: its format has no frames
    std::uint64_t bodies = 0;
    std::optional<Set> other;
    std::uint64_t pairs = 0;
    std::optional<Neighbours> neighbours;  // none if pairs were only counted
    std::string precision;
    std::string domain, domain_shown;  // as for --domain; with the file it comes from
    int dim = 3;
    std::vector<std::string> output;
    double read = 0, write = 0;  // seconds

    std::string method, why, simd;
    int threads = 0;
    std::uint64_t ghosts = 0, bytes = 0;
    Statistics statistics;
    std::optional<std::uint64_t> candidates;   // not reported for two sets
    std::vector<std::vector<double>> lattice;  // empty in an open domain
    double scene = 0, build = 0, search = 0, sort = 0;

    template <int D>
    void take(const Report<D>& report, bool periodic) {
        method = report.method;
        why = report.why;
        simd = report.simd;
        threads = report.threads;
        ghosts = report.ghosts;
        statistics = report.statistics;
        candidates = report.candidates;
        bytes = report.bytes;
        if (periodic)
            for (const auto& row : report.lattice) lattice.emplace_back(row.begin(), row.end());
        scene = report.seconds.scene;
        build = report.seconds.build;
        search = report.seconds.search;
        sort = report.seconds.output;
    }

    double total() const { return scene + build + search + sort; }
    double per_body() const;  // neighbours of a body, or of a query
};

nlohmann::ordered_json to_json(const Summary& summary);
std::string to_text(const Summary& summary);

// The summaries of several frames.
nlohmann::ordered_json to_json(const std::vector<Summary>& frames);
std::string to_text(const std::vector<Summary>& frames);

// One JSON object; text that is not UTF-8 (a file's name) is repaired.
void print(const nlohmann::ordered_json& json, std::FILE* to = stdout);
void print(const std::string& text, std::FILE* to = stdout);

}  // namespace vicinal::tool
