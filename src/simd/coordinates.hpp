// Passes over the caller's coordinates that every step makes: a check that all are finite, and
// their bounds.
#pragma once

#include <array>

#include "base/box.hpp"
#include "base/flat.hpp"

namespace vicinal::inline VICINAL_API {

// Bounds of the values of an array, separately for each k % flat_group.
template <Real T>
struct FlatBounds {
    std::array<T, flat_group> lo, hi;
};

template <Real T, int D>
struct CoordinateKernels {
    bool (*finite)(const T* values, std::size_t n);
    FlatBounds<T> (*bounds)(const T* values, std::size_t n);  // infinite if there are no values
    // A bit for each point of a batch that is not strictly inside a box.
    std::uint64_t (*outside)(const PointBatch<T, D>&, const Box<T, D>&);
};

template <Real T, int D>
CoordinateKernels<T, D> coordinate_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
