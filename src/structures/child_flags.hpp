// One bit per cell of a larger class: do smaller classes have bodies in it (Pouchol et al.
// 2009, section 3.1, `hasChildren`)? A block of adjacent cells has its bits in one cache line,
// which a hash selects. Two blocks may share a line; then a query looks into a cell in vain,
// but it never misses a body.
#pragma once

#include <algorithm>

#include "base/buffer.hpp"
#include "structures/hashed_cells.hpp"

namespace vicinal::inline VICINAL_API {

template <int D>
class ChildFlags {
  public:
    // Clears all flags and provides at least this many.
    void clear(std::size_t flags) {
        const std::size_t lines = std::min(flags / line_bits, max_lines - 1) + 1;
        line_of_ = Modulus(static_cast<std::uint32_t>(lines));
        words_.resize(lines * (line_bits / word_bits));
        std::fill(words_.span().begin(), words_.span().end(), std::uint64_t{0});
    }
    void set(unsigned size_class, const Cell<D>& cell) {
        const std::size_t bit = bit_of(size_class, cell);
        words_[bit / word_bits] |= std::uint64_t{1} << bit % word_bits;
    }
    bool test(unsigned size_class, const Cell<D>& cell) const {
        const std::size_t bit = bit_of(size_class, cell);
        return (words_[bit / word_bits] >> bit % word_bits & 1) != 0;
    }

  private:
    static constexpr std::size_t word_bits = 64, line_bits = 512;
    static constexpr std::size_t max_lines = std::size_t{1} << 31;

    // Blocks of 32 x 16 or 8 x 8 x 8 cells.
    [[gnu::always_inline]] std::size_t bit_of(unsigned size_class, const Cell<D>& cell) const {
        constexpr std::array<unsigned, 3> width{D == 2 ? 5 : 3, D == 2 ? 4 : 3, 3};
        Cell<D> block;
        std::size_t in_block = 0;
        for (std::size_t a = 0; a < D; ++a) {
            block[a] = cell[a] >> width[a];
            in_block = in_block << width[a] |
                       (static_cast<std::uint32_t>(cell[a]) & ((1u << width[a]) - 1));
        }
        const std::uint32_t hash = cell_hash<D>(block) + size_class * 2654435761u;
        // Blocks that share a line have their bits in different orders.
        return line_of_(hash) * line_bits + (in_block ^ hash >> 23);
    }

    Modulus line_of_{1};
    Buffer<std::uint64_t> words_;
};

}  // namespace vicinal::inline VICINAL_API
