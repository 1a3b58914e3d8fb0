#include "simd/coordinates.hpp"

#include <algorithm>
#include <limits>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/coordinates.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// Independent accumulators hide the latency of each step. Their number is a multiple of every
// period, so that a lane of each always belongs to the same axis.
constexpr std::size_t chains = flat_group;

// Zero times a non-finite value is NaN, and a sum with a NaN is NaN.
template <Real T>
bool finite(const T* values, std::size_t n) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto zero = hn::Zero(d);
    std::array<hn::Vec<decltype(d)>, chains> sums;
    for (auto& sum : sums) sum = zero;
    std::size_t k = 0;
    for (; k + chains * lanes <= n; k += chains * lanes)
        for (std::size_t c = 0; c < chains; ++c)
            sums[c] = hn::Add(sums[c], hn::Mul(hn::LoadU(d, values + k + c * lanes), zero));
    for (std::size_t c = 1; c < chains; ++c) sums[0] = hn::Add(sums[0], sums[c]);
    T rest = 0;
    for (; k < n; ++k) rest += values[k] * 0;
    return hn::AllTrue(d, hn::Eq(sums[0], zero)) && rest == 0;
}

template <Real T>
FlatBounds<T> bounds(const T* values, std::size_t n) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    constexpr T infinity = std::numeric_limits<T>::infinity();
    std::array<hn::Vec<decltype(d)>, chains> lo, hi;
    for (auto& low : lo) low = hn::Set(d, infinity);
    for (auto& high : hi) high = hn::Set(d, -infinity);
    std::size_t k = 0;
    for (; k + chains * lanes <= n; k += chains * lanes)
        for (std::size_t c = 0; c < chains; ++c) {
            const auto x = hn::LoadU(d, values + k + c * lanes);
            lo[c] = hn::Min(lo[c], x);
            hi[c] = hn::Max(hi[c], x);
        }
    FlatBounds<T> all;
    all.lo.fill(infinity);
    all.hi.fill(-infinity);
    const auto extend = [&all](std::size_t at, T low, T high) {
        all.lo[at % flat_group] = std::min(all.lo[at % flat_group], low);
        all.hi[at % flat_group] = std::max(all.hi[at % flat_group], high);
    };
    HWY_ALIGN T low[hn::MaxLanes(d)], high[hn::MaxLanes(d)];
    for (std::size_t c = 0; c < chains; ++c) {
        hn::Store(lo[c], d, low);
        hn::Store(hi[c], d, high);
        for (std::size_t l = 0; l < lanes; ++l) extend(c * lanes + l, low[l], high[l]);
    }
    for (; k < n; ++k) extend(k, values[k], values[k]);
    return all;
}

template <Real T, int D>
std::uint64_t outside(const PointBatch<T, D>& batch, const Box<T, D>& box) {
    const hn::ScalableTag<T> d;
    static_assert(batch_size == 64 && 64 * sizeof(T) % HWY_MAX_BYTES == 0);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < batch_size; i += hn::Lanes(d)) {
        const auto x = load_points<D>(d, batch, i);
        auto inside = hn::Gt(x[0], hn::Set(d, box.lo[0]));
        inside = hn::And(inside, hn::Lt(x[0], hn::Set(d, box.hi[0])));
        for (std::size_t a = 1; a < D; ++a) {
            inside = hn::And(inside, hn::Gt(x[a], hn::Set(d, box.lo[a])));
            inside = hn::And(inside, hn::Lt(x[a], hn::Set(d, box.hi[a])));
        }
        all |= bits_of(d, inside) << i;
    }
    return ~all;
}

template <Real T, int D>
CoordinateKernels<T, D> make_kernels() {
    return {finite<T>, bounds<T>, outside<T, D>};
}
VICINAL_DEFINE_KERNELS(CoordinateKernels, coordinate_kernels, make_kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(CoordinateKernels, coordinate_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
