// The papers' experiments, by name: published figures beside ours.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <vicinal/report.hpp>

namespace vicinal::tool {

// What a paper says, and what was measured here.
struct Claim {
    std::string text;
    bool holds;
    std::string measured;
};

// What an experiment found: a figure per row and column. A column named after the paper ("P1")
// is the published figure of the column before it; what is not known is not a number.
struct ResultTable {
    struct Row {
        std::string name;
        std::vector<double> figures;
    };
    std::string title;
    std::vector<std::string> columns;  // the rows' names first
    std::vector<Row> rows;
    std::string note;
    std::vector<Claim> claims;
};

std::vector<std::string> experiments();
// Throws UsageError for an unknown name.
// Quick: small sizes that take seconds, not those of the paper.
ResultTable run_experiment(const std::string& name, bool quick);

// The median of some runs, in seconds.
double median_seconds(int runs, const std::function<void()>& run);
// One of the figures that the method tells in its report.
double figure(const Figures& figures, const std::string& name);

ResultTable p2(bool quick);
ResultTable p4_2d(bool quick);
ResultTable p4_neighbours(bool quick);
ResultTable p4_table(bool quick);
ResultTable p5_sort(bool quick);
ResultTable p5_cuckoo(bool quick);

std::string to_text(const ResultTable& table);
nlohmann::ordered_json to_json(const ResultTable& table);

}  // namespace vicinal::tool
