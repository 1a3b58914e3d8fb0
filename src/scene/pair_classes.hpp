// Classes of bodies for group masks: bodies with the same group and mask are of one class.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

struct Groups {
    Column<std::uint32_t> group, mask;  // not given: all bits set

    std::uint32_t group_of(Index i) const { return group.given() ? group[i] : ~0u; }
    std::uint32_t mask_of(Index i) const { return mask.given() ? mask[i] : ~0u; }
    bool given() const { return group.given() || mask.given(); }
};

inline bool may_pair(const Groups& a, Index i, const Groups& b, Index j) {
    return (a.group_of(i) & b.mask_of(j)) != 0 && (b.group_of(j) & a.mask_of(i)) != 0;
}

class PairClasses {
  public:
    static constexpr std::size_t max_count = 256;

    // False if there are too many classes.
    bool assign(const Groups& groups, std::size_t bodies);

    // True if every class may pair with every class.
    bool all_allowed() const { return all_allowed_; }
    bool allows(unsigned c, unsigned d) const {
        return (allowed_[c][d / 64] >> d % 64 & 1) != 0;
    }
    std::span<const std::uint8_t> of_bodies() const { return of_body_.span(); }
    // The number of bits that a class needs.
    unsigned bits() const { return static_cast<unsigned>(std::bit_width(count_ - 1)); }

    // For kernels, if there are at most 16 classes: bit d of low()[c] says whether class c may
    // pair with class d, bit d of high()[c] whether it may pair with class 8 + d.
    static constexpr std::size_t kernel_count = 16;
    using KernelTable = std::array<std::uint8_t, kernel_count>;
    bool has_kernel_tables() const { return count_ <= kernel_count; }
    const KernelTable& low() const { return low_; }
    const KernelTable& high() const { return high_; }

  private:
    std::size_t count_ = 0;
    bool all_allowed_ = true;
    Buffer<std::uint8_t> of_body_;
    std::array<std::array<std::uint64_t, max_count / 64>, max_count> allowed_{};
    alignas(16) KernelTable low_{}, high_{};
};

}  // namespace vicinal::inline VICINAL_API
