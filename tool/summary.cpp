#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "common/text.hpp"

namespace vicinal::tool {
namespace {

std::string row(const std::string& name, const std::string& value) {
    return fmt::format("{:<12}{}\n", name, common::one_line(value));
}

bool is_probe(const Summary& s) {
    return s.other && s.other->role == "queries";
}

// Neighbours per query of a probe, else per body.
double per_body(const Summary& s) {
    const std::uint64_t bodies = is_probe(s) ? s.other->count : s.bodies;
    if (bodies == 0) return 0;
    const double ends = s.other ? 1 : 2;
    return ends * static_cast<double>(s.pairs) / static_cast<double>(bodies);
}

double candidates_per_pair(const Summary& s) {
    return s.pairs == 0 ? 0 : static_cast<double>(*s.candidates) / static_cast<double>(s.pairs);
}

std::string bars(const Neighbours& neighbours, const std::string& title) {
    constexpr std::uint64_t width = 40;
    std::uint64_t largest_bin = 1;
    for (const auto& bin : neighbours.histogram)
        largest_bin = std::max(largest_bin, bin.bodies);
    std::string text = title + "\n";
    for (const auto& bin : neighbours.histogram) {
        const std::string range = bin.from == bin.to
                                      ? fmt::format("{}", bin.from)
                                      : fmt::format("{} to {}", bin.from, bin.to);
        // Rounded up, so that every non-empty bin is visible.
        const auto length = (bin.bodies * width + largest_bin - 1) / largest_bin;
        text += fmt::format("{:>16}  {:<{}}  {}\n", range, std::string(length, '#'), width,
                            common::grouped(bin.bodies));
    }
    return text;
}

std::string times(const Summary& s) {
    return fmt::format("{} (scene {}, build {}, search {}, output {}); read {}, write {}",
                       common::readable_seconds(s.total()), common::readable_seconds(s.scene),
                       common::readable_seconds(s.build), common::readable_seconds(s.search),
                       common::readable_seconds(s.sort), common::readable_seconds(s.read),
                       common::readable_seconds(s.write));
}

}  // namespace

Neighbours neighbours(std::span<const std::uint64_t> degrees) {
    Neighbours result;
    if (degrees.empty()) return result;
    const auto sum = std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0});
    result.mean = static_cast<double>(sum) / static_cast<double>(degrees.size());
    result.max = *std::max_element(degrees.begin(), degrees.end());
    const std::uint64_t width = result.max / 10 + 1;
    for (std::uint64_t from = 0; from <= result.max; from += width)
        result.histogram.push_back({from, from + width - 1, 0});
    for (const std::uint64_t degree : degrees) ++result.histogram[degree / width].bodies;
    return result;
}

nlohmann::ordered_json to_json(const Summary& s) {
    nlohmann::ordered_json json;
    json["file"] = s.file;
    json["bodies"] = s.bodies;
    if (s.other) {
        json[s.other->role] = s.other->file;
        json[s.other->role + "_count"] = s.other->count;
    }
    json["pairs"] = s.pairs;
    json["method"] = s.method;
    json["why"] = s.why;
    json["simd"] = s.simd;
    json["threads"] = s.threads;
    json["precision"] = s.precision;
    json["dim"] = s.dim;
    json["domain"] = s.domain;
    json["lattice"] = nullptr;
    if (!s.lattice.empty()) json["lattice"] = s.lattice;
    json["ghosts"] = s.ghosts;
    json["candidates"] = nullptr;
    json["candidates_per_pair"] = nullptr;
    if (s.candidates) {
        json["candidates"] = *s.candidates;
        json["candidates_per_pair"] = candidates_per_pair(s);
    }
    json["statistics"] = nlohmann::ordered_json::object();
    for (const Statistic& one : s.statistics) json["statistics"][one.name] = one.value;
    json["bytes"] = s.bytes;
    json["seconds"] = {{"scene", s.scene}, {"build", s.build},   {"search", s.search},
                       {"output", s.sort}, {"total", s.total()}, {"read", s.read},
                       {"write", s.write}};
    auto& neighbours = json["neighbours"];
    neighbours["mean"] = per_body(s);
    if (s.neighbours) {
        neighbours["max"] = s.neighbours->max;
        neighbours["histogram"] = nlohmann::ordered_json::array();
        for (const auto& bin : s.neighbours->histogram)
            neighbours["histogram"].push_back(
                {{"from", bin.from}, {"to", bin.to}, {"bodies", bin.bodies}});
    }
    json["output"] = nullptr;
    if (s.output.size() == 1) json["output"] = s.output[0];
    if (s.output.size() > 1) json["output"] = s.output;
    return json;
}

std::string to_text(const Summary& s) {
    const bool probe = is_probe(s);
    std::string text =
        row("bodies", fmt::format("{} in {}-D, {} ({})", common::grouped(s.bodies), s.dim,
                                  s.precision, s.file));
    if (s.other)
        text += row(s.other->role,
                    fmt::format("{} ({})", common::grouped(s.other->count), s.other->file));
    text += row("domain",
                s.domain_shown + (s.ghosts == 0 ? ""
                                                : fmt::format(", {} ghosts across its faces",
                                                              common::grouped(s.ghosts))));
    text +=
        row("pairs", fmt::format("{} ({:.4g} per {}{})", common::grouped(s.pairs), per_body(s),
                                 probe ? "query" : "body",
                                 s.neighbours ? fmt::format(", at most {}",
                                                            common::grouped(s.neighbours->max))
                                              : ""));
    text += row("method", s.method);
    if (!s.why.empty()) text += row("", s.why);
    if (s.candidates)
        text += row("candidates",
                    fmt::format("{} ({:.2f} per pair)", common::grouped(*s.candidates),
                                candidates_per_pair(s)));
    for (const Statistic& one : s.statistics)
        text += row("", fmt::format("{}: {}", one.name, common::readable_number(one.value)));
    text += row("memory", common::readable_bytes(s.bytes));
    text += row("time", times(s));
    text +=
        row("", fmt::format("{} thread{}, {}", s.threads, s.threads == 1 ? "" : "s", s.simd));
    for (const std::string& file : s.output) text += row("written", file);
    if (s.neighbours && !s.neighbours->histogram.empty())
        text += '\n' + bars(*s.neighbours, probe ? "bodies per query" : "neighbours per body");
    return text;
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(const nlohmann::ordered_json& json) {
    print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void print(const Summary& summary, bool as_json) {
    if (as_json)
        print(to_json(summary));
    else
        print(to_text(summary));
}

}  // namespace vicinal::tool
