// P3, spatial structures for physical simulation: hard spheres in a sheared cell, uniform and
// non-uniform, with the paper's five structures and our default. On one thread, as published.
// The paper does not give step, speeds, restitution or forces; ours are in `settings`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "bench/papers/experiments.hpp"
#include "sim/shearing.hpp"

namespace vicinal::papers {
namespace {

using sim::ShearingSettings;
using sim::Simulation;

const std::vector<std::string> structures = {"fixed_grid", "variable_grid", "orthtree",
                                             "kd_tree",    "phase_kd_tree", "row_grid"};

// Elastic, so that the temperature stays constant.
ShearingSettings even(std::uint64_t n, double fill) {
    ShearingSettings settings;
    settings.n = n;
    settings.fill = fill;
    settings.restitution = 1;
    return settings;
}

// Inelastic, so that a torus forms around the centre in some thousand steps.
ShearingSettings uneven(std::uint64_t n, double fill) {
    ShearingSettings settings = even(n, fill);
    settings.restitution = 0.9;
    settings.shear = 0.2;
    settings.dt = 0.002;
    settings.attract = 10;
    settings.repel = 100;
    return settings;
}

// Copies the state of one simulation to others.
class State : public sim::StateVisitor {
  public:
    explicit State(Simulation& from) { from.visit(*this); }
    void put_into(Simulation& to) {
        at_ = 0;
        putting_ = true;
        to.visit(*this);
    }

  private:
    void bytes(std::string_view, void* data, std::size_t size) override {
        if (putting_) {
            std::memcpy(data, bytes_.data() + at_, size);
            at_ += size;
        } else {
            const auto* first = static_cast<const char*>(data);
            bytes_.insert(bytes_.end(), first, first + size);
        }
    }
    std::vector<char> bytes_;
    std::size_t at_ = 0;
    bool putting_ = false;
};

double own(const sim::StepStatistics& figures, const std::string& name) {
    for (const auto& figure : figures.own)
        if (figure.name == name) return figure.value;
    throw std::logic_error("no statistic " + name);
}

// Per step.
struct Measured {
    double ms = 0;      // of processor time, as in the paper; the median
    double tested = 0;  // candidates of the search
    double collisions = 0, searches = 0, missed = 0;
};

// As a fraction of all collisions; 0 if there are none.
double missed_percent(const Measured& of) {
    return of.missed > 0 ? 100 * of.missed / (of.missed + of.collisions) : 0;
}

struct Subject {
    std::string method;
    ShearingSettings settings;
};

std::vector<Subject> all_structures(const ShearingSettings& settings) {
    std::vector<Subject> subjects;
    for (const std::string& method : structures) subjects.push_back({method, settings});
    return subjects;
}

// Warm-up steps, then the number of steps and the stride between measured ones.
struct Course {
    int settling, steps, every;
};

// One simulation runs ahead. For every measured step, all subjects start from its state, so
// that changes of the machine's speed affect all alike.
std::vector<Measured> measure(const std::vector<Subject>& subjects, const Course& course) {
    ShearingSettings exact = subjects[0].settings;
    exact.rule = "swept";
    const auto leader = sim::make_shearing(exact, {.threads = 1});
    std::vector<std::unique_ptr<Simulation>> simulations;
    for (const Subject& subject : subjects)
        simulations.push_back(
            sim::make_shearing(subject.settings, {.method = subject.method, .threads = 1}));
    for (int step = 0; step < course.settling; ++step) leader->step();

    std::vector<Measured> sums(subjects.size());
    std::vector<std::vector<double>> ms(subjects.size());
    const int measured = (course.steps + course.every - 1) / course.every;
    for (int step = 0; step < course.steps; ++step) {
        if (step % course.every == 0) {
            State state(*leader);
            for (std::size_t s = 0; s < subjects.size(); ++s) {
                state.put_into(*simulations[s]);
                const ProcessorClock clock;
                simulations[s]->step();
                ms[s].push_back(clock.ms());
                const sim::StepStatistics& figures = simulations[s]->statistics();
                sums[s].tested += static_cast<double>(figures.candidates) / measured;
                sums[s].collisions += static_cast<double>(figures.contacts) / measured;
                sums[s].searches += own(figures, "searches") / measured;
                if (subjects[s].settings.rule == "rms" && subjects[s].settings.count_missed)
                    sums[s].missed += own(figures, "missed") / measured;
            }
        }
        leader->step();
    }
    for (std::size_t s = 0; s < subjects.size(); ++s) sums[s].ms = median(ms[s]);
    return sums;
}

// For uniform bodies, whose steps are all similar.
Course even_course(Extent extent) {
    return {10, extent == Extent::quick ? 5 : 20, 1};
}

// Times by name, and the fastest of some.
using Times = std::map<std::string, double>;
std::string fastest(const Times& times, const std::vector<std::string>& of) {
    return *std::min_element(
        of.begin(), of.end(),
        [&](const std::string& a, const std::string& b) { return times.at(a) < times.at(b); });
}

const std::vector<std::string> published = {"fixed_grid", "variable_grid", "orthtree",
                                            "kd_tree", "phase_kd_tree"};

// Rows of fill and number; calls seen(n, fill, times) for each.
template <class Make, class Seen>
void add_races(ResultTable& table, const std::vector<std::uint64_t>& numbers,
               const std::vector<double>& fills, const Course& course, const Make& make,
               const Seen& seen) {
    table.columns = {"fill, n", "collisions"};
    for (const std::string& method : structures) {
        table.columns.push_back(method + " ms");
        table.columns.push_back(method + " tested");
    }
    for (const double fill : fills)
        for (const std::uint64_t n : numbers) {
            const auto measured = measure(all_structures(make(n, fill)), course);
            ResultTable::Row row{fmt::format("{}, {}", fill, n), {measured[0].collisions}};
            Times times;
            for (std::size_t s = 0; s < structures.size(); ++s) {
                // The physics must not depend on the structure.
                if (measured[s].collisions != measured[0].collisions)
                    throw std::logic_error(structures[s] + " has different collisions");
                row.figures.push_back(measured[s].ms);
                row.figures.push_back(measured[s].tested);
                times[structures[s]] = measured[s].ms;
            }
            table.rows.push_back(std::move(row));
            seen(n, fill, times);
        }
}

// Counts how often a condition holds.
struct Tally {
    int held = 0, tested = 0;
    void add(bool holds) {
        ++tested;
        held += holds ? 1 : 0;
    }
    bool all() const { return held == tested; }
    std::string text() const { return fmt::format("in {} of {}", held, tested); }
};

constexpr const char* race_note =
    "ms: the median processor time of a step, search and collisions, on one thread.\n"
    "tested: pairs that the structure proposed, per step. orthtree divides all three axes\n"
    "where the paper's quadtree divides two. The paper gives curves without figures.";

}  // namespace

ResultTable p3_uniform(Extent extent) {
    ResultTable table;
    table.title = "P3 figures 4.1 to 4.8: uniform, sheared hard spheres";
    const std::vector<std::uint64_t> numbers =
        extent == Extent::quick ? std::vector<std::uint64_t>{300}
        : extent == Extent::usual
            ? std::vector<std::uint64_t>{300, 1000, 3000, 10'000, 30'000}
            : std::vector<std::uint64_t>{100, 300, 1000, 3000, 10'000, 30'000, 100'000};
    const std::vector<double> fills = extent == Extent::quick
                                          ? std::vector<double>{0.1, 0.003}
                                          : std::vector<double>{0.1, 0.03, 0.01, 0.003};
    Tally grids, kd_next;
    add_races(
        table, numbers, fills, even_course(extent), even,
        [&](std::uint64_t, double, const Times& times) {
            const std::string best = fastest(times, published);
            grids.add(best == "fixed_grid" || best == "variable_grid");
            kd_next.add(fastest(times, {"orthtree", "kd_tree", "phase_kd_tree"}) == "kd_tree");
        });
    table.note = race_note;
    table.claims = {
        {"a grid is the fastest of the paper's structures", grids.all(),
         grids.text() + " rows"},
        {"the kd-tree is the fastest of the trees", kd_next.all(), kd_next.text() + " rows"}};
    return table;
}

ResultTable p3_nonuniform(Extent extent) {
    ResultTable table;
    table.title = "P3 figures 4.9 to 4.14: a torus of hard spheres around a centre";
    const std::vector<std::uint64_t> numbers =
        extent == Extent::quick ? std::vector<std::uint64_t>{300}
        : extent == Extent::usual
            ? std::vector<std::uint64_t>{300, 1000, 3000, 10'000}
            : std::vector<std::uint64_t>{100, 300, 1000, 3000, 10'000, 30'000};
    const std::vector<double> fills = extent == Extent::quick
                                          ? std::vector<double>{0.1, 0.003}
                                          : std::vector<double>{0.1, 0.03, 0.01, 0.003};
    const Course course = extent == Extent::quick   ? Course{50, 5, 1}
                          : extent == Extent::usual ? Course{500, 20, 1}
                                                    : Course{0, 2000, 100};
    Tally kd_dense, variable_thin, quadtree_last;
    add_races(table, numbers, fills, course, uneven,
              [&](std::uint64_t, double fill, const Times& times) {
                  const std::string best = fastest(times, published);
                  if (fill == 0.1) kd_dense.add(best == "kd_tree");
                  if (fill < 0.1) variable_thin.add(best == "variable_grid");
                  Times slowness;
                  for (const auto& [method, ms] : times) slowness[method] = -ms;
                  quadtree_last.add(fastest(slowness, published) == "orthtree");
              });
    table.note = race_note;
    table.claims = {
        {"at fill 0.1 the kd-tree is the fastest of the paper's structures", kd_dense.all(),
         kd_dense.text() + " rows"},
        {"at fills of 0.03 and less the variable grid is the fastest", variable_thin.all(),
         variable_thin.text() + " rows"},
        {"the quadtree is the slowest", quadtree_last.all(), quadtree_last.text() + " rows"}};
    return table;
}

ResultTable p3_collisions(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 3000
                                                      : 30'000;
    const int steps = extent == Extent::quick ? 200 : 2000;
    ResultTable table;
    table.title = fmt::format(
        "P3 figure 4.13: collisions per step over {} steps, {} spheres, fill 0.1", steps, n);
    table.columns = {"steps", "uniform", "non-uniform"};
    constexpr int parts = 10;
    std::vector<double> counts[2];
    int column = 0;
    for (const ShearingSettings& settings : {even(n, 0.1), uneven(n, 0.1)}) {
        const auto simulation = sim::make_shearing(settings, {.threads = 1});
        counts[column].resize(parts);
        for (int step = 0; step < steps; ++step) {
            simulation->step();
            counts[column][static_cast<std::size_t>(step / (steps / parts))] +=
                static_cast<double>(simulation->statistics().contacts) / (steps / parts);
        }
        ++column;
    }
    for (std::size_t p = 0; p < parts; ++p)
        table.rows.push_back(
            {fmt::format("{} to {}", p * static_cast<std::size_t>(steps / parts),
                         (p + 1) * static_cast<std::size_t>(steps / parts)),
             {counts[0][p], counts[1][p]}});
    // The first tenth includes the bodies that start nearly touching.
    double mean = 0, max_deviation = 0, middle = 0, slope = 0, spread_t = 0, spread_c = 0;
    for (std::size_t p = 1; p < parts; ++p) {
        mean += counts[0][p] / (parts - 1);
        middle += counts[1][p] / (parts - 1);
    }
    for (std::size_t p = 1; p < parts; ++p) {
        const double t = static_cast<double>(p) - parts / 2.0, c = counts[1][p] - middle;
        max_deviation = std::max(max_deviation, std::abs(counts[0][p] / mean - 1));
        slope += t * c;
        spread_t += t * t;
        spread_c += c * c;
    }
    const double correlation = slope / std::sqrt(spread_t * spread_c);
    table.note = "The paper gives curves without figures.";
    table.claims = {
        {"uniform: constant (within 20 % of the mean, without the first tenth)",
         max_deviation < 0.2, fmt::format("within {:.0f} %", 100 * max_deviation)},
        {"non-uniform: grows linearly (correlation with time above 0.95, the first tenth "
         "aside)",
         correlation > 0.95,
         fmt::format("correlation {:.2f}, {:.2f} times from the second tenth to the last",
                     correlation, counts[1][parts - 1] / counts[1][1])}};
    return table;
}

ResultTable p3_table41(Extent extent) {
    struct Published {
        double fill, variable, fixed;  // seconds of 2000 steps
    };
    constexpr Published all[] = {
        {0.5, 675.19, 662.40},   {0.3, 521.22, 513.80},    {0.1, 333.46, 370.90},
        {0.03, 273.09, 363.99},  {0.01, 253.40, 412.06},   {0.003, 229.93, 466.81},
        {0.001, 233.38, 466.17}, {0.0003, 222.76, 451.51}, {0.0001, 210.44, 450.59}};
    const std::uint64_t n = extent == Extent::quick   ? 500
                            : extent == Extent::usual ? 20'000
                                                      : 100'000;
    ResultTable table;
    table.title = fmt::format(
        "P3 table 4.1: fixed against variable grid, {} spheres, ms per step and 100,000 of "
        "them",
        n);
    table.columns = {"fill",       "fixed(5)", "P3",       "variable(3)",      "P3",
                     "fixed/var.", "P3",       "fixed(3)", "equal fixed/var.", "missed(5) %",
                     "missed(3) %"};
    struct {
        double crossing = 0, low = 0, high = 0;
    } source, equal;
    for (const Published& p : all) {
        std::vector<Subject> subjects;
        const auto add = [&](const char* method, double factor, bool count_missed) {
            ShearingSettings settings = even(n, p.fill);
            settings.rule = "rms";
            settings.factor = factor;
            settings.count_missed = count_missed;
            subjects.push_back({method, settings});
        };
        add("fixed_grid", 5, false);
        add("variable_grid", 3, false);
        add("fixed_grid", 3, false);
        add("row_grid", 5, true);  // missed collisions do not depend on the method
        add("row_grid", 3, true);
        const auto m = measure(subjects, even_course(extent));
        const double to_100k = 1e5 / static_cast<double>(n);
        const double ratio = m[0].ms / m[1].ms, equal_ratio = m[2].ms / m[1].ms;
        table.rows.push_back({fmt::format("{}", p.fill),
                              {m[0].ms * to_100k, p.fixed / 2, m[1].ms * to_100k,
                               p.variable / 2, ratio, p.fixed / p.variable, m[2].ms * to_100k,
                               equal_ratio, missed_percent(m[3]), missed_percent(m[4])}});
        const auto add_ratio = [&](auto& setting, double value) {
            if (value > 1 && setting.crossing == 0) setting.crossing = p.fill;
            (p.fill >= 0.3 ? setting.high : setting.low) += value / (p.fill >= 0.3 ? 2 : 7);
        };
        add_ratio(source, ratio);
        add_ratio(equal, equal_ratio);
    }
    table.note =
        "In brackets: range of the search in relative velocities. The source uses 5 for the\n"
        "fixed and 3 for the variable grid; `equal` uses 3 for both. missed: fraction of all\n"
        "collisions that the rule missed. The paper's values are of a Pentium 4 at 2.4 GHz,\n"
        "with cells in two dimensions.";
    const auto verdict = [](const auto& setting) {
        const std::string first = setting.crossing == 0
                                      ? "never slower"
                                      : fmt::format("first slower at {}", setting.crossing);
        return fmt::format(
            "{:.2f} times its time at 0.5 and 0.3, {:.2f} times from 0.1 down, {}",
            setting.high, setting.low, first);
    };
    table.claims = {
        {"the fixed grid is the faster one at 0.5 and 0.3, the slower one from 0.1 "
         "down, with the source's factors",
         source.high < 1 && source.low > 1 && source.crossing == 0.1, verdict(source)},
        {"the same with equal factors",
         equal.high < 1 && equal.low > 1 && equal.crossing == 0.1, verdict(equal)}};
    return table;
}

ResultTable p3_timestep(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 10'000
                                                      : 100'000;
    ResultTable table;
    table.title = fmt::format(
        "P3 section 5.3.2: the step, {} spheres of fill 0.03, ms per 0.001 of time", n);
    table.columns = {"dt", "collisions", "searches", "missed %"};
    for (const std::string& method : structures) table.columns.push_back(method);
    std::map<double, Times> times;
    for (const double dt : {0.0005, 0.001, 0.002, 0.004, 0.008}) {
        ShearingSettings settings = even(n, 0.03);
        settings.dt = dt;
        std::vector<Subject> subjects = all_structures(settings);
        settings.rule = "rms";
        subjects.push_back({"row_grid", settings});
        const auto m = measure(subjects, even_course(extent));
        ResultTable::Row row{fmt::format("{}", dt),
                             {m[0].collisions, m[0].searches, missed_percent(m.back())}};
        for (std::size_t s = 0; s < structures.size(); ++s) {
            row.figures.push_back(m[s].ms * 0.001 / dt);
            times[dt][structures[s]] = m[s].ms;
        }
        table.rows.push_back(std::move(row));
    }
    table.note =
        "collisions: per step. searches: per step; a step is divided where a body deviates\n"
        "too far from its straight path. missed: of all collisions, by the paper's rule\n"
        "(factor 3). The paper raises the influence of the step but gives no values.";
    const auto gain = [&](double dt) {
        return times[dt].at("kd_tree") / times[dt].at("phase_kd_tree");
    };
    table.claims = {{"the phase-space tree gains on the kd-tree as steps grow longer",
                     gain(0.008) > gain(0.0005),
                     fmt::format("kd-tree over phase-space tree: {:.2f} at 0.0005, {:.2f} at "
                                 "0.008",
                                 gain(0.0005), gain(0.008))}};
    return table;
}

ResultTable p3_leaf(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 10'000
                                                      : 100'000;
    ResultTable table;
    table.title =
        fmt::format("P3 section 5.2: bodies per leaf, {} spheres of fill 0.03, ms per step", n);
    const std::vector<std::string> trees = {"orthtree", "kd_tree", "phase_kd_tree"};
    table.columns = {"leaf"};
    for (const std::string& tree : trees) {
        table.columns.push_back(tree + " ms");
        table.columns.push_back(tree + " tested");
    }
    const std::vector<int> leaves = {1, 2, 5, 10, 20, 50};
    std::map<std::string, std::map<int, double>> times;
    std::vector<Subject> subjects;
    for (const int leaf : leaves)
        for (const std::string& tree : trees)
            subjects.push_back({fmt::format("{}(leaf={})", tree, leaf), even(n, 0.03)});
    const auto measured = measure(subjects, even_course(extent));
    std::size_t s = 0;
    for (const int leaf : leaves) {
        ResultTable::Row row{fmt::format("{}", leaf), {}};
        for (const std::string& tree : trees) {
            row.figures.push_back(measured[s].ms);
            row.figures.push_back(measured[s].tested);
            times[tree][leaf] = measured[s++].ms;
        }
        table.rows.push_back(std::move(row));
    }
    table.note = "tested: pairs that the tree proposed, per step.";
    double worst = 0;
    std::string best;
    for (const std::string& tree : trees) {
        const auto found =
            std::min_element(times[tree].begin(), times[tree].end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        worst = std::max(worst, times[tree][5] / found->second);
        best += fmt::format("{}{} {}", best.empty() ? "" : ", ", tree, found->first);
    }
    table.claims = {{"five bodies per leaf, as in the paper, is within 10 % of the best",
                     worst <= 1.1,
                     fmt::format("at most {:.2f} times the best; best: {}", worst, best)}};
    return table;
}

}  // namespace vicinal::papers
