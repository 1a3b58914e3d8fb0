// Which lanes a byte of bits selects, in order: a permutation that moves them to the front.
// (A table of our own because g++ 12 copies Highway's to the stack at every use.)
#pragma once

#include <array>
#include <cstdint>

namespace vicinal {

inline constexpr auto compress_table = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned bits = 0; bits < 256; ++bits) {
        std::size_t n = 0;
        for (std::uint8_t lane = 0; lane < 8; ++lane)
            if ((bits >> lane & 1u) != 0) table[bits][n++] = lane;
    }
    return table;
}();

}  // namespace vicinal
