// Chooses the width of the next skin, and whether a list is made at all. A given width is used
// as it is. Otherwise the width balances the length of the list against the steps it lasts, by
// counts alone, so that it does not depend on timing. If bodies move too fast no list is made,
// and after a list that failed early none for a while (back-off).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/ledger.hpp"
#include "scene/lattice.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class SkinPolicy {
  public:
    explicit SkinPolicy(std::optional<double> width) : fixed_width_(width) {}  // none: auto

    // At the start of each step.
    void note_motion(const Bodies<T, D>& bodies, const Lattice<T, D>& lattice);
    // A list of this width has ended after `steps` steps that reused it.
    void note_end(double width, std::uint64_t steps);
    // The width of a new list; none: search from scratch. `pairs`: how many the last search
    // found.
    std::optional<double> choose_width(std::uint64_t pairs);

  private:
    using Sample = std::array<double, D>;

    double cheapest_width(double motion, std::uint64_t pairs) const;

    std::optional<double> fixed_width_;
    CountedVector<Sample> sample_;  // positions of some bodies in the last step
    std::size_t bodies_then_ = 0;
    double moved_ = -1;  // the largest motion of the sample since then; < 0: unknown
    double size_ = 0;    // mean, of the sample
    double speed_ = -1;  // motion per step, from the lifetime of the last list; < 0: unknown
    std::uint64_t rest_ = 0, back_off_ = 1;  // steps without a list after one that failed
};

}  // namespace vicinal::inline VICINAL_API
