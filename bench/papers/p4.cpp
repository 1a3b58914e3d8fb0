// Pouchol et al. (2009), hierarchical hashing: segments against objects of three sizes,
// neighbours of points, and the size of the hash table. On one thread, as published.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <span>

#include "bench/papers/experiments.hpp"
#include "scenes/random.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::papers {
namespace {

template <int D>
Finder<double, D> make_finder(const std::string& method) {
    return Finder<double, D>(Options<D>{.method = method, .threads = 1});
}

constexpr int timed_runs = 9;

// The memory of the structure alone: neither queries nor results.
template <int D>
double structure_bytes(const std::string& method, const Bodies<double, D>& bodies) {
    auto finder = make_finder<D>(method);
    finder.update(bodies);
    return static_cast<double>(finder.report().bytes);
}

struct Measured {
    std::vector<double> ms, bytes;  // of each method
};

// The time of building and of search(finder), and the memory of the structure.
template <int D, class Search>
Measured measure(Turns& turns, std::span<const char* const> methods,
                 const Bodies<double, D>& bodies, const Search& search) {
    Measured measured;
    std::vector<Finder<double, D>> finders;
    std::vector<std::function<void()>> runs;
    for (const char* method : methods) {
        measured.bytes.push_back(structure_bytes(method, bodies));
        finders.push_back(make_finder<D>(method));
    }
    for (auto& finder : finders)
        runs.emplace_back([&] {
            finder.update(bodies);
            search(finder);
        });
    measured.ms = turns.ms(runs);
    return measured;
}

// Section 4.1: N objects in a square, 10 % of mean size 2^10, 25 % of 2^6, the rest of 2^3.
struct Objects {
    static constexpr double side = 8192;
    std::vector<double> lower, upper;

    explicit Objects(std::size_t n) {
        scenes::Random random(1);
        for (std::size_t k = 0; k < n; ++k) {
            const double share = random.uniform();
            const double mean = share < 0.1 ? 1024 : share < 0.35 ? 64 : 8;
            for (int a = 0; a < 2; ++a) {
                const double size = random.uniform(0.5, 1.5) * mean;
                lower.push_back(random.uniform(0, side - size));
                upper.push_back(lower.back() + size);
            }
        }
    }
};

// Motions of particles, no longer than 2^4.
struct Segments {
    std::vector<double> from, along;

    explicit Segments(std::size_t n) {
        scenes::Random random(2);
        while (along.size() < 2 * n) {
            const double x = random.uniform(-16, 16), y = random.uniform(-16, 16);
            if (x * x + y * y > 256) continue;
            along.insert(along.end(), {x, y});
            from.push_back(random.uniform(0, Objects::side));
            from.push_back(random.uniform(0, Objects::side));
        }
    }
};

double share_that_hits(const Bodies<double, 2>& bodies, const Segments& segments) {
    auto finder = make_finder<2>("auto");
    finder.update(bodies);
    std::vector<bool> hit(segments.from.size() / 2);
    const auto pairs = finder.probe(vicinal::segments<2>(segments.from, segments.along));
    for (const auto& block : pairs.blocks())
        for (const Pair& pair : block.pairs) hit[pair.i] = true;
    return static_cast<double>(std::count(hit.begin(), hit.end(), true)) /
           static_cast<double>(hit.size());
}

struct Neighbours {
    double most, mean;  // of a point
};

Neighbours neighbours_of(const Bodies<double, 2>& bodies) {
    auto finder = make_finder<2>("auto");
    finder.update(bodies);
    const auto& offsets = finder.neighbours().offsets;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        most = std::max(most, offsets[i + 1] - offsets[i]);
    return {static_cast<double>(most),
            static_cast<double>(offsets[bodies.size()]) / static_cast<double>(bodies.size())};
}

struct Extremes {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = 0;
    void add(double value) {
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    }
    std::string text() const { return fmt::format("{:.2f} to {:.2f}", minimum, maximum); }
};

}  // namespace

ResultTable p4_2d(Extent extent) {
    const Segments segments(extent == Extent::quick ? 20'000 : 1'000'000);
    constexpr const char* methods[] = {"kd_tree", "multilevel_hash", "hierarchical_hash"};
    ResultTable table;
    table.title = fmt::format(
        "Pouchol et al. (2009), figure 4: {} segments against N objects, one thread",
        segments.from.size() / 2);
    table.columns = {"N", "hit %"};
    for (const char* unit : {"ms", "kB"})
        for (const char* method : methods)
            table.columns.push_back(fmt::format("{} {}", method, unit));
    Turns turns(timed_runs);
    Extremes speed_up, memory, over_tree, memory_over_tree;
    std::size_t always = 0;  // from this N on both hashes are faster than the tree
    for (const std::size_t n : {16, 64, 256, 1024, 4096}) {
        const Objects objects(n);
        const auto bodies = boxes<2>(objects.lower, objects.upper);
        const auto [ms, bytes] =
            measure(turns, methods, bodies, [&](Finder<double, 2>& finder) {
                finder.probe(vicinal::segments<2>(segments.from, segments.along),
                             [](const Block<2>&) {});
            });
        ResultTable::Row row{fmt::format("{}", n), {100 * share_that_hits(bodies, segments)}};
        row.figures.insert(row.figures.end(), ms.begin(), ms.end());
        for (const double b : bytes) row.figures.push_back(b / 1e3);
        table.rows.push_back(row);
        speed_up.add(ms[1] / ms[2]);
        memory.add(bytes[2] / bytes[1]);
        for (const std::size_t hash : {1, 2}) {
            over_tree.add(ms[0] / ms[hash]);
            memory_over_tree.add(bytes[hash] / bytes[0]);
        }
        if (ms[0] <= std::max(ms[1], ms[2]))
            always = 0;
        else if (always == 0)
            always = n;
    }
    turns.describe(table);
    table.note =
        "ms: building and all queries, in processor time. kB: the structure. The paper gives\n"
        "curves without figures.";
    table.claims = {
        {.text = "hierarchical is at least twice as fast as multilevel",
         .holds = speed_up.minimum >= 2,
         .measured = speed_up.text() + " times as fast",
         .why =
             "a look-up of an empty cell reads one word of a small table here, so the look-ups "
             "that the flags save cost little beside the tests of the segments that hit"},
        {.text = "hierarchical needs at most 10 % more memory than multilevel",
         .holds = memory.maximum <= 1.1,
         .measured = memory.text() + " times as much"},
        {.text = "hashes are faster than the kd-tree",
         .holds = over_tree.minimum > 1,
         .measured = fmt::format(
             "{} times as fast; both hashes are {}", over_tree.text(),
             always == 0 ? std::string("for no N") : fmt::format("from N = {} on", always)),
         .why = "few objects make a tree of few nodes, which stay in the L1 cache"},
        {.text = "hashes need more memory than the kd-tree",
         .holds = memory_over_tree.minimum > 1,
         .measured = memory_over_tree.text() + " times as much"}};
    return table;
}

ResultTable p4_neighbours(Extent extent) {
    const std::size_t n = extent == Extent::quick   ? 20'000
                          : extent == Extent::usual ? 200'000
                                                    : 1'000'000;
    // For any number of points, the density of a million points in a square of side 2^20.
    const double side = 1048576 * std::sqrt(static_cast<double>(n) / 1e6);
    std::vector<double> positions(2 * n);
    scenes::Random random(3);
    for (double& x : positions) x = random.uniform(0, side);
    constexpr const char* methods[] = {"kd_tree", "uniform_hash", "hierarchical_hash",
                                       "hierarchical_hash(neighbours=insert)"};
    constexpr const char* names[] = {"kd", "uniform", "hierarchical", "inserting"};
    ResultTable table;
    table.title = fmt::format(
        "Pouchol et al. (2009), figure 5: neighbours of {} points within r, one thread", n);
    table.columns = {"r", "most", "mean"};
    for (const char* unit : {"ms", "MB"})
        for (const char* name : names)
            table.columns.push_back(fmt::format("{} {}", name, unit));
    Turns turns(timed_runs);
    Extremes sparse, inserting, memory, dense;
    for (const double r : {128.0, 256.0, 512.0, 1024.0, 2048.0}) {
        const auto bodies = points<2>(positions, r);
        const auto [ms, bytes] = measure(
            turns, methods, bodies, [](Finder<double, 2>& finder) { finder.neighbours(); });
        const auto [most, mean] = neighbours_of(bodies);
        ResultTable::Row row{fmt::format("{}", r), {most, mean}};
        row.figures.insert(row.figures.end(), ms.begin(), ms.end());
        for (const double b : bytes) row.figures.push_back(b / 1e6);
        table.rows.push_back(row);
        if (most < 5) {
            sparse.add(ms[2] / ms[1]);
            inserting.add(ms[3] / ms[1]);
            memory.add(bytes[2] / bytes[1]);
        } else {
            dense.add(ms[0] / std::min({ms[1], ms[2], ms[3]}));
        }
    }
    turns.describe(table);
    table.note =
        "most, mean: neighbours of a point. ms: building and full neighbour rows, in "
        "processor\n"
        "time; MB: the structure alone. hierarchical: the neighbours are found by a search "
        "once\n"
        "all points are inserted; inserting: while they are inserted, as in the paper's "
        "listing\n"
        "3. The paper gives curves without figures.";
    table.claims = {
        {.text = "below 5 neighbours at most, hierarchical competes with uniform (at most 1.1 "
                 "times its time)",
         .holds = sparse.maximum <= 1.1,
         .measured = sparse.text() + " times its time"},
        {.text = "the same with neighbours found while inserting",
         .holds = inserting.maximum <= 1.1,
         .measured = inserting.text() + " times its time",
         .why = "it looks into all adjacent cells of a point, a search into half of those of a "
                "cell"},
        {.text = "there it needs at most 25 % more memory",
         .holds = memory.maximum <= 1.25,
         .measured = memory.text() + " times as much",
         .published = "10 to 25 % more"},
        {.text = "from 5 on the kd-tree is the fastest",
         .holds = dense.maximum <= 1,
         .measured = dense.text() + " times the time of the best hash",
         .why = "hashes look cells up in batches here, with prefetching"}};
    return table;
}

ResultTable p4_table(Extent extent) {
    const std::size_t n = extent == Extent::quick ? 5'000 : 200'000;
    std::vector<double> centres, radii;
    scenes::Random random(4);
    for (std::size_t k = 0; k < n; ++k) {
        for (int a = 0; a < 3; ++a) centres.push_back(random.uniform(0, 4));
        radii.push_back(k < n / 100 ? random.uniform(1.0 / 32, 1.0 / 8) : 1.0 / 128);
    }
    ResultTable table;
    table.title = fmt::format(
        "Pouchol et al. (2009), section 4.3: the size of the table, for {} particles and "
        "spheres, one thread",
        n);
    table.columns = {
        "method, slots per record", "ms",         "MB",     "cells", "slot clashes",
        "false candidates",         "candidates", "false %"};
    Turns turns(timed_runs);
    Extremes large, gain;
    for (const std::string method : {"uniform_hash", "multilevel_hash", "hierarchical_hash"}) {
        constexpr double sizes[] = {0.1, 0.5, 1, 2, 10, 100};
        std::vector<Finder<double, 3>> finders;
        std::vector<std::function<void()>> runs;
        for (const double slots : sizes)
            finders.push_back(make_finder<3>(fmt::format("{}(table={})", method, slots)));
        for (auto& finder : finders)
            runs.emplace_back([&] {
                finder.update(spheres<3>(centres, radii));
                finder.count();
            });
        const std::vector<double> ms = turns.ms(runs);
        for (std::size_t k = 0; k < std::size(sizes); ++k) {
            const double slots = sizes[k];
            const auto& report = finders[k].report();
            const double wrong = figure(report.statistics, "false candidates");
            const auto candidates = static_cast<double>(report.candidates);
            table.rows.push_back(
                {fmt::format("{}, {}", method, slots),
                 {ms[k], static_cast<double>(report.bytes) / 1e6,
                  figure(report.statistics, "cells"), figure(report.statistics, "slot clashes"),
                  wrong, candidates, 100 * wrong / candidates}});
            if (slots == 100) large.add(wrong / candidates);
            if (slots == 100) gain.add(ms[k] / ms[3]);
        }
    }
    turns.describe(table);
    table.note =
        "A clash costs a comparison of keys here, and no false candidate is tested.\n"
        "Clashes are counted as in the paper: bodies in the same slot but not in the same\n"
        "cell. The paper counts slots per polygon; a record here is a body in a cell.";
    table.claims = {
        {"with 100 slots per record false candidates are negligible (below 1 %)",
         large.maximum < 0.01, fmt::format("{:.2g} % at most", 100 * large.maximum)},
        {"such a table is worth its memory: faster than one of 2 slots per record",
         gain.maximum < 1,
         gain.text() + " times its time",
         {},
         "a clash costs a comparison of keys, a large table misses the cache"}};
    return table;
}

}  // namespace vicinal::papers
