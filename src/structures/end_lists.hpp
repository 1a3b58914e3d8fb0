// The end points of boxes, sorted along every axis, and the set of overlapping pairs. An update
// is an insertion sort of every list; where a lower and an upper end are swapped, an overlap
// may begin or end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ledger.hpp"
#include "base/parallel.hpp"
#include "structures/box_slots.hpp"
#include "structures/pair_set.hpp"
#include "structures/quantised_box.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class EndLists {
  public:
    // Builds all lists, and the set of pairs by one sweep along an axis.
    void assign(const BoxSlots<T, D>& slots, std::size_t axis, int threads);
    // Updates the lists from the slots' boxes to their next boxes, and advances the slots. New
    // boxes are swept along the axis. Returns how many ends were swapped.
    std::uint64_t update(BoxSlots<T, D>& slots, std::size_t axis, int threads);

    // Pairs of slots.
    std::span<const EntryPair> pairs() const { return pairs_.members(); }
    std::size_t boxes() const { return ends_[0].size() / 2; }
    // How many ends the box of a slot will be swapped with.
    std::uint64_t swap_distance(const BoxSlots<T, D>& slots, Index slot) const;
    // Roughly how many boxes begin within the box with this rank along an axis.
    std::uint64_t begun_within(std::size_t axis, std::size_t number) const {
        const Index slot = ends_[axis][2 * number].tag / 2;
        return (position_[axis][2 * slot + 1] - position_[axis][2 * slot]) / 2;
    }

  private:
    struct End {
        T value;
        Index tag;  // 2 * slot, + 1 for the upper side
        // Touching boxes overlap: at equal coordinates lower ends come before upper ends.
        friend bool operator<(const End& a, const End& b) {
            if (a.value != b.value) return a.value < b.value;
            const Index top_a = a.tag & 1u, top_b = b.tag & 1u;
            return top_a != top_b ? top_a < top_b : a.tag < b.tag;
        }
    };
    static End end_of(const Box<T, D>& box, std::size_t axis, Index slot, bool top) {
        return {top ? box.hi[axis] : box.lo[axis], 2 * slot + Index{top}};
    }

    // A range of a list that one task sorts. Its size is fixed, so that swaps and changes do
    // not depend on the number of threads.
    static constexpr std::size_t range_size = 1 << 13;

    // Overlaps that began or ended, as a task found them: perhaps repeatedly.
    struct Changes {
        CountedVector<EntryPair> begun, ended;
        std::uint64_t swaps = 0;
    };
    class InsertionSort;

    void quantise(const BoxSlots<T, D>& slots, Index slot) {
        quantised_[slot] = quantiser_(slots.box(slot), slots.next_box(slot));
    }
    void append_ends(const BoxSlots<T, D>& slots, std::span<const Index> some,
                     std::size_t axis);
    void note_positions(std::size_t axis, Range range);
    void note_all_positions(std::size_t axis, std::size_t slots);
    void sweep_all(const BoxSlots<T, D>& slots, std::vector<Index>& alive, std::size_t axis);
    const CountedVector<std::uint8_t>& mark(std::span<const Index> some, std::size_t slots);
    void erase_gone(const BoxSlots<T, D>& slots);
    void move_changed(BoxSlots<T, D>& slots, int threads);
    void sort_ends(const BoxSlots<T, D>& slots, int threads);
    std::uint64_t apply_changes();
    void insert_fresh(BoxSlots<T, D>& slots, std::size_t axis);
    void sweep_fresh(const BoxSlots<T, D>& slots, std::size_t axis);
    std::uint64_t distance(std::size_t axis, const End& end) const;

    std::array<CountedVector<End>, D> ends_;
    std::array<CountedVector<Index>, D> position_;  // of the ends, by tag
    BoxQuantiser<T, D> quantiser_;
    CountedVector<QuantisedBox<D>> quantised_;  // of each slot: union of old and new box
    PairSet pairs_;
    CountedVector<Changes> changes_;  // of each task
    // Scratch of updates:
    CountedVector<End> merged_;
    CountedVector<std::uint8_t> marked_;  // by slot
    struct {
        std::array<CountedVector<Index>, 2> open;  // old and new boxes
        CountedVector<Index> index;                // position there, by slot
    } active_;
};

}  // namespace vicinal::inline VICINAL_API
