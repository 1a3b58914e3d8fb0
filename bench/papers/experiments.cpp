#include "bench/papers/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "common/stopwatch.hpp"
#include "common/text.hpp"

namespace vicinal::papers {
namespace {

constexpr Experiment all[] = {
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

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double median_seconds(int runs, const std::function<void()>& run) {
    std::vector<double> seconds;
    for (int k = 0; k < runs; ++k) {
        const common::Stopwatch watch;
        run();
        seconds.push_back(watch.seconds());
    }
    return median(seconds);
}

double figure(const Statistics& figures, const std::string& name) {
    const auto found =
        std::find_if(figures.begin(), figures.end(),
                     [&](const Statistic& candidate) { return candidate.name == name; });
    if (found == figures.end()) throw std::logic_error("no statistic " + name);
    return found->value;
}

std::span<const Experiment> experiments() {
    return all;
}

std::string to_text(const ResultTable& table) {
    std::vector<std::vector<std::string>> lines{table.columns};
    for (const auto& row : table.rows) {
        lines.push_back({row.name});
        for (const double value : row.figures)
            lines.back().push_back(common::readable_number(value));
    }
    std::string text = table.title + "\n\n" + common::aligned(lines);
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

}  // namespace vicinal::papers
