// Sorting and space-filling order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.hpp"
#include "core/scene.hpp"

namespace vicinal {

// Keys with a value each, and the memory to sort them.
struct KeyedIndices {
    Buffer<std::uint64_t> keys, other_keys;
    Buffer<Index> values, other_values;

    void resize(std::size_t n) {
        keys.resize(n);
        values.resize(n);
    }
    std::size_t bytes() const {
        return keys.bytes() + other_keys.bytes() + values.bytes() + other_values.bytes();
    }
};

// Stable sort by the lowest `bits` bits of the keys (the others are equal or zero): least
// significant digit first, parallel. A stable sort has one result, so threads do not matter.
void radix_sort(KeyedIndices& pairs, unsigned bits, int threads);

// The middle of the bodies and the length that most of them span, per axis: from a fixed
// sample, so that a few bodies at 1e30 do not blur the rest.
struct Bulk {
    std::array<double, 3> centre{};
    std::array<double, 3> extent{};  // at least the middle nine tenths; 0 if they coincide
};

template <Real T, int D>
Bulk bulk_of(const Scene<T, D>& scene);

// The bodies along a Z-curve.
template <Real T, int D>
std::vector<Index> morton_order(const Scene<T, D>& scene);

}  // namespace vicinal
