#include "simd/pair_masks.hpp"

#include <algorithm>
#include <bit>

#include "simd/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/pair_masks.cpp"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

void find_close_pairs(const Pair* pairs, std::size_t count, Index max_gap,
                      std::uint64_t* close) {
    const Ids di;
    const std::size_t lanes = hn::Lanes(di);
    const auto gap = hn::Set(di, max_gap);
    for (std::size_t begin = 0; begin < count; begin += pairs_per_word) {
        const std::size_t in_word = std::min(count - begin, pairs_per_word);
        const Pair* const word = pairs + begin;
        std::uint64_t bits = 0;
        std::size_t k = 0;
        for (; k + lanes <= in_word; k += lanes) {
            hn::Vec<Ids> i, j;
            hn::LoadInterleaved2(di, &word[k].i, i, j);
            const auto between = hn::Sub(j, i);
            bits |= bits_of(di, hn::Eq(hn::Min(between, gap), between)) << k;
        }
        for (; k < in_word; ++k) bits |= std::uint64_t{word[k].j - word[k].i <= max_gap} << k;
        close[begin / pairs_per_word] = bits;
    }
}

// Moves the pairs of a vector whose bits are set to the front; a pair is two lanes.
HWY_INLINE hn::Vec<Ids> compress_pairs(std::uint64_t bits, hn::Vec<Ids> pairs) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    // (g++ 12 copies the table of Highway's Compress to the stack at every use.)
    return hn::Vec<Ids>{_mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), pairs.raw)};
#else
    static constexpr std::array<std::uint8_t, 16> doubled{0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33,
                                                          0x3c, 0x3f, 0xc0, 0xc3, 0xcc, 0xcf,
                                                          0xf0, 0xf3, 0xfc, 0xff};
    return compress(doubled[bits], pairs);
#endif
}

std::size_t compact_pairs(const Pair* pairs, std::size_t count, const std::uint64_t* keep,
                          Pair* to) {
    const Ids di;
    constexpr std::size_t at_once = hn::MaxLanes(di) / 2;
    std::size_t kept = 0, k = 0;
    if constexpr (at_once > 0) {
        // Whole vectors: a store ends no later than the vector that was loaded.
        for (; k + at_once <= count; k += at_once) {
            const std::uint64_t bits = keep[k / pairs_per_word] >> k % pairs_per_word &
                                       ((std::uint64_t{1} << at_once) - 1);
            const auto vector = hn::LoadU(di, &pairs[k].i);
            hn::StoreU(compress_pairs(bits, vector), di, &to[kept].i);
            kept += hwy::PopCount(bits);
        }
    }
    for (; k < count; ++k) {
        // As one word: a copy through a vector register would take longer.
        const auto pair = std::bit_cast<std::uint64_t>(pairs[k]);
        to[kept] = std::bit_cast<Pair>(pair);
        kept += keep[k / pairs_per_word] >> k % pairs_per_word & 1;
    }
    return kept;
}

PairMaskKernels make_pair_mask_kernels() {
    return {find_close_pairs, compact_pairs};
}

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vicinal::inline VICINAL_API {
HWY_EXPORT(make_pair_mask_kernels);
PairMaskKernels pair_mask_kernels(std::int64_t target) {
    return HWY_DISPATCH_TABLE(make_pair_mask_kernels)[target_index(target)]();
}
}  // namespace vicinal::inline VICINAL_API
#endif
