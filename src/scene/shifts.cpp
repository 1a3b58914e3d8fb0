// The shifts that bring a body into the primary cell, or to another body. Conservative: despite
// rounding they include every shift that the exact argument at the top of scene.hpp needs, and
// perhaps one more.
#include "scene/scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T>
constexpr T eps = std::numeric_limits<T>::epsilon();

}  // namespace

template <Real T, int D>
void Scene<T, D>::throw_too_far(Index body, std::size_t axis, double periods) {
    throw Error(Error::Kind::input,
                "body " + std::to_string(body) + " reaches " +
                    (periods <= 1e15 ? std::to_string(static_cast<long long>(periods))
                                     : "more than 1e15") +
                    " periods along axis " + "xyz"[axis] +
                    "; images are 16-bit integers, at most 32767 periods apart: wrap the body "
                    "into the box, or choose a smaller reach or change of the shear",
                body);
}

// The bounds of a body in fractional coordinates at one moment: its centre f is known to within
// `off`, and `half` is half the width of its extent.
template <Real T, int D>
typename Scene<T, D>::Span Scene<T, D>::span_at(const std::array<double, D>& f,
                                                const std::array<double, D>& off,
                                                const std::array<double, D>& half,
                                                const Inverse& inverse) const {
    std::array<double, D> fh{}, slack{};
    for (std::size_t k = 0; k < D; ++k) {
        for (std::size_t a = 0; a < D; ++a) fh[k] += half[a] * std::abs(inverse[a][k]);
        fh[k] += off[k];
    }
    std::array<double, D> periods;
    for (std::size_t m = 0; m < D; ++m) periods[m] = std::abs(f[m]) + fh[m] + 2;
    const std::array<double, D> rounding = shift_rounding(lattice_, periods);
    for (std::size_t a = 0; a < D; ++a)
        for (std::size_t k = 0; k < D; ++k) slack[k] += rounding[a] * std::abs(inverse[a][k]);
    Span span;
    for (std::size_t k = 0; k < D; ++k) {
        span.lo[k] = f[k] - fh[k] - slack[k];
        span.hi[k] = f[k] + fh[k] + slack[k];
    }
    return span;
}

// The shifts, axis by axis, at which the extent overlaps [cell, cell + width] in fractional
// coordinates: every shift the exact argument needs, and perhaps one more. If the shear
// changes, the corner of the cell is fixed and its sides rotate: the fractional coordinates of
// any point change monotonically, so the values at the beginning and the end bound those in
// between.
template <Real T, int D>
typename Scene<T, D>::Shifts Scene<T, D>::shifts_into(const Extent<D>& extent,
                                                      const std::array<double, D>& cell,
                                                      double width, Index body) const {
    const auto& [centre, half] = extent;
    std::array<double, D> f = fractional(centre), off{};
    for (std::size_t k = 0; k < D; ++k) {
        f[k] -= cell[k];
        for (std::size_t a = 0; a < D; ++a)
            off[k] += 32 * eps<double> * std::abs(centre[a] * lattice_.inverse[a][k]);
    }
    Span span = span_at(f, off, half, lattice_.inverse);
    if (lattice_.change != 0) {
        std::array<double, D> g{}, off_g{};
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t m = 0; m < D; ++m) {
                g[k] += f[m] * lattice_.advance[m][k];
                off_g[k] += (off[m] + 32 * eps<double> * std::abs(f[m])) *
                            std::abs(lattice_.advance[m][k]);
            }
        const Span last = span_at(g, off_g, half, lattice_.last_inverse);
        for (std::size_t k = 0; k < D; ++k) {
            span.lo[k] = std::min(span.lo[k], last.lo[k]);
            span.hi[k] = std::max(span.hi[k], last.hi[k]);
        }
    }
    Shifts result;
    for (std::size_t k = 0; k < D; ++k) {
        const double first = std::ceil(-span.hi[k]), last = std::floor(width - span.lo[k]);
        if (!lattice_.periodic[k]) continue;
        for (double end : {first, last})
            if (!(std::abs(end) <= max_periods)) throw_too_far(body, k, std::abs(end));
        result.lo[k] = static_cast<std::int32_t>(first);
        result.hi[k] = static_cast<std::int32_t>(last);
    }
    return result;
}

// j touches i where the difference of the two extents contains the origin.
template <Real T, int D>
typename Scene<T, D>::ImageRange Scene<T, D>::image_range(const Scene& first, Index i,
                                                          Index j) const {
    const Extent<D> one = extent_of(first.view_, i);
    Extent<D> both = extent_of(view_, j);
    for (std::size_t a = 0; a < D; ++a) {
        both.centre[a] -= one.centre[a];
        both.half[a] += one.half[a];
    }
    const Shifts shifts = shifts_into(both, {}, 0, j);
    // Shifts are rounded sums of lattice vectors.
    for (std::size_t a = 0; a < D; ++a)
        for (std::size_t m = 0; m < D; ++m)
            both.half[a] += 16 * static_cast<double>(eps<T>) *
                            (std::max(std::abs(shifts.lo[m]), std::abs(shifts.hi[m])) + 2.0) *
                            std::abs(static_cast<double>(lattice_.h[m][a]));
    return {shifts, both};
}

template <Real T, int D>
double Scene<T, D>::longest_shift() const {
    double longest = 0;
    for (std::size_t a = 0; a < D && periodic(); ++a) {
        double length = 0;
        for (std::size_t m = 0; m < D; ++m)
            length += std::max(std::abs(shift_bounds_.lo[m]), std::abs(shift_bounds_.hi[m])) *
                      std::abs(static_cast<double>(lattice_.h[m][a]));
        longest = std::max(longest, length);
    }
    return longest;
}

#define VICINAL_INSTANTIATE(T, D)                                                         \
    template void Scene<T, D>::throw_too_far(Index, std::size_t, double);                 \
    template Scene<T, D>::Shifts Scene<T, D>::shifts_into(                                \
        const Extent<D>&, const std::array<double, D>&, double, Index) const;             \
    template Scene<T, D>::ImageRange Scene<T, D>::image_range(const Scene&, Index, Index) \
        const;                                                                            \
    template double Scene<T, D>::longest_shift() const;
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
