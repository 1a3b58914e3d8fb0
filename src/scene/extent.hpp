// Extents: bounds of a body during the step, in double precision, widened so that two bodies
// that the contract's formula may accept have extents that share a point in exact arithmetic.
// Shifts of images add shift_rounding(). The images of a scene and the regions of parts are
// computed from these.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "scene/lattice.hpp"
#include "scene/shape.hpp"

namespace vicinal::inline VICINAL_API {

template <int D>
struct Extent {
    std::array<double, D> centre, half;
};

// Without ghosts. Widened by the rounding of T.
template <Real T, int D>
Extent<D> extent_of(const Bodies<T, D>& bodies, std::size_t i) {
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    Extent<D> result;
    const auto h = static_cast<double>(half_size(bodies, i));
    for (std::size_t a = 0; a < D; ++a) {
        const auto x = static_cast<double>(lower_corner(bodies, i, a));
        const auto y = static_cast<double>(upper_corner(bodies, i, a));
        const double u =
            bodies.swept() ? static_cast<double>(bodies.displacement.axis[a][i]) : 0.0;
        const double lo = x - h + std::min(u, 0.0), hi = y + h + std::max(u, 0.0);
        result.centre[a] = lo / 2 + hi / 2;
        result.half[a] =
            hi / 2 - lo / 2 + 32 * eps * (std::abs(x) + std::abs(y) + std::abs(u) + h);
    }
    return result;
}

// A bound, along each coordinate axis, of the rounding in T of a shift by so many lattice
// vectors, and of its motion during the step.
template <Real T, int D>
std::array<double, D> shift_rounding(
    const Lattice<T, D>& lattice, const std::type_identity_t<std::array<double, D>>& periods) {
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    std::array<double, D> rounding;
    for (std::size_t a = 0; a < D; ++a) {
        double length = 0;
        for (std::size_t m = 0; m < D; ++m)
            length += periods[m] * std::abs(static_cast<double>(lattice.h[m][a]));
        if (a == 1) length += periods[0] * std::abs(static_cast<double>(lattice.change));
        rounding[a] = 16 * eps * length;
    }
    return rounding;
}

}  // namespace vicinal::inline VICINAL_API
