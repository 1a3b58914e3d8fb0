// Bad input is an error that names it: which array, which element, which axis, which value,
// and what to do.
#pragma once

#include <string>

#include <vicinal/bodies.hpp>

namespace vicinal {

// `who` begins the message: "points", "spheres", "boxes", or "queries".
template <Real T, int D>
void check_bodies(const Bodies<T, D>& bodies, const std::string& who, int threads);

// A second set must be of the same kind as the finder's bodies for pairs between the two.
template <Real T, int D>
void check_same_kind(const Bodies<T, D>& others, const Bodies<T, D>& bodies);

inline std::string shape_name(Shape shape) {
    return shape == Shape::points ? "points" : shape == Shape::spheres ? "spheres" : "boxes";
}

}  // namespace vicinal
