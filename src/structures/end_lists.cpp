// Sorts the ends of boxes, and updates the set of overlapping pairs.
#include "structures/end_lists.hpp"

#include <algorithm>

#include "base/sort.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
void EndLists<T, D>::assign(const BoxSlots<T, D>& slots, std::size_t axis, int threads) {
    std::vector<Index> alive;
    for (std::size_t s = 0; s < slots.size(); ++s)
        if (slots.alive(s)) alive.push_back(static_cast<Index>(s));
    parallel_tasks(threads, D, [&](std::size_t a, int) {
        ends_[a].clear();
        append_ends(slots, alive, a);
        sort_in_steps(ends_[a].begin(), ends_[a].end());
        note_all_positions(a, slots.size());
        if (!alive.empty())
            quantiser_.set_axis(a, ends_[a].front().value, ends_[a].back().value);
    });
    quantised_.resize(slots.size());
    for (const Index slot : alive) quantise(slots, slot);
    pairs_.clear();
    sweep_all(slots, alive, axis);
}

template <Real T, int D>
std::uint64_t EndLists<T, D>::update(BoxSlots<T, D>& slots, std::size_t axis, int threads) {
    erase_gone(slots);
    quantised_.resize(slots.size());
    std::uint64_t swaps = 0;
    if (!slots.changed().empty()) {
        move_changed(slots, threads);
        sort_ends(slots, threads);
        swaps = apply_changes();
        parallel_for(threads, slots.changed().size(), [&](std::size_t k) {
            const Index slot = slots.changed()[k];
            slots.advance(slot);
            quantise(slots, slot);
        });
    }
    insert_fresh(slots, axis);
    return swaps;
}

template <Real T, int D>
void EndLists<T, D>::append_ends(const BoxSlots<T, D>& slots, std::span<const Index> some,
                                 std::size_t axis) {
    for (const Index s : some)
        for (const bool top : {false, true})
            ends_[axis].push_back(end_of(slots.box(s), axis, s, top));
}

template <Real T, int D>
void EndLists<T, D>::note_positions(std::size_t axis, Range range) {
    for (std::size_t p = range.begin; p < range.end; ++p)
        position_[axis][ends_[axis][p].tag] = static_cast<Index>(p);
}

template <Real T, int D>
void EndLists<T, D>::note_all_positions(std::size_t axis, std::size_t slots) {
    position_[axis].resize(2 * slots);
    note_positions(axis, {0, ends_[axis].size()});
}

// Vectorised: columns of sides, and a byte per candidate.
template <Real T, int D>
void EndLists<T, D>::sweep_all(const BoxSlots<T, D>& slots, std::vector<Index>& alive,
                               std::size_t axis) {
    sort_in_steps(alive.begin(), alive.end(), [&](Index a, Index b) {
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
        poll_cancelled(last - e);
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
const CountedVector<std::uint8_t>& EndLists<T, D>::mark(std::span<const Index> some,
                                                        std::size_t slots) {
    marked_.assign(slots, 0);
    for (const Index slot : some) marked_[slot] = 1;
    return marked_;
}

template <Real T, int D>
void EndLists<T, D>::erase_gone(const BoxSlots<T, D>& slots) {
    if (slots.gone().empty()) return;
    const CountedVector<std::uint8_t>& gone = mark(slots.gone(), slots.size());
    for (std::size_t a = 0; a < D; ++a) {
        std::erase_if(ends_[a], [&](const End& end) { return gone[end.tag / 2] != 0; });
        note_all_positions(a, slots.size());
    }
    pairs_.erase_if([&](Index a, Index b) { return (gone[a] | gone[b]) != 0; });
}

// Insertion sort of a list with an eye on every swap (Baraff 1992; Cohen et al. 1995). Each two
// ends whose order has changed are swapped once.
template <Real T, int D>
class EndLists<T, D>::InsertionSort {
  public:
    InsertionSort(EndLists& lists, const BoxSlots<T, D>& slots, std::size_t axis,
                  Changes& changes)
        : lists_(lists),
          slots_(slots),
          axis_(axis),
          ends_(lists.ends_[axis].data()),
          quantised_(lists.quantised_.data()),
          changes_(changes) {}
    ~InsertionSort() { lists_.note_positions(axis_, moved_); }
    InsertionSort(const InsertionSort&) = delete;
    InsertionSort& operator=(const InsertionSort&) = delete;

    bool in_place(std::size_t at) const { return !(ends_[at] < ends_[at - 1]); }

    // Inserts an end into the sorted ones before it, from `first` on.
    void insert(std::size_t first, std::size_t at) {
        const End end = ends_[at];
        const QuantisedBox<D> own = quantised_[end.tag / 2];
        std::size_t to = at;
        for (; to > first && end < ends_[to - 1]; --to) {
            const End other = ends_[to] = ends_[to - 1];
            // Most of these boxes are far apart along another axis.
            const bool near = own.overlaps(quantised_[other.tag / 2]);
            if (near && ((other.tag ^ end.tag) & 1u) != 0) note_swap(end.tag, other.tag);
        }
        ends_[to] = end;
        changes_.swaps += at - to;
        note_moved({to, at + 1});
        poll_cancelled(8 + (at - to));
    }

  private:
    // A lower end that moves below an upper one: along this axis the boxes overlap now and did
    // not before. The reverse for an upper end.
    void note_swap(Index tag, Index other) {
        const Index a = tag / 2, b = other / 2;
        if ((tag & 1u) == 0) {
            if (overlaps(slots_.next_box(a), slots_.next_box(b)))
                changes_.begun.push_back({a, b});
        } else if (overlaps(slots_.box(a), slots_.box(b))) {
            changes_.ended.push_back({a, b});
        }
    }
    // Positions are written once for adjacent moves.
    void note_moved(Range range) {
        if (range.begin >= moved_.end) {
            lists_.note_positions(axis_, moved_);
            moved_.begin = range.begin;
        }
        moved_ = {std::min(moved_.begin, range.begin), range.end};
    }

    EndLists& lists_;
    const BoxSlots<T, D>& slots_;
    const std::size_t axis_;
    End* const ends_;
    const QuantisedBox<D>* const quantised_;
    Changes& changes_;
    Range moved_;
};

// Writes the new coordinates of all changed boxes to the lists.
template <Real T, int D>
void EndLists<T, D>::move_changed(BoxSlots<T, D>& slots, int threads) {
    parallel_for(threads, slots.changed().size(), [&](std::size_t k) {
        const Index slot = slots.changed()[k];
        quantise(slots, slot);
        for (std::size_t a = 0; a < D; ++a)
            for (const bool top : {false, true}) {
                const End end = end_of(slots.next_box(slot), a, slot, top);
                ends_[a][position_[a][end.tag]] = end;
            }
    });
}

// First ranges of all lists, each by itself; then each is merged with those before it, which
// moves only ends that cross a border.
template <Real T, int D>
void EndLists<T, D>::sort_ends(const BoxSlots<T, D>& slots, int threads) {
    const std::size_t n = ends_[0].size(), ranges = (n + range_size - 1) / range_size;
    if (changes_.size() < D * (ranges + 1)) changes_.resize(D * (ranges + 1));
    for (Changes& changes : changes_) {
        changes.begun.clear();
        changes.ended.clear();
        changes.swaps = 0;
    }
    parallel_tasks(threads, D * ranges, [&](std::size_t t, int) {
        const std::size_t axis = t / ranges, begin = t % ranges * range_size;
        InsertionSort sort(*this, slots, axis, changes_[t]);
        for (std::size_t at = begin + 1; at < std::min(n, begin + range_size); ++at)
            if (!sort.in_place(at)) sort.insert(begin, at);
    });
    parallel_tasks(threads, D, [&](std::size_t axis, int) {
        InsertionSort sort(*this, slots, axis, changes_[D * ranges + axis]);
        for (std::size_t border = range_size; border < n; border += range_size)
            for (std::size_t at = border; at < n && !sort.in_place(at); ++at)
                sort.insert(0, at);
    });
}

// Overlaps were compared before and after all boxes have moved: those that began are not among
// those that ended, and the order does not matter for the set.
template <Real T, int D>
std::uint64_t EndLists<T, D>::apply_changes() {
    std::uint64_t swaps = 0;
    for (const Changes& changes : changes_) {
        swaps += changes.swaps;
        for (const EntryPair& pair : changes.ended) pairs_.erase(pair.first, pair.second);
        for (const EntryPair& pair : changes.begun) pairs_.insert(pair.first, pair.second);
    }
    return swaps;
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
        const auto middle = ends_[a].begin() + old;
        sort_in_steps(middle, ends_[a].end());
        merged_.resize(ends_[a].size());
        std::merge(ends_[a].begin(), middle, middle, ends_[a].end(), merged_.begin());
        ends_[a].swap(merged_);
        note_all_positions(a, slots.size());
    }
    sweep_fresh(slots, axis);
}

// Sweeps along the axis with two active lists, one of old and one of new boxes.
template <Real T, int D>
void EndLists<T, D>::sweep_fresh(const BoxSlots<T, D>& slots, std::size_t axis) {
    const CountedVector<std::uint8_t>& is_new = mark(slots.fresh(), slots.size());
    auto& [open, index] = active_;
    for (CountedVector<Index>& list : open) list.clear();
    index.resize(slots.size());
    for (const End& end : ends_[axis]) {
        const Index slot = end.tag / 2;
        CountedVector<Index>& own = open[is_new[slot]];
        if ((end.tag & 1u) != 0) {
            index[own.back()] = index[slot];
            own[index[slot]] = own.back();
            own.pop_back();
            continue;
        }
        const auto insert_overlapping = [&](const CountedVector<Index>& others) {
            poll_cancelled(8 + others.size());
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
