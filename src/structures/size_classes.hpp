// Size classes (Pouchol et al. 2009, section 2.2): a hierarchy of grids with cells of edge 2^c.
// Every body is in the smallest class whose cells are at least as long as its longest edge, so
// that it covers at most 2 of them per axis (3 with rounding).
//
// The cell of a coordinate in class c is its finest cell shifted right by c bits. So classes
// nest exactly, despite rounding. The finest cells are clamped to a window around the quantile
// bounds of the bodies. In the largest class the window is two cells per axis, which also hold
// all larger bodies.
//
// A pair of one class is reported in the lowest cell that both share: where, on every axis, one
// of the two has its lowest record. For two classes, see owner().
#pragma once

#include "base/sort.hpp"
#include "scene/bounds.hpp"
#include "sieve/sieve.hpp"
#include "structures/cells.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class SizeClasses {
  public:
    // Chooses the edge of the finest cells and finds which classes have bodies.
    void choose(const Scene<T, D>& scene);
    // True if most bodies are no more than twice as long as others, in a fixed sample.
    static bool one_size(const Scene<T, D>& scene);

    // Writes a record for every body and cell, in the order of the instances.
    void write(const Scene<T, D>& scene, Buffer<CellRecord>& records, const char* method);

    // The classes that have bodies, the largest first.
    std::span<const unsigned> used() const { return {used_.data(), used_count_}; }
    static constexpr unsigned largest = D == 2 ? 27 : 18;

    static std::uint64_t key(unsigned size_class, const Cell<D>& cell) {
        std::uint64_t result = size_class;
        for (std::size_t a = D; a-- > 0;)
            result = result << field | static_cast<std::uint64_t>(cell[a] + farthest + 1);
        return result;
    }
    static unsigned class_of(std::uint64_t key) {
        return static_cast<unsigned>(key >> (D * field));
    }
    static Cell<D> cell_of(std::uint64_t key) {
        Cell<D> cell;
        for (std::size_t a = 0; a < D; ++a) {
            cell[a] = static_cast<std::int32_t>(key & ((1u << field) - 1)) - farthest - 1;
            key >>= field;
        }
        return cell;
    }
    // The cells that a box covers in the finest class.
    CellSpan<D> span_of(const Box<T, D>& box) const {
        CellSpan<D> span;
        for (std::size_t a = 0; a < D; ++a) {
            span.lo[a] = finest_cell(box.lo[a], a);
            span.hi[a] = finest_cell(box.hi[a], a);
        }
        return span;
    }

    static Owner owner() {
        Owner rule;
        for (std::size_t a = 0; a < D; ++a) rule.either |= low_bit<D>(a);
        return rule;
    }
    // The owner rule for the records of a cell (first) against those of the enclosing cell
    // `steps` classes above. The pair is reported in the lowest larger cell that both share,
    // at the smaller body's lowest record in it. If the cell is not the first in the larger
    // one, the smaller body's next lower record, if any, is in the same larger cell: this
    // record must be the body's lowest. If it is the first, the record is the body's lowest in
    // the larger cell, and one of the two bodies must begin there.
    static Owner owner(const Cell<D>& cell, unsigned steps) {
        Owner rule;
        for (std::size_t a = 0; a < D; ++a) {
            const bool first = (cell[a] & ((1 << steps) - 1)) == 0;
            (first ? rule.either : rule.first) |= low_bit<D>(a);
        }
        return rule;
    }
    // The owner rule for a query that covers `span` of a class, and the records of a cell in
    // it.
    static Owner owner(const CellSpan<D>& span, const Cell<D>& cell) {
        Owner rule;
        for (std::size_t a = 0; a < D; ++a)
            if (cell[a] > span.lo[a]) rule.second |= low_bit<D>(a);
        return rule;
    }

  private:
    static constexpr std::int32_t farthest = (1 << largest) - 1;
    static constexpr unsigned field = largest + 1;  // bits per axis in a key

    std::int32_t finest_cell(T x, std::size_t axis) const {
        return cell_at(static_cast<double>(x), bounds_.centre[axis], inverse_, farthest);
    }
    unsigned class_of(const Box<T, D>& box) const;

    double edge_ = 1;  // of the finest cell, a power of two
    double inverse_ = 2;
    QuantileBounds bounds_;
    std::array<unsigned, largest + 1> used_{};
    std::size_t used_count_ = 0;
    Buffer<Index> first_record_;
};

}  // namespace vicinal::inline VICINAL_API
