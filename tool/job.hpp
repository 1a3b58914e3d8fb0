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
        summary.precision = how.precision;
    }

    // What the summary says about the bodies.
    void reads(const io::BodyFile& file) {
        summary.file = file.name();
        summary.bodies = file.rows();
        summary.dim = file.dim();
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

    // Counts neighbours of the first set, and writes the pairs.
    template <Real T, int D>
    void keep(const PairColumns<T, D>& pairs, Columns columns, const io::PairNames& names,
              bool one_set) {
        const bool both_ways = output.full;
        summary.pairs = both_ways ? pairs.size() / 2 : pairs.size();
        summary.neighbours =
            neighbours(degrees(pairs, names.first.count(), one_set && !both_ways));
        writing([&] {
            io::write_pairs(output.destination(), pairs, columns, names);
            return std::vector<std::string>{output.file};
        });
    }

    // Between two sets: counts the pairs that `stream` delivers, or keeps those that
    // `list(columns, form)` returns.
    template <class Stream, class List>
    void between(const io::PairNames& names, bool periodic, const Stream& stream,
                 const List& list) {
        if (output.count) {
            std::atomic<std::uint64_t> count = 0;
            stream([&](const auto& block) { count += block.pairs.size(); });
            summary.search = watch.lap();
            summary.pairs = count;
            return;
        }
        const Columns columns = output.columns(periodic);
        const auto pairs = list(columns, PairForm{.order = search.order()});
        summary.search = watch.lap();
        keep(pairs, columns, names, false);
    }
};

}  // namespace vicinal::tool
