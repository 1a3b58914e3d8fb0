// Instances sorted by the lower side of their boxes along one axis, for sweep methods: the
// candidates after an entry are one run, up to the first box that begins beyond its upper side.
#pragma once

#include <algorithm>

#include "base/sort.hpp"
#include "scene/packed.hpp"
#include "sieve/sieve.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class SweepOrder {
  public:
    // Writes entries and their columns to `packed`, in order.
    void assign(const Scene<T, D>& scene, Packed<T, D>& packed);

    std::size_t axis() const { return axis_; }
    // The entries after e whose boxes overlap that of e along the axis (closed).
    Run after(std::size_t e) const {
        const T end = hi_[e];
        // Runs are short: galloping search.
        std::size_t begin = e + 1, step = 16;
        const std::size_t n = lo_.size();
        while (begin + step < n && lo_[begin + step] <= end) {
            begin += step;
            step *= 2;
        }
        const T* const last = lo_.data() + std::min(begin + step, n);
        const T* const found = std::upper_bound(lo_.data() + begin, last, end);
        return {e + 1, static_cast<std::size_t>(found - lo_.data())};
    }
    // How many boxes begin before x.
    std::size_t begun(T x) const {
        const std::span<const T> lo = lo_.span();
        return static_cast<std::size_t>(std::lower_bound(lo.begin(), lo.end(), x) - lo.begin());
    }
    // A run that contains all entries that overlap the box along the axis.
    Run around(const Box<T, D>& box) const {
        const std::span<const T> lo = lo_.span(), top = top_.span();
        const auto begin = std::lower_bound(top.begin(), top.end(), box.lo[axis_]);
        const auto end = std::upper_bound(lo.begin(), lo.end(), box.hi[axis_]);
        const auto first = static_cast<std::size_t>(begin - top.begin());
        return {first, std::max(first, static_cast<std::size_t>(end - lo.begin()))};
    }

  private:
    std::size_t axis_ = 0;
    Sorter<KeyedIndex> sorter_;
    Buffer<T> lo_, hi_;
    Buffer<T> top_;  // running maximum of the upper sides
};

// The axis along which the centres of a fixed sample, without its outermost tenth, vary most.
template <Real T, int D>
std::size_t axis_of_largest_variance(const Scene<T, D>& scene);

}  // namespace vicinal::inline VICINAL_API
