// Measurements for the statistics of simulators.
#pragma once

#include "sim/vector.hpp"

namespace vicinal::sim {

// Values of one body, or sums over many (parallel_sum).
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
