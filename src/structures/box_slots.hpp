// Boxes with persistent slots, for methods that update their structure from step to step. A
// slot belongs to a body at one shift, so a ghost present in two steps keeps its slot.
#pragma once

#include <cstdint>
#include <span>

#include "base/ledger.hpp"
#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class BoxSlots {
  public:
    static constexpr Index none = ~Index{0};

    // Finds the slot of every instance: which are new, which are gone, which have changed. The
    // scene must be periodic whenever the last one was.
    void match(const Scene<T, D>& scene);

    std::span<const Index> fresh() const { return fresh_; }
    std::span<const Index> gone() const { return gone_; }
    std::span<const Index> changed() const { return changed_; }

    std::size_t size() const { return box_.size(); }
    bool alive(std::size_t slot) const { return alive_[slot] != 0; }
    Index instance(std::size_t slot) const { return instance_[slot]; }  // or none
    std::span<const Index> instances() const { return instance_; }
    // The box before and after the update of this step; advance() replaces the former.
    const Box<T, D>& box(std::size_t slot) const { return box_[slot]; }
    const Box<T, D>& next_box(std::size_t slot) const { return next_box_[slot]; }
    void advance(std::size_t slot) { box_[slot] = next_box_[slot]; }

  private:
    enum class Fate : std::uint8_t { unchanged, changed, fresh, gone };

    void match_bodies(std::size_t n);
    void match_images(const Scene<T, D>& scene);
    void compare_boxes(const Scene<T, D>& scene);
    Index add_slot(Index body, const Shift<D>& shift);
    void free_slot(Index slot);

    CountedVector<Box<T, D>> box_, next_box_;
    CountedVector<Index> instance_;
    CountedVector<std::uint8_t> alive_;
    CountedVector<Fate> fate_;  // in this step
    CountedVector<Index> fresh_, gone_, changed_;
    // In a periodic domain:
    CountedVector<Index> body_, next_;  // next_: next slot of the same body
    CountedVector<Shift<D>> image_;
    CountedVector<Index> first_;  // first slot of each body
    CountedVector<Index> free_;
};

}  // namespace vicinal::inline VICINAL_API
