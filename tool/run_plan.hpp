// The plan of a `vicinal run`: from the command line, a scene file or a checkpoint.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/simulators.hpp"

namespace vicinal::tool {

struct RunPlan {
    std::string simulation;
    std::vector<sim::Setting> settings;
    std::uint64_t steps = 0;
    std::optional<std::uint64_t> every;  // steps between frames; 0: none; else by the steps
    std::uint64_t checkpoint = 0;        // steps between checkpoints; 0: only the last
    sim::How how;

    explicit RunPlan(const std::string& simulator);
    std::unique_ptr<sim::Simulation> make() const;
    // The steps between frames: by default 10, or more for at most 1000 frames after the first.
    std::uint64_t frame_interval() const;
};

// From the name of a simulation, or a file that ends in .json, and key=value words.
RunPlan read_plan(const std::string& what, const std::vector<std::string>& words);

// As in a scene file. `name` is that of the file, for messages.
RunPlan plan_from(const nlohmann::ordered_json& json, const std::string& name);
nlohmann::ordered_json to_json(const RunPlan& plan);

// Parses the value of a setting. `where` begins the message of the Error.
void assign(sim::Setting& setting, const std::string& text, const std::string& where);

}  // namespace vicinal::tool
