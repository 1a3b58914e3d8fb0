#include "core/sort.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/bounds.hpp"
#include "core/flat.hpp"
#include "core/morton.hpp"
#include "simd/places.hpp"
#include "simd/targets.hpp"

namespace vicinal {

void sort_indices(Index* first, std::size_t count) {
    constexpr std::size_t few = 64, lanes = 4;
    if (count > few) return std::sort(first, first + count);
    std::array<Index, few> values;
    const std::size_t end = (count + lanes - 1) / lanes * lanes;
    std::copy(first, first + count, values.data());
    std::fill(values.data() + count, values.data() + end, std::numeric_limits<Index>::max());
    for (std::size_t k = 0; k < count; ++k) {
        std::array<std::uint32_t, lanes> below{};
        for (std::size_t v = 0; v < end; v += lanes)
            for (std::size_t l = 0; l < lanes; ++l) below[l] += values[v + l] < values[k];
        first[below[0] + below[1] + below[2] + below[3]] = values[k];
    }
}
namespace {

// The middle of a box without overflow.
template <Real T>
double middle(T lo, T hi) {
    return static_cast<double>(lo) / 2 + static_cast<double>(hi) / 2;
}

}  // namespace

template <Real T, int D>
Bulk bulk_of(const Scene<T, D>& scene) {
    constexpr std::size_t most = 1024;
    const std::size_t n = scene.bodies(), count = std::min(n, most);
    Bulk bulk;
    if (count == 0) return bulk;
    std::array<std::array<double, most>, D> samples;
    for (std::size_t s = 0; s < count; ++s) {
        const Box<T, D> box = scene.box(static_cast<Index>(s * n / count));
        for (std::size_t a = 0; a < D; ++a) samples[a][s] = middle(box.lo[a], box.hi[a]);
    }
    for (std::size_t a = 0; a < D; ++a) {
        double* const begin = samples[a].data();
        double* const end = begin + count;
        double *const half = begin + count / 2, *const low = begin + count / 20,
                      *const high = end - 1 - count / 20;
        std::nth_element(begin, half, end);
        bulk.centre[a] = *half;
        if (low < half) std::nth_element(begin, low, half);
        if (high > half) std::nth_element(half + 1, high, end);
        bulk.extent[a] = *high - *low;
    }
    return bulk;
}

// Of the bodies begin ... end - 1 of plain arrays, where they are given.
template <Real T, int D>
Box<double, D> bounds_of(const Flat<T, D>& flat, std::size_t begin, std::size_t end) {
    Box<double, D> all = no_box<double, D>();
    for (std::size_t f = 0; f < flat.count; ++f) {
        const FlatBounds<T> part = place_kernels<T, D>(first_target())
                                       .bounds(flat.arrays[f].data() + begin * flat.period,
                                               (end - begin) * flat.period);
        for (std::size_t i = 0; i < flat_group; ++i) {
            const std::size_t a = f + i % flat.period;
            all.lo[a] = std::min(all.lo[a], static_cast<double>(part.lo[i]));
            all.hi[a] = std::max(all.hi[a], static_cast<double>(part.hi[i]));
        }
    }
    return all;
}

// Bodies that are where they are given need no look at each: nearly all.
template <Real T, int D>
Box<double, D> bounds_of(const Scene<T, D>& scene) {
    const Flat<T, D> flat = flat_of(scene.view().position);
    PerPiece<Box<double, D>> parts(piece_count(scene.threads(), scene.size()));
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Box<double, D> part = no_box<double, D>();
        const auto add_until = [&](std::size_t k, std::size_t end) {
            constexpr std::size_t ahead = 16;  // a ghost's body may be anywhere
            for (; k < end; ++k) {
                if (k + ahead < end) scene.prefetch(static_cast<Index>(k + ahead));
                const auto x = scene.centre(static_cast<Index>(k));
                enclose(part, {x, x});
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
            if (k < end) enclose(part, bounds_of(flat, k, end));
            k = next(end);
            add_until(end, k);
        }
        add_until(bodies, r.end);
        parts[p] = part;
    });
    Box<double, D> all = no_box<double, D>();
    for (const Box<double, D>& part : parts) enclose(all, part);
    return all;
}

template <Real T, int D>
void CurveOrder<T, D>::assign(const Scene<T, D>& scene, std::size_t instances) {
    const Bulk bulk = bulk_of(scene);
    constexpr double cells = static_cast<double>(std::uint64_t{1} << bits);
    const unsigned sorted_bits = first_bits(instances, bits * D);
    const auto key = [shift = bits * D - sorted_bits](const KeyedIndex& r) {
        return r.key >> shift;
    };
    records_.resize(instances);
    KeyedIndex* const records = records_.data();
    const auto make = [&](Range range, std::size_t, const auto& put) {
        for (std::size_t k = range.begin; k < range.end; ++k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            std::uint64_t place = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const double half_width = bulk.extent[a] > 0 ? bulk.extent[a] : 0.5;
                const double offset = middle(box.lo[a], box.hi[a]) / 2 - bulk.centre[a] / 2;
                const double x = offset / half_width + 0.5;
                const double cell = std::clamp(x * cells, 0.0, cells - 1);
                place |= spread_bits<D>(static_cast<std::uint64_t>(cell)) << a;
            }
            put(records[k] = {place, static_cast<Index>(k)});
        }
    };
    const auto again = [records](Range range, std::size_t, const auto& put) {
        for (std::size_t k = range.begin; k < range.end; ++k) put(records[k]);
    };
    sorter_.count(instances, sorted_bits, scene.threads(), make, key);
    sorter_.scatter(instances, scene.threads(), again, key);
    sorter_.take(scene.threads(), key,
                 [records](Range entries, const KeyedIndex* bucket, const std::uint32_t* order,
                           const auto&) {
                     KeyedIndex* const to = records + entries.begin;
                     for (std::size_t k = 0; k < entries.size(); ++k) to[k] = bucket[order[k]];
                     sort_nearly_sorted(std::span(to, entries.size()));
                 });
}

#define VICINAL_INSTANTIATE(T, D)                          \
    template Bulk bulk_of(const Scene<T, D>&);             \
    template Box<double, D> bounds_of(const Scene<T, D>&); \
    template class CurveOrder<T, D>;
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal
