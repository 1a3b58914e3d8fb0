#include "structures/list_grid.hpp"

#include <limits>

namespace vicinal::inline VICINAL_API {
namespace {

constexpr Index nothing = ~Index{0};  // the end of a list

}  // namespace

template <Real T, int D>
Spread<T, D>::Spread(const Scene<T, D>& scene, std::size_t axes) {
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
            for (std::size_t a = 0; a < axes; ++a) {
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
        for (std::size_t a = 0; a < axes; ++a) {
            parts[0].lo[a] = std::min(parts[0].lo[a], parts[p].lo[a]);
            parts[0].hi[a] = std::max(parts[0].hi[a], parts[p].hi[a]);
        }
        parts[0].half_edge = std::max(parts[0].half_edge, parts[p].half_edge);
    }
    for (std::size_t a = 0; a < axes; ++a) {
        lo[a] = parts[0].lo[a];
        half_extent[a] = parts[0].hi[a] - lo[a];
    }
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

template <Real T, int D>
void ListGrid<T, D>::set_counts(const Cell<D>& counts) {
    if (counts == counts_) return;
    counts_ = {};  // until the curve is complete: an error may end the call
    cells_ = 1;
    for (const std::int32_t count : counts) cells_ *= static_cast<std::size_t>(count);
    if (order_ != CellOrder::row) {
        curve_place_.resize(cells_);
        row_place_.resize(cells_);
        Index next = 0;
        CurveWalk<D>(order_, counts, axes_).for_each([&](const Cell<D>& cell) {
            if (next % work_per_poll == 0) poll_cancelled(work_per_poll);
            const Index row = row_place(cell, counts);
            curve_place_[row] = next;
            row_place_[next++] = row;
        });
    }
    counts_ = counts;
}

template <Real T, int D>
Cell<D> ListGrid<T, D>::cell_at(std::size_t place) const {
    std::size_t rest = order_ == CellOrder::row ? place : row_place_[place];
    Cell<D> cell;
    for (std::size_t a = 0; a < D; ++a) {
        cell[a] = static_cast<std::int32_t>(rest % static_cast<std::size_t>(counts_[a]));
        rest /= static_cast<std::size_t>(counts_[a]);
    }
    return cell;
}

// Builds the linked lists first, as in the paper; then assigns entries along them, cell by
// cell, so that the bodies of a row of cells, or of a part of the curve, are contiguous.
template <Real T, int D>
void ListGrid<T, D>::link(int threads, Packed<T, D>& packed) {
    const std::size_t n = cell_of_.size();
    first_.resize(cells_);
    next_.resize(n);
    parallel_for(threads, cells_, [&](std::size_t c) { first_[c] = nothing; });
    for (std::size_t k = n; k-- > 0;) {  // backwards: lists are in ascending order
        if (k % work_per_poll == 0) poll_cancelled(work_per_poll);
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
        if (order_ == CellOrder::row)
            join_rows(cell_at(c), own, sieve);
        else
            join_cells(cell_at(c), own, sieve);
    }
}

// Half stencil: the own cell, the next one in its row, and three of each row above.
template <Real T, int D>
void ListGrid<T, D>::join_rows(const Cell<D>& cell, Run own, Sieve<T, D>& sieve) const {
    sieve.self(own);
    const auto cross = [&](const Cell<D>& row, std::int32_t from, std::int32_t to) {
        for (std::size_t a = 1; a < D; ++a)
            if (row[a] < 0 || row[a] >= counts_[a]) return;
        Cell<D> ends = row;
        ends[0] = std::max(from, 0);
        const Index begin = start_[row_place(ends, counts_)];
        ends[0] = std::min(to, counts_[0] - 1);
        const Run others{begin, start_[std::size_t{row_place(ends, counts_)} + 1]};
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

// Half stencil, cell by cell: on a curve the neighbours are not contiguous.
template <Real T, int D>
void ListGrid<T, D>::join_cells(const Cell<D>& cell, Run own, Sieve<T, D>& sieve) const {
    sieve.self(own);
    for (const Cell<D>& step : half_steps<D>()) {
        const Cell<D> other = neighbour<D>(cell, step);
        bool inside = true;
        for (std::size_t a = 0; a < D; ++a) inside &= other[a] >= 0 && other[a] < counts_[a];
        if (!inside) continue;
        const Run others = run(other);
        if (others.size() > 0) sieve.cross(own, others);
    }
}

template <Real T, int D>
void ListGrid<T, D>::probe_one(Index query, const CellSpan<D>& span, Sieve<T, D>& sieve) const {
    CellSpan<D> parts = span;  // rows, or cells of a curve
    if (order_ == CellOrder::row) parts.hi[0] = parts.lo[0];
    for_each_between(parts.lo, parts.hi, [&](Cell<D> cell) {
        Run part = run(cell);
        if (order_ == CellOrder::row) {
            cell[0] = span.hi[0];
            part.end = run(cell).end;
        }
        if (part.size() > 0) sieve.probe_one(query, part);
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
