// Bodies in Z-curve (Morton) order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/sort.hpp"
#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

// Instances sorted along a Z-curve through the first `axes` axes. The middle half of its range
// on each axis spans the quantile bounds of the bodies; coordinates outside the range are
// clamped.
template <Real T, int D>
class CurveOrder {
  public:
    CurveOrder() = default;
    explicit CurveOrder(unsigned axes) : axes_(axes) {}  // D, or 2

    void assign(const Scene<T, D>& scene, std::size_t instances);

    std::size_t size() const { return records_.size(); }
    Index operator[](std::size_t k) const { return records_[k].value; }

    // The highest bit in which the keys of two of the entries begin ... end - 1 differ; -1 if
    // none.
    int differing_bit(Index begin, Index end) const {
        return static_cast<int>(std::bit_width(records_[begin].key ^ records_[end - 1].key)) -
               1;
    }

    // Divides the entries into groups with equal key >> shift, of which there are at most N.
    template <std::size_t N>
    unsigned divide(Index begin, Index end, unsigned shift, std::array<Index, N>& ends) const {
        const KeyedIndex* const records = records_.data();
        unsigned count = 0;
        while (begin < end) {
            const std::uint64_t cell = records[begin].key >> shift;
            const auto last = std::partition_point(
                records + begin, records + end,
                [&](const KeyedIndex& r) { return r.key >> shift == cell; });
            begin = static_cast<Index>(last - records);
            ends[count++] = begin;
        }
        return count;
    }

  private:
    template <int axes>
    void assign_axes(const Scene<T, D>& scene, std::size_t instances);

    unsigned axes_ = D;
    Buffer<KeyedIndex> records_;  // sorted
    Sorter<KeyedIndex> sorter_;
};

}  // namespace vicinal::inline VICINAL_API
