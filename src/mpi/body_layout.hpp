// What all bodies of one update have in common, and the domain. Equal on all ranks that have
// bodies; the others take it over.
#pragma once

#include <cstring>
#include <vector>

#include "mpi/communicator.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/domain.hpp>

namespace vicinal::inline VICINAL_API::mpi {

template <Real T, int D>
struct BodyLayout {
    Shape shape{};
    ReachRule rule = ReachRule::sum;
    T cutoff = 0;
    bool upper = false, radius = false, swept = false, grouped = false,
         masked = false;  // given
    std::size_t vertices_per_body = 0;
    std::vector<T> cutoffs;  // of kinds; empty: none

    BodyLayout() = default;
    explicit BodyLayout(const Bodies<T, D>& bodies)
        : shape(bodies.shape),
          rule(bodies.rule),
          cutoff(bodies.cutoff),
          upper(bodies.upper.given()),
          radius(bodies.radius.count() > 0),
          swept(bodies.swept()),
          grouped(bodies.group.given()),
          masked(bodies.mask.given()),
          vertices_per_body(bodies.vertices_per_body),
          cutoffs(bodies.cutoffs.begin(), bodies.cutoffs.end()) {}

    bool operator==(const BodyLayout&) const = default;

    bool kinds() const { return !cutoffs.empty(); }
};

}  // namespace vicinal::inline VICINAL_API::mpi
