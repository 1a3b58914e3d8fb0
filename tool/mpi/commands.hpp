// The commands of `vicinal-mpi`. All ranks run them; results and errors are printed by rank 0.
#pragma once

#include "tool/commands.hpp"

namespace vicinal::tool {

void add_mpi_bench(CLI::App& app, Chosen& chosen);
void add_mpi_pairs(CLI::App& app, Chosen& chosen);
void add_mpi_run(CLI::App& app, Chosen& chosen);
void add_mpi_plan(CLI::App& app, Chosen& chosen);

}  // namespace vicinal::tool
