#include "scene/exclusions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/parallel.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

void Exclusions::assign(std::span<const Pair> excluded, std::size_t a_bodies,
                        std::size_t b_bodies, bool one_set) {
    static_assert(sizeof(Pair) == 2 * sizeof(Index));
    const bool same = excluded.size() == excluded_.size() && one_set == one_set_ &&
                      (excluded.empty() || (a_bodies == a_bodies_ && b_bodies == b_bodies_ &&
                                            std::memcmp(excluded.data(), excluded_.data(),
                                                        excluded.size_bytes()) == 0));
    if (same) return;
    excluded_.resize(0);  // if one is invalid, none is kept
    a_bodies_ = a_bodies;
    b_bodies_ = b_bodies;
    one_set_ = one_set;
    for (std::size_t e = 0; e < excluded.size(); ++e)
        if (excluded[e].i >= a_bodies || excluded[e].j >= b_bodies)
            throw Error(Error::Kind::input,
                        "excluded pair " + std::to_string(e) + " names bodies " +
                            std::to_string(excluded[e].i) + " and " +
                            std::to_string(excluded[e].j) + ", but the sets have " +
                            std::to_string(a_bodies) + " and " + std::to_string(b_bodies) +
                            "; indices begin at 0");
    if (!excluded.empty()) fill_rows(excluded);
    // Last: if an allocation fails, the next call must not find an unchanged list.
    excluded_.resize(excluded.size());
    std::copy(excluded.begin(), excluded.end(), excluded_.data());
}

void Exclusions::fill_rows(std::span<const Pair> excluded) {
    max_gap_ = one_set_ ? 0 : std::numeric_limits<Index>::max();
    offsets_.resize(a_bodies_ + 1);
    signatures_.resize(a_bodies_);
    partners_.resize(excluded.size() + compared_at_once);
    std::fill(partners_.span().end() - compared_at_once, partners_.span().end(), Index{0});
    std::fill(signatures_.span().begin(), signatures_.span().end(), Signature{0});
    const auto offsets = offsets_.span();
    std::fill(offsets.begin(), offsets.end(), std::uint64_t{0});
    parallel_for(1, excluded.size(), [&](std::size_t e) {
        const Pair entry = of_row(excluded[e]);
        ++offsets[entry.i];
        max_gap_ = std::max(max_gap_, entry.j - entry.i);
    });
    std::uint64_t begin = 0;
    for (std::uint64_t& offset : offsets) begin += std::exchange(offset, begin);
    parallel_for(1, excluded.size(), [&](std::size_t e) {
        const Pair entry = of_row(excluded[e]);
        partners_[offsets[entry.i]++] = entry.j;
        const Index bit = adjacent() ? entry.j - entry.i : hash_bit(entry.j);
        signatures_[entry.i] |= static_cast<Signature>(1u << bit);
    });
    // Filling has moved every offset to the end of its row: move them back.
    for (std::size_t i = a_bodies_; i > 0; --i) offsets[i] = offsets[i - 1];
    offsets[0] = 0;
    parallel_for(1, a_bodies_, [&](std::size_t i) {
        std::sort(partners_.data() + offsets[i], partners_.data() + offsets[i + 1]);
    });
}

// Rows are short: the first four partners are compared branch-free.
bool Exclusions::is_excluded(Pair pair) const {
    const std::uint64_t begin = offsets_[pair.i], size = offsets_[pair.i + 1] - begin;
    const Index* const row = partners_.data() + begin;
    unsigned found = 0;
    for (std::size_t k = 0; k < compared_at_once; ++k)
        found |= static_cast<unsigned>(row[k] == pair.j) & static_cast<unsigned>(k < size);
    if (size > compared_at_once) [[unlikely]]
        return std::binary_search(row, row + size, pair.j);
    return found != 0;
}

// Signatures and rows are far apart in memory: all are prefetched before the first is needed.
void Exclusions::remove(std::span<const Pair> pairs, const PairMaskKernels& kernels,
                        std::uint64_t* keep) const {
    VICINAL_ASSERT(pairs.size() <= max_pairs);
    std::array<std::uint64_t, max_pairs / pairs_per_word> close;
    kernels.find_close(pairs.data(), pairs.size(), max_gap_, close.data());
    std::array<std::uint16_t, max_pairs> candidates;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < pairs.size(); begin += pairs_per_word)
        for (std::uint64_t bits = close[begin / pairs_per_word] & keep[begin / pairs_per_word];
             bits != 0; bits &= bits - 1) {
            const std::size_t k = begin + static_cast<std::size_t>(std::countr_zero(bits));
            __builtin_prefetch(signatures_.data() + pairs[k].i);
            candidates[count++] = static_cast<std::uint16_t>(k);
        }
    const auto keep_if = [&](const auto& test) {
        std::size_t kept = 0;
        for (std::size_t c = 0; c < count; ++c) {
            const std::uint16_t k = candidates[c];
            candidates[kept] = k;
            kept += test(pairs[k]) ? 1 : 0;
        }
        count = kept;
    };
    const Signature* const signatures = signatures_.data();
    if (adjacent()) {
        keep_if([=](Pair pair) { return (signatures[pair.i] >> (pair.j - pair.i) & 1) != 0; });
    } else {
        keep_if([=](Pair pair) { return (signatures[pair.i] >> hash_bit(pair.j) & 1) != 0; });
        for (std::size_t c = 0; c < count; ++c)
            __builtin_prefetch(offsets_.data() + pairs[candidates[c]].i);
        for (std::size_t c = 0; c < count; ++c)
            __builtin_prefetch(partners_.data() + offsets_[pairs[candidates[c]].i]);
        keep_if([this](Pair pair) { return is_excluded(pair); });
    }
    for (std::size_t c = 0; c < count; ++c)
        keep[candidates[c] / pairs_per_word] &=
            ~(std::uint64_t{1} << candidates[c] % pairs_per_word);
}

}  // namespace vicinal::inline VICINAL_API
