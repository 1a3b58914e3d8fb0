// The fluid of hard particles (model=collide) over the ranks of a communicator. Its state is
// that of one process, bit by bit, whatever the number of ranks: contributions to a particle
// are summed in the order of the ids of its neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fluid.hpp"
#include "sim/simulation.hpp"
#include "sim/solids.hpp"

#include <vicinal/mpi.hpp>

namespace vicinal::sim {

// Throws vicinal::Error if RankedFluid cannot run these settings.
void check_ranked(const FluidSettings& settings);

class RankedFluid {
  public:
    // Collective. `whole` holds the state of all particles, the same on all ranks. The settings
    // are those that check_ranked() accepts.
    RankedFluid(MPI_Comm communicator, const FluidSettings& settings, const How& how,
                Simulation& whole);
    void step();
    std::size_t particles() const { return ids_.size(); }  // of this rank
    // Sets the state of `whole` on rank 0, by id.
    void collect(Simulation& whole);

  private:
    void migrate();

    MPI_Comm communicator_;
    FluidSettings settings_;
    Solids solids_;
    mpi::Finder<double, 3> finder_;
    double time_ = 0;
    std::uint64_t steps_ = 0;
    std::vector<std::uint64_t> ids_;
    std::vector<Vector> positions_, velocities_, paths_;
};

}  // namespace vicinal::sim
