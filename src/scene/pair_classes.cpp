#include "scene/pair_classes.hpp"

#include <algorithm>

#include "base/cancellation.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// A small hash table of (group, mask).
class ClassTable {
  public:
    // The class of a key, or max_count if there are too many.
    std::size_t find(std::uint64_t key) {
        for (std::size_t slot = key * 0x9E3779B97F4A7C15u >> (64 - slot_bits);;
             slot = (slot + 1) % slots) {
            if (class_of_[slot] != 0 && keys_[slot] == key) return class_of_[slot] - 1u;
            if (class_of_[slot] != 0) continue;
            if (size_ == PairClasses::max_count) return PairClasses::max_count;
            keys_[slot] = key;
            class_of_[slot] = static_cast<std::uint16_t>(size_ + 1);
            return size_++;
        }
    }
    std::size_t size() const { return size_; }

  private:
    static constexpr unsigned slot_bits = 10;
    static constexpr std::size_t slots = 1 << slot_bits;
    static_assert(slots > PairClasses::max_count);
    std::size_t size_ = 0;
    std::array<std::uint64_t, slots> keys_{};
    std::array<std::uint16_t, slots> class_of_{};  // class + 1; 0 if the slot is free
};

}  // namespace

bool PairClasses::assign(const Groups& groups, std::size_t bodies) {
    count_ = 0;
    ClassTable table;
    std::array<GroupMask, max_count> of_class;
    of_body_.resize(bodies);
    for (Index i = 0; i < bodies; ++i) {
        if (i % work_per_poll == 0) poll_cancelled(work_per_poll);
        const GroupMask own = groups.of(i);
        const std::size_t c = table.find(std::uint64_t{own.group} << 32 | own.mask);
        if (c == max_count) return false;
        of_class[c] = own;
        of_body_[i] = static_cast<std::uint8_t>(c);
    }
    count_ = table.size();
    all_allowed_ = true;
    allowed_.resize(count_);
    for (std::size_t c = 0; c < count_; ++c) {
        allowed_[c] = {};
        for (std::size_t d = 0; d < count_; ++d)
            if (may_pair(of_class[c], of_class[d]))
                allowed_[c][d / 64] |= std::uint64_t{1} << d % 64;
            else
                all_allowed_ = false;
    }
    for (std::size_t c = 0; c < std::min(count_, kernel_count); ++c) {
        low_[c] = static_cast<std::uint8_t>(allowed_[c][0]);
        high_[c] = static_cast<std::uint8_t>(allowed_[c][0] >> 8);
    }
    return true;
}

}  // namespace vicinal::inline VICINAL_API
