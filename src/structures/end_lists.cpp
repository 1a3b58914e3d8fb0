// Sorts and moves the ends of boxes, and updates the set of overlapping pairs.
#include "structures/end_lists.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
void EndLists<T, D>::assign(const BoxSlots<T, D>& slots, std::size_t axis, int threads) {
    std::vector<Index> alive;
    for (std::size_t s = 0; s < slots.size(); ++s)
        if (slots.alive(s)) alive.push_back(static_cast<Index>(s));
    parallel_tasks(threads, D, [&](std::size_t a, int) {
        ends_[a].clear();
        append_ends(slots, alive, a);
        std::sort(ends_[a].begin(), ends_[a].end());
        note_positions(a, slots.size());
        if (!alive.empty())
            quantiser_.set_axis(a, ends_[a].front().value, ends_[a].back().value);
    });
    quantised_.resize(slots.size());
    for (const Index slot : alive) quantise(slots, slot);
    pairs_.clear();
    sweep_all(slots, alive, axis);
}

template <Real T, int D>
std::uint64_t EndLists<T, D>::update(BoxSlots<T, D>& slots, std::size_t axis) {
    erase_gone(slots);
    quantised_.resize(slots.size());
    for (const Index slot : slots.changed()) quantise(slots, slot);
    const std::uint64_t passed = move_changed(slots);
    for (const Index slot : slots.changed()) {
        slots.advance(slot);
        quantise(slots, slot);
    }
    insert_fresh(slots, axis);
    return passed;
}

template <Real T, int D>
void EndLists<T, D>::append_ends(const BoxSlots<T, D>& slots, std::span<const Index> some,
                                 std::size_t axis) {
    for (const Index s : some)
        for (const bool top : {false, true})
            ends_[axis].push_back(end_of(slots.box(s), axis, s, top));
}

template <Real T, int D>
void EndLists<T, D>::note_positions(std::size_t axis, std::size_t slots) {
    position_[axis].resize(2 * slots);
    for (std::size_t p = 0; p < ends_[axis].size(); ++p)
        position_[axis][ends_[axis][p].tag] = static_cast<Index>(p);
}

// Vectorised: columns of sides, and a byte per candidate.
template <Real T, int D>
void EndLists<T, D>::sweep_all(const BoxSlots<T, D>& slots, std::vector<Index>& alive,
                               std::size_t axis) {
    std::sort(alive.begin(), alive.end(), [&](Index a, Index b) {
        return end_of(slots.box(a), axis, a, false) < end_of(slots.box(b), axis, b, false);
    });
    std::array<std::vector<T>, 2 * D> sides;
    for (std::size_t a = 0; a < D; ++a)
        for (const Index s : alive) {
            sides[a].push_back(slots.box(s).lo[a]);
            sides[D + a].push_back(slots.box(s).hi[a]);
        }
    std::vector<std::uint8_t> overlap(alive.size());
    for (std::size_t e = 0; e < alive.size(); ++e) {
        const auto end =
            std::upper_bound(sides[axis].begin(), sides[axis].end(), sides[D + axis][e]);
        const auto last = static_cast<std::size_t>(end - sides[axis].begin());
        std::fill(overlap.begin() + static_cast<std::ptrdiff_t>(e),
                  overlap.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
        for (std::size_t a = 0; a < D; ++a) {
            const T lo = sides[a][e], hi = sides[D + a][e];
            const T *const from = sides[a].data(), *const to = sides[D + a].data();
            std::uint8_t* const flags = overlap.data();
            for (std::size_t j = e + 1; j < last && a != axis; ++j)
                flags[j] &= static_cast<std::uint8_t>((from[j] <= hi) & (to[j] >= lo));
        }
        for (std::size_t j = e + 1; j < last; ++j)
            if (overlap[j] != 0) pairs_.insert(alive[e], alive[j]);
    }
}

template <Real T, int D>
void EndLists<T, D>::erase_gone(const BoxSlots<T, D>& slots) {
    if (slots.gone().empty()) return;
    std::vector<std::uint8_t> gone(slots.size(), 0);
    for (const Index slot : slots.gone()) gone[slot] = 1;
    for (std::size_t a = 0; a < D; ++a) {
        std::erase_if(ends_[a], [&](const End& end) { return gone[end.tag / 2] != 0; });
        note_positions(a, slots.size());
    }
    pairs_.erase_if([&](Index a, Index b) { return (gone[a] | gone[b]) != 0; });
}

// A move reads scattered memory in two steps: the positions of its ends, then the ends around
// them. Each is prefetched some moves ahead. Prefetching the boxes that will be passed as well
// costs more than it saves.
template <Real T, int D>
std::uint64_t EndLists<T, D>::move_changed(const BoxSlots<T, D>& slots) {
    constexpr std::size_t ends = 4, now = 10;  // moves after the positions
    const std::span<const Index> changed = slots.changed();
    const std::size_t count = changed.size();
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < count + now; ++k) {
        if (k < count)
            for (std::size_t a = 0; a < D; ++a)
                __builtin_prefetch(&position_[a][2 * changed[k]]);
        if (const std::size_t m = k - ends; m < count) prefetch_ends(changed[m]);
        if (const std::size_t m = k - now; m < count) sum += move(slots, changed[m]);
    }
    return sum;
}

// Forced inline: g++ drops calls of functions that only prefetch.
template <Real T, int D>
[[gnu::always_inline]] inline void EndLists<T, D>::prefetch_ends(Index slot) const {
    constexpr std::ptrdiff_t around = 8;  // ends: a cache line
    for (std::size_t a = 0; a < D; ++a)
        for (const Index tag : {2 * slot, 2 * slot + 1}) {
            const End* const end = ends_[a].data() + position_[a][tag];
            __builtin_prefetch(end - around);
            __builtin_prefetch(end);
            __builtin_prefetch(end + around);
        }
}

// This and move_end() are forced inline: each has one caller, an inner loop.
template <Real T, int D>
[[gnu::always_inline]] inline std::uint64_t EndLists<T, D>::move(const BoxSlots<T, D>& slots,
                                                                 Index slot) {
    const Box<T, D>&from = slots.box(slot), &to = slots.next_box(slot);
    std::uint64_t sum = 0;
    for (std::size_t a = 0; a < D; ++a) {
        // The leading end first, so that the two ends of the box never pass each other.
        const bool up = to.hi[a] > from.hi[a];
        for (const bool top : {up, !up}) sum += move_end(slots, a, end_of(to, a, slot, top));
    }
    return sum;
}

// An overlap begins or ends only where a lower end and an upper end are swapped. Most of these
// boxes are far apart along another axis, which their quantised boxes show. Returns how many
// ends this one passed.
template <Real T, int D>
[[gnu::always_inline]] inline std::uint64_t EndLists<T, D>::move_end(
    const BoxSlots<T, D>& slots, std::size_t axis, const End& end) {
    CountedVector<End>& ends = ends_[axis];
    CountedVector<Index>& position = position_[axis];
    const Index slot = end.tag / 2;
    const QuantisedBox<D> own = quantised_[slot];
    const std::size_t from = position[end.tag];
    std::size_t at = from;
    const auto pass = [&](const End& other) {
        ends[at] = other;
        position[other.tag] = static_cast<Index>(at);
        const bool near = own.overlaps(quantised_[other.tag / 2]);
        if (near && ((other.tag ^ end.tag) & 1u) != 0) update_pair(slots, slot, other.tag / 2);
    };
    for (; at > 0 && end < ends[at - 1]; --at) pass(ends[at - 1]);
    for (; at + 1 < ends.size() && ends[at + 1] < end; ++at) pass(ends[at + 1]);
    ends[at] = end;
    position[end.tag] = static_cast<Index>(at);
    return from < at ? at - from : from - at;
}

// Compares the boxes before and after all have moved, so that the order of moves does not
// matter.
template <Real T, int D>
void EndLists<T, D>::update_pair(const BoxSlots<T, D>& slots, Index one, Index other) {
    if (one == other) return;
    const bool then = overlaps(slots.box(one), slots.box(other));
    const bool now = overlaps(slots.next_box(one), slots.next_box(other));
    if (now && !then) pairs_.insert(one, other);
    if (then && !now) pairs_.erase(one, other);
}

// Inserts all new boxes in one pass over the lists.
template <Real T, int D>
void EndLists<T, D>::insert_fresh(BoxSlots<T, D>& slots, std::size_t axis) {
    if (slots.fresh().empty()) return;
    for (const Index slot : slots.fresh()) {
        slots.advance(slot);
        quantise(slots, slot);
    }
    for (std::size_t a = 0; a < D; ++a) {
        const auto old = static_cast<std::ptrdiff_t>(ends_[a].size());
        append_ends(slots, slots.fresh(), a);
        std::sort(ends_[a].begin() + old, ends_[a].end());
        std::inplace_merge(ends_[a].begin(), ends_[a].begin() + old, ends_[a].end());
        note_positions(a, slots.size());
    }
    sweep_fresh(slots, axis);
}

// Sweeps along the axis with two active lists, one of old and one of new boxes.
template <Real T, int D>
void EndLists<T, D>::sweep_fresh(const BoxSlots<T, D>& slots, std::size_t axis) {
    std::vector<std::uint8_t> is_new(slots.size(), 0);
    for (const Index slot : slots.fresh()) is_new[slot] = 1;
    std::array<std::vector<Index>, 2> open;
    std::vector<Index> index(slots.size());  // position in `open`
    for (const End& end : ends_[axis]) {
        const Index slot = end.tag / 2;
        std::vector<Index>& own = open[is_new[slot]];
        if ((end.tag & 1u) != 0) {
            index[own.back()] = index[slot];
            own[index[slot]] = own.back();
            own.pop_back();
            continue;
        }
        const auto insert_overlapping = [&](const std::vector<Index>& others) {
            for (const Index other : others)
                if (overlaps(slots.box(slot), slots.box(other))) pairs_.insert(slot, other);
        };
        insert_overlapping(open[1]);
        if (is_new[slot] != 0) insert_overlapping(open[0]);
        index[slot] = static_cast<Index>(own.size());
        own.push_back(slot);
    }
}

template <Real T, int D>
std::uint64_t EndLists<T, D>::swap_distance(const BoxSlots<T, D>& slots, Index slot) const {
    std::uint64_t sum = 0;
    for (std::size_t a = 0; a < D; ++a)
        for (const bool top : {false, true})
            sum += distance(a, end_of(slots.next_box(slot), a, slot, top));
    return sum;
}

// How many ends this one passes on its way to its new position. Galloping search, because they
// are usually few.
template <Real T, int D>
std::uint64_t EndLists<T, D>::distance(std::size_t axis, const End& end) const {
    const auto& ends = ends_[axis];
    const auto here = ends.begin() + position_[axis][end.tag];
    std::ptrdiff_t step = 1;
    if (*here < end) {
        while (step < ends.end() - here && *(here + step) < end) step *= 2;
        const auto last = here + std::min(step, ends.end() - here);
        return static_cast<std::uint64_t>(std::lower_bound(here + step / 2, last, end) - here -
                                          1);
    }
    while (step < here - ends.begin() && end < *(here - step)) step *= 2;
    const auto first = here - std::min(step, here - ends.begin());
    return static_cast<std::uint64_t>(here - std::lower_bound(first, here, end));
}

template class EndLists<float, 2>;
template class EndLists<float, 3>;
template class EndLists<double, 2>;
template class EndLists<double, 3>;

}  // namespace vicinal::inline VICINAL_API
