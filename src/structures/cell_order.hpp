// The order in which a grid visits its cells: row by row, or along a space-filling curve
// (Goodchild & Grandfield 1983, after Lara 2005, section 3.2.1).
#pragma once

#include <algorithm>
#include <bit>
#include <string_view>

#include "structures/cells.hpp"

namespace vicinal::inline VICINAL_API {

enum class CellOrder : std::uint8_t { row, morton, hilbert };

inline CellOrder cell_order(std::string_view word) {
    return word == "hilbert"  ? CellOrder::hilbert
           : word == "morton" ? CellOrder::morton
                              : CellOrder::row;
}

// Walks the curve through all cells of a grid with `counts` cells per axis, of which the first
// `axes` may exceed 1. The curve fills a square or cube with a power of two of cells per axis;
// blocks outside the grid are skipped, so the time is linear in the cells.
template <int D>
class CurveWalk {
  public:
    CurveWalk(CellOrder order, const Cell<D>& counts, unsigned axes)
        : hilbert_(order == CellOrder::hilbert), counts_(counts), axes_(axes) {}

    template <class F>
    void for_each(const F& f) const {
        const std::int32_t longest = *std::max_element(counts_.begin(), counts_.end());
        walk(Cell<D>{}, std::bit_width(static_cast<std::uint32_t>(longest - 1)), {}, f);
    }

  private:
    // The orientation of a block of Hilbert's curve: its first corner, and the axis along which
    // its last corner lies (Hamilton & Rau-Chaplin 2008).
    struct Orientation {
        unsigned corner = 0, axis = 0;
    };

    // The lowest `axes` bits of v, rotated to the left.
    unsigned rotated(unsigned v, unsigned by) const {
        by %= axes_;
        return (v << by | v >> (axes_ - by)) & ((1u << axes_) - 1);
    }
    static unsigned gray(unsigned v) { return v ^ v >> 1; }

    template <class F>
    void walk(const Cell<D>& first, int bits, Orientation block, const F& f) const {
        for (unsigned a = 0; a < axes_; ++a)
            if (first[a] >= counts_[a]) return;
        if (bits == 0) return f(first);
        for (unsigned k = 0; k < 1u << axes_; ++k) {
            unsigned corner = k;
            Orientation part;
            if (hilbert_) {
                corner = rotated(gray(k), block.axis + 1) ^ block.corner;
                const unsigned enters = k == 0 ? 0 : gray((k - 1) / 2 * 2);
                const int along = k == 0       ? 0
                                  : k % 2 == 0 ? std::countr_one(k - 1)
                                               : std::countr_one(k);
                part.corner = block.corner ^ rotated(enters, block.axis + 1);
                part.axis = (block.axis + static_cast<unsigned>(along) + 1) % axes_;
            }
            Cell<D> cell = first;
            for (unsigned a = 0; a < axes_; ++a)
                cell[a] += static_cast<std::int32_t>(corner >> a & 1) << (bits - 1);
            walk(cell, bits - 1, part, f);
        }
    }

    bool hilbert_;
    Cell<D> counts_;
    unsigned axes_;
};

}  // namespace vicinal::inline VICINAL_API
