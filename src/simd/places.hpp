// What every step asks of the coordinates of all bodies, as they lie in the caller's arrays:
// are they finite, and what bounds them?
#pragma once

#include <array>

#include "core/flat.hpp"

namespace vicinal {

// Bounds of the values k of an array, apart by k % flat_group.
template <Real T>
struct FlatBounds {
    std::array<T, flat_group> lo, hi;
};

template <Real T>
struct PlaceKernels {
    bool (*finite)(const T* values, std::size_t n);
    FlatBounds<T> (*bounds)(const T* values, std::size_t n);  // infinite where there are none
};

template <Real T>
PlaceKernels<T> place_kernels(std::int64_t target);

}  // namespace vicinal
