// Pieces shared by the kernels, once per target: include after <hwy/highway.h>.
#if defined(VICINAL_SIMD_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VICINAL_SIMD_LANES_INL
#undef VICINAL_SIMD_LANES_INL
#else
#define VICINAL_SIMD_LANES_INL
#endif

#include <array>
#include <cstdint>
#include <cstring>

#include "core/flat.hpp"
#include "simd/compress.hpp"

#include <vicinal/types.hpp>

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ids = hn::ScalableTag<std::uint32_t>;  // as many lanes as Floats

// first, first + 1, ... (Highway's Iota goes through memory lane by lane with g++ 12, and
// waits.)
HWY_INLINE hn::Vec<Ids> count_from(Index first) {
    alignas(64) static constexpr Index lanes[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
    const Ids di;
    static_assert(HWY_MAX_BYTES <= sizeof lanes);
    return hn::Add(hn::Load(di, lanes), hn::Set(di, first));
}

// The points of a batch from i on.
template <int D, class Tag>
HWY_INLINE std::array<hn::Vec<Tag>, D> load_points(Tag d,
                                                   const PointBatch<hn::TFromD<Tag>, D>& batch,
                                                   std::size_t i) {
    std::array<hn::Vec<Tag>, D> x;
    if (!batch.interleaved) {
        for (std::size_t a = 0; a < D; ++a) x[a] = hn::LoadU(d, batch.axis[a] + i);
    } else if constexpr (D == 2) {
        hn::LoadInterleaved2(d, batch.axis[0] + D * i, x[0], x[1]);
    } else {
        hn::LoadInterleaved3(d, batch.axis[0] + D * i, x[0], x[1], x[2]);
    }
    return x;
}

// One bit per lane.
template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
    if constexpr (hn::MaxLanes(d) <= 8) {
        std::uint8_t bits;
        hn::StoreMaskBits(d, mask, &bits);
        return bits;
    } else {
        alignas(8) std::uint8_t bytes[8] = {};
        hn::StoreMaskBits(d, mask, bytes);
        std::uint64_t bits;
        std::memcpy(&bits, bytes, sizeof bits);
        return bits;
    }
}

#if HWY_TARGET != HWY_SCALAR
// The bits of masks with twice as many lanes as Ids has, each half apart.
struct HalfBits {
    std::uint32_t lo, hi;
};
template <class D, class M, std::size_t n>
HWY_INLINE std::array<HalfBits, n> half_bits(D d, const std::array<M, n>& masks) {
    std::array<HalfBits, n> halves;
#if HWY_TARGET == HWY_AVX2
    (void)d;
    if constexpr (n == 2) {  // both at once; their halves come out in turns
        const auto bits = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_packs_epi16(masks[0].raw, masks[1].raw)));
        halves[0] = {bits & 0xff, bits >> 16 & 0xff};
        halves[1] = {bits >> 8 & 0xff, bits >> 24};
        return halves;
    }
#endif
    const std::size_t half = hn::Lanes(d) / 2;
    for (std::size_t i = 0; i < n; ++i) {
        const auto bits = static_cast<std::uint32_t>(bits_of(d, masks[i]));
        halves[i] = {bits & ((1u << half) - 1), bits >> half};
    }
    return halves;
}
#endif

// Moves the lanes whose bits are set to the front.
HWY_INLINE hn::Vec<Ids> compress(std::uint64_t bits, hn::Vec<Ids> values) {
#if HWY_TARGET == HWY_SCALAR
    (void)bits;
    return values;
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // sixteen lanes, and an instruction for it
    alignas(8) std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, sizeof bytes);
    return hn::Compress(values, hn::LoadMaskBits(Ids(), bytes));
#else
    const Ids di;
    const hn::Rebind<std::uint8_t, Ids> d8;
    const auto lanes = hn::PromoteTo(di, hn::LoadU(d8, compress_table[bits].data()));
    return hn::TableLookupLanes(values, hn::IndicesFromVec(di, lanes));
#endif
}

// The same, and stores a whole vector.
HWY_INLINE void compress_store(std::uint64_t bits, hn::Vec<Ids> values, Index* out) {
    hn::StoreU(compress(bits, values), Ids(), out);
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
