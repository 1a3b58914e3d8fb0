#include "structures/list_grid.hpp"

#include <limits>

namespace vicinal::inline VICINAL_API {
namespace {

constexpr Index nothing = ~Index{0};  // the end of a list

}  // namespace

template <Real T, int D>
Spread<T, D>::Spread(const Scene<T, D>& scene) {
    if (scene.size() == 0) return;
    struct Part {
        std::array<double, D> lo, hi;
        double half_edge = 0;
    };
    PerPiece<Part> parts(piece_count(scene.threads(), scene.size()));
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Part part;
        part.lo.fill(std::numeric_limits<double>::max());
        part.hi.fill(std::numeric_limits<double>::lowest());
        for (std::size_t k = r.begin; k < r.end; ++k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            for (std::size_t a = 0; a < D; ++a) {
                const double x = static_cast<double>(box.lo[a]) / 2;
                part.lo[a] = std::min(part.lo[a], x);
                part.hi[a] = std::max(part.hi[a], x);
                part.half_edge =
                    std::max(part.half_edge, static_cast<double>(box.hi[a]) / 2 - x);
            }
        }
        parts[p] = part;
    });
    for (std::size_t p = 1; p < parts.size(); ++p) {
        for (std::size_t a = 0; a < D; ++a) {
            parts[0].lo[a] = std::min(parts[0].lo[a], parts[p].lo[a]);
            parts[0].hi[a] = std::max(parts[0].hi[a], parts[p].hi[a]);
        }
        parts[0].half_edge = std::max(parts[0].half_edge, parts[p].half_edge);
    }
    lo = parts[0].lo;
    for (std::size_t a = 0; a < D; ++a) half_extent[a] = parts[0].hi[a] - lo[a];
    half_edge = parts[0].half_edge;
}

template <Real T, int D>
double Spread<T, D>::search_distance() const {
    return std::max(1.001 * half_edge, std::numeric_limits<double>::min());
}

template <Real T, int D>
double Spread<T, D>::bounded(double half_cell, double max_cells) const {
    const auto all = [&] {
        double product = 1;
        for (std::size_t a = 0; a < D; ++a) product *= cells(a, half_cell);
        return product;
    };
    // First bound each axis alone.
    for (std::size_t a = 0; a < D; ++a)
        half_cell = std::max(half_cell, half_extent[a] / max_cells);
    while (all() > max_cells) half_cell *= 1.05;
    return half_cell;
}

// Builds the linked lists first, as in the paper; then assigns entries along them, cell by
// cell, so that the bodies of a row of cells are contiguous.
template <Real T, int D>
void ListGrid<T, D>::link(int threads, Packed<T, D>& packed) {
    cells_ = 1;
    for (const std::int32_t count : counts_) cells_ *= static_cast<std::size_t>(count);
    const std::size_t n = cell_of_.size();
    first_.resize(cells_);
    next_.resize(n);
    parallel_for(threads, cells_, [&](std::size_t c) { first_[c] = nothing; });
    for (std::size_t k = n; k-- > 0;) {  // backwards: lists are in ascending order
        next_[k] = first_[cell_of_[k]];
        first_[cell_of_[k]] = static_cast<Index>(k);
    }
    const auto instances = packed.entries(n);
    start_.resize(cells_ + 1);
    PerPiece<Index> before(piece_count(threads, cells_), 0);
    parallel_ranges(threads, cells_, [&](Range r, std::size_t p) {
        for (std::size_t c = r.begin; c < r.end; ++c)
            for (Index k = first_[c]; k != nothing; k = next_[k]) ++before[p];
    });
    exclusive_scan(1, before.span());
    parallel_ranges(threads, cells_, [&](Range r, std::size_t p) {
        Index at = before[p];
        for (std::size_t c = r.begin; c < r.end; ++c) {
            start_[c] = at;
            for (Index k = first_[c]; k != nothing; k = next_[k]) instances[at++] = k;
        }
    });
    start_[cells_] = static_cast<Index>(n);
}

template <Real T, int D>
void ListGrid<T, D>::search(Range tasks, Sieve<T, D>& sieve) const {
    const std::size_t end = std::min(tasks.end * cells_per_task, cells_);
    for (std::size_t c = tasks.begin * cells_per_task; c < end; ++c) {
        const Run own{start_[c], start_[c + 1]};
        if (own.size() == 0) continue;
        Cell<D> cell;
        std::size_t rest = c;
        for (std::size_t a = 0; a < D; ++a) {
            cell[a] = static_cast<std::int32_t>(rest % static_cast<std::size_t>(counts_[a]));
            rest /= static_cast<std::size_t>(counts_[a]);
        }
        join(cell, own, sieve);
    }
}

// Half stencil: the own cell, the next one in its row, and three of each row above.
template <Real T, int D>
void ListGrid<T, D>::join(const Cell<D>& cell, Run own, Sieve<T, D>& sieve) const {
    sieve.self(own);
    const auto cross = [&](const Cell<D>& row, std::int32_t from, std::int32_t to) {
        for (std::size_t a = 1; a < D; ++a)
            if (row[a] < 0 || row[a] >= counts_[a]) return;
        Cell<D> ends = row;
        ends[0] = std::max(from, 0);
        const Index begin = start_[index(ends)];
        ends[0] = std::min(to, counts_[0] - 1);
        const Run others{begin, start_[std::size_t{index(ends)} + 1]};
        if (others.size() > 0) sieve.cross(own, others);
    };
    if (cell[0] + 1 < counts_[0]) cross(cell, cell[0] + 1, cell[0] + 1);
    for (const Cell<D>& step : half_steps<D>()) {
        if (step[0] != 0) continue;
        Cell<D> row = cell;
        for (std::size_t a = 1; a < D; ++a) row[a] += step[a];
        cross(row, cell[0] - 1, cell[0] + 1);
    }
}

template <Real T, int D>
void ListGrid<T, D>::probe_one(Index query, const CellSpan<D>& span, Sieve<T, D>& sieve) const {
    CellSpan<D> rows = span;
    rows.hi[0] = rows.lo[0];
    for_each_between(rows.lo, rows.hi, [&](Cell<D> cell) {
        const Index begin = start_[index(cell)];
        cell[0] = span.hi[0];
        const Run run{begin, start_[std::size_t{index(cell)} + 1]};
        if (run.size() > 0) sieve.probe_one(query, run);
    });
}

#define VICINAL_INSTANTIATE(T, D) \
    template struct Spread<T, D>; \
    template class ListGrid<T, D>;
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
