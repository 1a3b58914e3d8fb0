// The papers' experiments, by name: published figures beside ours.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vicinal::tool {

// What an experiment found: a figure per row and column.
struct ResultTable {
    struct Row {
        std::string name;
        std::vector<double> figures;
    };
    std::string title;
    std::vector<std::string> columns;  // the rows' names first
    std::vector<Row> rows;
    std::string note;
};

std::vector<std::string> experiments();
// Throws UsageError for an unknown name.
ResultTable run_experiment(const std::string& name);

std::string to_text(const ResultTable& table);
nlohmann::ordered_json to_json(const ResultTable& table);

}  // namespace vicinal::tool
