#include "simd/places.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/places.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

// Several sums or bounds side by side: each step of one must wait for the step before. As many
// as there are periods, so that a lane of one always belongs to the same axis.
constexpr std::size_t chains = flat_group;

// Zero times anything else is not a number, and stays so in a sum.
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

PlaceKernels<float, 2> place_kernels_f2() {
    return {finite<float>, bounds<float>, outside<float, 2>};
}
PlaceKernels<float, 3> place_kernels_f3() {
    return {finite<float>, bounds<float>, outside<float, 3>};
}
PlaceKernels<double, 2> place_kernels_d2() {
    return {finite<double>, bounds<double>, outside<double, 2>};
}
PlaceKernels<double, 3> place_kernels_d3() {
    return {finite<double>, bounds<double>, outside<double, 3>};
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal {

HWY_EXPORT(place_kernels_f2);
HWY_EXPORT(place_kernels_f3);
HWY_EXPORT(place_kernels_d2);
HWY_EXPORT(place_kernels_d3);

template <Real T, int D>
PlaceKernels<T, D> place_kernels(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    const std::size_t index = chosen.GetIndex();
    if constexpr (std::same_as<T, float>) {
        if constexpr (D == 2)
            return HWY_DISPATCH_TABLE(place_kernels_f2)[index]();
        else
            return HWY_DISPATCH_TABLE(place_kernels_f3)[index]();
    } else {
        if constexpr (D == 2)
            return HWY_DISPATCH_TABLE(place_kernels_d2)[index]();
        else
            return HWY_DISPATCH_TABLE(place_kernels_d3)[index]();
    }
}

template PlaceKernels<float, 2> place_kernels<float, 2>(std::int64_t);
template PlaceKernels<float, 3> place_kernels<float, 3>(std::int64_t);
template PlaceKernels<double, 2> place_kernels<double, 2>(std::int64_t);
template PlaceKernels<double, 3> place_kernels<double, 3>(std::int64_t);

}  // namespace vicinal
#endif
