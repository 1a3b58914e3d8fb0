// The papers' experiments, by name: published figures beside ours.
#pragma once

#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include <vicinal/report.hpp>

namespace vicinal::papers {

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

// How large: so that it takes seconds, minutes at the most, or as large as in the paper,
// however long that takes. Experiments that take seconds anyway know one size only.
enum class Extent { quick, usual, full };

struct Experiment {
    const char* name;
    ResultTable (*run)(Extent);
};

// All of them, paper by paper.
std::span<const Experiment> experiments();

// Processor time of this process: other work on the machine disturbs it least.
class ProcessorClock {
  public:
    double ms() const {
        return 1e3 * static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    }

  private:
    std::clock_t start_ = std::clock();
};

// Of an even number of values the upper one in the middle.
double median(std::vector<double> values);
// The median of some runs, in seconds.
double median_seconds(int runs, const std::function<void()>& run);
// One of the method's statistics in the report.
double figure(const Statistics& figures, const std::string& name);

ResultTable p1_table1(Extent extent);
ResultTable p1_figures(Extent extent);
ResultTable p1_table2(Extent extent);
ResultTable p1_table3(Extent extent);
ResultTable p1_geometry(Extent extent);
ResultTable p1_coherence(Extent extent);
ResultTable p2(Extent extent);
ResultTable p3_uniform(Extent extent);
ResultTable p3_nonuniform(Extent extent);
ResultTable p3_collisions(Extent extent);
ResultTable p3_table41(Extent extent);
ResultTable p3_timestep(Extent extent);
ResultTable p3_leaf(Extent extent);
ResultTable p4_2d(Extent extent);
ResultTable p4_neighbours(Extent extent);
ResultTable p4_table(Extent extent);
ResultTable p4_fluid(Extent extent);
ResultTable p5_sort(Extent extent);
ResultTable p5_cuckoo(Extent extent);

std::string to_text(const ResultTable& table);
nlohmann::ordered_json to_json(const ResultTable& table);

}  // namespace vicinal::papers
