// Morton codes: bits of several coordinates interleaved, the order along a Z-curve.
#pragma once

#include <cstdint>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// Spreads the lowest 64 / D bits of v so that D - 1 zeros follow each.
template <int D>
std::uint64_t spread_bits(std::uint64_t v) {
    if constexpr (D == 2) {
        v = (v | v << 16) & 0x0000ffff0000ffff;
        v = (v | v << 8) & 0x00ff00ff00ff00ff;
        v = (v | v << 4) & 0x0f0f0f0f0f0f0f0f;
        v = (v | v << 2) & 0x3333333333333333;
        return (v | v << 1) & 0x5555555555555555;
    } else {
        v = (v | v << 32) & 0x001f00000000ffff;
        v = (v | v << 16) & 0x001f0000ff0000ff;
        v = (v | v << 8) & 0x100f00f00f00f00f;
        v = (v | v << 4) & 0x10c30c30c30c30c3;
        return (v | v << 2) & 0x1249249249249249;
    }
}

// The reverse: every D-th bit of v, from the lowest on.
template <int D>
std::uint64_t gather_bits(std::uint64_t v) {
    if constexpr (D == 2) {
        v &= 0x5555555555555555;
        v = (v | v >> 1) & 0x3333333333333333;
        v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0f;
        v = (v | v >> 4) & 0x00ff00ff00ff00ff;
        v = (v | v >> 8) & 0x0000ffff0000ffff;
        return (v | v >> 16) & 0x00000000ffffffff;
    } else {
        v &= 0x1249249249249249;
        v = (v | v >> 2) & 0x10c30c30c30c30c3;
        v = (v | v >> 4) & 0x100f00f00f00f00f;
        v = (v | v >> 8) & 0x001f0000ff0000ff;
        v = (v | v >> 16) & 0x001f00000000ffff;
        return (v | v >> 32) & 0x00000000001fffff;
    }
}

}  // namespace vicinal::inline VICINAL_API
