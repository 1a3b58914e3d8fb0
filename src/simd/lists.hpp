// Tests a neighbour list: which pairs found earlier are within reach now, by the contract's
// formula. Bodies are stored as records (array of structs), so that a pair costs two loads. The
// same operations in the same order as sieve/decide.hpp.
#pragma once

#include <array>
#include <cstdint>

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

struct EntryPair {
    Index first, second;
};

// A box's record holds D lower sides, then D upper sides negated, each followed by zeros up to
// `box_half` values; a round body's holds D coordinates, the radius, and zeros up to four
// values.
template <int D>
constexpr std::size_t box_half = D == 2 ? 2 : 4;
constexpr std::size_t round_width = 4;

// Writes to `out` the positions of the pairs within reach and returns their number. `out` must
// have the capacity `count` + 1.
template <Real T>
using ListTest = std::size_t (*)(const T* records, const EntryPair* pairs, std::size_t count,
                                 Index* out);

template <Real T, int D>
struct ListKernels {
    ListTest<T> boxes;
    std::array<ListTest<T>, 3> round;  // by reach rule
};

template <Real T, int D>
ListKernels<T, D> list_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
