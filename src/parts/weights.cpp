#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "parts/cell.hpp"

#include <vicinal/parts.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

// Of bodies as far apart as their bounds are long: a sphere of that radius holds about four
// times as many as a cell, and each body has half of its pairs.
constexpr double pairs_per_neighbour = 2;

// Of a fixed sample, so that a few giants have no effect.
template <Real T, int D>
std::array<double, D> typical_widths(const Bodies<T, D>& bodies) {
    constexpr std::size_t max_samples = 255;
    const std::size_t count = std::min(bodies.size(), max_samples);
    std::array<double, D> widths;
    for (std::size_t a = 0; a < D; ++a) {
        std::vector<double> sample(count);
        for (std::size_t s = 0; s < count; ++s) {
            const double half = extent_of(bodies, s * bodies.size() / count).half[a];
            sample[s] = std::isfinite(half) ? 2 * half : 0;  // values are not checked yet
        }
        std::nth_element(sample.begin(), sample.begin() + count / 2, sample.end());
        widths[a] = sample[count / 2];
    }
    return widths;
}

}  // namespace

template <Real T, int D>
std::vector<double> work_estimates(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    const std::size_t n = bodies.size();
    if (n == 0) return {};
    const Cell<T, D> cell = cell_of(bodies, domain);
    const std::array<double, D> widths = typical_widths(bodies), lengths = cell.lengths();
    struct Entry {
        std::array<double, D> at;  // whole numbers
        std::size_t body;
    };
    std::vector<Entry> entries(n);
    parallel_for(available_threads(), n, [&](std::size_t i) {
        const std::array<double, D> u = cell.wrapped(extent_of(bodies, i).centre);
        for (std::size_t a = 0; a < D; ++a)
            entries[i].at[a] = widths[a] > 0 ? std::floor(u[a] * lengths[a] / widths[a]) : 0;
        entries[i].body = i;
    });
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.at < b.at; });
    std::vector<double> weights(n);
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && entries[end].at == entries[begin].at) ++end;
        const double weight = 1 + pairs_per_neighbour * static_cast<double>(end - begin - 1);
        for (std::size_t k = begin; k < end; ++k) weights[entries[k].body] = weight;
    }
    return weights;
}

#define VICINAL_INSTANTIATE(T, D) \
    template std::vector<double> work_estimates(const Bodies<T, D>&, const Domain<D>&);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
