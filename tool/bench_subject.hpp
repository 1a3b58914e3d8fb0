// The bodies that `vicinal bench` measures: of a file, or a scene made on the spot.
#pragma once

#include <string>
#include <utility>

#include "input.hpp"
#include "scene.hpp"

namespace vicinal::tool {

struct Subject {
    std::string name;
    BodyFile bodies;
    bool boxed = false;  // they are spheres, and their bounding boxes are wanted

    template <Real T, int D>
    BodyArrays<T, D> take();
};

// A scene has its own shape and cut-off unless the flags give others.
Subject make_subject(const SceneChoice& choice, const ShapeFlags& flags);

// Computed in T: the boxes of rounded spheres, not the rounded boxes.
template <Real T, int D>
void become_boxes(BodyArrays<T, D>& spheres) {
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
BodyArrays<T, D> Subject::take() {
    BodyArrays<T, D> arrays = bodies.take<T, D>();
    if (boxed) become_boxes(arrays);
    return arrays;
}

}  // namespace vicinal::tool
