// The entries of the skin's list: one per body or image of a body that occurs in the list.
// Entries are in the order of first occurrence, so that bodies listed together are close in
// memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "scene/lattice.hpp"
#include "structures/cells.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
class ListEntries {
  public:
    static constexpr Index none = ~Index{0};

    struct Ghost {
        Index body;
        Index entry;
        Image<D> image;
    };

    void reset(std::size_t bodies) {
        body_entry_.resize(bodies);
        std::fill(body_entry_.span().begin(), body_entry_.span().end(), none);
        std::fill(slots_.begin(), slots_.end(), none);
        instances_.clear();
        ghosts_.clear();
    }

    // Finds or adds the entry of a body's image.
    Index add(Index body, const Image<D>& image) {
        const auto entry = static_cast<Index>(instances_.size());
        if (image == Image<D>{}) {
            if (body_entry_[body] != none) return body_entry_[body];
            instances_.push_back(body);
            return body_entry_[body] = entry;
        }
        if (2 * ghosts_.size() >= slots_.size()) grow_slots();
        std::size_t slot = home_slot(body, image);
        for (Index g = slots_[slot]; g != none; g = slots_[slot]) {
            if (ghosts_[g].body == body && ghosts_[g].image == image) return ghosts_[g].entry;
            slot = next_slot(slot);
        }
        const auto ghost = static_cast<Index>(ghosts_.size());
        ghosts_.push_back({body, entry, image});
        instances_.push_back(static_cast<Index>(body_entry_.size()) + ghost);
        slots_[slot] = ghost;
        return entry;
    }

    // The entry of a body itself, or none.
    const Index* of_bodies() const { return body_entry_.data(); }
    // The instances of the entries: bodies, then ghosts.
    std::span<const Index> instances() const { return instances_; }
    std::span<const Ghost> ghosts() const { return ghosts_; }

  private:
    std::size_t next_slot(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
    std::size_t home_slot(Index body, const Image<D>& image) const {
        std::uint64_t key = body;
        for (const std::int16_t n : image)
            key = key * 0x9e3779b97f4a7c15 + static_cast<std::uint16_t>(n);
        return mix_bits(key) & (slots_.size() - 1);
    }
    void grow_slots() {
        slots_.assign(std::max<std::size_t>(2 * slots_.size(), 1024), none);
        for (std::size_t g = 0; g < ghosts_.size(); ++g) {
            std::size_t slot = home_slot(ghosts_[g].body, ghosts_[g].image);
            while (slots_[slot] != none) slot = next_slot(slot);
            slots_[slot] = static_cast<Index>(g);
        }
    }

    Buffer<Index> body_entry_;
    CountedVector<Index> instances_;
    CountedVector<Ghost> ghosts_;
    CountedVector<Index> slots_;  // open addressing: a body may have thousands of images
};

}  // namespace vicinal::inline VICINAL_API
