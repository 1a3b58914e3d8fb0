// The classes of a hierarchical hash (Pouchol et al. 2009, section 3), and one bit per cell of
// a larger class that tells whether smaller classes have bodies in it.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "structures/child_flags.hpp"
#include "structures/hashed_cells.hpp"

namespace vicinal::inline VICINAL_API {

template <int D>
class CellHierarchy {
  public:
    static constexpr unsigned max_size = 27;

    // The paper's classSizes, the largest first: the given classes of the bodies, and above
    // them `levels` empty ones, each with cells 16 times as long as the next. Clears the flags.
    void assign(std::span<const unsigned> used, unsigned levels, unsigned largest,
                std::size_t flags) {
        count_ = 0;
        for (unsigned level = used.empty() ? 0 : levels; level > 0; --level)
            if (used[0] + 4 * level <= largest) sizes_[count_++] = used[0] + 4 * level;
        empty_ = count_;
        for (const unsigned size : used) sizes_[count_++] = size;
        clear_flags(flags);
    }
    void clear_flags(std::size_t flags) { children_.clear(flags); }

    std::size_t count() const { return count_; }
    std::size_t empty() const { return empty_; }  // classes without bodies: the first ones
    unsigned size(std::size_t s) const { return sizes_[s]; }

    // Eq. 4: the hash of a cell is the sum of its own hash and those of the larger cells
    // that contain it. This is the sum of the latter; calls visit(s, cell, sum) for each of
    // them, the largest first, while it returns true.
    template <class Visit>
    std::uint32_t hash_above(unsigned size, const Cell<D>& cell, const Visit& visit) const {
        std::uint32_t sum = 0;
        for (std::size_t s = 0; sizes_[s] != size; ++s) {
            const Cell<D> larger = above<D>(cell, sizes_[s] - size);
            sum += cell_hash<D>(larger);
            if (!visit(s, larger, sum)) break;
        }
        return sum;
    }

    // Listing 1: from now on the larger cells have children. Returns the cell's hash.
    std::uint32_t mark(unsigned size, const Cell<D>& cell) {
        const auto set = [&](std::size_t s, const Cell<D>& larger, std::uint32_t) {
            children_.set(sizes_[s], larger);
            return true;
        };
        return hash_above(size, cell, set) + cell_hash<D>(cell);
    }

    // The neighbours of a cell of class 0 that has been marked, for one class of bodies. Those
    // in other larger cells exist only if these have children.
    template <auto steps>
    [[gnu::always_inline]] void look_around(const Cell<D>& cell, const CellKeys<D>& keys,
                                            std::span<LookUp> look_ups) const {
        const std::uint32_t sum = hash_above(0, cell, [](auto&&...) { return true; });
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const Cell<D> next = neighbour<D>(cell, steps[k]);
            look_ups[k] = {true, sum + cell_hash<D>(next), keys.key(next)};
        }
        if (!inside(cell)) test_flags<steps>(cell, look_ups);
    }

    // Our reading of Listing 2, for a span of cells of class 0 and the first `end` classes:
    // calls visit(s, cell, hash) for the cells of the largest class, then for those below each
    // cell that has children. The larger of these cells contain most queries whole; recursion
    // begins with the first class where that is not so.
    template <class Visit>
    void descend(const CellSpan<D>& span, std::size_t end, const Visit& visit) const {
        std::uint32_t sum = 0;
        for (std::size_t s = 0; s < end; ++s) {
            const CellSpan<D> here = above<D>(span, sizes_[s]);
            if (here.lo != here.hi) return descend(span, end, visit, here, s, sum);
            sum += cell_hash<D>(here.lo);
            visit(s, here.lo, sum);
            if (s + 1 == end || !children_.test(sizes_[s], here.lo)) return;
        }
    }

  private:
    template <auto steps>
    void test_flags(const Cell<D>& cell, std::span<LookUp> look_ups) const {
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const Cell<D> next = neighbour<D>(cell, steps[k]);
            if (above<D>(next, sizes_[empty_ - 1]) == above<D>(cell, sizes_[empty_ - 1]))
                continue;
            LookUp& one = look_ups[k];
            one.hash = hash_above(0, next, [&](std::size_t s, const Cell<D>& larger, auto) {
                return one.exists = children_.test(sizes_[s], larger);
            });
            one.hash += cell_hash<D>(next);
        }
    }

    template <class Visit>
    void descend(const CellSpan<D>& span, std::size_t end, const Visit& visit,
                 const CellSpan<D>& here, std::size_t s, std::uint32_t sum_above) const {
        for_each_between(here.lo, here.hi, [&](const Cell<D>& cell) {
            const std::uint32_t sum = sum_above + cell_hash<D>(cell);
            visit(s, cell, sum);
            if (s + 1 == end || !children_.test(sizes_[s], cell)) return;
            CellSpan<D> below = above<D>(span, sizes_[s + 1]);
            const std::int32_t edge = 1 << (sizes_[s] - sizes_[s + 1]);
            for (std::size_t a = 0; a < D; ++a) {
                below.lo[a] = std::max(below.lo[a], cell[a] * edge);
                below.hi[a] = std::min(below.hi[a], cell[a] * edge + (edge - 1));
            }
            descend(span, end, visit, below, s + 1, sum);
        });
    }

    // True if all neighbours of a cell of class 0 are in the same larger cells as it: the usual
    // case.
    bool inside(const Cell<D>& cell) const {
        if (empty_ == 0) return true;
        const std::int32_t last = (1 << sizes_[empty_ - 1]) - 1;
        bool within = true;
        for (const std::int32_t c : cell) within &= (c & last) != 0 && (c & last) != last;
        return within;
    }

    std::array<unsigned, max_size + 1> sizes_{};
    std::size_t count_ = 0, empty_ = 0;
    ChildFlags<D> children_;
};

}  // namespace vicinal::inline VICINAL_API
