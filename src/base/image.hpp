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
void for_each_between(const std::array<std::int32_t, D>& lo,
                      const std::array<std::int32_t, D>& hi, const F& f) {
    for (std::size_t a = 0; a < D; ++a)
        if (hi[a] < lo[a]) return;
    std::array<std::int32_t, D> n = lo;
    for (;;) {
        f(n);
        std::size_t a = 0;
        while (a < D && n[a] == hi[a]) {
            n[a] = lo[a];
            ++a;
        }
        if (a == D) return;
        ++n[a];
    }
}

}  // namespace vicinal::inline VICINAL_API
