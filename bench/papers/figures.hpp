// Statistics of measured figures, for the verdicts of experiments.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace vicinal::papers {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

inline double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? unknown : sum / static_cast<double>(values.size());
}

inline double deviation_of(const std::vector<double>& values) {
    const double mean = mean_of(values);
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return values.empty() ? unknown : std::sqrt(sum / static_cast<double>(values.size()));
}

// The smallest and the largest of some figures, without unknown ones.
struct Extremes {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();

    void add(double value) {
        if (std::isnan(value)) return;
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    }
    bool empty() const { return minimum > maximum; }
    std::string text(double unit = 1) const {
        if (empty()) return "unknown";
        return minimum == maximum
                   ? fmt::format("{:.3g}", minimum * unit)
                   : fmt::format("{:.3g} to {:.3g}", minimum * unit, maximum * unit);
    }
};

}  // namespace vicinal::papers
