// Tests entries against each other before a search, for methods that list pairs in build().
#pragma once

#include "scene/packed.hpp"
#include "sieve/decide.hpp"

namespace vicinal::inline VICINAL_API {

// True for all entries that touch: by the contract's formula at rest in an open domain, else if
// their boxes overlap. The sieve decides again.
template <Real T, int D>
class EntryTest {
  public:
    EntryTest(const Scene<T, D>& scene, const Packed<T, D>& packed)
        : kind_(packed.kind()),
          rule_(scene.view().rule),
          cutoff_(scene.view().cutoff),
          radius_(packed.radius()) {
        for (std::size_t c = 0; c < 2 * D; ++c) columns_[c] = packed.column(c);
    }

    bool operator()(std::size_t a, std::size_t b) const {
        if (kind_ == PackedKind::points) return within(a, b, cutoff_);
        if (kind_ == PackedKind::spheres)
            return within(a, b, reach_of(rule_, radius_[a], radius_[b]));
        unsigned overlap = 1;  // branch-free
        for (std::size_t c = 0; c < D; ++c)
            overlap &= unsigned{columns_[c][a] <= columns_[D + c][b]} &
                       unsigned{columns_[c][b] <= columns_[D + c][a]};
        return overlap != 0;
    }

  private:
    bool within(std::size_t a, std::size_t b, T reach) const {
        Vector<T, D> d;
        for (std::size_t c = 0; c < D; ++c) d[c] = columns_[c][b] - columns_[c][a];
        return round_touches_round<T, D>(d, {}, reach, false);
    }

    const PackedKind kind_;
    const ReachRule rule_;
    const T cutoff_;
    const T* const radius_;
    std::array<const T*, 2 * D> columns_;
};

}  // namespace vicinal::inline VICINAL_API
