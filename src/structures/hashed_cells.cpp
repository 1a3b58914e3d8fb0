#include "structures/hashed_cells.hpp"

#include <limits>
#include <utility>

namespace vicinal::inline VICINAL_API {

void HashedCells::clear(std::size_t slots) {
    size_ = 0;
    // A larger table is needed, or the stamps have run out.
    constexpr std::size_t max_slots = std::numeric_limits<std::uint32_t>::max();
    slots = std::clamp(slots, std::size_t{1}, max_slots);
    if (slots > slots_.size() || stamp_ == std::numeric_limits<std::uint16_t>::max()) {
        slots_.resize(std::max(slots, slots_.size()));
        modulus_ = Modulus(static_cast<std::uint32_t>(slots_.size()));
        std::fill(slots_.span().begin(), slots_.span().end(), Slot{});
        stamp_ = 0;
    }
    ++stamp_;
}

Index HashedCells::add(std::uint32_t hash, std::uint64_t key) {
    Slot& slot = slots_[slot_of(hash)];
    const auto bit = static_cast<std::uint16_t>(1u << filter_bit(hash));
    if (slot.stamp != stamp_) {
        slot = {stamp_, bit, append(key)};
        return slot.first;
    }
    slot.filter |= bit;
    for (Index c = slot.first;; c = cells_[c].next) {
        if (cells_[c].key == key) return c;
        if (cells_[c].next != no_cell) continue;
        const Index made = append(key);
        return cells_[c].next = made;
    }
}

Index HashedCells::find_from(Index cell, std::uint64_t key) const {
    while (cell != no_cell && cells_[cell].key != key) cell = cells_[cell].next;
    return cell;
}

Index HashedCells::append(std::uint64_t key) {
    if (size_ == cells_.size()) {
        Buffer<Node> larger;
        larger.resize(std::max<std::size_t>(2 * size_, 16));
        std::copy_n(cells_.data(), size_, larger.data());
        cells_.swap(larger);
    }
    cells_[size_] = {key, no_cell, 0};
    return static_cast<Index>(size_++);
}

void HashedCells::find(std::span<const LookUp> look_ups, std::span<Index> found) const {
    for (const LookUp& one : look_ups)
        if (one.exists) prefetch_slot(one.hash);
    for (const LookUp& one : look_ups)
        if (one.exists) prefetch_cell(one.hash);
    for (std::size_t k = 0; k < look_ups.size(); ++k)
        found[k] = look_ups[k].exists ? find(look_ups[k].hash, look_ups[k].key) : no_cell;
}

void HashedCells::arrange(std::span<const CellRecord> records, std::span<const Index> cell_of,
                          std::span<Index> instances, std::span<Bits> bits) {
    // `end` first counts the records of a cell, then is the position of its next record.
    for (const Index c : cell_of) ++cells_[c].end;
    Index begin = 0;
    for (Node& cell : cells_.span().first(size_)) begin += std::exchange(cell.end, begin);
    parallel_for(1, records.size(), [&](std::size_t r) {
        const Index entry = cells_[cell_of[r]].end++;
        instances[entry] = records[r].instance;
        if (!bits.empty()) bits[entry] = records[r].bits;
    });
}

Statistics HashedCells::statistics() const {
    std::size_t sharing = 0;
    double false_candidates = 0;
    for (std::size_t c = 0; c < size_; ++c) {
        sharing += cells_[c].next != no_cell;
        for (Index other = cells_[c].next; other != no_cell; other = cells_[other].next)
            false_candidates +=
                static_cast<double>(run(c).size()) * static_cast<double>(run(other).size());
    }
    return {{"cells", static_cast<double>(size_)},
            {"slot clashes", static_cast<double>(sharing)},
            {"false candidates", false_candidates}};
}

}  // namespace vicinal::inline VICINAL_API
