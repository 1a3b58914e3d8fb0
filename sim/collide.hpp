// What the contacts of a particle of the fluid do to it in a step (model=collide).
//
// All pairs are treated simultaneously, from the velocities before. The impulse of a pair is
// divided by the larger number of contacts of the two. The factor is the same for both bodies,
// so momentum is conserved. The factors of a body sum to at most 1, so kinetic energy does not
// grow: the change is a graph Laplacian with row sums of at most 1, whose eigenvalues are at
// most 2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/fluid.hpp"
#include "sim/vector.hpp"

namespace vicinal::sim {

struct CollideResponse {
    Vector push{}, change;
    double overlap = 0;  // the deepest

    explicit CollideResponse(const FluidSettings& settings)
        : change{0, 0, -settings.gravity * settings.dt} {}

    // A neighbour, from which this particle is `d` away and moves with velocity `relative`.
    // `contacts` is the larger number of contacts of the two; `is_lower`: the number of this
    // particle is the lower one.
    void add(const FluidSettings& settings, const Vector& d, const Vector& relative,
             std::uint64_t contacts, bool is_lower) {
        const double distance = length(d);
        // Coincident particles separate along z.
        const Vector normal =
            distance > 0 ? (1 / distance) * d : Vector{0, 0, is_lower ? 1.0 : -1.0};
        const double share = 1 / static_cast<double>(contacts);
        const double depth = settings.size - distance;
        push += (0.5 * share * depth) * normal;
        const double separation_speed = dot(relative, normal);
        if (separation_speed < 0)
            change -= (0.5 * (1 + settings.restitution) * share * separation_speed) * normal;
        overlap = std::max(overlap, depth);
    }
};

}  // namespace vicinal::sim
