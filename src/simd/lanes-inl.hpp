// Pieces shared by the kernels, once per target: include after <hwy/highway.h>.
#if defined(VICINAL_SIMD_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VICINAL_SIMD_LANES_INL
#undef VICINAL_SIMD_LANES_INL
#else
#define VICINAL_SIMD_LANES_INL
#endif

#include <cstdint>
#include <cstring>

#include "simd/compress.hpp"

#include <vicinal/types.hpp>

HWY_BEFORE_NAMESPACE();
namespace vicinal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ids = hn::ScalableTag<std::uint32_t>;  // as many lanes as Floats

// One bit per lane.
template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    std::uint64_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return bits;
}

// Moves the lanes whose bits are set to the front and stores a whole vector.
HWY_INLINE void compress_store(std::uint64_t bits, hn::Vec<Ids> values, Index* out) {
    const Ids di;
#if HWY_TARGET == HWY_SCALAR
    (void)bits;
    hn::StoreU(values, di, out);
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // sixteen lanes, and an instruction for it
    alignas(8) std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, sizeof bytes);
    hn::CompressBitsStore(values, bytes, di, out);
#else
    const hn::Rebind<std::uint8_t, Ids> d8;
    const auto lanes = hn::PromoteTo(di, hn::LoadU(d8, compress_table[bits].data()));
    hn::StoreU(hn::TableLookupLanes(values, hn::IndicesFromVec(di, lanes)), di, out);
#endif
}

}  // namespace vicinal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
