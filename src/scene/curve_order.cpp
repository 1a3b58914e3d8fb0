#include "scene/curve_order.hpp"

#include <algorithm>

#include "base/morton.hpp"
#include "base/parallel.hpp"
#include "scene/bounds.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
void CurveOrder<T, D>::assign(const Scene<T, D>& scene, std::size_t instances) {
    if (axes_ == D)
        assign_axes<D>(scene, instances);
    else
        assign_axes<2>(scene, instances);
}

template <Real T, int D>
template <int axes>
void CurveOrder<T, D>::assign_axes(const Scene<T, D>& scene, std::size_t instances) {
    constexpr unsigned bits = 63 / axes;  // per axis
    const QuantileBounds quantiles = quantile_bounds(scene);
    constexpr double cells = static_cast<double>(std::uint64_t{1} << bits);
    const unsigned sorted_bits = radix_bits(instances, bits * axes);
    const auto key = [shift = bits * axes - sorted_bits](const KeyedIndex& r) {
        return r.key >> shift;
    };
    records_.resize(instances);
    KeyedIndex* const records = records_.data();
    const auto make = [&](Range range, std::size_t, const auto& put) {
        for (std::size_t k = range.begin; k < range.end; ++k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            std::uint64_t place = 0;
            for (std::size_t a = 0; a < axes; ++a) {
                const double half_width = quantiles.extent[a] > 0 ? quantiles.extent[a] : 0.5;
                const double offset =
                    midpoint(box.lo[a], box.hi[a]) / 2 - quantiles.centre[a] / 2;
                const double x = offset / half_width + 0.5;
                const double cell = std::clamp(x * cells, 0.0, cells - 1);
                place |= spread_bits<axes>(static_cast<std::uint64_t>(cell)) << a;
            }
            put(records[k] = {place, static_cast<Index>(k)});
        }
    };
    const auto again = [records](Range range, std::size_t, const auto& put) {
        for (std::size_t k = range.begin; k < range.end; ++k) put(records[k]);
    };
    sorter_.count(instances, sorted_bits, scene.threads(), make, key);
    sorter_.scatter(instances, scene.threads(), again, key);
    sorter_.for_each_bucket(scene.threads(), key,
                            [records](Range entries, const KeyedIndex* bucket,
                                      const std::uint32_t* order, const auto&) {
                                KeyedIndex* const to = records + entries.begin;
                                for (std::size_t k = 0; k < entries.size(); ++k)
                                    to[k] = bucket[order[k]];
                                sort_nearly_sorted(std::span(to, entries.size()));
                            });
}

template class CurveOrder<float, 2>;
template class CurveOrder<float, 3>;
template class CurveOrder<double, 2>;
template class CurveOrder<double, 3>;

}  // namespace vicinal::inline VICINAL_API
