// A set of pairs of numbers: an array of its members, in which an erased one is replaced by the
// last, and a hash table of indices into that array (open addressing, linear probing).
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/ledger.hpp"
#include "simd/lists.hpp"

namespace vicinal::inline VICINAL_API {

class PairSet {
  public:
    std::span<const EntryPair> members() const { return members_; }

    void clear() {
        members_.clear();
        table_.assign(table_.size(), none);
    }
    void reserve(std::size_t n) {
        if (2 * n > table_.size()) grow(n);
    }
    void insert(Index a, Index b) {
        const EntryPair pair = ordered(a, b);
        reserve(members_.size() + 1);
        const std::size_t at = find(pair);
        if (table_[at] != none) return;
        table_[at] = static_cast<Index>(members_.size());
        members_.push_back(pair);
    }
    void erase(Index a, Index b) {
        if (table_.empty()) return;
        const std::size_t at = find(ordered(a, b));
        if (table_[at] != none) remove(at);
    }
    // Erases every pair for which f(first, second) is true.
    template <class F>
    void erase_if(const F& f) {
        for (std::size_t m = members_.size(); m-- > 0;)
            if (f(members_[m].first, members_[m].second)) remove(find(members_[m]));
    }

  private:
    static constexpr Index none = ~Index{0};

    static EntryPair ordered(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }

    std::size_t home(const EntryPair& pair) const {
        const std::uint64_t key = std::uint64_t{pair.first} << 32 | pair.second;
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> shift_);
    }
    // The pair's position in the table, or the position where it would be inserted.
    std::size_t find(const EntryPair& pair) const {
        const std::size_t mask = table_.size() - 1;
        for (std::size_t at = home(pair);; at = (at + 1) & mask) {
            const Index m = table_[at];
            if (m == none ||
                (members_[m].first == pair.first && members_[m].second == pair.second))
                return at;
        }
    }
    void remove(std::size_t at) {
        const std::size_t mask = table_.size() - 1;
        const Index m = table_[at];
        const auto last = static_cast<Index>(members_.size() - 1);
        if (m != last) {
            table_[find(members_[last])] = m;
            members_[m] = members_[last];
        }
        members_.pop_back();
        // Backward-shift deletion: later entries fill the gap unless their home slot lies after
        // it.
        for (std::size_t next = (at + 1) & mask; table_[next] != none;
             next = (next + 1) & mask) {
            const std::size_t from = home(members_[table_[next]]);
            if (((next - from) & mask) < ((next - at) & mask)) continue;
            table_[at] = table_[next];
            at = next;
        }
        table_[at] = none;
    }
    void grow(std::size_t n) {
        const auto bits = static_cast<unsigned>(std::bit_width(4 * n));
        shift_ = 64 - bits;
        table_.assign(std::size_t{1} << bits, none);
        for (std::size_t m = 0; m < members_.size(); ++m)
            table_[find(members_[m])] = static_cast<Index>(m);
    }

    CountedVector<EntryPair> members_;
    CountedVector<Index> table_;  // at most half full
    unsigned shift_ = 63;
};

}  // namespace vicinal::inline VICINAL_API
