// Every simulator by name: the only list of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/settings.hpp"
#include "sim/simulation.hpp"

namespace vicinal::sim {

struct Simulator {
    std::string name;
    std::string summary;            // one line
    std::uint64_t steps;            // of a run, by default
    std::vector<Setting> settings;  // with their default values
    // Takes such a list, with any values. Throws vicinal::Error for invalid values.
    std::unique_ptr<Simulation> (*make)(std::span<const Setting>, const How&);
};

const std::vector<Simulator>& simulators();

// Throws vicinal::Error for an unknown name.
const Simulator& find_simulator(const std::string& name);

}  // namespace vicinal::sim
