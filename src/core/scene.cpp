#include "core/scene.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/flat.hpp"
#include "core/parallel.hpp"
#include "core/text.hpp"
#include "simd/places.hpp"
#include "simd/targets.hpp"

namespace vicinal {
namespace {

template <Real T>
constexpr T eps = std::numeric_limits<T>::epsilon();

constexpr std::int64_t most_periods = std::numeric_limits<std::int16_t>::max();

[[noreturn]] void too_far(Index body, std::size_t axis, double periods) {
    throw Error(Error::Kind::input,
                "body " + std::to_string(body) + " reaches " +
                    (periods <= 1e15 ? std::to_string(static_cast<long long>(periods))
                                     : "more than 1e15") +
                    " periods along axis " + "xyz"[axis] +
                    "; images are 16-bit integers, at most 32767 periods apart: wrap it back "
                    "into the box, or choose a smaller reach or change of the shear",
                body);
}

}  // namespace

template <Real T, int D>
Box<T, D> Scene<T, D>::widened_box(Index k) const {
    const Index i = body(k);
    const Shift<D> n = shift(k);
    const T h = half_size(i);
    const bool round = view_.shape != Shape::boxes;
    const Vector<T, D> motion = displacement(i);
    Vector<T, D> s{}, drift{};
    if (imaged()) {
        s = lattice_.shift(n);
        drift = lattice_.drift(n);
    }
    Box<T, D> box;
    for (std::size_t a = 0; a < D; ++a) {
        const T x = view_.position.axis[a][i];
        T lo = x - h;
        T hi = (round ? x : view_.upper.axis[a][i]) + h;
        T pad = 0;  // what the decision itself may err by, beyond rounding lo and hi
        if (moving()) {
            const T u = motion[a] + drift[a];
            // Each is rounded; of a body that moves with the shear they cancel.
            pad += 16 * eps<T> * (std::abs(motion[a]) + std::abs(drift[a]) + h);
            lo += std::min(u, T{0});
            hi += std::max(u, T{0});
        }
        if (imaged()) {
            // x + s is rounded, and s itself is a rounded sum of whole lattice vectors.
            T lengths = std::abs(x);
            for (std::size_t m = 0; m < D; ++m)
                lengths += static_cast<T>(std::abs(n[m]) + 1) * std::abs(lattice_.h[m][a]);
            pad += 8 * eps<T> * (lengths + h);
            lo += s[a];
            hi += s[a];
        }
        // lo and hi are each rounded to within half an ulp per operation above.
        constexpr T ulp = 4 * eps<T>;
        constexpr T most = std::numeric_limits<T>::max();  // methods need finite sides
        const T low = lo - (pad + ulp * std::abs(lo)), high = hi + (pad + ulp * std::abs(hi));
        // Where a shift overflows they may be no numbers.
        box.lo[a] = low >= -most ? std::min(low, most) : -most;
        box.hi[a] = high <= most ? std::max(high, -most) : most;
    }
    return box;
}

template <Real T, int D>
std::array<double, D> Scene<T, D>::fractional(const std::array<double, D>& x) const {
    std::array<double, D> f{};
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t a = 0; a < D; ++a) f[k] += x[a] * lattice_.inverse[a][k];
    return f;
}

// The cell in which most bodies are, so that a box far from the origin is as good as any:
// the median of a fixed sample.
template <Real T, int D>
std::array<double, D> Scene<T, D>::cell_of_bulk() const {
    constexpr std::size_t most = 255;
    const std::size_t n = bodies(), count = std::min(n, most);
    std::array<std::array<double, most>, D> sample;
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
        // Of two medians the one nearer to the origin: with two bodies the far one is to blame.
        const double low = sample[k][(count - 1) / 2], high = sample[k][count / 2];
        cell[k] = std::abs(low) < std::abs(high) ? low : high;
    }
    return cell;
}

// That cell, moved up by the size of a body: then a body in it has its copies beyond the high
// faces only, and its lowest shift is zero.
template <Real T, int D>
std::array<double, D> Scene<T, D>::choose_cell() const {
    std::array<double, D> cell = cell_of_bulk();
    const Extent typical = extent(0);
    for (std::size_t k = 0; k < D; ++k) {
        double half = 0;
        for (std::size_t a = 0; a < D; ++a)
            half += typical.half[a] * std::abs(lattice_.inverse[a][k]);
        if (lattice_.periodic[k]) cell[k] += std::min(half, 0.5);
    }
    return cell;
}

// Evaluated in double and widened by the rounding of T.
template <Real T, int D>
typename Scene<T, D>::Extent Scene<T, D>::extent(Index body) const {
    Extent result;
    const Vector<T, D> motion = displacement(body);
    const double h = static_cast<double>(half_size(body));
    for (std::size_t a = 0; a < D; ++a) {
        const auto x = static_cast<double>(view_.position.axis[a][body]);
        const double y =
            view_.shape == Shape::boxes ? static_cast<double>(view_.upper.axis[a][body]) : x;
        const auto u = static_cast<double>(motion[a]);
        const double lo = x - h + std::min(u, 0.0), hi = y + h + std::max(u, 0.0);
        result.centre[a] = lo / 2 + hi / 2;
        result.half[a] =
            hi / 2 - lo / 2 +
            32 * static_cast<double>(eps<T>) * (std::abs(x) + std::abs(y) + std::abs(u) + h);
    }
    return result;
}

// What a body covers in terms of the lattice at one moment: its centre, at f, is known to
// within `off`, and half the width is that of the extent.
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
    // Rounding of shifts by that many lattice vectors in T, and of their motion.
    for (std::size_t a = 0; a < D; ++a) {
        double length = 0;
        for (std::size_t m = 0; m < D; ++m)
            length +=
                (std::abs(f[m]) + fh[m] + 2) * std::abs(static_cast<double>(lattice_.h[m][a]));
        if (a == 1)
            length +=
                (std::abs(f[0]) + fh[0] + 2) * std::abs(static_cast<double>(lattice_.change));
        for (std::size_t k = 0; k < D; ++k)
            slack[k] += 16 * static_cast<double>(eps<T>) * length * std::abs(inverse[a][k]);
    }
    Span span;
    for (std::size_t k = 0; k < D; ++k) {
        span.lo[k] = f[k] - fh[k] - slack[k];
        span.hi[k] = f[k] + fh[k] + slack[k];
    }
    return span;
}

// The shifts, axis by axis, at which the extent meets [cell, cell + width] in fractional terms:
// every one the exact argument needs, and perhaps one more. Where the shear changes, the
// corner of the cell stays and its sides turn: the fractional coordinates of any place then
// change in one direction, so that those at the beginning and at the end bound all between.
template <Real T, int D>
typename Scene<T, D>::Shifts Scene<T, D>::shifts_into(const Extent& extent,
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
            if (!(std::abs(end) <= most_periods)) too_far(body, k, std::abs(end));
        result.lo[k] = static_cast<std::int32_t>(first);
        result.hi[k] = static_cast<std::int32_t>(last);
    }
    return result;
}

// Points at rest in a rectangular box, where they are known to be near the primary cell, need
// no look at their rounding: the margin holds it.
template <Real T, int D>
typename Scene<T, D>::Shifts Scene<T, D>::shifts_of(Index body) const {
    if (!quick_) return shifts_into(extent(body), cell_, 1, body);
    const auto floor_of = [](double x) {  // of what is known to be small
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
    return far == 0 ? result : shifts_into(extent(body), cell_, 1, body);
}

// j relative to i touches where the difference of the two contains the origin.
template <Real T, int D>
typename Scene<T, D>::Images Scene<T, D>::images(const Scene& first, Index i, Index j) const {
    const Extent one = first.extent(i);
    Extent both = extent(j);
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

// Bodies at rest whose centre lies this far inside the primary cell, in fractional terms, have
// no shift but zero: what shifts_into() adds on either side, at its largest. The cell may still
// move by half a period.
template <Real T, int D>
std::array<double, D> Scene<T, D>::margin() const {
    const std::size_t n = bodies();
    struct Part {
        std::array<double, D> half{}, far{};  // the largest; far: from the origin
    };
    const bool bounded = std::all_of(lattice_.periodic.begin(), lattice_.periodic.end(),
                                     [](bool periodic) { return periodic; });
    PerPiece<Part> parts(piece_count(threads_, n));
    parallel_ranges(threads_, n, [&](Range r, std::size_t p) {
        Part part;
        // Points have one size, and what is inside a bounded cell is not far.
        const bool one = view_.shape == Shape::points && bounded;
        for (std::size_t i = r.begin; i < (one ? r.begin + 1 : r.end); ++i)
            for (std::size_t a = 0; a < D; ++a) {
                const auto lo = static_cast<double>(view_.position.axis[a][i]);
                const double hi = view_.shape == Shape::boxes
                                      ? static_cast<double>(view_.upper.axis[a][i])
                                      : lo;
                const auto round = static_cast<double>(half_size(static_cast<Index>(i)));
                part.half[a] = std::max(part.half[a], hi / 2 - lo / 2 + round);
                part.far[a] = std::max({part.far[a], std::abs(lo), std::abs(hi)});
            }
        parts[p] = part;
    });
    Part most;
    for (std::size_t a = 0; a < D; ++a) {
        for (const Part& part : parts) {
            most.half[a] = std::max(most.half[a], part.half[a]);
            if (!bounded) most.far[a] = std::max(most.far[a], part.far[a]);
        }
        for (std::size_t m = 0; m < D && bounded; ++m)
            most.far[a] +=
                (std::abs(cell_[m]) + 1.5) * std::abs(static_cast<double>(lattice_.h[m][a]));
        most.far[a] += most.half[a];
        most.half[a] += 32 * static_cast<double>(eps<T>) * 3 * most.far[a];
    }
    std::array<double, D> f{}, fh{}, slack{};
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t a = 0; a < D; ++a) {
            f[k] += most.far[a] * std::abs(lattice_.inverse[a][k]);
            fh[k] += (most.half[a] + 64 * eps<double> * most.far[a]) *
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

// Lists the bodies that may have a shift other than zero.
template <Real T, int D>
void Scene<T, D>::find_outer(bool cell_is_ours) {
    const std::size_t n = bodies();
    std::array<double, D> lo, hi;
    margin_.fill(1);  // nobody is inside
    if (!moving()) margin_ = margin();
    const bool diagonal = lattice_.rectangular();
    quick_ = diagonal && view_.shape == Shape::points && !moving();
    for (const double margin : margin_) quick_ &= margin <= static_cast<double>(most_periods);
    for (std::size_t k = 0; k < D; ++k) {
        // So all points that are inside the box have a lowest shift of zero, those at its very
        // faces too.
        if (quick_ && cell_is_ours && lattice_.periodic[k] && margin_[k] <= 0.5)
            cell_[k] = std::floor(cell_[k]) + margin_[k];
        lo[k] = cell_[k] + margin_[k];
        hi[k] = cell_[k] + 1 - margin_[k];
        if (lattice_.periodic[k]) continue;
        lo[k] = -std::numeric_limits<double>::infinity();
        hi[k] = -lo[k];
    }
    // Round bodies in such a box are told apart by their own coordinates, in vectors: a little
    // closer to the middle, for the bounds are rounded.
    const bool quick = diagonal && view_.shape != Shape::boxes;
    Box<T, D> inside{};
    for (std::size_t a = 0; a < D; ++a) {
        const double low = lo[a] / lattice_.inverse[a][a],
                     high = hi[a] / lattice_.inverse[a][a];
        const double slack = lattice_.periodic[a] ? 4 * static_cast<double>(eps<T>) *
                                                        (std::abs(low) + std::abs(high))
                                                  : 0;
        inside.lo[a] = static_cast<T>(low + slack);
        inside.hi[a] = static_cast<T>(high - slack);
    }
    // A bit for each of a batch.
    const auto outside = [&](std::size_t begin, std::size_t count) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::array<double, D> x, f;
            for (std::size_t a = 0; a < D; ++a) {
                x[a] = static_cast<double>(view_.position.axis[a][begin + i]);
                if (view_.shape == Shape::boxes)
                    x[a] = x[a] / 2 + static_cast<double>(view_.upper.axis[a][begin + i]) / 2;
            }
            // Rounding of the centre and of its fractional coordinates is in the margin.
            if (diagonal)
                for (std::size_t a = 0; a < D; ++a) f[a] = x[a] * lattice_.inverse[a][a];
            else
                f = fractional(x);
            unsigned any = 0;  // without a branch: near a face it goes either way
            for (std::size_t k = 0; k < D; ++k) {
                any |= unsigned{!(f[k] > lo[k])};
                any |= unsigned{!(f[k] < hi[k])};
            }
            bits |= std::uint64_t{any} << i;
        }
        return bits;
    };
    outer_.resize(n);
    PerPiece<std::size_t> counts(piece_count(threads_, n));
    parallel_ranges(threads_, n, [&](Range r, std::size_t p) {
        const PlaceKernels<T, D> kernels = place_kernels<T, D>(first_target());
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
double Scene<T, D>::longest_shift() const {
    double longest = 0;
    for (std::size_t a = 0; a < D && imaged(); ++a) {
        double length = 0;
        for (std::size_t m = 0; m < D; ++m)
            length += std::max(std::abs(spread_.lo[m]), std::abs(spread_.hi[m])) *
                      std::abs(static_cast<double>(lattice_.h[m][a]));
        longest = std::max(longest, length);
    }
    return longest;
}

template <Real T, int D>
void Scene<T, D>::check_images(const Scene& other) const {
    if (!imaged() || bodies() == 0 || other.bodies() == 0) return;
    for (std::size_t a = 0; a < D; ++a) {
        const std::int32_t lo = std::min(spread_.lo[a], other.spread_.lo[a]);
        const std::int32_t hi = std::max(spread_.hi[a], other.spread_.hi[a]);
        if (hi - lo <= most_periods) continue;
        const bool high = hi > -lo;
        const bool mine = high ? spread_.hi[a] == hi : spread_.lo[a] == lo;
        const Scene& scene = mine ? *this : other;
        const std::size_t body = find_first(threads_, scene.bodies(), [&](std::size_t i) {
            const Shifts one = scene.shifts_of(static_cast<Index>(i));
            return high ? one.hi[a] == hi : one.lo[a] == lo;
        });
        too_far(static_cast<Index>(body), a, hi - lo);
    }
}

template <Real T, int D>
void Scene<T, D>::fill_ghosts(Index body, const Shifts& shifts, std::uint64_t at) {
    Index k = body;  // first the body itself, then its ghosts
    for_each_between(shifts.lo, shifts.hi, [&](const Shift<D>& m) {
        Bits home = 0;
        for (std::size_t a = 0; a < D; ++a)
            home |= static_cast<Bits>(unsigned{m[a] == shifts.lo[a]} << a);
        // Of bodies nearly all are zero, and far from each other.
        if (k != body || m != Shift<D>{})
            for (std::size_t a = 0; a < D; ++a) shift_[k][a] = static_cast<std::int16_t>(m[a]);
        if (k != body) {
            ghost_body_[at] = body;
            ghost_home_[at] = home;
            ++at;
        }
        k = static_cast<Index>(bodies() + at);
    });
}

template <Real T, int D>
void Scene<T, D>::add_ghosts(std::uint64_t max_bytes, const Scene* same_cell) {
    const std::size_t n = bodies();
    ghosted_ = imaged();
    if (!imaged() || n == 0) return;
    cell_ = same_cell != nullptr ? same_cell->cell_ : choose_cell();
    find_outer(same_cell == nullptr);
    const std::size_t outer = outer_.size();
    first_ghost_.resize(outer);
    outer_shifts_.resize(outer);
    // Zero is among all shifts, unless no body is known to be there.
    const Shifts any = outer == n ? shifts_of(0) : Shifts{};
    PerPiece<Shifts> parts(piece_count(threads_, outer), any);
    PerPiece<int> shifted(parts.size());
    const auto add = [](Shifts& all, const Shifts& one) {
        for (std::size_t a = 0; a < D; ++a) {
            all.lo[a] = std::min(all.lo[a], one.lo[a]);
            all.hi[a] = std::max(all.hi[a], one.hi[a]);
        }
    };
    parallel_ranges(threads_, outer, [&](Range r, std::size_t p) {
        constexpr std::size_t ahead = 16;
        for (std::size_t o = r.begin; o < r.end; ++o) {
            if (o + ahead < r.end) prefetch_body(outer_[o + ahead]);
            const Shifts shifts = shifts_of(outer_[o]);
            add(parts[p], shifts);
            shifted[p] |= static_cast<int>(shifts.lo != Shift<D>{});
            outer_shifts_[o] = shifts;
            first_ghost_[o] = shifts.count() - 1;
        }
    });
    spread_ = any;
    for (const Shifts& part : parts) add(spread_, part);
    bodies_shifted_ =
        std::any_of(shifted.begin(), shifted.end(), [](int is) { return is != 0; });
    check_images(*this);
    // Each count is below 2^48, so the sum of 2^32 of them could wrap: add in double too.
    double estimate = 0;
    for (std::size_t o = 0; o < outer; ++o) estimate += static_cast<double>(first_ghost_[o]);
    // Two bodies with g ghosts each are tested g * g times although they meet about 8 g times.
    // Pair by pair costs no more than the ghosts alone where bodies are few for their ghosts.
    // Direct images where there are more than 8 ghosts per body (32 for up to 64 bodies, 2048
    // in all in between) and testing all pairs costs no more than 32 times the instances.
    const auto count = static_cast<double>(n);
    const auto others = same_cell != nullptr ? static_cast<double>(same_cell->bodies()) : count;
    by_images_ = (same_cell != nullptr && same_cell->by_images_) ||
                 (estimate > std::max(8 * count, std::min(32 * count, 2048.0)) &&
                  count * others <= 32 * (estimate + count));
    const double needed = estimate * (sizeof(Index) + sizeof(Bits) + sizeof(Image<D>));
    if ((!by_images_ && estimate + count > std::numeric_limits<Index>::max()) ||
        needed > static_cast<double>(max_bytes))
        throw Error(Error::Kind::limit,
                    "the reach, with what rounding adds to it, spans so many periods that " +
                        std::to_string(n) + " bodies need about " + number_text(estimate) +
                        " copies across the periodic faces (" + number_text(needed) +
                        " bytes); choose a smaller reach or a larger box, or if the bodies are "
                        "far from the origin move them there or use double precision");
    const std::uint64_t ghosts = by_images_ ? 0 : exclusive_scan(threads_, first_ghost_.span());
    shift_.resize(n + ghosts);
    parallel_ranges(threads_, n, [&](Range r, std::size_t) {
        std::fill(shift_.data() + r.begin, shift_.data() + r.end, Image<D>{});
    });
    if (by_images_) return;
    ghost_body_.resize(ghosts);
    ghost_home_.resize(ghosts);
    parallel_for(threads_, outer, [&](std::size_t o) {
        fill_ghosts(outer_[o], outer_shifts_[o], first_ghost_[o]);
    });
}

template <Real T, int D>
void Scene<T, D>::assign(const Bodies<T, D>& bodies, const Domain<D>& domain, int threads) {
    view_ = bodies;
    lattice_ = Lattice<T, D>(domain);
    threads_ = threads;
    ghost_body_.resize(0);
    ghost_home_.resize(0);
    shift_.resize(0);
    by_images_ = ghosted_ = false;
}

template <Real T, int D>
std::span<Image<D>> Scene<T, D>::assign_placed(const Bodies<T, D>& bodies,
                                               const Domain<D>& domain, int threads,
                                               std::span<const Index> ghosts) {
    view_ = bodies;
    lattice_ = Lattice<T, D>(domain);
    threads_ = threads;
    by_images_ = false;
    ghosted_ = imaged();
    bodies_shifted_ = true;  // whatever is written to the span
    ghost_body_.resize(ghosts.size());
    ghost_home_.resize(ghosts.size());
    std::copy(ghosts.begin(), ghosts.end(), ghost_body_.span().begin());
    std::fill(ghost_home_.span().begin(), ghost_home_.span().end(), image_bits);
    shift_.resize(imaged() ? bodies.size() + ghosts.size() : 0);
    return shift_.span();
}

template class Scene<float, 2>;
template class Scene<float, 3>;
template class Scene<double, 2>;
template class Scene<double, 3>;

}  // namespace vicinal
