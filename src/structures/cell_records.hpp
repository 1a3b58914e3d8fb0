// Bodies as records in the cells of one uniform grid, shared by compact_grid and the uniform
// hashes, which differ in how they find the records of a cell.
//
// A body that fits a cell has one record, in the cell of its lower corner, and the search reads
// adjacent cells; a body that covers cells a..b on an axis has records in a..max(a, b - 1). If
// two bodies overlap, the lower corner of their intersection lies in cell q = max(a_i, a_j), on
// every axis. There the body with the larger a has its lowest record; the other has a record in
// q, or its highest one in q - 1, never both. So a pair is reported only if, on every axis,
// - both records are in one cell, and either record is its body's lowest; or
// - they are in adjacent cells, the record in the lower cell is its body's highest, and the one
//   in the upper cell its body's lowest.
// This takes two bits per axis and record, integers only. Cells are clamped to a window around
// the quantile bounds of the bodies: the argument only needs the cell to be monotone in the
// coordinate.
#pragma once

#include "base/parallel.hpp"
#include "base/sort.hpp"
#include "scene/bounds.hpp"
#include "sieve/sieve.hpp"
#include "structures/cells.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class CellRecords {
  public:
    // Chooses cells of `factor` mean edges (Gissler et al. 2011; giants and outliers have
    // little weight). Coarser cells are used if bodies would need more than a few records each,
    // so that memory stays O(N), or if the quantile bounds would not fit the window. `method`
    // is named in the error message. With `steady` the grid of the last step is kept as long as
    // it suits the bodies, so that the keys of bodies that stay in their cells do not change.
    void choose(const Scene<T, D>& scene, double factor, const char* method,
                bool steady = false);

    std::size_t size() const { return size_; }
    bool several() const { return several_; }  // some body has more than one
    const CellKeys<D>& keys() const { return keys_; }

    // Writes size() records, in the order of the instances.
    void write(const Scene<T, D>& scene, std::span<CellRecord> records);

    // The cells that a box covers, clamped to the cells in use and one guard cell beyond.
    CellSpan<D> cover(const Box<T, D>& box) const {
        CellSpan<D> span;
        for (std::size_t a = 0; a < D; ++a) {
            const std::int32_t below = keys_.used.lo[a] - 1, above = keys_.used.hi[a] + 1;
            span.lo[a] = std::clamp(cell_of(box.lo[a], a), below, above);
            span.hi[a] = std::clamp(cell_of(box.hi[a], a), below, above);
        }
        return span;
    }

    // The owner rule for records whose cells differ by `step` (second minus first).
    Owner owner(const Cell<D>& step) const {
        Owner rule;
        if (!several_) return rule;
        for (std::size_t a = 0; a < D; ++a) {
            if (step[a] == 0) rule.either |= low_bit<D>(a);
            if (step[a] != 0) rule.first |= step[a] > 0 ? high_bit<D>(a) : low_bit<D>(a);
            if (step[a] != 0) rule.second |= step[a] > 0 ? low_bit<D>(a) : high_bit<D>(a);
        }
        return rule;
    }

    // Joins a cell with itself and its half stencil; find(cell) is the run of a cell.
    template <class Find>
    void join(const Cell<D>& cell, Run own, Sieve<T, D>& sieve, const Find& find) const {
        sieve.self(own, owner({}));
        for (const Cell<D>& step : half_steps<D>()) {
            const Run other = find(neighbour<D>(cell, step));
            if (other.size() > 0) sieve.cross(own, other, owner(step));
        }
    }
    // The same if the runs of the neighbours are known, in the order of the stencil.
    void join(Run own, std::span<const Run> others, Sieve<T, D>& sieve) const {
        sieve.self(own, owner({}));
        for (std::size_t k = 0; k < others.size(); ++k)
            if (others[k].size() > 0) sieve.cross(own, others[k], owner(half_steps<D>()[k]));
    }

    // A query covers cells a..b and reads a - 1..b: a body that begins before a is found in
    // cell a if it has a record there, else by its highest record in a - 1; one that begins
    // after a is found in its lowest cell.
    struct Reach {
        Cell<D> a;
        CellSpan<D> cells;
    };
    Reach reach(const Box<T, D>& box) const {
        Reach result;
        for (std::size_t k = 0; k < D; ++k) {
            result.a[k] = cell_of(box.lo[k], k);
            // Cells beyond those in use are empty; the guards on both sides have keys.
            const std::int32_t below = keys_.used.lo[k] - 1, above = keys_.used.hi[k] + 1;
            result.cells.lo[k] = std::clamp(result.a[k] - 1, below, above);
            result.cells.hi[k] = std::clamp(cell_of(box.hi[k], k), below, above);
        }
        return result;
    }

    // Tests a query against the records of a cell, if it reaches the cell.
    void probe_one(Index query, const Reach& reach, const Cell<D>& cell, Run run,
                   Sieve<T, D>& sieve) const {
        if (run.size() == 0 || !reach.cells.contains(cell)) return;
        Owner rule;
        for (std::size_t k = 0; k < D; ++k) {
            if (several_ && cell[k] > reach.a[k]) rule.second |= low_bit<D>(k);
            if (several_ && cell[k] < reach.a[k]) rule.second |= high_bit<D>(k);
        }
        sieve.probe_one(query, run, rule);
    }

    // Tests a query against the cells it reaches: by find(cell), or by iterating over all
    // `count` cells if it reaches more than that.
    template <class CellAt, class RunAt, class Find>
    void probe_one(Index query, const Box<T, D>& box, std::size_t count, const CellAt& cell_at,
                   const RunAt& run_at, const Find& find, Sieve<T, D>& sieve) const {
        if (count == 0) return;
        const Reach reached = reach(box);
        if (reached.cells.count() > count) {
            for (std::size_t c = 0; c < count; ++c)
                if (run_at(c).size() > 0)
                    probe_one(query, reached, cell_at(c), run_at(c), sieve);
            return;
        }
        for_each_between(reached.cells.lo, reached.cells.hi, [&](const Cell<D>& cell) {
            probe_one(query, reached, cell, find(cell), sieve);
        });
    }

  private:
    static constexpr std::int32_t farthest =
        D == 2 ? (1 << 29) : (1 << 19);  // cell from the centre

    struct Tally {
        double records = 0;  // in double: may exceed 64 bits until cells are coarse enough
        CellSpan<D> cells;
        Tally() {
            cells.lo.fill(farthest);
            cells.hi.fill(-farthest);
        }
        void add(double count, const CellSpan<D>& span) {
            records += count;
            for (std::size_t a = 0; a < D; ++a) {
                cells.lo[a] = std::min(cells.lo[a], span.lo[a]);
                cells.hi[a] = std::max(cells.hi[a], span.hi[a]);
            }
        }
    };

    std::int32_t cell_of(T x, std::size_t axis) const {
        return cell_at(static_cast<double>(x), bounds_.centre[axis], inverse_, farthest);
    }
    CellSpan<D> span_of(const Box<T, D>& box) const {
        CellSpan<D> span;
        for (std::size_t a = 0; a < D; ++a) {
            span.lo[a] = cell_of(box.lo[a], a);
            span.hi[a] = std::max(span.lo[a], cell_of(box.hi[a], a) - 1);
        }
        return span;
    }
    Tally tally(const Scene<T, D>& scene) const;
    bool still_fits(const QuantileBounds& quantiles, double edge) const;

    double wanted_edge_ = 0;
    double inverse_ = 2;  // inverse_half() of wanted_edge_, or of coarser cells
    QuantileBounds bounds_;
    CellKeys<D> keys_;
    std::size_t size_ = 0;
    bool several_ = false;
    Buffer<Index> first_record_;
    Buffer<double> half_edges_;  // of a sample
};

}  // namespace vicinal::inline VICINAL_API
