// The results of `vicinal bench` as text, JSON and CSV.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/machine.hpp"

namespace vicinal::bench {

// One repeat, in seconds.
struct Sample {
    double total = 0;
    std::array<double, 4> phases{};  // scene, build, search, output
};

inline constexpr std::array phase_names{"scene", "build", "search", "output"};

double median(std::vector<double> values);
// The interquartile range over the median.
double spread(const std::vector<double>& values);

struct Row {
    std::string name;  // as on the command line
    bool peer = false;
    int threads = 1;
    std::uint64_t bodies = 0;
    std::optional<double> cutoff;  // points
    std::vector<Sample> samples;
    std::uint64_t pairs = 0;
    std::string method;                       // with all options, as it ran
    std::optional<std::uint64_t> candidates;  // not for peers
    std::optional<std::uint64_t> peak_bytes;
    std::optional<std::uint64_t> differs;  // peers: pairs in only one of the two lists

    std::vector<double> totals() const;
    double seconds() const { return median(totals()); }
    double phase(std::size_t k) const;
    std::string label() const;  // with its threads, for messages
};

// The growth of a row's time with the number of bodies.
struct Growth {
    std::string name;
    int threads = 1;
    std::optional<double> exponent;  // of time ~ bodies^exponent; needs two sizes
    std::string stopped;             // why larger sizes were left out; empty if they were not
};

struct Result {
    std::string input;  // file, or scene with its parameters
    std::string shape;
    int dim = 3;
    std::string precision, domain, output;
    double moving = 0;
    double movers = 1;  // fraction of the bodies that move
    std::vector<Row> rows;
    std::vector<Growth> growth;  // with --scaling
    Machine machine;
    std::optional<double> other_cores;  // used by other processes, if known
};

// Least squares of ln(seconds) against ln(bodies).
std::optional<double> growth_exponent(const std::vector<const Row*>& rows);

nlohmann::ordered_json to_json(const Result& result);
std::string to_csv(const Result& result);
void write_csv(const std::string& file, const Result& result);
std::string to_text(const Result& result);

}  // namespace vicinal::bench
