// Compress table: for a byte of mask bits, the permutation that moves the selected lanes to the
// front. (Our own table, because g++ 12 copies Highway's to the stack at every use.)
#pragma once

#include <array>
#include <cstdint>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

inline constexpr auto compress_table = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned bits = 0; bits < 256; ++bits) {
        std::size_t n = 0;
        for (std::uint8_t lane = 0; lane < 8; ++lane)
            if ((bits >> lane & 1u) != 0) table[bits][n++] = lane;
    }
    return table;
}();

}  // namespace vicinal::inline VICINAL_API
