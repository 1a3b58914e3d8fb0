// The boxes around rigid bodies, from the vertices of each in its own frame and the transform
// that puts it into the world: what comes before the search when bodies are meshes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vicinal/bodies.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// A place v of a body's own frame goes to rotation * v + translation.
template <Real T, int D>
struct Transform {
    std::array<Vector<T, D>, D> rotation{};  // rows
    Vector<T, D> translation{};
};

// The vertices of all bodies one after the other: those of body b are first[b] ... first[b + 1]
// - 1, where `first` has one element more than there are bodies. A body that is a box in its
// own frame has the corners of that box for vertices.
template <Real T, int D>
struct Vertices {
    std::span<const Vector<T, D>> places;
    std::span<const std::uint64_t> first;
};

// Keep it from step to step: it keeps its memory.
template <Real T, int D>
struct Boxes {
    std::vector<Vector<T, D>> lower, upper;
    double seconds = 0;  // that the last update of them took

    Bodies<T, D> view() const { return boxes<D>(lower, upper); }
};

// The corners of a box, as vertices.
template <Real T, int D>
VICINAL_EXPORT std::vector<Vector<T, D>> corners_of(const Vector<T, D>& lower,
                                                    const Vector<T, D>& upper);

// The boxes hold the vertices as transformed in T, on `threads` threads (0: all). Every body
// needs a vertex and a transform; whether numbers are finite is checked when a finder takes the
// boxes.
template <Real T, int D>
VICINAL_EXPORT void boxes_of(const Vertices<T, D>& vertices,
                             std::span<const Transform<T, D>> transforms, Boxes<T, D>& result,
                             int threads = 0);

template <Real T, int D>
Boxes<T, D> boxes_of(const Vertices<T, D>& vertices,
                     std::span<const Transform<T, D>> transforms, int threads = 0) {
    Boxes<T, D> result;
    boxes_of(vertices, transforms, result, threads);
    return result;
}

#define VICINAL_DECLARE(T, D)                                                              \
    extern template std::vector<Vector<T, D>> corners_of<T, D>(const Vector<T, D>&,        \
                                                               const Vector<T, D>&);       \
    extern template void boxes_of(const Vertices<T, D>&, std::span<const Transform<T, D>>, \
                                  Boxes<T, D>&, int);
VICINAL_DECLARE(float, 2)
VICINAL_DECLARE(float, 3)
VICINAL_DECLARE(double, 2)
VICINAL_DECLARE(double, 3)
#undef VICINAL_DECLARE

}  // namespace vicinal::inline VICINAL_API
