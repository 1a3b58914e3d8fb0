#include "simd/columns.hpp"

#include <algorithm>
#include <cmath>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/columns.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

// The number of each image in the table of near shifts; false if one is not in it.
template <int D>
bool near_numbers(const Image<D>* images, std::size_t count, std::uint16_t* numbers) {
    constexpr std::int16_t middle = D == 3 ? 13 : 4;
    constexpr std::array<std::int16_t, 3> power{1, 3, 9};
    const hn::ScalableTag<std::int16_t> d;
    const std::size_t lanes = hn::Lanes(d);
    const std::int16_t* const n = images->data();
    const auto one = hn::Set(d, 1);
    auto farthest = hn::Zero(d);
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        std::array<hn::Vec<decltype(d)>, D> v;
        if constexpr (D == 2)
            hn::LoadInterleaved2(d, n + D * k, v[0], v[1]);
        else
            hn::LoadInterleaved3(d, n + D * k, v[0], v[1], v[2]);
        auto number = hn::Set(d, middle);
        for (std::size_t a = 0; a < D; ++a) {
            number = hn::Add(number, hn::Mul(v[a], hn::Set(d, power[a])));
            farthest = hn::Max(farthest, hn::Abs(v[a]));
        }
        hn::StoreU(hn::BitCast(hn::RebindToUnsigned<decltype(d)>(), number),
                   hn::RebindToUnsigned<decltype(d)>(), numbers + k);
    }
    // The absolute value of the lowest number is itself.
    bool near = hn::AllFalse(d, hn::Or(hn::Gt(farthest, one), hn::Lt(farthest, hn::Zero(d))));
    for (; k < count; ++k) {
        int number = middle;
        for (std::size_t a = 0; a < D; ++a) {
            near = near && -1 <= images[k][a] && images[k][a] <= 1;
            number += images[k][a] * power[a];
        }
        numbers[k] = static_cast<std::uint16_t>(number);
    }
    return near;
}

template <Real T, int D>
bool differences(const PairRun<T, D>& run, const NearShifts<T, D>& shifts, T* vectors) {
    // Neighbours lie anywhere among the positions: about as many lines are loaded at a time as
    // a core can wait for.
    constexpr std::size_t ahead = 64;
    constexpr std::size_t width = D == 3 ? 4 : 2;
    const hn::CappedTag<T, width> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto [first, second, all_i, all_j, step, images, count, readable] = run;
    std::array<std::uint16_t, PairRun<T, D>::max_count> numbers;
    if (images != nullptr && !near_numbers<D>(images, count, numbers.data())) return false;
    const auto subtract = [&](const auto& shift_of) HWY_ATTR {
        const Index *i = all_i, *j = all_j;
        for (std::size_t k = 0; k < count; ++k, i += step, j += step) {
            if (k + ahead < readable) {
                __builtin_prefetch(second + j[ahead * step]);
                if (step == 2) __builtin_prefetch(first + i[ahead * step]);
            }
            const T *const xj = second[*j].x.data(), *const xi = first[*i].x.data(),
                           *const s = shift_of(k);
            for (std::size_t c = 0; c < width; c += lanes) {
                const auto x = hn::Sub(hn::Load(d, xj + c), hn::Load(d, xi + c));
                hn::StoreU(hn::Add(x, hn::Load(d, s + c)), d, vectors + D * k + c);
            }
        }
    };
    if (images != nullptr)
        subtract([&](std::size_t k) { return shifts[numbers[k]].x.data(); });
    else  // s = 0 turns -0 into +0
        subtract([zero = Position<T, D>()](std::size_t) { return zero.x.data(); });
    return true;
}

template <Real T, int D>
void lengths_of(const T* vectors, std::size_t count, T* lengths) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    const PointBatch<T, D> batch{{vectors}, true};
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        const auto x = load_points<D>(d, batch, k);
        auto sum = hn::Add(hn::Mul(x[0], x[0]), hn::Mul(x[1], x[1]));
        if constexpr (D == 3) sum = hn::Add(sum, hn::Mul(x[2], x[2]));
        hn::StoreU(hn::Sqrt(sum), d, lengths + k);
    }
    for (; k < count; ++k) {
        const T* const x = vectors + D * k;
        T sum = x[0] * x[0] + x[1] * x[1];
        if constexpr (D == 3) sum = sum + x[2] * x[2];
        lengths[k] = std::sqrt(sum);
    }
}

template <Real T>
void stream_out(const T* from, std::size_t count, T* to) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % lanes;
    std::size_t k = std::min(count, misaligned == 0 ? 0 : lanes - misaligned);
    std::copy_n(from, k, to);
    for (; k + lanes <= count; k += lanes) hn::Stream(hn::LoadU(d, from + k), d, to + k);
    std::copy_n(from + k, count - k, to + k);
    hwy::FlushStream();
}

template <Real T, int D>
ColumnKernels<T, D> make_column_kernels() {
    return {differences<T, D>, lengths_of<T, D>, stream_out<T>};
}
VICINAL_DEFINE_KERNELS(ColumnKernels, column_kernels, make_column_kernels)

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
VICINAL_EXPORT_KERNELS(ColumnKernels, column_kernels)
}  // namespace vicinal::inline VICINAL_API
#endif
