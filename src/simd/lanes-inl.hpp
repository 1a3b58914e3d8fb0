// Code shared by the kernels, compiled once per target: include after <hwy/highway.h>.
#if defined(VICINAL_SIMD_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VICINAL_SIMD_LANES_INL
#undef VICINAL_SIMD_LANES_INL
#else
#define VICINAL_SIMD_LANES_INL
#endif

#include <array>
#include <cstdint>
#include <cstring>

#include "base/flat.hpp"
#include "simd/compress.hpp"

#include <vicinal/types.hpp>

HWY_BEFORE_NAMESPACE();
namespace vicinal::inline VICINAL_API::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ids = hn::ScalableTag<std::uint32_t>;  // as many lanes as Floats

// first, first + 1, ... (g++ 12 compiles Highway's Iota to a store per lane and a vector load,
// which stalls.)
HWY_INLINE hn::Vec<Ids> count_from(Index first) {
    alignas(64) static constexpr Index lanes[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
    const Ids di;
    static_assert(HWY_MAX_BYTES <= sizeof lanes);
    return hn::Add(hn::Load(di, lanes), hn::Set(di, first));
}

// Points i, i + 1, ... of a batch, one vector per axis.
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
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    (void)d;
    return mask.raw;  // already bits; a round trip through memory would stall
#endif
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

// Moves the lanes whose bits are set to the front.
HWY_INLINE hn::Vec<Ids> compress(std::uint64_t bits, hn::Vec<Ids> values) {
#if HWY_TARGET == HWY_SCALAR
    (void)bits;
    return values;
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // sixteen lanes, and a compress instruction
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

// Compresses, and stores a whole vector.
HWY_INLINE void compress_store(std::uint64_t bits, hn::Vec<Ids> values, Index* out) {
    hn::StoreU(compress(bits, values), Ids(), out);
}

// Interleaves a[0], b[0], a[1], b[1], ... of 32 or 64 bits each.
template <class D>
HWY_INLINE void store_interleaved(hn::Vec<D> a, hn::Vec<D> b, D d, hn::TFromD<D>* out) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // two permutations; Highway uses six
    using T = hn::TFromD<D>;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    static_assert(lanes * sizeof(T) == 64);
    alignas(64) static constexpr auto turns = [] {
        std::array<std::array<T, lanes>, 2> from{};
        for (std::size_t k = 0; k < 2 * lanes; ++k)
            from[k / lanes][k % lanes] = static_cast<T>(k / 2 + k % 2 * lanes);
        return from;
    }();
    for (std::size_t half = 0; half < 2; ++half) {
        const __m512i from = _mm512_load_si512(turns[half].data());
        _mm512_storeu_si512(out + lanes * half,
                            sizeof(T) == 4 ? _mm512_permutex2var_epi32(a.raw, from, b.raw)
                                           : _mm512_permutex2var_epi64(a.raw, from, b.raw));
    }
#else
    hn::StoreInterleaved2(a, b, d, out);
#endif
}

// Stores pairs of i and j, lane by lane, the smaller index first.
HWY_INLINE void store_pairs(hn::Vec<Ids> i, hn::Vec<Ids> j, Pair* out) {
    static_assert(sizeof(Pair) == 2 * sizeof(Index));
    store_interleaved(hn::Min(i, j), hn::Max(i, j), Ids(), reinterpret_cast<Index*>(out));
}

// The bits of a mask with twice as many lanes as Ids has (as many on scalar targets).
struct WideBits {
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_SCALAR
    std::uint32_t all;
    static WideBits of(std::uint32_t bits) { return {bits}; }
    std::uint32_t together() const { return all; }
    std::size_t count() const { return hwy::PopCount(all); }
#else
    std::uint32_t lo, hi;
    static constexpr std::size_t half = hn::MaxLanes(Ids());
    static WideBits of(std::uint32_t bits) { return {bits & ((1u << half) - 1), bits >> half}; }
    std::uint32_t together() const { return lo | hi << half; }
    std::size_t count() const { return hwy::PopCount(lo) + hwy::PopCount(hi); }
#endif
};
template <class D, class M, std::size_t n>
HWY_INLINE std::array<WideBits, n> wide_bits(D d, const std::array<M, n>& masks) {
    std::array<WideBits, n> wide;
#if HWY_TARGET == HWY_AVX2
    (void)d;
    if constexpr (n == 2) {  // both masks at once; their halves come out interleaved
        const auto bits = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_packs_epi16(masks[0].raw, masks[1].raw)));
        wide[0] = {bits & 0xff, bits >> 16 & 0xff};
        wide[1] = {bits >> 8 & 0xff, bits >> 24};
        return wide;
    }
#endif
    for (std::size_t i = 0; i < n; ++i)
        wide[i] = WideBits::of(static_cast<std::uint32_t>(bits_of(d, masks[i])));
    return wide;
}

// Stores the ids whose bits are set, in whole vectors.
HWY_INLINE void compress_store(WideBits bits, const Index* ids, Index* out) {
    const Ids di;
#if HWY_TARGET == HWY_SCALAR
    (void)bits;
    hn::StoreU(hn::LoadU(di, ids), di, out);
#elif HWY_TARGET == HWY_AVX3_DL
    // Lane numbers are compressed as bytes and looked up in both vectors: one store, because
    // more than half of the lanes are rarely set.
    alignas(32) static constexpr auto lanes = [] {
        std::array<std::uint8_t, 32> n{};
        for (std::uint8_t k = 0; k < 32; ++k) n[k] = k;
        return n;
    }();
    const __m256i hits = _mm256_maskz_compress_epi8(
        bits.all, _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes.data())));
    const auto lo = hn::LoadU(di, ids), hi = hn::LoadU(di, ids + 16);
    const auto store = [&](__m128i which, Index* to) {
        _mm512_storeu_si512(
            to, _mm512_permutex2var_epi32(lo.raw, _mm512_cvtepu8_epi32(which), hi.raw));
    };
    store(_mm256_castsi256_si128(hits), out);
    if (HWY_UNLIKELY(bits.count() > 16)) store(_mm256_extracti128_si256(hits, 1), out + 16);
#else
    compress_store(bits.lo, hn::LoadU(di, ids), out);
    compress_store(bits.hi, hn::LoadU(di, ids + hn::Lanes(di)), out + hwy::PopCount(bits.lo));
#endif
}

}  // namespace vicinal::inline VICINAL_API::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
