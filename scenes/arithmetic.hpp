// Roots and volumes without libm, whose last bit differs between systems (except sqrt, which
// IEEE 754 rounds correctly).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace vicinal::scenes {

// Cube root of x >= 0 to within a few units in the last place.
inline double cube_root(double x) {
    if (!(x > 0)) return 0;
    double scale = 1;
    for (; x >= 8; x /= 8) scale *= 2;
    for (; x < 1; x *= 8) scale /= 2;
    double root = 1.5;
    // Six Newton steps reach full precision from 1.5 anywhere in [1, 8); two are spare.
    for (int i = 0; i < 8; ++i) root = (2 * root + x / (root * root)) / 3;
    return scale * root;
}

// x to the power 1/dim.
inline double root(double x, int dim) {
    return dim == 1 ? x : dim == 2 ? std::sqrt(x) : cube_root(x);
}

// Volume of the unit ball: an interval, a disc, a ball.
inline double unit_ball(int dim) {
    return dim == 1 ? 2.0 : dim == 2 ? std::numbers::pi : 4 * std::numbers::pi / 3;
}

// Radius of the ball that holds `neighbours` of n points spread over a unit volume.
inline double ball_radius(double neighbours, std::uint64_t n, int dim) {
    const auto count = static_cast<double>(std::max<std::uint64_t>(n, 1));
    return root(neighbours / (count * unit_ball(dim)), dim);
}

// Smallest m >= 1 with m^dim >= n, for n < 2^32.
inline std::uint64_t edge_of_lattice(std::uint64_t n, int dim) {
    const auto sites = [dim](std::uint64_t m) { return dim == 2 ? m * m : m * m * m; };
    auto m = static_cast<std::uint64_t>(root(static_cast<double>(n), dim)) + 1;
    while (m > 1 && sites(m - 1) >= n) --m;
    return m;
}

}  // namespace vicinal::scenes
