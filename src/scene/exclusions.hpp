// Excluded pairs as compressed rows (CSR) by their first body, within one set the smaller
// index. Two tests reject nearly all pairs before the rows are read. First, no excluded pair
// has j - i above the maximum gap: bonded bodies usually have nearby indices. Second, each row
// has a signature of 16 bits with one bit per partner. If the maximum gap is below 16, it is
// bit j - i and the test is exact; else it is a hash of j, as in a Bloom filter.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "simd/pair_masks.hpp"

namespace vicinal::inline VICINAL_API {

class Exclusions {
  public:
    // An unchanged list costs only a comparison.
    void assign(std::span<const Pair> excluded, std::size_t a_bodies, std::size_t b_bodies,
                bool one_set);
    bool empty() const { return excluded_.size() == 0; }
    bool contains(Index i, Index j) const {
        return is_excluded(one_set_ && i > j ? Pair{j, i} : Pair{i, j});
    }
    // Clears the bits of excluded pairs in `keep`; at most max_pairs at a time.
    static constexpr std::size_t max_pairs = 1024;
    void remove(std::span<const Pair> pairs, const PairMaskKernels& kernels,
                std::uint64_t* keep) const;

  private:
    using Signature = std::uint16_t;
    static constexpr Index signature_bits = 16;
    static Index hash_bit(Index j) { return j * 0x9E3779B9u >> 28; }
    bool adjacent() const { return max_gap_ < signature_bits; }
    bool has_bit(Pair pair) const { return (signatures_[pair.i] >> hash_bit(pair.j) & 1) != 0; }
    Pair of_row(Pair pair) const {
        return one_set_ && pair.i > pair.j ? Pair{pair.j, pair.i} : pair;
    }
    void fill_rows();
    bool is_excluded(Pair pair) const;

    Buffer<Pair> excluded_;  // as given
    std::size_t a_bodies_ = 0, b_bodies_ = 0;
    bool one_set_ = true;
    Buffer<std::uint64_t> offsets_;
    static constexpr std::size_t compared_at_once = 4;
    Buffer<Index> partners_;  // plus padding: compared_at_once more are read
    Buffer<Signature> signatures_;
    Index max_gap_ = 0;
};

}  // namespace vicinal::inline VICINAL_API
