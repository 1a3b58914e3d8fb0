// A cell list: a grid of a bounded number of cells, with a linked list of bodies in each (Lara
// 2005, appendices A.1 and A.2). `first` is the first body of a cell, `next` the next one in
// the same cell. A body is only in the cell of its lower corner, and no body extends beyond the
// adjacent cell, so all its neighbours are in the 3^D cells around its own.
#pragma once

#include "structures/cell_order.hpp"
#include "structures/method.hpp"
#include "structures/method_entry.hpp"

namespace vicinal::inline VICINAL_API {

// The bounds of the bodies' lower corners, and their longest edge, on the first `axes` axes. On
// the others there is one cell. Halved, so that differences of the largest numbers are finite.
template <Real T, int D>
struct Spread {
    std::array<double, D> lo{};           // halved
    std::array<double, D> half_extent{};  // from the lowest to the highest corner
    double half_edge = 0;

    Spread() = default;
    Spread(const Scene<T, D>& scene, std::size_t axes);

    // The cell of a coordinate, from 0 on, for cells with this half edge.
    double cell(T x, std::size_t axis, double half_cell) const {
        return std::floor((static_cast<double>(x) / 2 - lo[axis]) / half_cell);
    }
    double cells(std::size_t axis, double half_cell) const {
        return std::floor(half_extent[axis] / half_cell) + 1;
    }
    // Half the edge of cells that are at least as long as any body. Adding a thousandth to the
    // longest edge outweighs the rounding of cell(): quotients below 2^32 have an error of less
    // than 2^-19.
    double search_distance() const;
    // `half_cell`, enlarged if needed so that there are at most `max_cells` cells.
    double bounded(double half_cell, double max_cells) const;
};

template <Real T, int D>
class ListGrid {
  public:
    // At most 7 cells per body (Lara 2005), plus a constant for few bodies.
    static double max_cells(std::size_t bodies) {
        return std::min(7 * static_cast<double>(bodies) + 64, 2147483647.0);
    }

    // The grid divides the first `axes` axes.
    ListGrid(CellOrder order, std::size_t axes)
        : order_(order), axes_(static_cast<unsigned>(axes)) {}

    // `counts` cells per axis; cell_of(x, axis) is in 0 ... counts - 1 and monotone.
    template <class CellOf>
    void assign(const Scene<T, D>& scene, const Cell<D>& counts, const CellOf& cell_of,
                Packed<T, D>& packed) {
        set_counts(counts);
        cell_of_.resize(scene.size());
        parallel_for(scene.threads(), scene.size(), [&](std::size_t k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            Cell<D> cell;
            for (std::size_t a = 0; a < D; ++a) cell[a] = cell_of(box.lo[a], a);
            cell_of_[k] = place(cell);
        });
        link(scene.threads(), packed);
    }

    std::size_t tasks() const { return (cells_ + cells_per_task - 1) / cells_per_task; }

    // Joins every cell of the tasks with itself and its half stencil.
    void search(Range tasks, Sieve<T, D>& sieve) const;

    // Tests every query against the cells its box covers and those just below them, from which
    // a body may extend into the box.
    template <class CellOf>
    void probe(const Scene<T, D>& queries, Range instances, const CellOf& cell_of,
               Sieve<T, D>& sieve) const {
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const Box<T, D> box = queries.box(static_cast<Index>(q));
            CellSpan<D> span;
            for (std::size_t a = 0; a < D; ++a) {
                span.lo[a] = std::max(cell_of(box.lo[a], a) - 1, 0);
                span.hi[a] = cell_of(box.hi[a], a);
            }
            probe_one(static_cast<Index>(q), span, sieve);
        }
    }

  private:
    static constexpr std::size_t cells_per_task = 2048;

    static Index row_place(const Cell<D>& cell, const Cell<D>& counts) {  // rows along x
        std::size_t i = 0;
        for (std::size_t a = D; a-- > 0;)
            i = i * static_cast<std::size_t>(counts[a]) + static_cast<std::size_t>(cell[a]);
        return static_cast<Index>(i);
    }
    // The number of a cell in the grid's order, and its reverse.
    Index place(const Cell<D>& cell) const {
        const Index row = row_place(cell, counts_);
        return order_ == CellOrder::row ? row : curve_place_[row];
    }
    Cell<D> cell_at(std::size_t place) const;
    Run run(const Cell<D>& cell) const {
        const std::size_t c = place(cell);
        return {start_[c], start_[c + 1]};
    }

    void set_counts(const Cell<D>& counts);
    void link(int threads, Packed<T, D>& packed);
    void join_rows(const Cell<D>& cell, Run own, Sieve<T, D>& sieve) const;
    void join_cells(const Cell<D>& cell, Run own, Sieve<T, D>& sieve) const;
    void probe_one(Index query, const CellSpan<D>& span, Sieve<T, D>& sieve) const;

    const CellOrder order_;
    const unsigned axes_;
    Cell<D> counts_{};
    std::size_t cells_ = 0;
    // Curves: the place on the curve of the cell with a given place in rows, and the reverse.
    Buffer<Index> curve_place_, row_place_;
    Buffer<Index> cell_of_;  // of each instance
    Buffer<Index> first_, next_;
    Buffer<Index> start_;  // first entry of each cell, and the end
};

// Base class of methods on such a grid: the derived class chooses the cells and defines the
// cell of a coordinate, Grid::cell_of(x, axis).
template <class Grid, Real T, int D>
class ListGridMethod : public Method<T, D> {
  public:
    std::size_t tasks() const override { return grid_.tasks(); }
    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);
        grid_.search(tasks, sieve);
    }
    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);
        if (packed_.size() > 0) grid_.probe(queries, instances, locate(), sieve);
    }

  protected:
    // Options `axes` and `order`.
    explicit ListGridMethod(const Choice& choice)
        : axes_(std::min<std::size_t>(D, choice.word("axes") == "2" ? 2 : 3)),
          grid_(cell_order(choice.word("order")), axes_) {}

    void assign(const Scene<T, D>& scene, const Cell<D>& counts) {
        grid_.assign(scene, counts, locate(), packed_);
        packed_.fill(scene, {});
    }

    const std::size_t axes_;  // that are divided

  private:
    auto locate() const {
        return [grid = static_cast<const Grid*>(this)](T x, std::size_t axis) {
            return grid->cell_of(x, axis);
        };
    }

    ListGrid<T, D> grid_;
    Packed<T, D> packed_;
};

inline std::vector<OptionInfo> list_grid_options() {
    return {{"axes", "3", "divide x and y only, or all axes", 0, 0, {"3", "2"}},
            {"order",
             "row",
             "order of the cells: rows along x, or a space-filling curve",
             0,
             0,
             {"row", "morton", "hilbert"}}};
}

}  // namespace vicinal::inline VICINAL_API
