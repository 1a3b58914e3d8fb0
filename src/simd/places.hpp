// What every step asks of the coordinates of all bodies, as they lie in the caller's arrays:
// are they finite, and what bounds them?
#pragma once

#include <array>

#include "core/flat.hpp"
#include "core/scene.hpp"

namespace vicinal {

// Bounds of the values k of an array, apart by k % flat_group.
template <Real T>
struct FlatBounds {
    std::array<T, flat_group> lo, hi;
};

template <Real T, int D>
struct PlaceKernels {
    bool (*finite)(const T* values, std::size_t n);
    FlatBounds<T> (*bounds)(const T* values, std::size_t n);  // infinite where there are none
    // A bit for each point of a batch that is not strictly inside a box.
    std::uint64_t (*outside)(const PointBatch<T, D>&, const Box<T, D>&);
};

template <Real T, int D>
PlaceKernels<T, D> place_kernels(std::int64_t target);

}  // namespace vicinal
