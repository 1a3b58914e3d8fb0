#include "simd/runs.hpp"

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

// (x * x + y * y) + z * z
template <Real T, int D>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> square_distance(
    const RunColumns<T, D>& columns, const std::array<hn::Vec<hn::ScalableTag<T>>, D>& centre,
    std::size_t k) {
    const hn::ScalableTag<T> d;
    auto sum = hn::Zero(d);
    for (std::size_t a = 0; a < D; ++a) {
        const auto x = hn::Sub(hn::LoadU(d, columns.values[a] + k), centre[a]);
        const auto square = hn::Mul(x, x);
        sum = a == 0 ? square : hn::Add(sum, square);
    }
    return sum;
}

template <Real T, int D>
HWY_INLINE std::array<hn::Vec<hn::ScalableTag<T>>, D> centre_of(const RunQuery<T, D>& query) {
    const hn::ScalableTag<T> d;
    std::array<hn::Vec<hn::ScalableTag<T>>, D> centre;
    for (std::size_t a = 0; a < D; ++a) centre[a] = hn::Set(d, query.values[a]);
    return centre;
}

template <Real T, int D>
std::size_t near_points(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                        std::size_t begin, std::size_t end, Index* out) {
    const hn::ScalableTag<T> d;
    const auto centre = centre_of<T, D>(query);
    const auto limit = hn::Set(d, query.limit);
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        return hn::Le(square_distance<T, D>(columns, centre, k), limit);
    });
}

template <Real T, int D, ReachRule rule>
std::size_t near_spheres(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                         std::size_t begin, std::size_t end, Index* out) {
    const hn::ScalableTag<T> d;
    const auto centre = centre_of<T, D>(query);
    const auto radius = hn::Set(d, query.radius);
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        const auto other = hn::LoadU(d, columns.radius + k);
        const auto reach = rule == ReachRule::sum   ? hn::Add(radius, other)
                           : rule == ReachRule::max ? hn::Max(radius, other)
                                                    : hn::Min(radius, other);
        return hn::Le(square_distance<T, D>(columns, centre, k), hn::Mul(reach, reach));
    });
}

template <Real T, int D>
std::size_t near_boxes(const RunColumns<T, D>& columns, const RunQuery<T, D>& query,
                       std::size_t begin, std::size_t end, Index* out) {
    const hn::ScalableTag<T> d;
    std::array<hn::Vec<hn::ScalableTag<T>>, D> lo, hi;
    for (std::size_t a = 0; a < D; ++a) {
        lo[a] = hn::Set(d, query.values[a]);
        hi[a] = hn::Set(d, query.values[D + a]);
    }
    return keep_near<T>(begin, end, out, [&](std::size_t k) HWY_ATTR {
        auto overlap = hn::Le(hn::LoadU(d, columns.values[0] + k), hi[0]);
        overlap = hn::And(overlap, hn::Ge(hn::LoadU(d, columns.values[D] + k), lo[0]));
        for (std::size_t a = 1; a < D; ++a) {
            overlap = hn::And(overlap, hn::Le(hn::LoadU(d, columns.values[a] + k), hi[a]));
            overlap = hn::And(overlap, hn::Ge(hn::LoadU(d, columns.values[D + a] + k), lo[a]));
        }
        return overlap;
    });
}

template <Real T, int D>
RunKernels<T, D> kernels() {
    return {near_points<T, D>,
            near_boxes<T, D>,
            {near_spheres<T, D, ReachRule::sum>, near_spheres<T, D, ReachRule::max>,
             near_spheres<T, D, ReachRule::min>}};
}

VICINAL_DEFINE_KERNELS(RunKernels, run_kernels, kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(RunKernels, run_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
