// Poirrier (2009), section 6: Sweep & Prune against motion and number of spheres, and the
// stages of the linear kd-tree, on one thread and more.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "bench/papers/p1_cloud.hpp"
#include "bench/papers/p1_spheres.hpp"
#include "common/text.hpp"
#include "scenes/random.hpp"

namespace vicinal::papers {
namespace {

constexpr double motions[] = {0, 0.001, 0.01, 0.1, 1};

struct Stages {
    std::vector<double> split, sort, sweep;  // ms
    double root = unknown, bits = unknown;

    double total() const { return median(split) + median(sort) + median(sweep); }
};

// The stages of kd-tree-1 as medians of several searches of the same bodies.
Stages measure_stages(const Bodies<double, 3>& bodies, int threads) {
    constexpr int searches = 11;
    Finder<double, 3> finder(
        Options<3>{.method = "linear_kd_tree(unique=none)", .threads = threads});
    Stages stages;
    for (int k = -1; k < searches; ++k) {
        finder.update(bodies);
        finder.count();
        const auto& report = finder.report();
        if (k < 0) continue;  // memory is allocated
        const double split = figure(report.statistics, "split ms"),
                     sort = figure(report.statistics, "sort ms");
        stages.split.push_back(split + 1e3 * report.seconds.scene);
        stages.sort.push_back(sort);
        stages.sweep.push_back(1e3 * (report.seconds.build + report.seconds.search) - split -
                               sort);
        stages.root = figure(report.statistics, "root edge");
        stages.bits = figure(report.statistics, "bits per axis");
    }
    return stages;
}

}  // namespace

std::vector<std::vector<double>> ms_of_steps(const std::vector<std::string>& methods,
                                             Spheres spheres, double motion, int steps) {
    constexpr int warm_up = 2;
    std::vector<Finder<double, 3>> finders;
    for (const std::string& method : methods)
        finders.emplace_back(Options<3>{.method = method, .threads = 1});
    scenes::Random random(7);
    std::vector<std::vector<double>> ms(methods.size());
    for (int step = 0; step < warm_up + steps; ++step) {
        for (std::size_t m = 0; m < methods.size(); ++m) {
            const ProcessorClock clock;
            finders[m].update(spheres.arrays.bodies<3>());
            finders[m].count();
            if (step >= warm_up) ms[m].push_back(clock.ms());
        }
        for (double& x : spheres.arrays.position)
            x += motion * spheres.arrays.radius[0] * (2 * random.uniform() - 1);
    }
    return ms;
}

ResultTable p1_motion(Extent extent) {
    std::vector<std::uint64_t> counts{100, 1'000, 10'000};
    if (extent == Extent::quick) counts.pop_back();
    if (extent == Extent::full) counts.push_back(50'000);
    const int steps = extent == Extent::quick ? 5 : 21;
    const std::vector<std::string> methods{"sweep_persistent(scratch=never)",
                                           "sweep_persistent", "brute_force",
                                           "linear_kd_tree(unique=none)", "row_grid"};
    ResultTable table;
    table.title =
        "Poirrier (2009), section 6: Sweep & Prune against the motion of N spheres of fill "
        "0.1, "
        "one thread";
    table.columns = {"N, motion/radius", "S&P ms",       "S&P +-",     "S&P ours ms",
                     "quadratic ms",     "kd-tree-1 ms", "row_grid ms"};
    Extremes at_rest, by_motion;
    std::vector<double> still, fast;
    for (const std::uint64_t n : counts) {
        const Spheres spheres(0.1, n);
        double first = 0, last = 0;
        for (const double motion : motions) {
            const auto ms = ms_of_steps(methods, spheres, motion, steps);
            std::vector<double> medians;
            for (const std::vector<double>& times : ms) medians.push_back(median(times));
            table.rows.push_back({fmt::format("{}, {}", n, motion),
                                  {medians[0], deviation_of(ms[0]), medians[1], medians[2],
                                   medians[3], medians[4]}});
            last = medians[0];
            if (motion == 0) first = last;
            if (motion <= 0.001) at_rest.add(std::min(medians[2], medians[3]) / last);
        }
        by_motion.add(last / first);
        still.push_back(first);
        fast.push_back(last);
    }
    const auto growth = [&](const std::vector<double>& ms) {
        return exponent(ms.front(), static_cast<double>(counts.front()), ms.back(),
                        static_cast<double>(counts.back()));
    };
    table.note = fmt::format(
        "Medians of {} steps in processor time; +-: standard deviation. In each step every\n"
        "sphere moves by up to so many radii along each axis. S&P: insertion sort only, as\n"
        "published; S&P ours sorts from scratch where that is less work.",
        steps);
    table.claims = {
        {"for few spheres or nearly static scenes (motion up to 0.001), Sweep & Prune is the "
         "fastest: against the naive approach and kd-tree-1",
         at_rest.minimum > 1, at_rest.text() + " times faster than the better of the two"},
        {"its efficiency decreases with motion (from rest to one radius)",
         by_motion.minimum > 1, by_motion.text() + " times the time"},
        {"and, when spheres move, with N (motion of one radius; exponent above 1.1)",
         growth(fast) > 1.1,
         fmt::format("N^{:.2f}, at rest N^{:.2f}", growth(fast), growth(still))}};
    return table;
}

ResultTable p1_stages(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 5'000
                            : extent == Extent::usual ? 100'000
                                                      : 1'000'000;
    ResultTable table;
    table.title = fmt::format(
        "Poirrier (2009), sections 6 and 7.2: stages of kd-tree-1, {} falling spheres",
        common::grouped(n));
    table.columns = {"spheres, threads", "split ms", "sort ms", "sweep ms", "total ms",
                     "sort %",           "speed-up", "root",    "bits"};
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    Extremes share, sweep_share, speed_up;
    const auto add = [&](const char* name, const Bodies<double, 3>& bodies) {
        double alone = 0;
        for (int threads = 1; threads <= cores; ++threads) {
            const Stages stages = measure_stages(bodies, threads);
            const double total = stages.total();
            if (threads == 1) alone = total;
            table.rows.push_back(
                {fmt::format("{}, {}", name, threads),
                 {median(stages.split), median(stages.sort), median(stages.sweep), total,
                  100 * median(stages.sort) / total, alone / total, stages.root, stages.bits}});
            if (threads == 1) {
                share.add(100 * median(stages.sort) / total);
                sweep_share.add(100 * median(stages.sweep) / total);
            }
            if (threads == cores && cores > 1) speed_up.add(alone / total);
        }
    };
    Cloud cloud(n);
    add("step 0", cloud.bodies());
    const Spheres slab = Spheres(0.1, n).slab();
    add("slab 64:64:1", slab.arrays.bodies<3>());
    while (cloud.steps() < 59) cloud.step();
    add("step 60", cloud.bodies());
    table.note =
        "Medians of 11 searches, wall-clock time. split: cells, codes and pieces of the "
        "bodies;\n"
        "sort: of bodies along the curve, and of records; sweep: candidates and the test of\n"
        "spheres. root and bits: as in table 2.";
    table.claims = {{"the sort is the most time-consuming stage (at least half of the time)",
                     share.minimum >= 50,
                     fmt::format("sort {} %, sweep {} % of the time of one thread",
                                 share.text(), sweep_share.text())}};
    if (cores > 1)
        table.claims.push_back(
            {"codes, sort and sweep can be done in parallel (at least 0.7 times the cores)",
             speed_up.minimum >= 0.7 * cores,
             fmt::format("{} times faster on {} cores", speed_up.text(), cores)});
    return table;
}

}  // namespace vicinal::papers
