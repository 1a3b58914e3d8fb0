// Cells of grids and hashes: integer coordinates, keys, and the flag bits that ensure that a
// pair sharing several cells is reported in only one of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

template <int D>
using Cell = std::array<std::int32_t, D>;

// Cells from lo to hi on each axis, both included.
template <int D>
struct CellSpan {
    Cell<D> lo, hi;

    // Fits 64 bits: methods clamp cells to 2^30 per axis, in 3-D to 2^20.
    std::uint64_t count() const {
        std::uint64_t product = 1;
        for (std::size_t a = 0; a < D; ++a)
            product *= static_cast<std::uint64_t>(std::int64_t{hi[a]} - lo[a] + 1);
        return product;
    }
    bool contains(const Cell<D>& cell) const {
        for (std::size_t a = 0; a < D; ++a)
            if (cell[a] < lo[a] || cell[a] > hi[a]) return false;
        return true;
    }
};

// The reciprocal of half an edge, for cell_at(). Finite, so that 0 times it is 0.
inline double inverse_half(double edge) {
    return std::min(1 / (edge / 2), std::numeric_limits<double>::max());
}

// The cell of a coordinate: floor((x - centre) / edge), clamped to -farthest ... farthest. It
// is monotone in x despite rounding; methods rely on nothing else.
inline std::int32_t cell_at(double x, double centre, double inverse, std::int32_t farthest) {
    // Halves, so that a difference of the largest numbers is finite.
    const double limit = farthest;
    const double c = std::min(std::max((x / 2 - centre / 2) * inverse, -limit), limit);
    const auto truncated = static_cast<std::int32_t>(c);
    return truncated - (static_cast<double>(truncated) > c ? 1 : 0);  // floor
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

template <int D>
Cell<D> neighbour(Cell<D> cell, const Cell<D>& step) {
    for (std::size_t a = 0; a < D; ++a) cell[a] += step[a];
    return cell;
}

// The cells that contain these, `steps` classes above, where cells are 2^steps times as long.
template <int D>
[[gnu::always_inline]] inline Cell<D> above(Cell<D> cell, unsigned steps) {
    for (std::int32_t& c : cell) c >>= steps;
    return cell;
}
template <int D>
[[gnu::always_inline]] inline CellSpan<D> above(const CellSpan<D>& span, unsigned steps) {
    return {above<D>(span.lo, steps), above<D>(span.hi, steps)};
}

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

// Full stencil: the steps to all adjacent cells.
template <int D>
constexpr auto full_steps() {
    constexpr auto half = half_steps<D>();
    std::array<Cell<D>, 2 * half.size()> full{};
    for (std::size_t k = 0; k < half.size(); ++k)
        for (std::size_t a = 0; a < D; ++a) {
            full[2 * k][a] = half[k][a];
            full[2 * k + 1][a] = -half[k][a];
        }
    return full;
}

}  // namespace vicinal::inline VICINAL_API
