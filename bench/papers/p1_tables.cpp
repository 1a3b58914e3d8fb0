// Poirrier (2009), section 6: falling spheres, figures 11 and 12, tables 2 and 3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/papers/p1_cloud.hpp"
#include "bench/peers/delaunay.hpp"
#include "common/text.hpp"

namespace vicinal::papers {
namespace {

struct PublishedSteps {
    std::uint64_t n;
    double quadratic, sweep, delaunay, kd_1, kd_2;  // ms
    double sweep_candidates, delaunay_candidates, kd_1_candidates, kd_2_candidates;
    double delaunay_mb, kd_1_mb, kd_2_mb;
};
constexpr PublishedSteps published_steps[] = {
    {50'000, 23'818, 64'662, 11'350, 211, 297, 471'044, 365'396, 3.30e6, 277'806, 32, 9, 18},
    {100'000, 94'813, 266'840, 23'616, 434, 620, 972'680, 732'000, 5.84e6, 565'180, 76, 17, 35},
    {500'000, unknown, unknown, 118'408, 2'261, 3'288, unknown, 3.67e6, 35.8e6, 3.01e6, 312, 82,
     193},
    {1'000'000, unknown, unknown, 240'563, 4'194, 6'153, unknown, 7.34e6, 78.9e6, 6.01e6, 623,
     144, 353},
    {5'000'000, unknown, unknown, unknown, 18'885, 24'205, unknown, unknown, 518e6, 30.4e6,
     unknown, 558, 1'500}};

PublishedSteps without_figures(std::uint64_t n) {
    return {n,       unknown, unknown, unknown, unknown, unknown, unknown,
            unknown, unknown, unknown, unknown, unknown, unknown};
}

// The paper's sizes, or fewer spheres without a published figure.
std::vector<PublishedSteps> sizes(Extent extent) {
    if (extent == Extent::quick) return {without_figures(2'000), without_figures(8'000)};
    if (extent == Extent::usual) return {published_steps[0], published_steps[1]};
    return {std::begin(published_steps), std::end(published_steps)};
}

// Four runs, as in the paper; of 5 million spheres four finders would not fit the memory of
// common machines. A triangulation keeps nothing between steps, and its runs hardly differ.
std::size_t runs(Extent extent, std::uint64_t n) {
    return extent == Extent::quick ? 2 : n > 1'000'000 ? 1 : 4;
}
std::size_t delaunay_runs(Extent extent, std::uint64_t n) {
    return n > 1'000'000 ? 0 : n > 100'000 ? 1 : runs(extent, n);
}

Measured measure_late(Extent extent, std::uint64_t n, std::vector<Method> methods) {
    Cloud cloud(n);
    return measure(cloud,
                   {50, 60, std::move(methods), runs(extent, n), delaunay_runs(extent, n)});
}

// What a claim was measured on.
std::string samples(std::uint64_t min_n, std::uint64_t max_n, std::size_t most_runs,
                    double spread) {
    return fmt::format("N = {} to {}, up to {} runs of 11 steps that differ by {:.1f} %",
                       common::grouped(min_n), common::grouped(max_n), most_runs, 100 * spread);
}

const char* delaunay_note() {
    return peers::has_delaunay() ? "" : "\nDelaunay: only in a build with CGAL (preset bench).";
}

}  // namespace

// The figures are plots without numbers; N is a few thousand.
ResultTable p1_figures(Extent extent) {
    const std::vector<std::uint64_t> counts =
        extent == Extent::quick ? std::vector<std::uint64_t>{500, 2'000}
                                : std::vector<std::uint64_t>{500, 1'000, 2'000, 4'000, 8'000};
    ResultTable table;
    table.title =
        "Poirrier (2009), figures 11 and 12: ms to find the pairs of N falling spheres, one "
        "thread";
    table.columns = {"N, steps", "pairs/N"};
    for (const std::string name : {"quadratic", "S&P", "S&P ours", "Delaunay", "kd-tree-1"})
        table.columns.insert(table.columns.end(), {name, name + " +-"});
    std::vector<Measured> early, late;
    double spread = 0;
    for (const std::uint64_t n : counts) {
        Cloud cloud(n);
        const auto add = [&](const char* steps, std::uint64_t first, std::uint64_t last) {
            const Measured m = measure(cloud, {first,
                                               last,
                                               {quadratic, sweep, sweep_auto, kd_1, grid},
                                               runs(extent, n),
                                               delaunay_runs(extent, n)});
            ResultTable::Row row{fmt::format("{}, {}", n, steps), {m.touching}};
            for (const Cost* cost :
                 {&m.by[quadratic], &m.by[sweep], &m.by[sweep_auto], &m.delaunay, &m.by[kd_1]})
                row.figures.insert(row.figures.end(), {cost->mean(), cost->deviation()});
            table.rows.push_back(row);
            spread = std::max(spread, m.spread);
            return m;
        };
        early.push_back(add("0-10", 1, 11));
        late.push_back(add("50-60", 50, 60));
    }
    const auto late_over_early = [&](const auto& cost) {
        Extremes ratio;
        for (std::size_t k = 0; k < counts.size(); ++k)
            ratio.add(median(cost(late[k]).times()) / median(cost(early[k]).times()));
        return ratio;
    };
    const auto by = [](Method method) {
        return [method](const Measured& m) -> const Cost& { return m.by[method]; };
    };
    const auto triangulation = [](const Measured& m) -> const Cost& { return m.delaunay; };
    const auto growth = [&](const std::vector<Measured>& measured, const auto& cost) {
        return exponent(
            median(cost(measured.front()).times()), static_cast<double>(counts.front()),
            median(cost(measured.back()).times()), static_cast<double>(counts.back()));
    };
    Extremes sweep_gain;
    for (const Measured& m : early)
        sweep_gain.add(median(m.by[quadratic].times()) / median(m.by[sweep].times()));
    const double quadratic_growth = growth(late, by(quadratic)),
                 sweep_growth = growth(late, by(sweep));
    const Extremes quadratic_ratio = late_over_early(by(quadratic)),
                   sweep_ratio = late_over_early(by(sweep));
    table.note =
        fmt::format(
            "Mean and standard deviation over all steps and runs; claims by medians\n"
            "({}).\n"
            "S&P: insertion sort only, as published; S&P ours sorts from scratch where that\n"
            "is less work. The paper gives plots without figures.",
            samples(counts.front(), counts.back(), runs(extent, counts.front()), spread)) +
        delaunay_note();
    table.claims = {
        {"the naive approach takes time as N^2 (exponent 1.8 to 2.2)",
         quadratic_growth > 1.8 && quadratic_growth < 2.2,
         fmt::format("N^{:.2f}", quadratic_growth)},
        {"it is as fast late as early (within 30 %)",
         quadratic_ratio.minimum > 0.7 && quadratic_ratio.maximum < 1.3,
         quadratic_ratio.text() + " times the time"},
        {"Sweep & Prune is slower late, when motion is fast", sweep_ratio.minimum > 1,
         sweep_ratio.text() + " times the time"},
        {"its efficiency decreases with N (late; exponent above 1.1)", sweep_growth > 1.1,
         fmt::format("N^{:.2f}", sweep_growth)},
        {"it does well for few spheres: early, and for the fewest, faster than the naive "
         "approach",
         median(early[0].by[sweep].times()) < median(early[0].by[quadratic].times()),
         sweep_gain.text() + " times faster over all N"}};
    if (peers::has_delaunay()) {
        const double g = growth(late, triangulation);
        table.claims.push_back(
            {"Delaunay triangulation takes seemingly linear time (exponent below 1.25)",
             g < 1.25, fmt::format("N^{:.2f}", g)});
        const Extremes same = late_over_early(triangulation);
        table.claims.push_back({"and is as fast late as early (within 30 %)",
                                same.minimum > 0.7 && same.maximum < 1.3,
                                same.text() + " times the time"});
    }
    return table;
}

ResultTable p1_table2(Extent extent) {
    constexpr std::uint64_t slow_limit = 100'000;  // of the paper's slow methods, as published
    ResultTable table;
    table.title =
        "Poirrier (2009), table 2: N falling spheres, steps 50 to 60: ms to find their pairs, "
        "one thread";
    table.columns = {"N",
                     "pairs/N",
                     "quadratic",
                     "paper",
                     "S&P",
                     "paper",
                     "S&P +-",
                     "S&P ours",
                     "Delaunay",
                     "paper",
                     "kd-tree-1",
                     "paper",
                     "kd-tree-1 +-",
                     "row_grid",
                     "S&P cand.",
                     "paper",
                     "Delaunay cand.",
                     "paper",
                     "kd-1 cand.",
                     "paper",
                     "root",
                     "bits"};
    Extremes touching, gain, over_naive, over_sweep, over_delaunay, theirs, best, looser,
        growth, recall, faster_kd, faster_delaunay;
    double last_ms = 0, last_n = 0, spread = 0;
    std::string several;
    bool several_hold = false;
    const std::vector<PublishedSteps> rows = sizes(extent);
    for (const PublishedSteps& p : rows) {
        std::vector<Method> methods{sweep_auto, kd_1, grid};
        if (p.n <= slow_limit) methods.insert(methods.end(), {quadratic, sweep});
        const Measured m = measure_late(extent, p.n, methods);
        const double kd = m.by[kd_1].mean(), n = static_cast<double>(p.n);
        const auto candidates = [](const Cost& cost) { return cost.per_step(cost.candidates); };
        table.rows.push_back({fmt::format("{}", p.n),
                              {m.touching,
                               m.by[quadratic].mean(),
                               p.quadratic,
                               m.by[sweep].mean(),
                               p.sweep,
                               m.by[sweep].spread(),
                               m.by[sweep_auto].mean(),
                               m.delaunay.mean(),
                               p.delaunay,
                               kd,
                               p.kd_1,
                               m.by[kd_1].spread(),
                               m.by[grid].mean(),
                               candidates(m.by[sweep]),
                               p.sweep_candidates,
                               candidates(m.delaunay),
                               p.delaunay_candidates,
                               candidates(m.by[kd_1]),
                               p.kd_1_candidates,
                               m.by[kd_1].root,
                               m.by[kd_1].bits}});
        touching.add(m.touching);
        over_naive.add(m.by[quadratic].mean() / kd);
        over_sweep.add(m.by[sweep].mean() / kd);
        over_delaunay.add(m.delaunay.mean() / kd);
        for (const Cost* other : {&m.by[quadratic], &m.by[sweep], &m.delaunay})
            gain.add(other->mean() / kd);
        theirs.add(p.delaunay / p.kd_1);
        faster_kd.add(p.kd_1 / kd);
        faster_delaunay.add(p.delaunay / m.delaunay.mean());
        for (const Cost* other : {&m.by[sweep], &m.delaunay})
            looser.add(candidates(m.by[kd_1]) / candidates(*other));
        recall.add(m.delaunay.per_step(m.delaunay.pairs) /
                   m.by[grid].per_step(m.by[grid].pairs));
        best.add(kd / m.by[grid].mean());
        if (last_n > 0) growth.add(exponent(last_ms, last_n, kd, n));
        last_ms = kd;
        last_n = n;
        spread = std::max(spread, m.spread);
        if (p.n < 2'000'000) continue;
        several_hold = several_hold || kd < 10'000;
        several += fmt::format("{}{}: {:.1f} s", several.empty() ? "" : ", ",
                               common::grouped(p.n), kd / 1e3);
    }
    table.note =
        fmt::format(
            "Means ({}).\n"
            "+-: standard deviation of the means of the runs. The paper's times are those of\n"
            "whole steps on a processor of 2007; ours are of the search alone. The paper does\n"
            "not give g and dt; ours reproduce its number of touching pairs. S&P: insertion\n"
            "sort only, as published; S&P ours sorts from scratch where that is less work.\n"
            "Candidates of kd-tree-1 include repeats. root: its edge, in edges of the cloud's\n"
            "cube at the start; bits: per axis (B). The paper gives neither.",
            samples(rows.front().n, rows.back().n, runs(extent, rows.front().n), spread)) +
        delaunay_note();
    std::string measured = fmt::format("{} times the naive approach, {} times Sweep & Prune",
                                       over_naive.text(), over_sweep.text());
    if (peers::has_delaunay()) {
        measured += fmt::format(", {} times Delaunay", over_delaunay.text());
        if (extent != Extent::quick)
            measured += fmt::format(
                " (published: {}). With as many candidates as published, the triangulation "
                "takes {} times less time than then, kd-tree-1 {} times less",
                theirs.text(), faster_delaunay.text(), faster_kd.text());
    }
    table.claims = {
        {"kd-tree-1 is more than fifty times faster than the other methods of the paper",
         gain.minimum > 50, measured},
        {"its time is nearly linear in N (exponent below 1.2)", growth.maximum < 1.2,
         "N^" + growth.text()},
        {"it selects more candidates than the others", looser.minimum > 1,
         looser.text() + " times as many"},
        {"row_grid, the default here, is faster still", best.minimum > 1,
         best.text() + " times"},
        {"the cloud is as dense as the paper's (5.5 to 6.2 touching pairs per sphere; report "
         "only below 50,000)",
         touching.minimum >= 5.5 && touching.maximum <= 6.2, touching.text()}};
    if (!several.empty())
        table.claims.push_back(
            {"several million spheres take less than ten seconds per step "
             "(published: up to about 2 million)",
             several_hold, several});
    if (peers::has_delaunay())
        table.claims.push_back({"the edges of a Delaunay triangulation hold all touching pairs",
                                recall.minimum >= 1, recall.text() + " of them"});
    return table;
}

ResultTable p1_table3(Extent extent) {
    ResultTable table;
    table.title =
        "Poirrier (2009), table 3: repeats or a unique list, for N falling spheres, steps 50 "
        "to 60, one "
        "thread";
    table.columns = {"N",           "kd-1 ms",    "paper",    "kd-1 +-",     "kd-2 ms",
                     "paper",       "kd-2 +-",    "owner ms", "row_grid ms", "kd-1 cand.",
                     "paper",       "kd-2 pairs", "paper",    "Delaunay MB", "paper",
                     "kd-1 MB",     "paper",      "kd-2 MB",  "paper",       "owner MB",
                     "row_grid MB", "root",       "bits"};
    Extremes slower, larger, owner_time, owner_memory, delaunay_memory;
    double spread = 0;
    const std::vector<PublishedSteps> rows = sizes(extent);
    for (const PublishedSteps& p : rows) {
        const Measured m = measure_late(extent, p.n, {kd_1, kd_2, kd_owner, grid});
        const Cost &one = m.by[kd_1], &two = m.by[kd_2], &owner = m.by[kd_owner];
        table.rows.push_back({fmt::format("{}", p.n),
                              {one.mean(),
                               p.kd_1,
                               one.spread(),
                               two.mean(),
                               p.kd_2,
                               two.spread(),
                               owner.mean(),
                               m.by[grid].mean(),
                               one.per_step(one.candidates),
                               p.kd_1_candidates,
                               two.per_step(two.pairs),
                               p.kd_2_candidates,
                               m.delaunay.mb(),
                               p.delaunay_mb,
                               one.mb(),
                               p.kd_1_mb,
                               two.mb(),
                               p.kd_2_mb,
                               owner.mb(),
                               m.by[grid].mb(),
                               one.root,
                               one.bits}});
        slower.add(two.mean() / one.mean());
        larger.add(two.bytes / one.bytes);
        owner_time.add(owner.mean() / one.mean());
        owner_memory.add(owner.bytes / one.bytes);
        delaunay_memory.add(m.delaunay.mb() / one.mb());
        spread = std::max(spread, m.spread);
    }
    table.note =
        fmt::format(
            "Means ({}).\n"
            "+-: standard deviation of the means of the runs. MB: of the structure at step "
            "60;\n"
            "in the paper of the whole process. kd-2: unique=list; owner: the default of\n"
            "linear_kd_tree, which finds each pair once without a list. root and bits: as in\n"
            "table 2.",
            samples(rows.front().n, rows.back().n, runs(extent, rows.front().n), spread)) +
        delaunay_note();
    table.claims = {
        {"a unique list costs 28 to 47 % more time",
         slower.minimum >= 1.28 && slower.maximum <= 1.47, slower.text() + " times the time"},
        {"and 2 to 2.7 times the memory", larger.minimum >= 2 && larger.maximum <= 2.7,
         larger.text() + " times the memory"},
        {"ours: the owner rule makes pairs unique in less time than a list",
         owner_time.maximum < slower.maximum,
         owner_time.text() + " times the time of kd-tree-1"},
        {"ours: and with the memory of kd-tree-1 (within 5 %)", owner_memory.maximum <= 1.05,
         owner_memory.text() + " times"}};
    if (peers::has_delaunay())
        table.claims.push_back({"Delaunay triangulation needs more memory than kd-tree-1",
                                delaunay_memory.minimum > 1,
                                delaunay_memory.text() + " times as much"});
    return table;
}

}  // namespace vicinal::papers
