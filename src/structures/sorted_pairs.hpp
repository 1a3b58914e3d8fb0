// A list of pairs of entries without duplicates: for methods that find pairs more than once and
// have no owner rule. Pairs are scattered to buckets of a radix sort while they are found;
// duplicates are dropped when a bucket is sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "base/sort.hpp"
#include "simd/lists.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

class SortedPairs {
  public:
    // search(range, put) calls put(a, b) for the pairs found from elements of a range of 0 to
    // n - 1. Called a second time if there are many more pairs than in the last step.
    template <class F>
    void assign(std::size_t entries, std::size_t n, int threads, const F& search) {
        constexpr std::uint64_t max_pairs = std::numeric_limits<std::uint32_t>::max();
        const auto bits = static_cast<unsigned>(std::bit_width(entries));
        const auto key = [bits](const EntryPair& pair) {
            return std::uint64_t{pair.first} << bits | pair.second;
        };
        const auto make = [&](Range range, std::size_t, const auto& put) {
            search(range, [&](std::size_t a, std::size_t b) {
                put(EntryPair{static_cast<Index>(std::min(a, b)),
                              static_cast<Index>(std::max(a, b))});
            });
        };
        repeated_ = sorter_.scatter_with_slack(n, 2 * bits, threads, max_pairs, make, key);
        if (repeated_ > max_pairs)
            throw Error(Error::Kind::limit,
                        "the list of pairs would have " + std::to_string(repeated_) +
                            " elements with its duplicates, more than 2^32; choose a method or "
                            "option that needs no list");
        sorter_.for_each_bucket(
            threads, key,
            [&](Range pairs, const EntryPair* bucket, const std::uint32_t* order,
                const auto& retain) {
                for (std::size_t k = 0; k < pairs.size(); ++k)
                    if (k == 0 || key(bucket[order[k]]) != key(bucket[order[k - 1]]))
                        retain(bucket[order[k]]);
            });
    }

    // The list in parts, whose number does not depend on threads.
    std::size_t parts() const { return repeated_ == 0 ? 0 : sorter_.buckets(); }
    std::span<const EntryPair> part(std::size_t p) const { return sorter_.kept(p); }
    std::uint64_t repeated() const { return repeated_; }  // before duplicates were dropped

  private:
    Sorter<EntryPair> sorter_;
    std::uint64_t repeated_ = 0;
};

}  // namespace vicinal::inline VICINAL_API
