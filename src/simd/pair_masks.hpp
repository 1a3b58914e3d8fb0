// Kernels on blocks of pairs with one bit per pair, 64 to a word.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

constexpr std::size_t pairs_per_word = 64;

struct PairMaskKernels {
    // Sets the bits of pairs with j - i <= max_gap (modulo 2^32) and clears all others, in
    // whole words.
    void (*find_close)(const Pair* pairs, std::size_t count, Index max_gap,
                       std::uint64_t* close);
    // Moves the pairs whose bits are set to `to`, in order; returns how many. The target is at
    // `pairs` or before it and may overlap it.
    std::size_t (*compact)(const Pair* pairs, std::size_t count, const std::uint64_t* keep,
                           Pair* to);
};
PairMaskKernels pair_mask_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
