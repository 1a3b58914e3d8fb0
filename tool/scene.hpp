// The scene selected on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/table.hpp"
#include "scenes/scenes.hpp"

namespace vicinal::tool {

struct SceneChoice {
    std::string name;
    std::optional<std::uint64_t> n;  // none: the scene's default
    std::uint64_t seed = 1;
    std::vector<std::string> parameters;  // key=value

    void add_numbers_to(CLI::App& app);
    scenes::Workload make() const;
};

// The scene as a table, with the column names that `pairs` expects.
io::Table to_table(const scenes::Workload& scene);

}  // namespace vicinal::tool
