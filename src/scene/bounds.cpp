#include "scene/bounds.hpp"

#include <algorithm>

#include "base/flat.hpp"
#include "base/parallel.hpp"
#include "simd/coordinates.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
QuantileBounds quantile_bounds(const Scene<T, D>& scene) {
    constexpr std::size_t max_samples = 1024;
    const std::size_t n = scene.bodies(), count = std::min(n, max_samples);
    QuantileBounds quantiles;
    if (count == 0) return quantiles;
    std::array<std::array<double, max_samples>, D> samples;
    for (std::size_t s = 0; s < count; ++s) {
        const Box<T, D> box = scene.box(static_cast<Index>(s * n / count));
        for (std::size_t a = 0; a < D; ++a) samples[a][s] = midpoint(box.lo[a], box.hi[a]);
    }
    for (std::size_t a = 0; a < D; ++a) {
        double* const begin = samples[a].data();
        double* const end = begin + count;
        double *const half = begin + count / 2, *const low = begin + count / 20,
                      *const high = end - 1 - count / 20;
        std::nth_element(begin, half, end);
        quantiles.centre[a] = *half;
        if (low < half) std::nth_element(begin, low, half);
        if (high > half) std::nth_element(half + 1, high, end);
        quantiles.extent[a] = *high - *low;
    }
    return quantiles;
}

// Bounds of the bodies begin ... end - 1 of contiguous arrays, unshifted.
template <Real T, int D>
Box<double, D> bounds_of(const Flat<T, D>& flat, std::size_t begin, std::size_t end,
                         std::int64_t target) {
    Box<double, D> all = empty_box<double, D>();
    for (std::size_t f = 0; f < flat.count; ++f) {
        const FlatBounds<T> part = coordinate_kernels<T, D>(target).bounds(
            flat.arrays[f].data() + begin * flat.period, (end - begin) * flat.period);
        for (std::size_t i = 0; i < flat_group; ++i) {
            const std::size_t a = f + i % flat.period;
            all.lo[a] = std::min(all.lo[a], static_cast<double>(part.lo[i]));
            all.hi[a] = std::max(all.hi[a], static_cast<double>(part.hi[i]));
        }
    }
    return all;
}

// Unshifted bodies, which are nearly all, are reduced in vectors; the others one by one.
template <Real T, int D>
Box<double, D> bounds_of(const Scene<T, D>& scene) {
    const Flat<T, D> flat = flat_of(scene.view().position);
    PerPiece<Box<double, D>> parts(piece_count(scene.threads(), scene.size()));
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Box<double, D> part = empty_box<double, D>();
        const auto add_until = [&](std::size_t k, std::size_t end) {
            constexpr std::size_t ahead =
                16;  // prefetch distance: a ghost's body may be anywhere
            for (; k < end; ++k) {
                if (k + ahead < end) scene.prefetch(static_cast<Index>(k + ahead));
                const auto x = scene.centre(static_cast<Index>(k));
                extend(part, {x, x});
            }
        };
        const std::size_t bodies =
            flat.count == 0 ? r.begin : std::clamp(scene.bodies(), r.begin, r.end);
        for (std::size_t k = r.begin; k < bodies;) {
            const auto next = [&](std::size_t from) {
                return std::min(from + batch_size, bodies);
            };
            std::size_t end = k;
            while (end < bodies && !scene.any_shifted(end, next(end))) end = next(end);
            if (k < end) extend(part, bounds_of(flat, k, end, scene.target()));
            k = next(end);
            add_until(end, k);
        }
        add_until(bodies, r.end);
        parts[p] = part;
    });
    Box<double, D> all = empty_box<double, D>();
    for (const Box<double, D>& part : parts) extend(all, part);
    return all;
}

#define VICINAL_INSTANTIATE(T, D)                                \
    template QuantileBounds quantile_bounds(const Scene<T, D>&); \
    template Box<double, D> bounds_of(const Scene<T, D>&);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
