#include "structures/size_classes.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/parallel.hpp"
#include "scene/bounds.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

// Half the longest edge of a box: the full edge may overflow.
template <Real T, int D>
double half_edge(const Box<T, D>& box) {
    double edge = 0;
    for (std::size_t a = 0; a < D; ++a)
        edge = std::max(
            edge, static_cast<double>(box.hi[a]) / 2 - static_cast<double>(box.lo[a]) / 2);
    return edge;
}

// Pouchol et al. (2009), Eq. 2: the smallest power of two that is not less.
double power_of_two_above(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

}  // namespace

template <Real T, int D>
unsigned SizeClasses<T, D>::class_of(const Box<T, D>& box) const {
    const double half = half_edge(box);
    unsigned c = 0;
    for (double size = edge_ / 2; size < half && c < largest; size *= 2) ++c;
    return c;
}

template <Real T, int D>
bool SizeClasses<T, D>::one_size(const Scene<T, D>& scene) {
    constexpr std::size_t max_samples = 1024;
    const std::size_t n = scene.bodies(), count = std::min(n, max_samples);
    if (count == 0) return true;
    std::array<double, max_samples> half_edges;
    for (std::size_t s = 0; s < count; ++s)
        half_edges[s] = half_edge(scene.box(static_cast<Index>(s * n / count)));
    std::sort(half_edges.begin(), half_edges.begin() + count);
    return half_edges[count - 1 - count / 20] / 2 <= half_edges[count / 20];
}

template <Real T, int D>
void SizeClasses<T, D>::choose(const Scene<T, D>& scene) {
    bounds_ = quantile_bounds(scene);
    const std::size_t pieces = piece_count(scene.threads(), scene.size());
    PerPiece<double> smallest(pieces, std::numeric_limits<double>::max());
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        for (std::size_t k = r.begin; k < r.end; ++k)
            smallest[p] = std::min(smallest[p], half_edge(scene.box(static_cast<Index>(k))));
    });
    double edge = 2 * std::min(*std::min_element(smallest.begin(), smallest.end()),
                               std::numeric_limits<double>::max() / 8);
    // The window is several times larger than the quantile bounds.
    for (std::size_t a = 0; a < D; ++a)
        edge = std::max(edge, 4 * (bounds_.extent[a] / farthest));
    edge_ = power_of_two_above(std::max(edge, std::numeric_limits<double>::min()));
    inverse_ = inverse_half(edge_);

    PerPiece<std::uint32_t> seen(pieces, 0);
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        for (std::size_t k = r.begin; k < r.end; ++k)
            seen[p] |= std::uint32_t{1} << class_of(scene.box(static_cast<Index>(k)));
    });
    std::uint32_t classes = 0;
    for (const std::uint32_t part : seen) classes |= part;
    used_count_ = 0;
    for (unsigned c = largest + 1; c-- > 0;)
        if (classes >> c & 1) used_[used_count_++] = c;
}

template <Real T, int D>
void SizeClasses<T, D>::write(const Scene<T, D>& scene, Buffer<CellRecord>& records,
                              const char* method) {
    const std::size_t n = scene.size();
    // At most 3 cells per axis: 27 times 2^32 bodies.
    PerPiece<std::uint64_t> totals(piece_count(scene.threads(), n), 0);
    first_record_.resize(n);
    parallel_ranges(scene.threads(), n, [&](Range r, std::size_t p) {
        for (std::size_t k = r.begin; k < r.end; ++k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            const CellSpan<D> span = above<D>(span_of(box), class_of(box));
            first_record_[k] = static_cast<Index>(span.count());
            totals[p] += first_record_[k];
        }
    });
    std::uint64_t total = 0;
    for (const std::uint64_t part : totals) total += part;
    if (total >= std::numeric_limits<Index>::max())
        throw Error(Error::Kind::limit,
                    std::string(method) + ": " + std::to_string(total) +
                        " records of bodies in cells are too many for 32-bit indices; choose "
                        "another method");
    exclusive_scan(scene.threads(), first_record_.span());
    records.resize(total);
    parallel_for(scene.threads(), n, [&](std::size_t k) {
        const Box<T, D> box = scene.box(static_cast<Index>(k));
        const unsigned c = class_of(box);
        const CellSpan<D> span = above<D>(span_of(box), c);
        std::size_t at = first_record_[k];
        for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
            records[at++] = {key(c, cell), static_cast<Index>(k), bits_of<D>(cell, span)};
        });
    });
}

template class SizeClasses<float, 2>;
template class SizeClasses<float, 3>;
template class SizeClasses<double, 2>;
template class SizeClasses<double, 3>;

}  // namespace vicinal::inline VICINAL_API
