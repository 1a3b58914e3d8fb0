// Matches the instances of a step with the slots of the last one, and compares their boxes.
#include "structures/box_slots.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
void BoxSlots<T, D>::match(const Scene<T, D>& scene) {
    fresh_.clear();
    gone_.clear();
    changed_.clear();
    if (scene.periodic())
        match_images(scene);
    else
        match_bodies(scene.bodies());
    compare_boxes(scene);
    for (const Index slot : gone_) {
        alive_[slot] = 0;
        if (scene.periodic()) free_slot(slot);
    }
    for (const Index slot : fresh_) alive_[slot] = 1;
}

// In an open domain a body's slot is its index.
template <Real T, int D>
void BoxSlots<T, D>::match_bodies(std::size_t n) {
    const std::size_t then = instance_.size();
    for (std::size_t k = 0; k < std::min(n, then); ++k) instance_[k] = static_cast<Index>(k);
    for (std::size_t k = n; k < then; ++k) instance_[k] = none;
    for (std::size_t k = then; k < n; ++k) {
        instance_.push_back(static_cast<Index>(k));
        box_.emplace_back();
        alive_.push_back(0);
    }
}

template <Real T, int D>
void BoxSlots<T, D>::match_images(const Scene<T, D>& scene) {
    if (first_.size() < scene.bodies()) first_.resize(scene.bodies(), none);
    std::fill(instance_.begin(), instance_.end(), none);
    parallel_for(1, scene.size(), [&](std::size_t k) {
        const auto instance = static_cast<Index>(k);
        const Index body = scene.body(instance);
        const Shift<D> shift = scene.shift(instance);
        Index slot = first_[body];
        while (slot != none && image_[slot] != shift) slot = next_[slot];
        if (slot == none) slot = add_slot(body, shift);
        instance_[slot] = instance;
    });
}

template <Real T, int D>
void BoxSlots<T, D>::compare_boxes(const Scene<T, D>& scene) {
    next_box_.resize(box_.size());
    fate_.resize(box_.size());
    parallel_for(scene.threads(), box_.size(), [&](std::size_t s) {
        if (instance_[s] == none) {
            fate_[s] = alive_[s] ? Fate::gone : Fate::unchanged;
            return;
        }
        const Box<T, D> box = scene.box(instance_[s]);
        unsigned changed = 0;  // branch-free
        for (std::size_t a = 0; a < D; ++a)
            changed |=
                unsigned{box.lo[a] != box_[s].lo[a]} | unsigned{box.hi[a] != box_[s].hi[a]};
        fate_[s] = !alive_[s] ? Fate::fresh : changed != 0 ? Fate::changed : Fate::unchanged;
        if (fate_[s] != Fate::unchanged) next_box_[s] = box;
    });
    parallel_for(1, box_.size(), [&](std::size_t s) {
        const Fate fate = fate_[s];
        if (fate == Fate::unchanged) return;
        (fate == Fate::changed ? changed_
         : fate == Fate::fresh ? fresh_
                               : gone_)
            .push_back(static_cast<Index>(s));
    });
}

template <Real T, int D>
Index BoxSlots<T, D>::add_slot(Index body, const Shift<D>& shift) {
    Index slot;
    if (free_.empty()) {
        slot = static_cast<Index>(box_.size());
        box_.emplace_back();
        instance_.push_back(none);
        body_.push_back(body);
        image_.push_back(shift);
        next_.push_back(none);
        alive_.push_back(0);
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    body_[slot] = body;
    image_[slot] = shift;
    next_[slot] = first_[body];
    first_[body] = slot;
    return slot;
}

template <Real T, int D>
void BoxSlots<T, D>::free_slot(Index slot) {
    Index* at = &first_[body_[slot]];
    while (*at != slot) at = &next_[*at];
    *at = next_[slot];
    free_.push_back(slot);
}

template class BoxSlots<float, 2>;
template class BoxSlots<float, 3>;
template class BoxSlots<double, 2>;
template class BoxSlots<double, 3>;

}  // namespace vicinal::inline VICINAL_API
