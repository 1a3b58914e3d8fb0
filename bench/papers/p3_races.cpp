// Lara (2005), chapter 4: the structures race, uniform and non-uniform, and the orders of
// cells. On one thread, as published. The paper does not give step, speeds, restitution or
// forces.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/papers/p3.hpp"

namespace vicinal::papers {
namespace {

using namespace lara;

const std::vector<std::string> published = {"fixed_grid", "variable_grid", "orthtree",
                                            "kd_tree", "phase_kd_tree"};
const std::vector<std::string> trees = {"orthtree", "kd_tree", "phase_kd_tree"};
const std::vector<std::string> grids = {"fixed_grid", "variable_grid"};

constexpr const char* race_note =
    "ms: the median processor time of a step, search and collisions, on one thread.\n"
    "tested: pairs that the structure proposed, per step. printed: the structures and search\n"
    "distances of the source; ours: all axes, trees in bulk, all pairs that can collide.\n"
    "step/r: the motion of a sphere of mean speed, in radii. The verdicts are those of the\n"
    "printed forms. The paper gives curves without figures.";

std::vector<double> race_fills(Extent extent) {
    return extent == Extent::quick ? std::vector<double>{0.1, 0.003}
                                   : std::vector<double>{0.1, 0.03, 0.01, 0.003};
}

// The numbers of spheres that run 2000 steps into a torus. The paper's, and 100,000 at fill
// 0.003, as in its section 4.2.1. In the layer at most 10,000, because more would take half an
// hour: the spheres of a dense torus collide some times each in every step.
std::vector<std::uint64_t> torus_numbers(Extent extent, const Cell& cell, double fill) {
    if (extent == Extent::quick) return {300};
    if (extent == Extent::usual) return {300, 1000, 3000, 10'000};
    std::vector<std::uint64_t> numbers = {100, 300, 1000, 3000, 10'000};
    if (cell.edge == cube.edge) numbers.push_back(30'000);
    if (cell.edge == cube.edge && fill == 0.003) numbers.push_back(100'000);
    return numbers;
}

// Calls seen(cell, n, fill, race) for each race.
template <class Numbers, class Settings, class Seen>
void run_races(ResultTable& table, Extent extent, const Numbers& numbers, const Course& course,
               const Settings& settings, const Seen& seen) {
    name_race_columns(table, "cell, fill, n");
    for (const Cell& cell : {cube, layer})
        for (const double fill : race_fills(extent))
            for (const std::uint64_t n : numbers(cell, fill))
                seen(cell, n, fill,
                     add_race(table, fmt::format("{}, {}, {}", cell.name, fill, n),
                              settings(cell, n, fill), course));
    table.note = race_note;
}

Claim claim(const std::string& text, const Tally& tally, const Spread& spread) {
    return {text, tally.all(), tally.text() + "; " + spread.text()};
}

}  // namespace

ResultTable p3_uniform(Extent extent) {
    ResultTable table;
    table.title = "Lara (2005), figures 4.1 to 4.8: uniform, sheared hard spheres";
    const std::vector<std::uint64_t> numbers =
        extent == Extent::quick ? std::vector<std::uint64_t>{300}
        : extent == Extent::usual
            ? std::vector<std::uint64_t>{300, 1000, 3000, 10'000, 30'000}
            : std::vector<std::uint64_t>{100, 300, 1000, 3000, 10'000, 30'000, 100'000};
    std::map<std::string, Tally> grid_first, kd_next;
    Spread spread;
    run_races(
        table, extent, [&](const Cell&, double) { return numbers; }, even_course(extent), even,
        [&](const Cell& cell, std::uint64_t, double, const Race& race) {
            grid_first[cell.name].add(race.printed, grids, published);
            kd_next[cell.name].add(race.printed, {"kd_tree"}, trees);
            spread.add(race.printed_steps);
        });
    for (const auto& [cell, tally] : grid_first)
        table.claims.push_back(
            claim(cell + ": a grid is the fastest of the paper's structures", tally, spread));
    for (const auto& [cell, tally] : kd_next)
        table.claims.push_back(
            claim(cell + ": the kd-tree is the fastest of the trees", tally, spread));
    return table;
}

ResultTable p3_nonuniform(Extent extent) {
    ResultTable table;
    table.title = "Lara (2005), figures 4.9 to 4.14: a torus of hard spheres around a centre";
    const Course course = extent == Extent::quick   ? Course{50, 5, 1}
                          : extent == Extent::usual ? Course{500, 20, 1}
                                                    : Course{0, 2000, 100};
    // The paper's claims are of large populations.
    const std::uint64_t large = extent == Extent::quick ? 300 : 10'000;
    std::map<std::string, Tally> kd_dense, variable_thin;
    std::map<std::string, int> quadtree_last, races;
    Spread spread;
    run_races(
        table, extent,
        [&](const Cell& cell, double fill) { return torus_numbers(extent, cell, fill); },
        course, uneven,
        [&](const Cell& cell, std::uint64_t n, double fill, const Race& race) {
            spread.add(race.printed_steps);
            if (n < large) return;
            if (fill == 0.1)
                kd_dense[cell.name].add(race.printed, {"kd_tree"}, published);
            else
                variable_thin[cell.name].add(race.printed, {"variable_grid"}, published);
            ++races[cell.name];
            quadtree_last[cell.name] +=
                std::all_of(published.begin(), published.end(),
                            [&](const std::string& method) {
                                return race.printed.at(method) <=
                                       1.05 * race.printed.at("orthtree");
                            })
                    ? 1
                    : 0;
        });
    const std::string from = fmt::format(", n from {} on: ", large);
    for (const auto& [cell, tally] : kd_dense)
        table.claims.push_back(claim(
            cell + from + "at fill 0.1 the kd-tree is the fastest of the paper's structures",
            tally, spread));
    for (const auto& [cell, tally] : variable_thin)
        table.claims.push_back(
            claim(cell + from + "at fills of 0.03 and less the variable grid is the fastest",
                  tally, spread));
    for (const auto& [cell, last] : quadtree_last)
        table.claims.push_back(
            {cell + from + "the quadtree is the slowest", last == races[cell],
             fmt::format("slowest, or within 5 % of it, in {} of {} rows; {}", last,
                         races[cell], spread.text())});
    return table;
}

ResultTable p3_orders(Extent extent) {
    const std::uint64_t n = extent == Extent::quick   ? 300
                            : extent == Extent::usual ? 30'000
                                                      : 100'000;
    ResultTable table;
    table.title = fmt::format(
        "Lara (2005), section 3.2.1: the order of a grid's cells, {} spheres, ms per step", n);
    table.columns = {"cell, fill, grid", "row", "morton", "hilbert", "tested"};
    const std::vector<std::string> orders = {"row", "morton", "hilbert"};
    Spread spread;
    int gains = 0, rows = 0;
    double best = 1;
    for (const Cell& cell : {cube, layer})
        for (const double fill : race_fills(extent)) {
            if (fill != 0.1 && fill != 0.003) continue;
            const std::vector<Subject> printed = printed_forms(even(cell, n, fill));
            std::vector<Subject> subjects;
            for (std::size_t grid = 0; grid < grids.size(); ++grid)
                for (const char* axes : {"2", "3"})
                    for (const std::string& order : orders)
                        subjects.push_back(
                            {grids[grid],
                             fmt::format("{}(axes={}, order={})", grids[grid], axes, order),
                             printed[grid].settings});
            const Measurements steps = measure(subjects, even_course(extent));
            spread.add(steps);
            for (std::size_t s = 0; s < subjects.size(); s += orders.size()) {
                const Measured* const of = &steps.of[s];
                const std::string& method = subjects[s].method;
                table.rows.push_back(
                    {fmt::format("{}, {}, {} axes={}", cell.name, fill, subjects[s].column,
                                 method[method.find("axes=") + 5]),
                     {of[0].ms, of[1].ms, of[2].ms, of[0].tested}});
                const double gain = std::min(of[1].ms, of[2].ms) / of[0].ms;
                best = std::min(best, gain);
                gains += gain < 0.95 ? 1 : 0;
                ++rows;
            }
        }
    table.note =
        "In rows, three adjacent cells are one run of bodies; on a curve each cell is one. "
        "The\n"
        "paper chose rows for their simplicity and did not measure the other orders.";
    table.claims = {{"some orders of cells are faster than rows", gains > 0,
                     fmt::format("a curve is faster by more than 5 % in {} of {} rows, at best "
                                 "{:.2f} times the time; {}",
                                 gains, rows, best, spread.text())}};
    return table;
}

}  // namespace vicinal::papers
