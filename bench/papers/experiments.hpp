// The experiments of the papers by name, with published and measured values.
#pragma once

#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include <vicinal/report.hpp>

namespace vicinal::papers {

// A claim of a paper, and the measurement.
struct Claim {
    std::string text;
    bool holds;
    std::string measured;
    std::string published = {};  // the paper's figures, where the text does not say them
    std::string why = {};        // why it does not hold, or cannot be compared
    bool comparable = true;      // false: neither confirmed nor refuted here
};
// "holds", "does not hold" or "not comparable".
const char* verdict(const Claim& claim);

// The result of an experiment: a value per row and column. A column "paper" holds
// the published values of the column before it. Unknown values are NaN.
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
    // How times were measured: medians of so many runs, and the largest interquartile range of
    // the runs over their median. Zero runs: it does not say.
    int runs = 0;
    double spread = 0;
    // A figure's lines, where the table has only means of them.
    struct Curve {
        std::string name;
        std::vector<double> x, y;
    };
    std::vector<Curve> curves;
};

// The size: a run of seconds, of minutes, or the size in the paper. Experiments that take only
// seconds have one size.
enum class Extent { quick, usual, full };

struct Experiment {
    const char* name;
    ResultTable (*run)(Extent);
};

// All experiments, by paper.
std::span<const Experiment> experiments();

// Processor time of this process, which is least sensitive to other load.
class ProcessorClock {
  public:
    double ms() const {
        return 1e3 * static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    }

  private:
    std::clock_t start_ = std::clock();
};

// For an even number of values, the upper of the two in the middle.
double median(std::vector<double> values);
// The median of some runs, in seconds.
double median_seconds(int runs, const std::function<void()>& run);

// Runs in which the subjects take turns, so that changes of the machine's speed affect all of
// them alike.
class Turns {
  public:
    explicit Turns(int runs) : runs_(runs) {}
    // The median processor time of each subject, in ms.
    std::vector<double> ms(const std::vector<std::function<void()>>& subjects);
    void describe(ResultTable& table) const;

  private:
    int runs_;
    double spread_ = 0;  // the largest of all subjects
};

// One of the method's statistics in the report.
double figure(const Statistics& figures, const std::string& name);

ResultTable p1_table1(Extent extent);
ResultTable p1_figures(Extent extent);
ResultTable p1_table2(Extent extent);
ResultTable p1_table3(Extent extent);
ResultTable p1_motion(Extent extent);
ResultTable p1_stages(Extent extent);
ResultTable p1_geometry(Extent extent);
ResultTable p1_coherence(Extent extent);
ResultTable p2(Extent extent);
ResultTable p3_uniform(Extent extent);
ResultTable p3_nonuniform(Extent extent);
ResultTable p3_collisions(Extent extent);
ResultTable p3_table41(Extent extent);
ResultTable p3_timestep(Extent extent);
ResultTable p3_leaf(Extent extent);
ResultTable p3_orders(Extent extent);
ResultTable p4_2d(Extent extent);
ResultTable p4_neighbours(Extent extent);
ResultTable p4_table(Extent extent);
ResultTable p4_fluid(Extent extent);
ResultTable p5_sort(Extent extent);
ResultTable p5_cuckoo(Extent extent);

std::string to_text(const ResultTable& table);
nlohmann::ordered_json to_json(const ResultTable& table);

}  // namespace vicinal::papers
