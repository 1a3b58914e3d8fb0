#include "bench/papers/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/stopwatch.hpp"
#include "common/text.hpp"

namespace vicinal::papers {
namespace {

constexpr Experiment all[] = {
    {"p1-table1", p1_table1},  //
    {"p1-fig11-12", p1_figures},      {"p1-table2", p1_table2},
    {"p1-table3", p1_table3},         {"p1-motion", p1_motion},
    {"p1-stages", p1_stages},         {"p1-geometry", p1_geometry},
    {"p1-coherence", p1_coherence},   {"p2", p2},
    {"p3-uniform", p3_uniform},       {"p3-nonuniform", p3_nonuniform},
    {"p3-collisions", p3_collisions}, {"p3-table4.1", p3_table41},
    {"p3-timestep", p3_timestep},     {"p3-leaf", p3_leaf},
    {"p3-orders", p3_orders},         {"p4-2d", p4_2d},
    {"p4-nns", p4_neighbours},        {"p4-table", p4_table},
    {"p4-fluid", p4_fluid},           {"p5-sort", p5_sort},
    {"p5-cuckoo", p5_cuckoo},
};

bool published(const std::string& column) {
    return column == "paper";
}

// Interquartile range over median.
double relative_spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto quantile = [&](double q) {
        const double at = q * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return std::lerp(values[below], values[above], at - static_cast<double>(below));
    };
    const double middle = quantile(0.5);
    return middle > 0 ? (quantile(0.75) - quantile(0.25)) / middle : 0;
}

std::string runs_text(const ResultTable& table) {
    return fmt::format(
        "Times: medians of {} runs; spread (interquartile range over median) "
        "at most {:.1f} %.",
        table.runs, 100 * table.spread);
}

// The reason belongs to a verdict: it is left out if the claim holds.
std::string reason(const Claim& claim) {
    return claim.comparable && claim.holds ? "" : claim.why;
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

std::vector<double> Turns::ms(const std::vector<std::function<void()>>& subjects) {
    std::vector<std::vector<double>> times(subjects.size());
    for (int run = 0; run < runs_; ++run)
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            const ProcessorClock clock;
            subjects[s]();
            times[s].push_back(clock.ms());
        }
    std::vector<double> medians;
    for (const std::vector<double>& one : times) {
        medians.push_back(median(one));
        spread_ = std::max(spread_, relative_spread(one));
    }
    return medians;
}

void Turns::describe(ResultTable& table) const {
    table.runs = runs_;
    table.spread = spread_;
}

const char* verdict(const Claim& claim) {
    if (!claim.comparable) return "not comparable";
    return claim.holds ? "holds" : "does not hold";
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
    if (table.runs > 0) text += '\n' + runs_text(table) + '\n';
    if (!table.claims.empty()) text += '\n';
    for (const Claim& claim : table.claims) {
        text += fmt::format("{}: {} here ({})", claim.text, verdict(claim), claim.measured);
        if (!claim.published.empty()) text += "; published: " + claim.published;
        if (const std::string why = reason(claim); !why.empty()) text += "; " + why;
        text += '\n';
    }
    return text;
}

nlohmann::ordered_json to_json(const ResultTable& table) {
    nlohmann::ordered_json json{{"title", table.title},
                                {"note", table.note},
                                {"rows", nlohmann::ordered_json::array()}};
    if (table.runs > 0) {
        json["runs"] = table.runs;
        json["spread"] = table.spread;
    }
    for (const auto& row : table.rows) {
        nlohmann::ordered_json object{{table.columns[0], row.name}};
        for (std::size_t c = 1; c < table.columns.size(); ++c) {
            const std::string& column = table.columns[c];
            object[published(column) ? table.columns[c - 1] + ' ' + column : column] =
                row.figures[c - 1];
        }
        json["rows"].push_back(object);
    }
    for (const auto& curve : table.curves)
        json["curves"].push_back({{"name", curve.name}, {"x", curve.x}, {"y", curve.y}});
    json["claims"] = nlohmann::ordered_json::array();
    for (const Claim& claim : table.claims)
        json["claims"].push_back({{"claim", claim.text},
                                  {"holds", claim.holds},
                                  {"measured", claim.measured},
                                  {"published", claim.published},
                                  {"verdict", verdict(claim)},
                                  {"why", reason(claim)}});
    return json;
}

}  // namespace vicinal::papers
