#include "experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "scenes/random.hpp"
#include "scenes/scenes.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

// P1's spheres: equal, anywhere in a cube, overlapping as they may.
struct Spheres {
    scenes::Arrays<double> arrays;

    explicit Spheres(double fill, std::uint64_t n = 10'000)
        : arrays(scenes::make("equal_spheres", n, 1, {{"fill", fill}})) {}

    // The report of a search, pairs counted.
    Report<3> search(const std::string& method) const {
        Finder<double, 3> finder(Options<3>{.method = method});
        finder.update(arrays.bodies<3>());
        finder.count();
        return finder.report();
    }
};

std::vector<double> geometry(const Report<3>& report) {
    return {figure(report.figures, "pieces per body"),
            figure(report.figures, "cell volume per body volume"),
            figure(report.figures, "selected")};
}

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
    table.title = "P1 table 1: what splitting does, for 10,000 spheres of fill d";
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
        "P1: the published figure. Without splitting figures depend on the root cell, which "
        "the\n"
        "paper does not give: here 10 times the edge of the scene.";
    return table;
}

ResultTable p1_geometry(Extent) {
    ResultTable table;
    table.title = "P1 section 7.3: the tree's geometry, for 10,000 spheres of fill 0.1";
    table.columns = {"linear_kd_tree", "pieces/N", "Vn/Ve", "selected", "bits", "ms"};
    const Spheres spheres(0.1);
    for (const char* options :
         {"root=1", "root=1.5", "root=2", "root=4", "root=10", "bits=5", "bits=6", "bits=7",
          "bits=8", "bits=10", "bits=14", "axes=xyz", "axes=yzx", "axes=zyx", "octree=on",
          "split=off", "split=off, octree=on", "root=(-1, -1, -1, 2, 2, 2)"}) {
        const auto report = spheres.search(fmt::format("linear_kd_tree({})", options));
        auto figures = geometry(report);
        figures.push_back(figure(report.figures, "bits per axis"));
        figures.push_back(report.seconds.total() * 1e3);
        table.rows.push_back({options, std::move(figures)});
    }
    return table;
}

// The median times of steps in which every sphere moves by up to `motion` radii along each
// axis; the methods take turns, so that a machine that slows down does so for all.
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
    for (std::vector<double>& times : ms) {
        std::nth_element(times.begin(), times.begin() + 3, times.end());
        medians.push_back(times[3]);
    }
    return medians;
}

ResultTable p1_coherence(Extent) {
    ResultTable table;
    table.title =
        "P1 section 7.1: the previous order kept and put right, for 100,000 spheres of "
        "fill 0.1";
    table.columns = {"motion/radius",      "records/N",   "ms",
                     "coherent records/N", "coherent ms", "coherent/plain"};
    const std::string plain = "linear_kd_tree", coherent = "linear_kd_tree(coherent=on)";
    const Spheres spheres(0.1, 100'000);
    const double records = figure(spheres.search(plain).figures, "pieces per body");
    const double eight = figure(spheres.search(coherent).figures, "pieces per body");
    for (const double motion : {0.0, 0.001, 0.01, 0.1, 1.0, 10.0}) {
        const auto ms = ms_per_step({plain, coherent}, spheres, motion);
        table.rows.push_back(
            {fmt::format("{}", motion), {records, ms[0], eight, ms[1], ms[1] / ms[0]}});
    }
    table.note =
        "A coherent order needs all eight pieces of every body, useful or not: that is the\n"
        "penalty. The gain is a sort that touches only what has moved.";
    return table;
}

constexpr std::pair<const char*, ResultTable (*)(Extent)> all[] = {
    {"p1-table1", p1_table1},  //
    {"p1-geometry", p1_geometry},
    {"p1-coherence", p1_coherence},
    {"p2", p2},
    {"p4-2d", p4_2d},
    {"p4-nns", p4_neighbours},
    {"p4-table", p4_table},
    {"p5-sort", p5_sort},
    {"p5-cuckoo", p5_cuckoo},
};

std::string number(double value) {
    if (std::isnan(value)) return "-";  // there is none
    return value == std::floor(value) && value < 1e15
               ? grouped(static_cast<std::uint64_t>(value))
               : fmt::format("{:.4g}", value);
}

bool published(const std::string& column) {
    return column.size() == 2 && column[0] == 'P';
}

}  // namespace

double median_seconds(int runs, const std::function<void()>& run) {
    std::vector<double> seconds;
    for (int k = 0; k < runs; ++k) {
        const auto before = std::chrono::steady_clock::now();
        run();
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

double figure(const Figures& figures, const std::string& name) {
    const auto found =
        std::find_if(figures.begin(), figures.end(),
                     [&](const Figure& candidate) { return candidate.name == name; });
    if (found == figures.end()) throw std::logic_error("no figure " + name);
    return found->value;
}

std::vector<std::string> experiments() {
    std::vector<std::string> names;
    for (const auto& [name, run] : all) names.emplace_back(name);
    return names;
}

ResultTable run_experiment(const std::string& name, Extent extent) {
    for (const auto& [known, run] : all)
        if (name == known) return run(extent);
    throw UsageError(
        fmt::format("unknown experiment '{}'; there are {}", name, join(experiments())));
}

std::string to_text(const ResultTable& table) {
    std::vector<std::vector<std::string>> lines{table.columns};
    for (const auto& row : table.rows) {
        lines.push_back({row.name});
        for (const double value : row.figures) lines.back().push_back(number(value));
    }
    std::vector<std::size_t> widths(table.columns.size());
    for (const auto& line : lines)
        for (std::size_t c = 0; c < line.size(); ++c)
            widths[c] = std::max(widths[c], line[c].size());
    std::string text = table.title + "\n\n";
    for (const auto& line : lines) {
        text += fmt::format("{:<{}}", line[0], widths[0]);
        for (std::size_t c = 1; c < line.size(); ++c)
            text += fmt::format("  {:>{}}", line[c], widths[c]);
        text += '\n';
    }
    if (!table.note.empty()) text += '\n' + table.note + '\n';
    if (!table.claims.empty()) text += '\n';
    for (const Claim& claim : table.claims)
        text += fmt::format("{}: {} here ({})\n", claim.text,
                            claim.holds ? "holds" : "does not hold", claim.measured);
    return text;
}

nlohmann::ordered_json to_json(const ResultTable& table) {
    nlohmann::ordered_json json{{"title", table.title},
                                {"rows", nlohmann::ordered_json::array()}};
    for (const auto& row : table.rows) {
        nlohmann::ordered_json object{{table.columns[0], row.name}};
        for (std::size_t c = 1; c < table.columns.size(); ++c) {
            const std::string& column = table.columns[c];
            object[published(column) ? table.columns[c - 1] + ' ' + column : column] =
                row.figures[c - 1];
        }
        json["rows"].push_back(object);
    }
    json["claims"] = nlohmann::ordered_json::array();
    for (const Claim& claim : table.claims)
        json["claims"].push_back(
            {{"claim", claim.text}, {"holds", claim.holds}, {"measured", claim.measured}});
    return json;
}

}  // namespace vicinal::tool
