// Bounds of a scene: of all bodies, and quantile bounds, which ignore outliers.
#pragma once

#include <array>

#include "base/box.hpp"
#include "base/parallel.hpp"
#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

// Per axis the median of the bodies and the length that most of them span, from a fixed sample.
// A few bodies at 1e30 do not distort them.
struct QuantileBounds {
    std::array<double, 3> centre{};
    std::array<double, 3> extent{};  // spans the middle nine tenths; 0 if they coincide
};

template <Real T, int D>
QuantileBounds quantile_bounds(const Scene<T, D>& scene);

// The smallest and largest coordinates of all centres (of boxes: lower corners).
template <Real T, int D>
Box<double, D> bounds_of(const Scene<T, D>& scene);

// Bounds of the boxes of all instances.
template <Real T, int D>
Box<T, D> bounds_of_boxes(const Scene<T, D>& scene) {
    PerPiece<Box<T, D>> parts(piece_count(scene.threads(), scene.size()), empty_box<T, D>());
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Box<T, D> part = empty_box<T, D>();
        for (std::size_t k = r.begin; k < r.end; ++k)
            extend(part, scene.box(static_cast<Index>(k)));
        parts[p] = part;
    });
    Box<T, D> all = empty_box<T, D>();
    for (const Box<T, D>& part : parts) extend(all, part);
    return all;
}

}  // namespace vicinal::inline VICINAL_API
