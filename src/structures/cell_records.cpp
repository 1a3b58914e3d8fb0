#include "structures/cell_records.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <vicinal/error.hpp>

#include "scene/bounds.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// The mean edge (Gissler et al. 2011) of a fixed sample, summed in an order independent of the
// number of threads. Edges are clamped to 64 median edges: the box of a body at 1e30 is as wide
// as its rounding error, and should not determine the cells of all others.
template <Real T, int D>
double mean_edge(const Scene<T, D>& scene, Buffer<double>& half_edges) {
    const std::size_t n = scene.bodies(), stride = n / 65536 + 1;
    half_edges.resize((n + stride - 1) / stride);
    if (n == 0) return 0;
    for (std::size_t s = 0; s < half_edges.size(); ++s) {
        const Box<T, D> box = scene.box(static_cast<Index>(s * stride));
        half_edges[s] = 0;
        for (std::size_t a = 0; a < D; ++a)
            half_edges[s] = std::max(half_edges[s], static_cast<double>(box.hi[a]) / 2 -
                                                        static_cast<double>(box.lo[a]) / 2);
    }
    const auto all = half_edges.span();
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    const double max_edge = *middle > 0 ? 64 * *middle : std::numeric_limits<double>::max();
    double sum = 0;
    for (const double edge : all)
        sum += std::min(edge, max_edge) / static_cast<double>(all.size());
    return 2 * sum;
}

}  // namespace

template <Real T, int D>
typename CellRecords<T, D>::Tally CellRecords<T, D>::tally(const Scene<T, D>& scene) const {
    PerPiece<Tally> parts(piece_count(scene.threads(), scene.size()));
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Tally part;
        for (std::size_t k = r.begin; k < r.end; ++k) {
            const CellSpan<D> span = span_of(scene.box(static_cast<Index>(k)));
            part.add(static_cast<double>(span.count()), span);
        }
        parts[p] = part;
    });
    Tally all;
    for (const Tally& part : parts) all.add(part.records, part.cells);
    return all;
}

// True if the cells of the last step suit these bodies too.
template <Real T, int D>
bool CellRecords<T, D>::still_fits(const QuantileBounds& quantiles, double edge) const {
    bool same = std::abs(edge - wanted_edge_) <= wanted_edge_ / 8;
    for (std::size_t a = 0; a < D; ++a)
        same &= std::abs(quantiles.centre[a] - bounds_.centre[a]) <= bounds_.extent[a] / 2 &&
                quantiles.extent[a] <= 2 * bounds_.extent[a];
    return same;
}

template <Real T, int D>
void CellRecords<T, D>::choose(const Scene<T, D>& scene, double factor, const char* method,
                               bool steady) {
    const QuantileBounds quantiles = quantile_bounds(scene);
    // A thousandth larger, so that equal bodies fit a cell despite rounding.
    double edge = factor * 1.001 * mean_edge(scene, half_edges_);
    for (std::size_t a = 0; a < D; ++a)
        edge = std::max(edge, 4 * (quantiles.extent[a] / farthest));
    if (!(edge > 0)) edge = 1;
    const bool kept = steady && still_fits(quantiles, edge);
    if (!kept) {
        bounds_ = quantiles;
        wanted_edge_ = edge;
        inverse_ = inverse_half(edge);
    }
    const double max_records = 4 * static_cast<double>(scene.size()) + 64;
    Tally all = tally(scene);
    while (all.records > max_records) {  // terminates: with 0, one cell holds everything
        inverse_ /= 2;
        all = tally(scene);
    }
    if (all.records >= static_cast<double>(std::numeric_limits<Index>::max()))
        throw Error(Error::Kind::limit, std::string(method) +
                                            ": too many records for 32-bit indices; choose "
                                            "larger cells with " +
                                            method + "(cell=...)");
    several_ = all.records > static_cast<double>(scene.size());
    size_ = static_cast<std::size_t>(all.records);
    if (scene.size() > 0 && !(kept && keys_.holds(all.cells))) keys_.assign(all.cells);
}

template <Real T, int D>
void CellRecords<T, D>::write(const Scene<T, D>& scene, std::span<CellRecord> records) {
    const std::size_t n = scene.size();
    if (several_) {
        first_record_.resize(n);
        parallel_for(scene.threads(), n, [&](std::size_t k) {
            first_record_[k] =
                static_cast<Index>(span_of(scene.box(static_cast<Index>(k))).count());
        });
        exclusive_scan(scene.threads(), first_record_.span());
    }
    parallel_for(scene.threads(), n, [&](std::size_t k) {
        const CellSpan<D> span = span_of(scene.box(static_cast<Index>(k)));
        std::size_t at = several_ ? first_record_[k] : k;
        for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
            records[at++] = {keys_.key(cell), static_cast<Index>(k), bits_of<D>(cell, span)};
        });
    });
}

template class CellRecords<float, 2>;
template class CellRecords<float, 3>;
template class CellRecords<double, 2>;
template class CellRecords<double, 3>;

}  // namespace vicinal::inline VICINAL_API
