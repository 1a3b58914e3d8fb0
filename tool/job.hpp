// Common parts of the commands that search: the summary, the stopwatch, and the output of the
// pairs.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "common/stopwatch.hpp"
#include "domain.hpp"
#include "flags.hpp"
#include "io/bodies.hpp"
#include "io/pairs.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "summary.hpp"

namespace vicinal::tool {

struct Job {
    const SearchFlags& search;
    const OutputFlags& output;
    Summary summary;
    Progress progress;
    common::Stopwatch watch;

    Job(const SearchFlags& how, const OutputFlags& where, const std::string& file)
        : search(how), output(where), progress("reading " + file) {
        summary.file = file;
        summary.precision = how.precision;
    }

    template <int D>
    Space<D> domain_for(const io::BodyFile& file, const io::BodyFile* second) {
        Space<D> space = choose_domain<D>(search.domain, file, second);
        summary.domain = space.text;
        summary.domain_shown = space.shown();
        return space;
    }

    void searching() {
        summary.read = watch.lap();
        progress.phase("searching");
    }

    // Runs `write`, which returns the names of the files written.
    template <class F>
    void writing(const F& write) {
        if (output.file.empty()) return;
        progress.phase("writing " + output.file);
        watch.lap();
        summary.output = write();
        summary.write = watch.lap();
    }

    // Counts neighbours for `rows` bodies or queries, and writes the pairs.
    template <int D>
    void keep(const PairList<D>& pairs, std::size_t rows, bool one_set, bool periodic) {
        summary.pairs = pairs.size();
        summary.neighbours = neighbours(degrees(pairs, rows, one_set));
        writing([&] {
            io::write_pairs(output.file, pairs, periodic);
            return std::vector<std::string>{output.file};
        });
    }

    // Between two sets: counts the pairs that `stream` delivers, or keeps those that `list`
    // returns.
    template <class Stream, class List>
    void between(std::size_t rows, bool periodic, const Stream& stream, const List& list) {
        if (output.count) {
            std::atomic<std::uint64_t> count = 0;
            stream([&](const auto& block) { count += block.pairs.size(); });
            summary.search = watch.lap();
            summary.pairs = count;
            return;
        }
        const auto pairs = list();
        summary.search = watch.lap();
        keep(pairs, rows, false, periodic);
    }
};

}  // namespace vicinal::tool
