// Types that every other header uses: scalars, indices, pairs, images, vectors.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

// A body's index in the caller's arrays. At most 2^32 - 1 bodies per process.
using Index = std::uint32_t;

// Bodies i and j are close enough to interact. Within one set i < j (i == j only across a
// periodic face); between two sets i is an index of the first and j of the second.
struct Pair {
    Index i;
    Index j;
    auto operator<=>(const Pair&) const = default;
};

// The periodic image of j in a pair: j shifted by image[0]*H0 + image[1]*H1 + ..., relative to
// the coordinates exactly as the caller gave them.
template <int D>
using Image = std::array<std::int16_t, D>;

template <Real T, int D>
using Vector = std::array<T, D>;

inline constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

}  // namespace vicinal::inline VICINAL_API
