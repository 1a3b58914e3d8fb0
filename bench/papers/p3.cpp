// Lara (2005): collisions, table 4.1, and the paper's open questions. On one thread, as
// published. The paper does not give step, speeds, restitution or forces; ours are in p3.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/papers/p3.hpp"

namespace vicinal::papers {
namespace {

using namespace lara;

struct Published {
    double fill, variable, fixed;  // seconds of 2000 steps
};
constexpr Published table41[] = {
    {0.5, 675.19, 662.40},   {0.3, 521.22, 513.80},    {0.1, 333.46, 370.90},
    {0.03, 273.09, 363.99},  {0.01, 253.40, 412.06},   {0.003, 229.93, 466.81},
    {0.001, 233.38, 466.17}, {0.0003, 222.76, 451.51}, {0.0001, 210.44, 450.59}};

// The time of the fixed grid over that of the variable one, by fill.
struct Gap {
    double high = 0, low = 0;  // means: at 0.5 and 0.3, and from 0.1 down
    int as_published = 0;      // rows in which the published one of the two is faster
    double largest_at = 0, largest = 0;

    void add(const Published& p, double ratio) {
        (p.fill >= 0.3 ? high : low) += ratio / (p.fill >= 0.3 ? 2 : 7);
        as_published += (ratio > 1) == (p.fixed > p.variable) ? 1 : 0;
        if (ratio > largest) largest = ratio, largest_at = p.fill;
    }
    std::string text() const {
        return fmt::format(
            "{:.2f} times its time at 0.5 and 0.3, {:.2f} times from 0.1 down; as published in "
            "{} of 9 rows; most at {}: {:.2f} times",
            high, low, as_published, largest_at, largest);
    }
};

}  // namespace

ResultTable p3_collisions(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 3000
                                                      : 30'000;
    const int steps = extent == Extent::quick ? 200 : 2000;
    ResultTable table;
    table.title = fmt::format(
        "Lara (2005), figure 4.13: collisions per step over {} steps, {} spheres, fill 0.1",
        steps, n);
    table.columns = {"steps", "uniform", "non-uniform"};
    constexpr int parts = 10;
    std::vector<double> counts[2];
    int column = 0;
    for (const ShearingSettings& settings : {even(cube, n, 0.1), uneven(cube, n, 0.1)}) {
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
    const std::uint64_t n = extent == Extent::quick   ? 500
                            : extent == Extent::usual ? 20'000
                                                      : 100'000;
    ResultTable table;
    table.title = fmt::format(
        "Lara (2005), table 4.1: fixed against variable grid, {} spheres, ms per step and "
        "100,000 of them",
        n);
    table.columns = {"cell, fill",        "step/r",
                     "fixed(5)",          "paper",
                     "variable(3)",       "paper",
                     "fixed/var.",        "paper",
                     "fixed(3)",          "equal fixed/var.",
                     "3 axes fixed/var.", "missed(5) %",
                     "missed(3) %"};
    Spread spread;
    for (const Cell& cell : {cube, layer}) {
        Gap source, equal, all_axes;
        for (const Published& p : table41) {
            std::vector<Subject> subjects;
            const auto add = [&](const char* method, double factor, bool count_missed) {
                ShearingSettings settings = even(cell, n, p.fill);
                settings.rule = "rms";
                settings.factor = factor;
                settings.count_missed = count_missed;
                subjects.push_back({method, method, settings});
            };
            add("fixed_grid(axes=2)", 5, false);
            add("variable_grid(axes=2)", 3, false);
            add("fixed_grid(axes=2)", 3, false);
            add("fixed_grid", 5, false);
            add("variable_grid", 3, false);
            add("row_grid", 5, true);  // missed collisions do not depend on the method
            add("row_grid", 3, true);
            const Measurements steps = measure(subjects, even_course(extent));
            spread.add(steps);
            const std::vector<Measured>& m = steps.of;
            const double to_100k = 1e5 / static_cast<double>(n);
            source.add(p, m[0].ms / m[1].ms);
            equal.add(p, m[2].ms / m[1].ms);
            all_axes.add(p, m[3].ms / m[4].ms);
            table.rows.push_back(
                {fmt::format("{}, {}", cell.name, p.fill),
                 {steps.step_in_radii, m[0].ms * to_100k, p.fixed / 2, m[1].ms * to_100k,
                  p.variable / 2, m[0].ms / m[1].ms, p.fixed / p.variable, m[2].ms * to_100k,
                  m[2].ms / m[1].ms, m[3].ms / m[4].ms, m[5].missed_percent(),
                  m[6].missed_percent()}});
        }
        const auto claim = [&](const char* how, const Gap& gap) {
            table.claims.push_back(
                {fmt::format(
                     "{}: the fixed grid is the faster one at 0.5 and 0.3, the slower one "
                     "from 0.1 down, {}",
                     cell.name, how),
                 gap.as_published == 9, gap.text() + "; " + spread.text()});
        };
        claim("with the source's factors", source);
        claim("with equal factors", equal);
        claim("with the source's factors, on three axes", all_axes);
    }
    table.note =
        "In brackets: range of the search in relative velocities. The source uses 5 for the\n"
        "fixed and 3 for the variable grid; `equal` uses 3 for both. Both divide x and y, as "
        "in\n"
        "the source; `3 axes` divides all. missed: fraction of all collisions that the rule\n"
        "missed. step/r: the motion of a sphere of mean speed in a step, in radii. The "
        "paper's\n"
        "values are of a Pentium 4 at 2.4 GHz.";
    return table;
}

ResultTable p3_timestep(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 10'000
                                                      : 100'000;
    ResultTable table;
    table.title = fmt::format(
        "Lara (2005), section 5.3.2: the length of the step, {} spheres of fill 0.03, ms per "
        "step",
        n);
    name_race_columns(table, "dt");
    std::map<double, Race> races;
    Spread spread;
    for (const double dt : {0.0005, 0.001, 0.002, 0.004, 0.008}) {
        ShearingSettings settings = even(cube, n, 0.03);
        settings.dt = dt;
        races[dt] = add_race(table, fmt::format("{}", dt), settings, even_course(extent));
        spread.add(races[dt].printed_steps);
    }
    table.note =
        "Divide by dt to compare times per simulated time. printed: forms and search of the\n"
        "source; collisions are fewer where its rule misses some. step/r: the motion of a "
        "sphere\n"
        "of mean speed, in radii. The paper raises the influence of the step but gives no "
        "values.";
    const auto gain = [](const Times& times) {
        return times.at("kd_tree") / times.at("phase_kd_tree");
    };
    const auto claim = [&](const char* form, const Times& shortest, const Times& longest) {
        table.claims.push_back(
            {fmt::format("{}: the phase-space tree gains on the kd-tree as steps grow longer",
                         form),
             gain(longest) > gain(shortest),
             fmt::format("kd-tree over phase-space tree: {:.2f} at 0.0005, {:.2f} at 0.008; {}",
                         gain(shortest), gain(longest), spread.text())});
    };
    claim("printed", races[0.0005].printed, races[0.008].printed);
    claim("ours", races[0.0005].ours, races[0.008].ours);
    return table;
}

ResultTable p3_leaf(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 10'000
                                                      : 100'000;
    ResultTable table;
    table.title = fmt::format(
        "Lara (2005), section 5.2: bodies per leaf, {} spheres of fill 0.03, ms per step", n);
    const std::vector<std::string> trees = {"orthtree", "kd_tree", "phase_kd_tree"};
    table.columns = {"leaf, form"};
    for (const std::string& tree : trees) {
        table.columns.push_back(tree + " ms");
        table.columns.push_back(tree + " tested");
    }
    const std::vector<int> leaves = {1, 2, 5, 10, 20, 50};
    const ShearingSettings settings = even(cube, n, 0.03);
    struct Form {
        std::string name;
        std::vector<Subject> subjects;
    };
    const std::vector<Form> forms = {{"printed", printed_forms(settings)},
                                     {"ours", our_forms(settings)}};
    std::vector<Subject> subjects;
    for (const int leaf : leaves)
        for (const Form& form : forms)
            for (const Subject& subject : form.subjects) {
                if (std::find(trees.begin(), trees.end(), subject.column) == trees.end())
                    continue;
                Subject with = subject;
                const std::string option = fmt::format("(leaf={}", leaf);
                const auto open = with.method.find('(');
                if (open == std::string::npos)
                    with.method += option + ")";
                else
                    with.method.replace(open, 1, option + ", ");
                subjects.push_back(with);
            }
    const Measurements steps = measure(subjects, even_course(extent));
    Spread spread;
    spread.add(steps);
    std::map<std::string, std::map<std::string, std::map<int, double>>> times;
    std::size_t s = 0;
    for (const int leaf : leaves)
        for (const Form& form : forms) {
            ResultTable::Row row{fmt::format("{}, {}", leaf, form.name), {}};
            for (const std::string& tree : trees) {
                row.figures.push_back(steps.of[s].ms);
                row.figures.push_back(steps.of[s].tested);
                times[form.name][tree][leaf] = steps.of[s++].ms;
            }
            table.rows.push_back(std::move(row));
        }
    table.note =
        "tested: pairs that the tree proposed, per step. printed: built by insertion, nodes\n"
        "bounded by their cells; ours: in bulk, nodes bounded by their bodies.";
    for (const Form& form : forms) {
        double worst = 0;
        std::string best;
        for (const std::string& tree : trees) {
            const auto& by_leaf = times[form.name][tree];
            const auto found = std::min_element(
                by_leaf.begin(), by_leaf.end(),
                [](const auto& a, const auto& b) { return a.second < b.second; });
            worst = std::max(worst, by_leaf.at(5) / found->second);
            best += fmt::format("{}{} {}", best.empty() ? "" : ", ", tree, found->first);
        }
        table.claims.push_back(
            {form.name + ": five bodies per leaf, as in the paper, is within 10 % of the best",
             worst <= 1.1,
             fmt::format("at most {:.2f} times the best; best: {}; {}", worst, best,
                         spread.text())});
    }
    return table;
}

}  // namespace vicinal::papers
