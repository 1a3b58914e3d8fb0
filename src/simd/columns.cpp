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
    auto lowest = hn::Zero(d), highest = hn::Zero(d);
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
            lowest = hn::Min(lowest, v[a]);
            highest = hn::Max(highest, v[a]);
        }
        hn::StoreU(hn::BitCast(hn::RebindToUnsigned<decltype(d)>(), number),
                   hn::RebindToUnsigned<decltype(d)>(), numbers + k);
    }
    bool near =
        hn::AllFalse(d, hn::Or(hn::Lt(lowest, hn::Set(d, -1)), hn::Gt(highest, hn::Set(d, 1))));
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

// Neighbours lie anywhere among the positions: enough of them are prefetched to the L2 cache
// for the time that memory takes.
constexpr std::size_t ahead = 256;

// Pairs begin ... end - 1 of a run; those `ahead` of them may be read if `prefetching`.
template <std::size_t step, bool prefetching, Real T, int D, class ShiftOf>
HWY_INLINE void subtract(const PairRun<T, D>& run, std::size_t begin, std::size_t end,
                         const ShiftOf& shift_of, T* vectors) {
    constexpr std::size_t width = D == 3 ? 4 : 2;
    const hn::CappedTag<T, width> d;
    const std::size_t lanes = hn::Lanes(d);
    const Position<T, D>*const first = run.first, *const second = run.second;
    const Index *const i = run.i, *const j = run.j;  // local copies avoid reloads
    for (std::size_t k = begin; k < end; ++k) {
        if constexpr (prefetching) {
            __builtin_prefetch(second + j[(k + ahead) * step], 0, 2);
            if constexpr (step == 2) __builtin_prefetch(first + i[(k + ahead) * step], 0, 2);
        }
        const T *const xj = second[j[k * step]].x.data(),
                       *const xi = first[i[k * step]].x.data(), *const s = shift_of(k);
        for (std::size_t c = 0; c < width; c += lanes) {
            const auto x = hn::Sub(hn::Load(d, xj + c), hn::Load(d, xi + c));
            hn::StoreU(hn::Add(x, hn::Load(d, s + c)), d, vectors + D * k + c);
        }
    }
}

template <std::size_t step, Real T, int D, class ShiftOf>
HWY_INLINE void subtract(const PairRun<T, D>& run, const ShiftOf& shift_of, T* vectors) {
    const std::size_t prefetched =
        std::min(run.count, run.readable - std::min(run.readable, ahead));
    subtract<step, true>(run, 0, prefetched, shift_of, vectors);
    subtract<step, false>(run, prefetched, run.count, shift_of, vectors);
}

template <Real T, int D, class ShiftOf>
HWY_INLINE void subtract(const PairRun<T, D>& run, const ShiftOf& shift_of, T* vectors) {
    run.step == 1 ? subtract<1>(run, shift_of, vectors) : subtract<2>(run, shift_of, vectors);
}

template <Real T, int D>
bool differences(const PairRun<T, D>& run, const NearShifts<T, D>& shifts, T* vectors) {
    if (run.images == nullptr) {  // s = 0 turns -0 into +0
        const Position<T, D> zero;
        subtract(run, [&](std::size_t) { return zero.x.data(); }, vectors);
        return true;
    }
    std::array<std::uint16_t, PairRun<T, D>::max_count> numbers;
    if (!near_numbers<D>(run.images, run.count, numbers.data())) return false;
    subtract(run, [&](std::size_t k) { return shifts[numbers[k]].x.data(); }, vectors);
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

void flush_streams() {
    hwy::FlushStream();
}
}  // namespace vicinal::inline VICINAL_API
#endif
