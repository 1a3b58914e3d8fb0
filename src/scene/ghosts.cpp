// Creates ghosts: chooses the primary cell, finds the bodies that may have a non-zero shift,
// and writes an instance for each of their shifts.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/flat.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "scene/scene.hpp"
#include "simd/coordinates.hpp"
#include "simd/targets.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T>
constexpr T eps = std::numeric_limits<T>::epsilon();

}  // namespace

// The lower corner of the cell that holds most bodies: the median of a fixed sample. So a box
// far from the origin works as well as any.
template <Real T, int D>
std::array<double, D> Scene<T, D>::median_cell() const {
    constexpr std::size_t max_samples = 255;
    const std::size_t n = bodies(), count = std::min(n, max_samples);
    std::array<std::array<double, max_samples>, D> sample;
    for (std::size_t s = 0; s < count; ++s) {
        std::array<double, D> x;
        for (std::size_t a = 0; a < D; ++a)
            x[a] = static_cast<double>(view_.position.axis[a][s * n / count]);
        const auto f = fractional(x);
        for (std::size_t k = 0; k < D; ++k) sample[k][s] = std::floor(f[k]);
    }
    std::array<double, D> cell{};
    for (std::size_t k = 0; k < D; ++k) {
        if (!lattice_.periodic[k]) continue;
        std::sort(sample[k].begin(), sample[k].begin() + count);
        // If the count is even, take the median nearer to the origin: of two bodies, the far
        // one is the outlier.
        const double low = sample[k][(count - 1) / 2], high = sample[k][count / 2];
        cell[k] = std::abs(low) < std::abs(high) ? low : high;
    }
    return cell;
}

// The median cell, shifted up by the half size of a body. Then a body in it has ghosts beyond
// the high faces only, and its lowest shift is zero.
template <Real T, int D>
std::array<double, D> Scene<T, D>::choose_cell() const {
    std::array<double, D> cell = median_cell();
    const Extent<D> typical = extent_of(view_, 0);
    for (std::size_t k = 0; k < D; ++k) {
        double half = 0;
        for (std::size_t a = 0; a < D; ++a)
            half += typical.half[a] * std::abs(lattice_.inverse[a][k]);
        if (lattice_.periodic[k]) cell[k] += std::min(half, 0.5);
    }
    return cell;
}

// For points at rest near the primary cell of a rectangular box, the margin covers all
// rounding; other bodies need the analysis of shifts_into().
template <Real T, int D>
typename Scene<T, D>::Shifts Scene<T, D>::shifts_of(Index body) const {
    if (!margin_suffices_) return shifts_into(extent_of(view_, body), cell_, 1, body);
    const auto floor_of = [](double x) {  // for values known to be small
        const auto whole = static_cast<std::int32_t>(x);
        return whole - static_cast<std::int32_t>(x < whole);
    };
    Shifts result;
    unsigned far = 0;
    for (std::size_t a = 0; a < D; ++a) {
        const double f =
            static_cast<double>(view_.position.axis[a][body]) * lattice_.inverse[a][a];
        far |= unsigned{!(std::abs(f) <= std::abs(cell_[a]) + 1)};
        if (!lattice_.periodic[a]) continue;
        const double at = far != 0 ? 0 : f - cell_[a];
        result.lo[a] = -floor_of(at + margin_[a]);
        result.hi[a] = floor_of(1 - at + margin_[a]);
    }
    return far == 0 ? result : shifts_into(extent_of(view_, body), cell_, 1, body);
}

// Bodies at rest whose centre lies at least this far inside the primary cell, in fractional
// coordinates, have only the zero shift: the largest margin that shifts_into() adds on either
// side. It stays valid if the cell moves by up to half a period afterwards.
template <Real T, int D>
std::array<double, D> Scene<T, D>::margin() const {
    const std::size_t n = bodies();
    struct Part {
        // Largest half sizes, and largest distances from the origin.
        std::array<double, D> half{}, far{};
    };
    const bool bounded = std::all_of(lattice_.periodic.begin(), lattice_.periodic.end(),
                                     [](bool periodic) { return periodic; });
    PerPiece<Part> parts(piece_count(threads(), n));
    parallel_ranges(threads(), n, [&](Range r, std::size_t p) {
        Part part;
        // All points have the same size, and if every axis is periodic the cell bounds the
        // distance from the origin: one point is enough.
        const bool one = is_point(view_) && bounded;
        for (std::size_t i = r.begin; i < (one ? r.begin + 1 : r.end); ++i)
            for (std::size_t a = 0; a < D; ++a) {
                const auto lo = static_cast<double>(lower_corner(view_, i, a));
                const auto hi = static_cast<double>(upper_corner(view_, i, a));
                const auto round = static_cast<double>(half_size(view_, i));
                part.half[a] = std::max(part.half[a], hi / 2 - lo / 2 + round);
                part.far[a] = std::max({part.far[a], std::abs(lo), std::abs(hi)});
            }
        parts[p] = part;
    });
    Part largest;
    for (std::size_t a = 0; a < D; ++a) {
        for (const Part& part : parts) {
            largest.half[a] = std::max(largest.half[a], part.half[a]);
            if (!bounded) largest.far[a] = std::max(largest.far[a], part.far[a]);
        }
        for (std::size_t m = 0; m < D && bounded; ++m)
            largest.far[a] +=
                (std::abs(cell_[m]) + 1.5) * std::abs(static_cast<double>(lattice_.h[m][a]));
        largest.far[a] += largest.half[a];
        largest.half[a] += 32 * static_cast<double>(eps<T>) * 3 * largest.far[a];
    }
    std::array<double, D> f{}, fh{}, slack{};
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t a = 0; a < D; ++a) {
            f[k] += largest.far[a] * std::abs(lattice_.inverse[a][k]);
            fh[k] += (largest.half[a] + 64 * eps<double> * largest.far[a]) *
                     std::abs(lattice_.inverse[a][k]);
        }
    for (std::size_t a = 0; a < D; ++a) {
        double length = 0;
        for (std::size_t m = 0; m < D; ++m)
            length += (f[m] + std::abs(cell_[m]) + fh[m] + 2) *
                      std::abs(static_cast<double>(lattice_.h[m][a]));
        for (std::size_t k = 0; k < D; ++k)
            slack[k] +=
                16 * static_cast<double>(eps<T>) * length * std::abs(lattice_.inverse[a][k]);
    }
    for (std::size_t k = 0; k < D; ++k) fh[k] = 1.000001 * (fh[k] + slack[k]);
    return fh;
}

// Lists the bodies that may have a non-zero shift.
template <Real T, int D>
void Scene<T, D>::find_boundary_bodies(bool may_move_cell) {
    const std::size_t n = bodies();
    std::array<double, D> lo, hi;
    margin_.fill(1);  // no body counts as inside
    if (!moving()) margin_ = margin();
    const bool diagonal = lattice_.rectangular();
    margin_suffices_ = diagonal && one_reach_at_rest();
    for (const double margin : margin_)
        margin_suffices_ &= margin <= static_cast<double>(max_periods);
    for (std::size_t k = 0; k < D; ++k) {
        // Offsets the cell from the box by exactly the margin: then all points inside the box,
        // including those exactly on its faces, have zero as their lowest shift.
        if (margin_suffices_ && may_move_cell && lattice_.periodic[k] && margin_[k] <= 0.5)
            cell_[k] = std::floor(cell_[k]) + margin_[k];
        lo[k] = cell_[k] + margin_[k];
        hi[k] = cell_[k] + 1 - margin_[k];
        if (lattice_.periodic[k]) continue;
        lo[k] = -std::numeric_limits<double>::infinity();
        hi[k] = -lo[k];
    }
    // Round bodies in a rectangular box are classified by their coordinates, in vectors, with
    // slightly tighter bounds because the bounds are rounded.
    const bool quick = diagonal && is_round(view_);
    Box<T, D> inside{};
    for (std::size_t a = 0; a < D; ++a) {
        double low = lo[a] / lattice_.inverse[a][a], high = hi[a] / lattice_.inverse[a][a];
        if (lattice_.inverse[a][a] < 0) std::swap(low, high);  // the vector points backwards
        const double slack = lattice_.periodic[a] ? 4 * static_cast<double>(eps<T>) *
                                                        (std::abs(low) + std::abs(high))
                                                  : 0;
        inside.lo[a] = static_cast<T>(low + slack);
        inside.hi[a] = static_cast<T>(high - slack);
    }
    // A bit for each body of a batch.
    const auto outside = [&](std::size_t begin, std::size_t count) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::array<double, D> x, f;
            for (std::size_t a = 0; a < D; ++a) {
                x[a] = static_cast<double>(lower_corner(view_, begin + i, a));
                if (!is_round(view_))
                    x[a] =
                        x[a] / 2 + static_cast<double>(upper_corner(view_, begin + i, a)) / 2;
            }
            // The margin covers rounding of the centre and of its fractional coordinates.
            if (diagonal)
                for (std::size_t a = 0; a < D; ++a) f[a] = x[a] * lattice_.inverse[a][a];
            else
                f = fractional(x);
            unsigned any = 0;  // branch-free: near a face the branch is unpredictable
            for (std::size_t k = 0; k < D; ++k) {
                any |= unsigned{!(f[k] > lo[k])};
                any |= unsigned{!(f[k] < hi[k])};
            }
            bits |= std::uint64_t{any} << i;
        }
        return bits;
    };
    outer_.resize(n);
    PerPiece<std::size_t> counts(piece_count(threads(), n));
    parallel_ranges(threads(), n, [&](Range r, std::size_t p) {
        const CoordinateKernels<T, D> kernels = coordinate_kernels<T, D>(target());
        BatchReader<T, D> reader(view_.position);
        Index* out = outer_.data() + r.begin;
        for (std::size_t k = r.begin; k < r.end; k += batch_size) {
            const std::size_t count = std::min(r.end - k, batch_size);
            std::uint64_t bits =
                quick ? kernels.outside(reader.read(k, count), inside) : outside(k, count);
            if (count < batch_size) bits &= (std::uint64_t{1} << count) - 1;
            for (; bits != 0; bits &= bits - 1)
                *out++ =
                    static_cast<Index>(k + static_cast<std::size_t>(std::countr_zero(bits)));
        }
        counts[p] = static_cast<std::size_t>(out - (outer_.data() + r.begin));
    });
    std::size_t at = 0;
    for (std::size_t p = 0; p < counts.size(); ++p) {
        const Index* const from = outer_.data() + piece(n, counts.size(), p).begin;
        std::copy(from, from + counts[p], outer_.data() + at);
        at += counts[p];
    }
    outer_.resize(at);
}

template <Real T, int D>
void Scene<T, D>::check_images(const Scene& other) const {
    if (!periodic() || bodies() == 0 || other.bodies() == 0) return;
    for (std::size_t a = 0; a < D; ++a) {
        const std::int32_t lo = std::min(shift_bounds_.lo[a], other.shift_bounds_.lo[a]);
        const std::int32_t hi = std::max(shift_bounds_.hi[a], other.shift_bounds_.hi[a]);
        if (hi - lo <= max_periods) continue;
        const bool high = hi > -lo;
        const bool mine = high ? shift_bounds_.hi[a] == hi : shift_bounds_.lo[a] == lo;
        const Scene& scene = mine ? *this : other;
        const std::size_t body = find_first(threads(), scene.bodies(), [&](std::size_t i) {
            const Shifts one = scene.shifts_of(static_cast<Index>(i));
            return high ? one.hi[a] == hi : one.lo[a] == lo;
        });
        throw_too_far(static_cast<Index>(body), a, hi - lo);
    }
}

template <Real T, int D>
void Scene<T, D>::fill_ghosts(Index body, const Shifts& shifts, std::uint64_t at) {
    Index k = body;  // the body itself first, then its ghosts
    for_each_between(shifts.lo, shifts.hi, [&](const Shift<D>& m) {
        Bits flags = 0;
        for (std::size_t a = 0; a < D; ++a)
            flags |= static_cast<Bits>(unsigned{m[a] == shifts.lo[a]} << a);
        // Nearly all bodies have shift zero, which is already stored; the others are far apart
        // in memory.
        if (k != body || m != Shift<D>{})
            for (std::size_t a = 0; a < D; ++a) shift_[k][a] = static_cast<std::int16_t>(m[a]);
        if (k != body) {
            ghost_body_[at] = body;
            ghost_flags_[at] = flags;
            ++at;
        }
        k = static_cast<Index>(bodies() + at);
    });
}

// Chooses between ghosts and direct images, and checks the limits of either.
//
// Two bodies with g ghosts each are tested g * g times although they touch about 8 g times.
// If there are few bodies and many ghosts, testing all pairs of bodies is cheaper than making
// the ghosts. Direct images are used if there are more than max(8 N, min(32 N, 2048)) ghosts of
// N bodies, and at most 32 pairs of bodies per instance.
template <Real T, int D>
void Scene<T, D>::choose_images(double ghosts, std::uint64_t max_bytes,
                                const Scene* same_cell) {
    const auto count = static_cast<double>(bodies());
    const auto others = same_cell != nullptr ? static_cast<double>(same_cell->bodies()) : count;
    if ((same_cell != nullptr && same_cell->images_ == Images::direct) ||
        (ghosts > std::max(8 * count, std::min(32 * count, 2048.0)) &&
         count * others <= 32 * (ghosts + count)))
        images_ = Images::direct;
    const double needed = ghosts * (sizeof(Index) + sizeof(Bits) + sizeof(Image<D>));
    if ((has_ghosts() && ghosts + count > std::numeric_limits<Index>::max()) ||
        needed > static_cast<double>(max_bytes))
        throw Error(
            Error::Kind::limit,
            "the reach, including rounding, spans so many periods that " +
                std::to_string(bodies()) + " bodies need about " + number_text(ghosts) +
                " copies across the periodic faces (" + number_text(needed) +
                " bytes); choose a smaller reach or a larger box, move the bodies nearer to "
                "the origin, or use double precision");
}

template <Real T, int D>
void Scene<T, D>::add_ghosts(std::uint64_t max_bytes, const Scene* same_cell) {
    const std::size_t n = bodies();
    if (!periodic()) return;
    images_ = Images::ghosts;
    if (n == 0) return;
    cell_ = same_cell != nullptr ? same_cell->cell_ : choose_cell();
    find_boundary_bodies(same_cell == nullptr);
    const std::size_t outer = outer_.size();
    first_ghost_.resize(outer);
    outer_shifts_.resize(outer);
    // Includes the zero shift of the inner bodies, unless every body is an outer one.
    const Shifts any = outer == n ? shifts_of(0) : Shifts{};
    PerPiece<Shifts> parts(piece_count(threads(), outer), any);
    PerPiece<int> shifted(parts.size());
    const auto add = [](Shifts& all, const Shifts& one) {
        for (std::size_t a = 0; a < D; ++a) {
            all.lo[a] = std::min(all.lo[a], one.lo[a]);
            all.hi[a] = std::max(all.hi[a], one.hi[a]);
        }
    };
    parallel_ranges(threads(), outer, [&](Range r, std::size_t p) {
        constexpr std::size_t ahead = 16;
        for (std::size_t o = r.begin; o < r.end; ++o) {
            if (o + ahead < r.end) prefetch_body(view_, outer_[o + ahead]);
            const Shifts shifts = shifts_of(outer_[o]);
            add(parts[p], shifts);
            shifted[p] |= static_cast<int>(shifts.lo != Shift<D>{});
            outer_shifts_[o] = shifts;
            first_ghost_[o] = shifts.count() - 1;
        }
    });
    shift_bounds_ = any;
    for (const Shifts& part : parts) add(shift_bounds_, part);
    bodies_shifted_ =
        std::any_of(shifted.begin(), shifted.end(), [](int is) { return is != 0; });
    check_images(*this);
    // Each count is below 2^48, so the sum of 2^32 of them could wrap: add in double too.
    double estimate = 0;
    for (std::size_t o = 0; o < outer; ++o) estimate += static_cast<double>(first_ghost_[o]);
    choose_images(estimate, max_bytes, same_cell);
    if (images_ == Images::direct) return;
    const std::uint64_t ghosts = exclusive_scan(threads(), first_ghost_.span());
    shift_.resize(n + ghosts);
    parallel_ranges(threads(), n, [&](Range r, std::size_t) {
        std::fill(shift_.data() + r.begin, shift_.data() + r.end, Image<D>{});
    });
    ghost_body_.resize(ghosts);
    ghost_flags_.resize(ghosts);
    parallel_for(threads(), outer, [&](std::size_t o) {
        fill_ghosts(outer_[o], outer_shifts_[o], first_ghost_[o]);
    });
}

#define VICINAL_INSTANTIATE(T, D)                                       \
    template void Scene<T, D>::add_ghosts(std::uint64_t, const Scene*); \
    template void Scene<T, D>::check_images(const Scene&) const;
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
