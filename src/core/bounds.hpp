// Boxes around boxes.
#pragma once

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"
#include "core/scene.hpp"

namespace vicinal {

template <Real T, int D>
bool boxes_meet(const Box<T, D>& a, const Box<T, D>& b) {
    unsigned yes = 1;  // without branches
    for (std::size_t k = 0; k < D; ++k)
        yes &= unsigned{a.lo[k] <= b.hi[k]} & unsigned{b.lo[k] <= a.hi[k]};
    return yes != 0;
}

template <Real T, int D>
Box<T, D> no_box() {
    Box<T, D> none;
    none.lo.fill(std::numeric_limits<T>::max());
    none.hi.fill(std::numeric_limits<T>::lowest());
    return none;
}

template <Real T, int D>
void enclose(Box<T, D>& sum, const Box<T, D>& box) {
    for (std::size_t k = 0; k < D; ++k) {
        sum.lo[k] = std::min(sum.lo[k], box.lo[k]);
        sum.hi[k] = std::max(sum.hi[k], box.hi[k]);
    }
}

// Around all instances.
template <Real T, int D>
Box<T, D> bounds_of_boxes(const Scene<T, D>& scene) {
    PerPiece<Box<T, D>> parts(piece_count(scene.threads(), scene.size()), no_box<T, D>());
    parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
        Box<T, D> part = no_box<T, D>();
        for (std::size_t k = r.begin; k < r.end; ++k)
            enclose(part, scene.box(static_cast<Index>(k)));
        parts[p] = part;
    });
    Box<T, D> all = no_box<T, D>();
    for (const Box<T, D>& part : parts) enclose(all, part);
    return all;
}

}  // namespace vicinal
