// Cuts space into a region per rank.
#pragma once

#include <span>

#include "mpi/communicator.hpp"

#include <vicinal/parts.hpp>

namespace vicinal::inline VICINAL_API::mpi {

// Collective. Recursive coordinate bisection by Zoltan: about equal weights of the positions of
// all ranks in each region. Positions and lengths as for Regions.
template <int D>
Regions<D> bisect(const Communicator& comm, std::span<const Vector<double, D>> positions,
                  std::span<const double> weights, const Vector<double, D>& lengths);

}  // namespace vicinal::inline VICINAL_API::mpi
