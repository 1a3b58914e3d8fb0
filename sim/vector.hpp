// Arithmetic of the simulators' vectors.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "sim/simulation.hpp"

namespace vicinal::sim {

inline Vector operator+(const Vector& a, const Vector& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector operator*(double s, const Vector& a) {
    return {s * a[0], s * a[1], s * a[2]};
}
inline Vector& operator+=(Vector& a, const Vector& b) {
    return a = a + b;
}
inline Vector& operator-=(Vector& a, const Vector& b) {
    return a = a - b;
}
inline double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double length(const Vector& a) {
    return std::sqrt(dot(a, a));
}
inline Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Component after component, as fields hold them.
inline std::span<const double> flat(const std::vector<Vector>& vectors) {
    return {vectors.empty() ? nullptr : vectors[0].data(), 3 * vectors.size()};
}

}  // namespace vicinal::sim
