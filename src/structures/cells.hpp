// Cells of grids and hashes: integer coordinates, keys, and the flag bits that ensure that a
// pair sharing several cells is reported in only one of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

template <int D>
using Cell = std::array<std::int32_t, D>;

// Cells from lo to hi on each axis, both included.
template <int D>
struct CellSpan {
    Cell<D> lo, hi;

    // In double: the cells of a giant may exceed 64 bits.
    double count() const {
        double product = 1;
        for (std::size_t a = 0; a < D; ++a)
            product *= static_cast<double>(hi[a]) - static_cast<double>(lo[a]) + 1;
        return product;
    }
    bool contains(const Cell<D>& cell) const {
        for (std::size_t a = 0; a < D; ++a)
            if (cell[a] < lo[a] || cell[a] > hi[a]) return false;
        return true;
    }
};

// The cell of a coordinate: floor((x - centre) / edge), clamped to -farthest ... farthest. It
// is monotone in x despite rounding; methods rely on nothing else.
inline std::int32_t cell_at(double x, double centre, double edge, std::int32_t farthest) {
    // Halves, so that a difference of the largest numbers is finite.
    const double c = std::floor((x / 2 - centre / 2) / (edge / 2));
    return static_cast<std::int32_t>(
        std::clamp(c, -static_cast<double>(farthest), static_cast<double>(farthest)));
}

// A hash in which every output bit depends on every input bit.
inline std::uint64_t mix_bits(std::uint64_t x) {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

// A body in a cell.
struct CellRecord {
    std::uint64_t key;
    Index instance;
    Bits bits;
};

// Bits of a record: its cell is the lowest / the highest of its body on this axis.
template <int D>
constexpr Bits low_bit(std::size_t axis) {
    return static_cast<Bits>(1u << (D + axis));
}
template <int D>
constexpr Bits high_bit(std::size_t axis) {
    return static_cast<Bits>(1u << (2 * D + axis));
}

template <int D>
Bits bits_of(const Cell<D>& cell, const CellSpan<D>& span) {
    unsigned bits = 0;
    for (std::size_t a = 0; a < D; ++a) {
        if (cell[a] == span.lo[a]) bits |= low_bit<D>(a);
        if (cell[a] == span.hi[a]) bits |= high_bit<D>(a);
    }
    return static_cast<Bits>(bits);
}

// Keys have one bit field per axis, x in the lowest bits, so that a row of cells along x is one
// range of keys. A field also has values for a guard cell below the first and one above the
// last, so that a neighbour's key never overflows into the next field.
template <int D>
struct CellKeys {
    CellSpan<D> used{};              // cells in use
    std::array<unsigned, D> bits{};  // width of each field
    unsigned total = 0;

    void assign(const CellSpan<D>& cells) {
        used = cells;
        total = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const auto count = static_cast<std::uint32_t>(cells.hi[a] - cells.lo[a]) + 3;
            bits[a] = static_cast<unsigned>(std::bit_width(count));
            total += bits[a];
        }
    }

    bool holds(const CellSpan<D>& cells) const {
        return used.contains(cells.lo) && used.contains(cells.hi);
    }

    std::uint64_t key(const Cell<D>& cell) const {
        std::uint64_t result = 0;
        for (std::size_t a = D; a-- > 0;)
            result = result << bits[a] | static_cast<std::uint64_t>(cell[a] - used.lo[a] + 1);
        return result;
    }

    Cell<D> cell(std::uint64_t key) const {
        Cell<D> result;
        for (std::size_t a = 0; a < D; ++a) {
            result[a] = static_cast<std::int32_t>(key & ((std::uint64_t{1} << bits[a]) - 1)) -
                        1 + used.lo[a];
            key >>= bits[a];
        }
        return result;
    }

    // The key of the cell `step` away: adjacent cells only.
    std::uint64_t neighbour(std::uint64_t key, const Cell<D>& step) const {
        unsigned shift = 0;
        for (std::size_t a = 0; a < D; ++a) {
            key += static_cast<std::uint64_t>(static_cast<std::int64_t>(step[a])) << shift;
            shift += bits[a];
        }
        return key;
    }
};

// Half stencil: half of the steps to adjacent cells, so that every two cells are joined once.
template <int D>
constexpr auto half_steps() {
    if constexpr (D == 2)
        return std::array<Cell<2>, 4>{{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
    else
        return std::array<Cell<3>, 13>{{{1, 0, 0},
                                        {-1, 1, 0},
                                        {0, 1, 0},
                                        {1, 1, 0},
                                        {-1, -1, 1},
                                        {0, -1, 1},
                                        {1, -1, 1},
                                        {-1, 0, 1},
                                        {0, 0, 1},
                                        {1, 0, 1},
                                        {-1, 1, 1},
                                        {0, 1, 1},
                                        {1, 1, 1}}};
}

}  // namespace vicinal::inline VICINAL_API
