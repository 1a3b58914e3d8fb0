// What simulators measure for their figures.
#pragma once

#include <chrono>

#include "sim/vector.hpp"

namespace vicinal::sim {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of one body, or summed over many (parallel_sum).
struct Mechanics {
    double kinetic = 0, potential = 0;
    Vector momentum{};

    Mechanics& operator+=(const Mechanics& other) {
        kinetic += other.kinetic;
        potential += other.potential;
        momentum += other.momentum;
        return *this;
    }
};

}  // namespace vicinal::sim
