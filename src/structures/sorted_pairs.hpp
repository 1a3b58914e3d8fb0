// A list of pairs of entries, sorted to remove duplicates: for methods that find pairs more
// than once and have no owner rule.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sort.hpp"
#include "simd/lists.hpp"

namespace vicinal::inline VICINAL_API {

class SortedPairs {
  public:
    // search(task, put) calls put(a, b) for the pairs of a task, of entries below `entries`.
    template <class F>
    void assign(std::size_t entries, std::size_t tasks, int threads, const F& search) {
        entry_bits_ = static_cast<unsigned>(std::bit_width(entries));
        std::vector<std::vector<std::uint64_t>> found(tasks);
        parallel_tasks(threads, tasks, [&](std::size_t t, int) {
            search(t, [&](std::size_t a, std::size_t b) {
                found[t].push_back(std::min(a, b) << entry_bits_ | std::max(a, b));
            });
        });
        std::vector<std::size_t> before(tasks);
        for (std::size_t t = 0; t < tasks; ++t) before[t] = found[t].size();
        repeated_ = exclusive_scan(1, std::span(before));
        auto& pairs = sorter_.records;
        pairs.resize(repeated_);
        parallel_tasks(threads, tasks, [&](std::size_t t, int) {
            std::copy(found[t].begin(), found[t].end(), pairs.data() + before[t]);
        });
        sorter_.sort(2 * entry_bits_, threads, [](std::uint64_t pair) { return pair; });
        const auto end = std::unique(pairs.data(), pairs.data() + repeated_);
        pairs.resize(static_cast<std::size_t>(end - pairs.data()));
    }

    std::size_t size() const { return sorter_.records.size(); }
    EntryPair operator[](std::size_t p) const {
        const std::uint64_t pair = sorter_.records[p];
        const std::uint64_t mask = (std::uint64_t{1} << entry_bits_) - 1;
        return {static_cast<Index>(pair >> entry_bits_), static_cast<Index>(pair & mask)};
    }
    std::size_t repeated() const { return repeated_; }  // before duplicates were removed

  private:
    unsigned entry_bits_ = 0;
    Sorter<std::uint64_t> sorter_;
    std::size_t repeated_ = 0;
};

}  // namespace vicinal::inline VICINAL_API
