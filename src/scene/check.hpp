// Validation of the input. An error names the array, the element, the axis and the value, and
// says what to do.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "simd/targets.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// The largest reach of two bodies: its square must not overflow.
template <Real T>
T largest_reach() {
    return std::sqrt(std::numeric_limits<T>::max()) *
           (1 - 2 * std::numeric_limits<T>::epsilon());
}

// The number of kinds of a square table of so many cut-offs; 0 if it is not square or too
// large.
inline std::size_t kind_count(std::size_t cutoffs) {
    for (std::size_t kinds = 1; kinds <= 256; ++kinds)
        if (kinds * kinds == cutoffs) return kinds;
    return 0;
}

// Checks that every array has a value per body, and checks the values that are not per body.
// `who` begins the message: "points", "spheres", "boxes", or "queries".
template <Real T, int D>
void check_arrays(const Bodies<T, D>& bodies, const std::string& who);
// Checks every value.
template <Real T, int D>
void check_values(const Bodies<T, D>& bodies, const std::string& who,
                  const Execution& execution);
template <Real T, int D>
void check_bodies(const Bodies<T, D>& bodies, const std::string& who,
                  const Execution& execution) {
    check_arrays(bodies, who);
    check_values(bodies, who, execution);
}

// Of everything that the views show except exclusions and vertices.
template <Real T, int D>
std::uint64_t checksum(const Bodies<T, D>& bodies);

// A second set must be of the same kind as the finder's bodies for pairs between the two.
template <Real T, int D>
void check_same_kind(const Bodies<T, D>& others, const Bodies<T, D>& bodies);

}  // namespace vicinal::inline VICINAL_API
