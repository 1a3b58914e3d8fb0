// AABBs of rigid bodies, computed from the vertices of each in its local frame and its
// transform to the world frame: the step before the search if bodies are meshes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vicinal/bodies.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// Maps a point v of the local frame to rotation * v + translation.
template <Real T, int D>
struct Transform {
    std::array<Vector<T, D>, D> rotation{};  // rows
    Vector<T, D> translation{};
};

// The vertices of all bodies, concatenated: body b has vertices first[b] ... first[b + 1] - 1,
// so `first` has one element more than there are bodies. For a body that is a box in its local
// frame, the vertices are its corners.
template <Real T, int D>
struct Vertices {
    std::span<const Vector<T, D>> positions;
    std::span<const std::uint64_t> first;
};

// Reuse it from step to step, so that its memory is reused.
template <Real T, int D>
struct Boxes {
    std::vector<Vector<T, D>> lower, upper;
    double seconds = 0;  // duration of the last call of boxes_of()

    Bodies<T, D> view() const& { return boxes<D>(lower, upper); }
    Bodies<T, D> view() && = delete;  // a view of a temporary would dangle
};

// The corners of a box, as vertices.
template <Real T, int D>
VICINAL_EXPORT std::vector<Vector<T, D>> corners_of(const Vector<T, D>& lower,
                                                    const Vector<T, D>& upper);

// Computes the boxes of the vertices as transformed in T, on `threads` threads (0: all). Every
// body needs at least one vertex, and a transform. Finder::update() checks that the boxes are
// finite.
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
