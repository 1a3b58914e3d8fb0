#include "structures/hashed_cells.hpp"

#include <limits>

namespace vicinal::inline VICINAL_API {

void HashedCells::clear(std::size_t slots) {
    cells_.clear();
    // A larger table is needed, or the stamps have run out.
    slots = std::max<std::size_t>(slots, 1);
    if (slots > slots_.size() || stamp_ == std::numeric_limits<std::uint32_t>::max()) {
        // An eighth more than requested, except the first time: see Buffer.
        if (!slots_.empty()) slots += slots / 8;
        constexpr std::size_t max_slots = std::numeric_limits<std::uint32_t>::max();
        slots_.assign(std::clamp(slots, slots_.size(), max_slots), Slot{});
        stamp_ = 0;
    }
    ++stamp_;
}

Index HashedCells::add(std::uint32_t hash, std::uint64_t key) {
    Slot& slot = slots_[slot_of(hash)];
    const auto made = static_cast<Index>(cells_.size());
    if (slot.stamp != stamp_) {
        slot = {stamp_, made};
        cells_.push_back({key, no_cell});
        return made;
    }
    for (Index c = slot.first;; c = cells_[c].next) {
        if (cells_[c].key == key) return c;
        if (cells_[c].next != no_cell) continue;
        cells_[c].next = made;
        cells_.push_back({key, no_cell});
        return made;
    }
}

Index HashedCells::find(std::uint32_t hash, std::uint64_t key) const {
    const Slot& slot = slots_[slot_of(hash)];
    if (slot.stamp != stamp_) return no_cell;
    Index c = slot.first;
    while (c != no_cell && cells_[c].key != key) c = cells_[c].next;
    return c;
}

void HashedCells::arrange(std::span<const CellRecord> records, std::span<const Index> cell_of,
                          std::span<Index> instances, std::span<Bits> bits) {
    // start_[c + 2] first counts the records of c. After the prefix sum, start_[c + 1] is the
    // position of the next record of c; when all are written, it is the end of c.
    start_.resize(cells_.size() + 2);
    std::fill(start_.span().begin(), start_.span().end(), Index{0});
    for (const Index c : cell_of) ++start_[c + 2];
    for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
    for (std::size_t r = 0; r < records.size(); ++r) {
        const Index entry = start_[cell_of[r] + 1]++;
        instances[entry] = records[r].instance;
        if (!bits.empty()) bits[entry] = records[r].bits;
    }
}

Statistics HashedCells::statistics() const {
    std::size_t sharing = 0;
    double false_candidates = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        sharing += cells_[c].next != no_cell;
        for (Index other = cells_[c].next; other != no_cell; other = cells_[other].next)
            false_candidates +=
                static_cast<double>(run(c).size()) * static_cast<double>(run(other).size());
    }
    return {{"cells", static_cast<double>(cells_.size())},
            {"slot clashes", static_cast<double>(sharing)},
            {"false candidates", false_candidates}};
}

}  // namespace vicinal::inline VICINAL_API
