// P1, the linear kd-tree: effect of splitting, geometry of the tree, coherence, and falling
// spheres with the methods of the paper. The latter are processor times on one thread, as
// published.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench/papers/experiments.hpp"
#include "bench/peers/delaunay.hpp"
#include "common/text.hpp"
#include "scenes/random.hpp"
#include "scenes/scenes.hpp"
#include "sim/falling.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::papers {
namespace {

// P1's spheres: equal, at random positions in a cube, with overlaps.
struct Spheres {
    scenes::Arrays<double> arrays;

    explicit Spheres(double fill, std::uint64_t n = 10'000)
        : arrays(scenes::make("equal_spheres", n, 1, {{"fill", fill}})) {}

    // The report of a search that counts pairs.
    Report<3> search(const std::string& method) const {
        Finder<double, 3> finder(Options<3>{.method = method});
        finder.update(arrays.bodies<3>());
        finder.count();
        return finder.report();
    }
};

std::vector<double> geometry(const Report<3>& report) {
    return {figure(report.statistics, "pieces per body"),
            figure(report.statistics, "cell volume per body volume"),
            figure(report.statistics, "selected")};
}

// The median times of steps in which every sphere moves by up to `motion` radii along each
// axis. Runs of the methods alternate, so that changes of the machine's speed affect all alike.
std::vector<double> ms_per_step(const std::vector<std::string>& methods, Spheres spheres,
                                double motion) {
    std::vector<Finder<double, 3>> finders;
    for (const std::string& method : methods)
        finders.emplace_back(Options<3>{.method = method});
    scenes::Random random(7);
    std::vector<std::vector<double>> ms(methods.size());
    for (int step = 0; step < 9; ++step) {
        for (std::size_t m = 0; m < methods.size(); ++m) {
            finders[m].update(spheres.arrays.bodies<3>());
            finders[m].count();
            if (step > 1) ms[m].push_back(finders[m].report().seconds.total() * 1e3);
        }
        for (double& x : spheres.arrays.position)
            x += motion * spheres.arrays.radius[0] * (2 * random.uniform() - 1);
    }
    std::vector<double> medians;
    for (const std::vector<double>& times : ms) medians.push_back(median(times));
    return medians;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The spheres of the falling cloud as the next search sees them: moved, not yet pushed apart.
class Cloud {
  public:
    explicit Cloud(std::uint64_t n) : simulation_(sim::make_falling({.n = n}, {})) {
        read_bodies();
    }

    void step() {
        simulation_->step();
        ++steps_;
        if (steps_ == 1) dt_ = simulation_->time();
        read_bodies();
    }
    std::uint64_t steps() const { return steps_; }
    std::size_t size() const { return radius_.size(); }
    // Touching pairs of the last step.
    std::uint64_t pairs() const { return simulation_->statistics().pairs; }
    Bodies<double, 3> bodies() const { return spheres<3>(position_, radius_); }
    const std::vector<double>& position() const { return position_; }
    const std::vector<double>& radius() const { return radius_; }

  private:
    // In the first step all spheres move alike, so that their current positions have the same
    // pairs.
    void read_bodies() {
        const auto fields = simulation_->fields();
        position_.assign(fields[0].values.begin(), fields[0].values.end());
        radius_.assign(fields[2].values.begin(), fields[2].values.end());
        const double gravity = sim::FallingSettings{}.gravity;
        for (std::size_t k = 0; k < position_.size(); ++k)
            position_[k] += dt_ * (fields[1].values[k] - (k % 3 == 2 ? gravity * dt_ : 0.0));
    }

    std::unique_ptr<sim::Simulation> simulation_;
    std::uint64_t steps_ = 0;
    double dt_ = 0;
    std::vector<double> position_, radius_;
};

// The cost of a method over some steps.
struct Cost {
    std::vector<double> ms;            // of processor time, as in the paper
    double candidates = 0, pairs = 0;  // sums over the steps
    double last_pairs = 0, bytes = 0;  // of the last step

    double per_step(double sum) const {
        return ms.empty() ? unknown : sum / static_cast<double>(ms.size());
    }

    // For claims, and for times of few steps: least sensitive to other load.
    double median() const { return ms.empty() ? unknown : papers::median(ms); }
    double mean() const {
        if (ms.empty()) return unknown;
        double sum = 0;
        for (const double t : ms) sum += t;
        return sum / static_cast<double>(ms.size());
    }
    double deviation() const {
        if (ms.empty()) return unknown;
        double sum = 0;
        for (const double t : ms) sum += (t - mean()) * (t - mean());
        return std::sqrt(sum / static_cast<double>(ms.size()));
    }
};

// A method of the paper that follows the cloud.
class Contestant {
  public:
    // `max_n`: the maximum number of spheres for this method.
    Contestant(const std::string& method, std::uint64_t max_n, std::uint64_t n)
        : takes_part_(n <= max_n), finder_(Options<3>{.method = method, .threads = 1}) {}

    void search(const Cloud& cloud, bool timed) {
        if (!takes_part_) return;
        const ProcessorClock clock;
        finder_.update(cloud.bodies());
        finder_.count();
        if (!timed) return;
        cost.ms.push_back(clock.ms());
        const auto& report = finder_.report();
        const auto selected =
            std::ranges::find(report.statistics, "selected", &Statistic::name);
        cost.candidates += selected == report.statistics.end()
                               ? static_cast<double>(report.candidates)
                               : selected->value;
        cost.last_pairs = static_cast<double>(report.pairs);
        cost.pairs += cost.last_pairs;
        cost.bytes = static_cast<double>(report.bytes);
    }

    Cost cost;

  private:
    bool takes_part_;
    Finder<double, 3> finder_;
};

enum Method { quadratic, sweep, kd_1, kd_2, kd_owner, grid, method_count };
constexpr std::array<const char*, method_count> methods{"brute_force",
                                                        "sweep_persistent",
                                                        "linear_kd_tree(unique=none)",
                                                        "linear_kd_tree(unique=list)",
                                                        "linear_kd_tree",
                                                        "row_grid"};

struct Measured {
    std::array<Cost, method_count> by;
    Cost delaunay;
    double touching = 0;  // pairs per sphere
};

// Costs of the methods over steps `first` to `last` of the cloud, every `stride`-th.
Measured measure(Cloud& cloud, std::uint64_t first, std::uint64_t last, std::uint64_t stride,
                 const std::array<std::uint64_t, method_count>& max_n, bool delaunay) {
    std::vector<Contestant> contestants;
    for (std::size_t m = 0; m < method_count; ++m)
        contestants.emplace_back(methods[m], max_n[m], cloud.size());
    Measured result;
    // Two warm-up steps: persistent lists need at least one.
    while (cloud.steps() + 3 < first) cloud.step();
    for (; cloud.steps() < last; cloud.step()) {
        const std::uint64_t step = cloud.steps() + 1;
        const bool timed = step >= first && (step - first) % stride == 0;
        if (!timed && step >= first && stride > 1) continue;
        for (Contestant& contestant : contestants) contestant.search(cloud, timed);
        if (!timed || !delaunay) continue;
        const auto found = peers::delaunay(cloud.position(), cloud.radius());
        if (!found) continue;
        result.delaunay.ms.push_back(found->seconds * 1e3);
        result.delaunay.candidates += static_cast<double>(found->edges);
        result.delaunay.pairs += static_cast<double>(found->touching);
        result.delaunay.bytes = static_cast<double>(found->bytes);
    }
    for (std::size_t m = 0; m < method_count; ++m) result.by[m] = contestants[m].cost;
    const Cost& by_grid = result.by[grid];
    if (by_grid.last_pairs != static_cast<double>(cloud.pairs()))
        throw std::logic_error("the pairs of the simulation and the experiment differ");
    result.touching = by_grid.per_step(by_grid.pairs) / static_cast<double>(cloud.size());
    return result;
}

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

// The paper's sizes, or fewer spheres without a published figure.
std::vector<PublishedSteps> sizes(Extent extent) {
    if (extent == Extent::full) return {std::begin(published_steps), std::end(published_steps)};
    if (extent == Extent::usual) return {published_steps[0], published_steps[1]};
    std::vector<PublishedSteps> small;
    for (const std::uint64_t n : {2'000u, 8'000u})
        small.push_back({n, unknown, unknown, unknown, unknown, unknown, unknown, unknown,
                         unknown, unknown, unknown, unknown, unknown});
    return small;
}

// Steps 50 to 60; for many spheres only the first, the middle and the last.
Measured measure_late(std::uint64_t n, const std::array<std::uint64_t, method_count>& max_n,
                      bool delaunay) {
    Cloud cloud(n);
    constexpr std::uint64_t many = 500'000;
    return measure(cloud, 50, 60, n >= many ? 5 : 1, max_n, delaunay && n < 5'000'000);
}

// The exponent of the growth between two sizes.
double exponent(double ms_a, double n_a, double ms_b, double n_b) {
    return std::log(ms_b / ms_a) / std::log(n_b / n_a);
}

struct Extremes {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    void add(double value) {
        if (std::isnan(value)) return;
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    }
    std::string text() const { return fmt::format("{:.3g} to {:.3g}", minimum, maximum); }
};

const char* delaunay_note() {
    return peers::has_delaunay() ? "" : "\nDelaunay: only in a build with CGAL (preset bench).";
}

}  // namespace

ResultTable p1_table1(Extent) {
    struct Published {
        double fill, pieces, volume, selected, unsplit_volume, unsplit_selected;
    };
    constexpr Published published[] = {{0.01, 6.37, 10.9362, 4'928, 8.0275e6, 1'261'197},
                                       {0.05, 6.67, 10.8227, 25'643, 1.5836e6, 1'834'155},
                                       {0.1, 6.24, 13.4065, 62'148, 1.3439e6, 2'300'212},
                                       {0.5, 6.35, 13.4745, 280'736, 2.9324e6, 4'193'598},
                                       {1, 6.01, 12.5170, 492'790, 4.0032e6, 5'552'230}};
    ResultTable table;
    table.title = "P1 table 1: effect of splitting, 10,000 spheres of fill d";
    table.columns = {"d",
                     "pieces/N",
                     "P1",
                     "Vn/Ve",
                     "P1",
                     "selected",
                     "P1",
                     "pairs",
                     "unsplit Vn/Ve",
                     "P1",
                     "unsplit selected",
                     "P1"};
    for (const Published& p : published) {
        const Spheres spheres(p.fill);
        const auto split = spheres.search("linear_kd_tree");
        const auto ours = geometry(split);
        const auto whole = geometry(spheres.search("linear_kd_tree(split=off, root=10)"));
        table.rows.push_back({fmt::format("{}", p.fill),
                              {ours[0], p.pieces, ours[1], p.volume, ours[2], p.selected,
                               static_cast<double>(split.pairs), whole[1], p.unsplit_volume,
                               whole[2], p.unsplit_selected}});
    }
    table.note =
        "P1: the published value. Without splitting, values depend on the root cell, which\n"
        "the paper does not give; here it is 10 times the edge of the scene.";
    return table;
}

// The figures are plots without numbers; N is a few thousand.
ResultTable p1_figures(Extent extent) {
    constexpr auto all = std::numeric_limits<std::uint64_t>::max();
    const std::vector<std::uint64_t> counts =
        extent == Extent::quick ? std::vector<std::uint64_t>{500, 2'000}
                                : std::vector<std::uint64_t>{500, 1'000, 2'000, 4'000, 8'000};
    ResultTable table;
    table.title = "P1 figures 11 and 12: ms to find the pairs of N falling spheres, one thread";
    table.columns = {"N, steps", "pairs/N"};
    for (const char* name : {"quadratic", "S&P", "Delaunay", "kd-tree-1"})
        table.columns.insert(table.columns.end(), {name, "+-"});
    std::vector<Measured> early, late;
    for (const std::uint64_t n : counts) {
        Cloud cloud(n);
        const auto add = [&](const char* steps, std::uint64_t first, std::uint64_t last) {
            const Measured m = measure(cloud, first, last, 1, {all, all, all, 0, 0, all}, true);
            ResultTable::Row row{fmt::format("{}, {}", n, steps), {m.touching}};
            for (const Cost* cost : {&m.by[quadratic], &m.by[sweep], &m.delaunay, &m.by[kd_1]})
                row.figures.insert(row.figures.end(), {cost->mean(), cost->deviation()});
            table.rows.push_back(row);
            return m;
        };
        early.push_back(add("0-10", 1, 11));
        late.push_back(add("50-60", 50, 60));
    }
    const auto ratio = [&](Method m, std::size_t k) {
        return late[k].by[m].median() / early[k].by[m].median();
    };
    Extremes quadratic_ratio, sweep_ratio, sweep_gain;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        quadratic_ratio.add(ratio(quadratic, k));
        sweep_ratio.add(ratio(sweep, k));
        sweep_gain.add(early[k].by[quadratic].median() / early[k].by[sweep].median());
    }
    const auto growth = [&](const auto& cost) {
        return exponent(cost(late.front()).median(), static_cast<double>(counts.front()),
                        cost(late.back()).median(), static_cast<double>(counts.back()));
    };
    const double quadratic_growth = growth([](const Measured& m) { return m.by[quadratic]; });
    table.note = std::string(
                     "Mean and standard deviation over 11 steps; claims by medians. The paper "
                     "gives plots without "
                     "figures.") +
                 delaunay_note();
    table.claims = {{"the naive approach takes time as N^2 (exponent 1.8 to 2.2)",
                     quadratic_growth > 1.8 && quadratic_growth < 2.2,
                     fmt::format("N^{:.2f}", quadratic_growth)},
                    {"it is as fast late as early (within 30 %)",
                     quadratic_ratio.minimum > 0.7 && quadratic_ratio.maximum < 1.3,
                     quadratic_ratio.text() + " times the time"},
                    {"Sweep & Prune is slower late, when motion is fast",
                     sweep_ratio.minimum > 1, sweep_ratio.text() + " times the time"},
                    {"Sweep & Prune does well for few spheres: early, and for the fewest, "
                     "faster than the naive approach",
                     early[0].by[sweep].median() < early[0].by[quadratic].median(),
                     sweep_gain.text() + " times faster over all N"}};
    if (peers::has_delaunay()) {
        const double g = growth([](const Measured& m) { return m.delaunay; });
        table.claims.push_back(
            {"Delaunay triangulation takes seemingly linear time (exponent below 1.25)",
             g < 1.25, fmt::format("N^{:.2f}", g)});
        Extremes same;
        for (std::size_t k = 0; k < counts.size(); ++k)
            same.add(late[k].delaunay.median() / early[k].delaunay.median());
        table.claims.push_back({"and is as fast late as early (within 30 %)",
                                same.minimum > 0.7 && same.maximum < 1.3,
                                same.text() + " times the time"});
    }
    return table;
}

ResultTable p1_table2(Extent extent) {
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max(),
                            slow_limit = 100'000;
    ResultTable table;
    table.title =
        "P1 table 2: N falling spheres, steps 50 to 60: ms to find their pairs, one thread";
    table.columns = {
        "N",  "pairs/N",    "quadratic", "P1",       "S&P",       "P1", "Delaunay",
        "P1", "kd-tree-1",  "P1",        "row_grid", "S&P cand.", "P1", "Delaunay cand.",
        "P1", "kd-1 cand.", "P1"};
    Extremes touching, gain, best, looser, growth, recall;
    double last_ms = 0, last_n = 0;
    for (const PublishedSteps& p : sizes(extent)) {
        const Measured m = measure_late(p.n, {slow_limit, slow_limit, all, 0, 0, all}, true);
        const double kd = m.by[kd_1].median();
        const auto candidates = [](const Cost& cost) { return cost.per_step(cost.candidates); };
        table.rows.push_back(
            {fmt::format("{}", p.n),
             {m.touching, m.by[quadratic].median(), p.quadratic, m.by[sweep].median(), p.sweep,
              m.delaunay.median(), p.delaunay, kd, p.kd_1, m.by[grid].median(),
              candidates(m.by[sweep]), p.sweep_candidates, candidates(m.delaunay),
              p.delaunay_candidates, candidates(m.by[kd_1]), p.kd_1_candidates}});
        touching.add(m.touching);
        for (const Cost* other : {&m.by[quadratic], &m.by[sweep], &m.delaunay})
            gain.add(other->median() / kd);
        for (const Cost* other : {&m.by[sweep], &m.delaunay})
            looser.add(candidates(m.by[kd_1]) / candidates(*other));
        recall.add(m.delaunay.per_step(m.delaunay.pairs) /
                   m.by[grid].per_step(m.by[grid].pairs));
        best.add(kd / m.by[grid].median());
        if (last_n > 0) growth.add(exponent(last_ms, last_n, kd, static_cast<double>(p.n)));
        last_ms = kd;
        last_n = static_cast<double>(p.n);
    }
    table.note =
        std::string(
            "The paper's times are those of whole steps on a processor of 2007; ours are\n"
            "medians of the search alone. The paper does not give g and dt; ours reproduce\n"
            "its number of touching pairs. S&P is sweep_persistent, which sorts from\n"
            "scratch when that is less work; its candidates are then those of one axis.\n"
            "Candidates of kd-tree-1 include repeats.") +
        delaunay_note();
    table.claims = {
        {"kd-tree-1 takes far less time than the other methods of the paper (at least 5 times "
         "less)",
         gain.minimum >= 5, gain.text() + " times less"},
        {"its time is nearly linear in N (exponent below 1.2)", growth.maximum < 1.2,
         "N^" + growth.text()},
        {"it selects more candidates than the others", looser.minimum > 1,
         looser.text() + " times as many"},
        {"row_grid, the default here, is faster still", best.minimum > 1,
         best.text() + " times"},
        {"the cloud is as dense as the paper's (5.5 to 6.2 touching pairs per sphere; report "
         "only below 50,000)",
         touching.minimum >= 5.5 && touching.maximum <= 6.2, touching.text()}};
    if (peers::has_delaunay())
        table.claims.push_back({"the edges of a Delaunay triangulation hold all touching pairs",
                                recall.minimum >= 1, recall.text() + " of them"});
    return table;
}

ResultTable p1_table3(Extent extent) {
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    ResultTable table;
    table.title =
        "P1 table 3: repeats or a unique list, for N falling spheres, steps 50 to 60, one "
        "thread";
    table.columns = {"N",        "kd-1 ms",     "P1",         "kd-2 ms",    "P1",
                     "owner ms", "row_grid ms", "kd-1 cand.", "P1",         "kd-2 pairs",
                     "P1",       "Delaunay MB", "P1",         "kd-1 MB",    "P1",
                     "kd-2 MB",  "P1",          "owner MB",   "row_grid MB"};
    Extremes slower, larger, owner_time, owner_memory, delaunay_memory;
    for (const PublishedSteps& p : sizes(extent)) {
        const Measured m = measure_late(p.n, {0, 0, all, all, all, all}, true);
        const auto mb = [](const Cost& cost) {
            return cost.ms.empty() ? unknown : cost.bytes / 1e6;
        };
        table.rows.push_back(
            {fmt::format("{}", p.n),
             {m.by[kd_1].median(), p.kd_1, m.by[kd_2].median(), p.kd_2, m.by[kd_owner].median(),
              m.by[grid].median(), m.by[kd_1].per_step(m.by[kd_1].candidates),
              p.kd_1_candidates, m.by[kd_2].per_step(m.by[kd_2].pairs), p.kd_2_candidates,
              mb(m.delaunay), p.delaunay_mb, mb(m.by[kd_1]), p.kd_1_mb, mb(m.by[kd_2]),
              p.kd_2_mb, mb(m.by[kd_owner]), mb(m.by[grid])}});
        slower.add(m.by[kd_2].median() / m.by[kd_1].median());
        larger.add(m.by[kd_2].bytes / m.by[kd_1].bytes);
        owner_time.add(m.by[kd_owner].median() / m.by[kd_1].median());
        owner_memory.add(m.by[kd_owner].bytes / m.by[kd_1].bytes);
        delaunay_memory.add(mb(m.delaunay) / mb(m.by[kd_1]));
    }
    table.note =
        std::string(
            "MB: of the structure; in the paper of the whole process. kd-2: unique=list;\n"
            "owner: the default of linear_kd_tree, which finds each pair once without a\n"
            "list.") +
        delaunay_note();
    table.claims = {
        {"a unique list costs 28 to 47 % more time",
         slower.minimum >= 1.28 && slower.maximum <= 1.47, slower.text() + " times the time"},
        {"and at least twice the memory", larger.minimum >= 2,
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

ResultTable p1_geometry(Extent) {
    ResultTable table;
    table.title = "P1 section 7.3: geometry of the tree, 10,000 spheres of fill 0.1";
    table.columns = {"linear_kd_tree", "pieces/N", "Vn/Ve", "selected", "bits", "ms"};
    const Spheres spheres(0.1);
    for (const char* options :
         {"root=1", "root=1.5", "root=2", "root=4", "root=10", "bits=5", "bits=6", "bits=7",
          "bits=8", "bits=10", "bits=14", "axes=xyz", "axes=yzx", "axes=zyx", "octree=on",
          "split=off", "split=off, octree=on", "root=(-1, -1, -1, 2, 2, 2)"}) {
        const auto report = spheres.search(fmt::format("linear_kd_tree({})", options));
        auto figures = geometry(report);
        figures.push_back(figure(report.statistics, "bits per axis"));
        figures.push_back(report.seconds.total() * 1e3);
        table.rows.push_back({options, std::move(figures)});
    }
    return table;
}

ResultTable p1_coherence(Extent extent) {
    const std::uint64_t n = extent == Extent::quick ? 10'000 : 100'000;
    ResultTable table;
    table.title =
        fmt::format("P1 section 7.1: re-sorting the previous order, {} spheres of fill 0.1",
                    common::grouped(n));
    table.columns = {"motion/radius",      "records/N",   "ms",
                     "coherent records/N", "coherent ms", "coherent/plain"};
    const std::string plain = "linear_kd_tree", coherent = "linear_kd_tree(coherent=on)";
    const Spheres spheres(0.1, n);
    const double records = figure(spheres.search(plain).statistics, "pieces per body");
    const double eight = figure(spheres.search(coherent).statistics, "pieces per body");
    for (const double motion : {0.0, 0.001, 0.01, 0.1, 1.0, 10.0}) {
        const auto ms = ms_per_step({plain, coherent}, spheres, motion);
        table.rows.push_back(
            {fmt::format("{}", motion), {records, ms[0], eight, ms[1], ms[1] / ms[0]}});
    }
    table.note =
        "A coherent order needs all eight pieces of every body, useful or not. In return,\n"
        "only records that moved are sorted.";
    return table;
}

}  // namespace vicinal::papers
