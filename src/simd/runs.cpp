#include "simd/runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/runs.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// Calls near(k) for whole vectors of entries from k on, and writes the entries whose lanes are
// set in its mask.
template <Real T, class Near>
HWY_INLINE std::size_t keep_near(std::size_t begin, std::size_t end, Index* out,
                                 const Near& near) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    Index* at = out;
    for (std::size_t k = begin; k < end; k += lanes) {
        std::uint64_t bits = bits_of(d, near(k));
        if (end - k < lanes) bits &= (std::uint64_t{1} << (end - k)) - 1;
        if (bits == 0) continue;  // the usual case: most candidates are no pairs
        for (; bits != 0; bits &= bits - 1)
            *at++ = static_cast<Index>(k + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
    }
    return static_cast<std::size_t>(at - out);
}

template <Real T>
using Lanes = hn::Vec<hn::ScalableTag<T>>;
template <Real T, int D>
using LaneVector = std::array<Lanes<T>, D>;

template <Real T, std::size_t D>
HWY_INLINE LaneVector<T, D> set_all(const std::array<T, D>& values) {
    LaneVector<T, D> lanes;
    for (std::size_t a = 0; a < D; ++a) lanes[a] = hn::Set(hn::ScalableTag<T>(), values[a]);
    return lanes;
}

// (a0 * b0 + a1 * b1) + a2 * b2
template <Real T, int D>
HWY_INLINE Lanes<T> dot(const LaneVector<T, D>& a, const LaneVector<T, D>& b) {
    auto sum = hn::Add(hn::Mul(a[0], b[0]), hn::Mul(a[1], b[1]));
    if constexpr (D == 3) sum = hn::Add(sum, hn::Mul(a[2], b[2]));
    return sum;
}

// The squared distance of the entries from the query's centre; if it moves, at the time of
// closest approach. NaN is a time of 0, as in clamp_time().
template <Real T, int D, bool moving>
class SquareDistance {
  public:
    explicit SquareDistance(const RunQuery<T, D>& query) {
        const hn::ScalableTag<T> d;
        for (std::size_t a = 0; a < D; ++a) centre_[a] = hn::Set(d, query.values[a]);
        if constexpr (moving) {
            motion_ = set_all<T, D>(query.motion);
            square_ = dot<T, D>(motion_, motion_);
        }
    }
    HWY_INLINE Lanes<T> operator()(const RunColumns<T, D>& columns, std::size_t k) const {
        const hn::ScalableTag<T> d;
        LaneVector<T, D> x;
        for (std::size_t a = 0; a < D; ++a)
            x[a] = hn::Sub(hn::LoadU(d, columns.values[a] + k), centre_[a]);
        if constexpr (moving) {
            auto t = hn::Div(hn::Neg(dot<T, D>(x, motion_)), square_);
            t = hn::IfThenElseZero(hn::Gt(t, hn::Zero(d)), hn::Min(t, hn::Set(d, T{1})));
            t = hn::IfThenElseZero(hn::Gt(square_, hn::Zero(d)), t);
            for (std::size_t a = 0; a < D; ++a) x[a] = hn::Add(x[a], hn::Mul(t, motion_[a]));
        }
        return dot<T, D>(x, x);
    }

  private:
    LaneVector<T, D> centre_, motion_;
    Lanes<T> square_;  // of the motion
};

template <Real T, int D, bool moving>
std::size_t near_points(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                        std::size_t begin, std::size_t end, Index* out) {
    const SquareDistance<T, D, moving> square_distance(query);
    const auto limit = hn::Set(hn::ScalableTag<T>(), query.limit);
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        return hn::Le(square_distance(columns, k), limit);
    });
}

template <Real T, int D, bool moving, ReachRule rule>
std::size_t near_spheres(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                         std::size_t begin, std::size_t end, Index* out) {
    const hn::ScalableTag<T> d;
    const SquareDistance<T, D, moving> square_distance(query);
    const auto radius = hn::Set(d, query.radius);
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        const auto other = hn::LoadU(d, columns.radius + k);
        const auto reach = rule == ReachRule::sum   ? hn::Add(radius, other)
                           : rule == ReachRule::max ? hn::Max(radius, other)
                                                    : hn::Min(radius, other);
        return hn::Le(square_distance(columns, k), hn::Mul(reach, reach));
    });
}

template <Real T, int D>
std::size_t near_boxes(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                       std::size_t begin, std::size_t end, Index* out) {
    const hn::ScalableTag<T> d;
    const auto sides = set_all<T, 2 * D>(query.values);
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        auto overlap = hn::Le(hn::LoadU(d, columns.values[0] + k), sides[D]);
        overlap = hn::And(overlap, hn::Ge(hn::LoadU(d, columns.values[D] + k), sides[0]));
        for (std::size_t a = 1; a < D; ++a) {
            overlap =
                hn::And(overlap, hn::Le(hn::LoadU(d, columns.values[a] + k), sides[D + a]));
            overlap =
                hn::And(overlap, hn::Ge(hn::LoadU(d, columns.values[D + a] + k), sides[a]));
        }
        return overlap;
    });
}

// A box that moves, against boxes at rest: box_touches_box() of sieve/decide.hpp. `below` and
// `above` are its a and b. Two comparisons per axis decide nearly all entries without its
// divisions. If a <= 0 <= b on every axis, the boxes touch at t = 0. If the interval of t
// within [0, 1] is not empty, then on every axis a <= max(0, -v) and b >= min(0, -v), except
// for the rounding of the quotients, which a few units in the last place of v cover.
template <Real T, int D>
std::size_t near_moving_boxes(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                              std::size_t begin, std::size_t end, Index* out) {
    const hn::ScalableTag<T> d;
    const auto sides = set_all<T, 2 * D>(query.values);
    const auto zero = hn::Zero(d);
    std::array<T, D> most, least;
    for (std::size_t a = 0; a < D; ++a) {
        const T v = query.motion[a];
        const T margin = 4 * std::numeric_limits<T>::epsilon() * std::abs(v);
        most[a] = std::max(T{0}, -v) + margin;
        least[a] = std::min(T{0}, -v) - margin;
    }
    const auto max_below = set_all<T, D>(most), min_above = set_all<T, D>(least);
    const auto all = hn::FirstN(d, hn::Lanes(d));
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        LaneVector<T, D> below, above;
        auto at_start = all, possible = all;
        for (std::size_t a = 0; a < D; ++a) {
            below[a] = hn::Sub(hn::LoadU(d, columns.values[a] + k), sides[D + a]);
            above[a] = hn::Sub(hn::LoadU(d, columns.values[D + a] + k), sides[a]);
            at_start = hn::And(at_start, hn::Le(below[a], zero));
            at_start = hn::And(at_start, hn::Ge(above[a], zero));
            possible = hn::And(possible, hn::Le(below[a], max_below[a]));
            possible = hn::And(possible, hn::Ge(above[a], min_above[a]));
        }
        if (hn::AllFalse(d, hn::AndNot(at_start, possible))) return at_start;
        auto enter = zero, leave = hn::Set(d, T{1});
        for (std::size_t a = 0; a < D; ++a) {
            const T v = query.motion[a];
            if (v == 0) continue;  // possible: a <= 0 <= b
            const auto motion = hn::Set(d, v);
            const auto at_below = hn::Div(hn::Neg(below[a]), motion),
                       at_above = hn::Div(hn::Neg(above[a]), motion);
            enter = hn::Max(enter, v > 0 ? at_above : at_below);
            leave = hn::Min(leave, v > 0 ? at_below : at_above);
        }
        return hn::And(possible, hn::Le(enter, leave));
    });
}

template <Real T, int D, bool moving>
typename RunKernels<T, D>::Tests tests() {
    return {
        near_points<T, D, moving>,
        moving ? near_moving_boxes<T, D> : near_boxes<T, D>,
        {near_spheres<T, D, moving, ReachRule::sum>, near_spheres<T, D, moving, ReachRule::max>,
         near_spheres<T, D, moving, ReachRule::min>}};
}

template <Real T, int D>
RunKernels<T, D> kernels() {
    return {tests<T, D, false>(), tests<T, D, true>()};
}

VICINAL_DEFINE_KERNELS(RunKernels, run_kernels, kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(RunKernels, run_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
