#include "experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "text.hpp"

namespace vicinal::tool {
namespace {

constexpr std::pair<const char*, ResultTable (*)(Extent)> all[] = {
    {"p1-table1", p1_table1},  //
    {"p1-fig11-12", p1_figures},
    {"p1-table2", p1_table2},
    {"p1-table3", p1_table3},
    {"p1-geometry", p1_geometry},
    {"p1-coherence", p1_coherence},
    {"p2", p2},
    {"p3-uniform", p3_uniform},
    {"p3-nonuniform", p3_nonuniform},
    {"p3-collisions", p3_collisions},
    {"p3-table4.1", p3_table41},
    {"p3-timestep", p3_timestep},
    {"p3-leaf", p3_leaf},
    {"p4-2d", p4_2d},
    {"p4-nns", p4_neighbours},
    {"p4-table", p4_table},
    {"p4-fluid", p4_fluid},
    {"p5-sort", p5_sort},
    {"p5-cuckoo", p5_cuckoo},
};

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
        for (const double value : row.figures) lines.back().push_back(readable_number(value));
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
