#include "structures/sweep_order.hpp"

#include <bit>
#include <concepts>

#include "base/parallel.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Maps floating-point numbers to integers in the same order.
template <Real T>
std::uint64_t sortable_key(T x) {
    using Word = std::conditional_t<std::same_as<T, float>, std::uint32_t, std::uint64_t>;
    constexpr Word sign = Word{1} << (8 * sizeof(T) - 1);
    const auto bits = std::bit_cast<Word>(x);
    return (bits & sign) != 0 ? static_cast<Word>(~bits) : static_cast<Word>(bits | sign);
}

}  // namespace

template <Real T, int D>
std::size_t axis_of_largest_variance(const Scene<T, D>& scene) {
    constexpr std::size_t max_samples = 1024;
    const std::size_t n = scene.bodies(), count = std::min(n, max_samples);
    std::array<double, max_samples> sample;
    double largest = -1;
    std::size_t axis = 0;
    for (std::size_t a = 0; a < D; ++a) {
        for (std::size_t s = 0; s < count; ++s) {
            const Box<T, D> box = scene.box(static_cast<Index>(s * n / count));
            sample[s] = static_cast<double>(box.lo[a]) / 2 + static_cast<double>(box.hi[a]) / 2;
        }
        std::sort(sample.begin(), sample.begin() + count);
        const std::size_t cut = count / 20;  // ignores outliers, such as a few bodies at 1e30
        double mean = 0, variance = 0;
        for (std::size_t s = cut; s < count - cut; ++s)
            mean += sample[s] / static_cast<double>(count - 2 * cut);
        for (std::size_t s = cut; s < count - cut; ++s)
            variance += (sample[s] - mean) * (sample[s] - mean);
        if (variance > largest) {
            largest = variance;
            axis = a;
        }
    }
    return axis;
}

template <Real T, int D>
void SweepOrder<T, D>::assign(const Scene<T, D>& scene, Packed<T, D>& packed) {
    const std::size_t n = scene.size(), a = axis_ = axis_of_largest_variance(scene);
    const int threads = scene.threads();
    sorter_.records.resize(n);
    parallel_for(threads, n, [&](std::size_t k) {
        const auto instance = static_cast<Index>(k);
        sorter_.records[k] = {sortable_key(scene.box(instance).lo[a]), instance};
    });
    sorter_.sort(8 * sizeof(T), threads, [](const KeyedIndex& r) { return r.key; });
    const auto instances = packed.entries(n);
    lo_.resize(n);
    hi_.resize(n);
    top_.resize(n);
    parallel_for(threads, n, [&](std::size_t e) {
        instances[e] = sorter_.records[e].value;
        const Box<T, D> box = scene.box(instances[e]);
        lo_[e] = box.lo[a];
        hi_[e] = box.hi[a];
    });
    for (std::size_t e = 0; e < n; ++e)
        top_[e] = e == 0 ? hi_[e] : std::max(top_[e - 1], hi_[e]);
    packed.fill(scene, {});
}

template class SweepOrder<float, 2>;
template class SweepOrder<float, 3>;
template class SweepOrder<double, 2>;
template class SweepOrder<double, 3>;

}  // namespace vicinal::inline VICINAL_API
