// The bodies of a benchmark, from a file or a generated scene.
#pragma once

#include <string>
#include <utility>

#include "io/bodies.hpp"

namespace vicinal::bench {

struct Subject {
    std::string name;
    io::BodyFile bodies;
    bool boxed = false;  // spheres, to be measured as their bounding boxes

    template <Real T, int D>
    io::BodyArrays<T, D> take();
};

// Computed in T: the boxes of rounded spheres, not the rounded boxes.
template <Real T, int D>
void become_boxes(io::BodyArrays<T, D>& spheres) {
    for (std::size_t a = 0; a < D; ++a) {
        spheres.upper[a] = spheres.position[a];
        for (std::size_t i = 0; i < spheres.count; ++i) {
            spheres.position[a][i] -= spheres.radius[i];
            spheres.upper[a][i] += spheres.radius[i];
        }
    }
    spheres.layout.shape = Shape::boxes;
    spheres.layout.radius_column = false;
    spheres.radius.clear();
}

template <Real T, int D>
io::BodyArrays<T, D> Subject::take() {
    io::BodyArrays<T, D> arrays = bodies.take<T, D>();
    if (boxed) become_boxes(arrays);
    return arrays;
}

}  // namespace vicinal::bench
