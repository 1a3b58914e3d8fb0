// Integer shifts by whole lattice vectors.
#pragma once

#include <array>
#include <cstdint>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// The image of i seen from j, given the image of j seen from i.
template <int D>
Image<D> negated(Image<D> image) {
    for (auto& n : image) n = static_cast<std::int16_t>(-n);
    return image;
}

template <int D>
using Shift = std::array<std::int32_t, D>;

// Calls f for every integer vector from lo to hi, both included, axis 0 fastest.
template <std::size_t D, class F>
    requires(D == 2 || D == 3)
void for_each_between(const std::array<std::int32_t, D>& lo,
                      const std::array<std::int32_t, D>& hi, const F& f) {
    std::array<std::int32_t, D> n;
    // 64-bit counters: hi may be the largest 32-bit integer.
    const auto plane = [&] {
        for (std::int64_t y = lo[1]; y <= hi[1]; ++y)
            for (std::int64_t x = lo[0]; x <= hi[0]; ++x) {
                n[0] = static_cast<std::int32_t>(x);
                n[1] = static_cast<std::int32_t>(y);
                f(n);
            }
    };
    if constexpr (D == 2) return plane();
    for (std::int64_t z = lo[D - 1]; z <= hi[D - 1]; ++z) {
        n[D - 1] = static_cast<std::int32_t>(z);
        plane();
    }
}

}  // namespace vicinal::inline VICINAL_API
