// P4, hierarchical hashing: segments against objects of three sizes, neighbours of points, and
// the size of the hash table. On one thread, as published.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

#include "bench/papers/experiments.hpp"
#include "scenes/random.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::papers {
namespace {

template <int D>
Finder<double, D> make_finder(const std::string& method) {
    return Finder<double, D>(Options<D>{.method = method, .threads = 1});
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

double share_that_hits(const Finder<double, 2>& finder, const Segments& segments) {
    std::vector<bool> hit(segments.from.size() / 2);
    const auto pairs = finder.probe(vicinal::segments<2>(segments.from, segments.along));
    for (const auto& block : pairs.blocks())
        for (const Pair& pair : block.pairs) hit[pair.i] = true;
    return static_cast<double>(std::count(hit.begin(), hit.end(), true)) /
           static_cast<double>(hit.size());
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
    table.title = fmt::format("P4 figure 4: {} segments against N objects, one thread",
                              segments.from.size() / 2);
    table.columns = {"N", "hit %"};
    for (const char* unit : {"ms", "kB"})
        for (const char* method : methods)
            table.columns.push_back(fmt::format("{} {}", method, unit));
    Extremes speed_up, memory, over_tree, memory_over_tree;
    for (const std::size_t n : {16, 64, 256, 1024, 4096}) {
        const Objects objects(n);
        ResultTable::Row row{fmt::format("{}", n), {}};
        double ms[3], bytes[3];
        for (std::size_t m = 0; m < 3; ++m) {
            auto finder = make_finder<2>(methods[m]);
            std::uint64_t pairs = 0;
            ms[m] =
                1e3 * median_seconds(3, [&] {
                    finder.update(boxes<2>(objects.lower, objects.upper));
                    finder.probe(vicinal::segments<2>(segments.from, segments.along),
                                 [&](const Block<2>& block) { pairs += block.pairs.size(); });
                });
            bytes[m] = static_cast<double>(finder.report().bytes);
            if (m == 0) row.figures.push_back(100 * share_that_hits(finder, segments));
        }
        row.figures.insert(row.figures.end(), std::begin(ms), std::end(ms));
        for (const double b : bytes) row.figures.push_back(b / 1e3);
        table.rows.push_back(row);
        speed_up.add(ms[1] / ms[2]);
        memory.add(bytes[2] / bytes[1]);
        over_tree.add(ms[0] / std::min(ms[1], ms[2]));
        memory_over_tree.add(std::min(bytes[1], bytes[2]) / bytes[0]);
    }
    table.note = "ms: building and all queries. The paper gives curves without figures.";
    table.claims = {{"hierarchical is at least twice as fast as multilevel",
                     speed_up.minimum >= 2, speed_up.text() + " times"},
                    {"hierarchical needs at most 10 % more memory than multilevel",
                     memory.maximum <= 1.1, memory.text() + " times as much"},
                    {"the better hash is faster than the kd-tree", over_tree.minimum > 1,
                     over_tree.text() + " times"},
                    {"hashes need more memory than the kd-tree", memory_over_tree.minimum > 1,
                     memory_over_tree.text() + " times as much"}};
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
    table.title = fmt::format("P4 figure 5: neighbours of {} points within r, one thread", n);
    table.columns = {"r", "most", "mean"};
    for (const char* unit : {"ms", "MB"})
        for (const char* name : names)
            table.columns.push_back(fmt::format("{} {}", name, unit));
    Extremes sparse, memory, dense;
    for (const double r : {128.0, 256.0, 512.0, 1024.0, 2048.0}) {
        ResultTable::Row row{fmt::format("{}", r), {}};
        double ms[4], bytes[4];
        std::uint64_t max_neighbours = 0;
        for (std::size_t m = 0; m < 4; ++m) {
            auto finder = make_finder<2>(methods[m]);
            const Rows<2>* rows = nullptr;
            ms[m] = 1e3 * median_seconds(3, [&] {
                        finder.update(points<2>(positions, r));
                        rows = &finder.neighbours();
                    });
            // The structure alone: rows take the same memory for all methods.
            auto structure = make_finder<2>(methods[m]);
            structure.update(points<2>(positions, r));
            bytes[m] = static_cast<double>(structure.report().bytes);
            if (m > 0) continue;
            for (std::size_t i = 0; i < n; ++i)
                max_neighbours =
                    std::max(max_neighbours, rows->offsets[i + 1] - rows->offsets[i]);
            row.figures = {static_cast<double>(max_neighbours),
                           static_cast<double>(rows->offsets[n]) / static_cast<double>(n)};
        }
        row.figures.insert(row.figures.end(), std::begin(ms), std::end(ms));
        for (const double b : bytes) row.figures.push_back(b / 1e6);
        table.rows.push_back(row);
        if (max_neighbours < 5) sparse.add(std::min(ms[2], ms[3]) / ms[1]);
        if (max_neighbours < 5) memory.add(bytes[2] / bytes[1]);
        if (max_neighbours >= 5) dense.add(ms[0] / std::min({ms[1], ms[2], ms[3]}));
    }
    table.note =
        "most, mean: neighbours of a point. ms: building and full neighbour rows; MB: the\n"
        "structure alone. inserting: hierarchical_hash(neighbours=insert). The paper gives\n"
        "curves without figures.";
    table.claims = {
        {"below 5 neighbours at most, hierarchical competes with uniform (at most "
         "1.1 times its time)",
         sparse.maximum <= 1.1, sparse.text() + " times its time"},
        {"there it needs 10 to 25 % more memory",
         memory.minimum >= 1.1 && memory.maximum <= 1.25, memory.text() + " times as much"},
        {"from 5 on the kd-tree is the fastest", dense.maximum <= 1,
         dense.text() + " times the time of the best hash"}};
    return table;
}

// Section 4.3 on the scene of section 4.2: particles of size 2^-6 among 2000 static spheres of
// 2^-4 to 2^-2. The paper does not give the number of particles and the box.
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
        "P4 section 4.3: the size of the table, for {} particles and spheres, one thread", n);
    table.columns = {
        "method, slots per record", "ms",         "MB",     "cells", "slot clashes",
        "false candidates",         "candidates", "false %"};
    Extremes large, gain;
    for (const std::string method : {"uniform_hash", "multilevel_hash", "hierarchical_hash"}) {
        double at_2 = 0;
        for (const double slots : {0.1, 0.5, 1.0, 2.0, 10.0, 100.0}) {
            auto finder = make_finder<3>(fmt::format("{}(table={})", method, slots));
            const double ms = 1e3 * median_seconds(3, [&] {
                                  finder.update(spheres<3>(centres, radii));
                                  finder.count();
                              });
            const auto& report = finder.report();
            const double wrong = figure(report.statistics, "false candidates");
            const auto candidates = static_cast<double>(report.candidates);
            table.rows.push_back(
                {fmt::format("{}, {}", method, slots),
                 {ms, static_cast<double>(report.bytes) / 1e6,
                  figure(report.statistics, "cells"), figure(report.statistics, "slot clashes"),
                  wrong, candidates, 100 * wrong / candidates}});
            if (slots == 2) at_2 = ms;
            if (slots == 100) large.add(wrong / candidates);
            if (slots == 100) gain.add(ms / at_2);
        }
    }
    table.note =
        "A clash costs a comparison of keys here, and no false candidate is tested.\n"
        "Clashes are counted as in the paper: bodies in the same slot but not in the same\n"
        "cell. The paper counts slots per polygon; a record here is a body in a cell.";
    table.claims = {
        {"with 100 slots per record false candidates are negligible (below 1 %)",
         large.maximum < 0.01, fmt::format("{:.2g} % at most", 100 * large.maximum)},
        {"such a table is worth its memory: faster than one of 2 slots per record",
         gain.maximum < 1, gain.text() + " times its time"}};
    return table;
}

}  // namespace vicinal::papers
