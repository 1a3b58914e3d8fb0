#include "simd/lists.hpp"

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/lists.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// lo_b <= hi_a and -hi_b <= -lo_a: negation is exact.
template <Real T, int D>
std::size_t near_boxes(const T* records, const EntryPair* pairs, std::size_t count,
                       Index* out) {
    constexpr std::size_t half = box_half<D>;
    const hn::CappedTag<T, half> d;
    const std::size_t lanes = hn::Lanes(d);
    Index* at = out;
    for (std::size_t k = 0; k < count; ++k) {
        const T* const a = records + 2 * half * pairs[k].first;
        const T* const b = records + 2 * half * pairs[k].second;
        const auto overlap_at = [&](std::size_t c) HWY_ATTR {
            const auto below = hn::Le(hn::Load(d, b + c), hn::Neg(hn::Load(d, a + half + c)));
            return hn::And(below,
                           hn::Le(hn::Load(d, b + half + c), hn::Neg(hn::Load(d, a + c))));
        };
        auto overlap = overlap_at(0);
        for (std::size_t c = lanes; c < half; c += lanes)
            overlap = hn::And(overlap, overlap_at(c));
        *at = static_cast<Index>(k);  // branch-free: the branch would be unpredictable
        at += hn::AllTrue(d, overlap);
    }
    return static_cast<std::size_t>(at - out);
}

template <Real T, int D, ReachRule rule>
std::size_t near_round(const T* records, const EntryPair* pairs, std::size_t count,
                       Index* out) {
    Index* at = out;
    for (std::size_t k = 0; k < count; ++k) {
        const T* const a = records + round_width * pairs[k].first;
        const T* const b = records + round_width * pairs[k].second;
        T sum = (b[0] - a[0]) * (b[0] - a[0]);
        for (std::size_t c = 1; c < D; ++c) sum += (b[c] - a[c]) * (b[c] - a[c]);
        const T reach = rule == ReachRule::sum   ? a[D] + b[D]
                        : rule == ReachRule::max ? (a[D] < b[D] ? b[D] : a[D])
                                                 : (b[D] < a[D] ? b[D] : a[D]);
        *at = static_cast<Index>(k);
        at += sum <= reach * reach;
    }
    return static_cast<std::size_t>(at - out);
}

template <Real T, int D>
ListKernels<T, D> kernels() {
    return {near_boxes<T, D>,
            {near_round<T, D, ReachRule::sum>, near_round<T, D, ReachRule::max>,
             near_round<T, D, ReachRule::min>}};
}

VICINAL_DEFINE_KERNELS(ListKernels, list_kernels, kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(ListKernels, list_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
