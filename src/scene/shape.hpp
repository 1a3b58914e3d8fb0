// The properties of shapes. Only this file of src/ names shapes: all other code queries the
// property it needs. traits_of() lists the properties; the functions after it compute bounds,
// reach and packed columns from a body's arrays. Functions of hot paths are declared inline, so
// that g++ inlines them as readily as members of a class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/box.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// What the packed columns of a scene hold.
enum class PackedKind : std::uint8_t {
    points,   // D coordinates, exactly the caller's
    spheres,  // D coordinates and the radius, exactly the caller's
    boxes,    // D lower and D upper sides, exactly the caller's
    nothing,
    proxies,  // D lower and D upper sides of Scene::box: entries that overlap must be decided
              // from the caller's view (ghosts, moving bodies; right for any shape)
};

struct ShapeTraits {
    const char* name;
    const char* position;  // what the column `position` holds
    bool upper = false;    // reads the column `upper`: an axis-aligned box
    bool radius = false;   // reads the column `radius`
    bool point = false;    // a position without extent: all pairs have one reach, the cut-off
    bool round = false;    // a ball about `position`
    PackedKind packed = PackedKind::proxies;  // at rest in an open domain
};

// A switch, because hot loops use it: the compiler reduces each property to a comparison.
constexpr ShapeTraits traits_of(Shape shape) {
    switch (shape) {
        case Shape::points:
            return {.name = "points",
                    .position = "coordinate",
                    .point = true,
                    .round = true,
                    .packed = PackedKind::points};
        case Shape::spheres:
            return {.name = "spheres",
                    .position = "coordinate",
                    .radius = true,
                    .round = true,
                    .packed = PackedKind::spheres};
        case Shape::boxes:
            break;
    }
    return {.name = "boxes",
            .position = "lower corner",
            .upper = true,
            .packed = PackedKind::boxes};
}

template <Real T, int D>
bool is_box(const Bodies<T, D>& bodies) {
    return traits_of(bodies.shape).upper;
}
template <Real T, int D>
bool is_round(const Bodies<T, D>& bodies) {
    return traits_of(bodies.shape).round;
}
template <Real T, int D>
bool has_radius(const Bodies<T, D>& bodies) {
    return traits_of(bodies.shape).radius;
}
template <Real T, int D>
bool is_point(const Bodies<T, D>& bodies) {
    return traits_of(bodies.shape).point;
}

// The box of a body without its reach.
template <Real T, int D>
inline T lower_corner(const Bodies<T, D>& bodies, std::size_t i, std::size_t axis) {
    return bodies.position.axis[axis][i];
}
template <Real T, int D>
inline T upper_corner(const Bodies<T, D>& bodies, std::size_t i, std::size_t axis) {
    return is_box(bodies) ? bodies.upper.axis[axis][i] : bodies.position.axis[axis][i];
}

// The reach of two bodies is reach_rule() of their reach_radius(). That of a point is the
// cut-off, or 0 if a probe's query is tested against it.
template <Real T, int D>
inline T reach_radius(const Bodies<T, D>& bodies, std::size_t i, bool ignore_cutoff) {
    if (has_radius(bodies)) return bodies.radius[i];
    return is_point(bodies) && !ignore_cutoff ? bodies.cutoff : T{0};
}
template <Real T, int D>
ReachRule reach_rule(const Bodies<T, D>& bodies) {
    return is_point(bodies) ? ReachRule::max : bodies.rule;
}

// A body's share of the reach, which its bounds must cover. The radius is enough for all reach
// rules, and for probes, whose reach is the sum. Except for rounding, the reach of two bodies
// is half_reach_rule() of both shares.
template <Real T, int D>
inline T half_reach(const Bodies<T, D>& bodies, std::size_t i) {
    if (has_radius(bodies)) return bodies.radius[i];
    return is_point(bodies) ? bodies.cutoff / 2 : T{0};
}
template <Real T, int D>
ReachRule half_reach_rule(const Bodies<T, D>& bodies) {
    return has_radius(bodies) ? bodies.rule : ReachRule::sum;
}

// The formula rounds a few times, so it may accept pairs slightly beyond the reach; and where
// squares underflow, it may accept any distance below sqrt(smallest normal).
template <Real T>
inline T widen_half_reach(T half) {
    constexpr T eps = std::numeric_limits<T>::epsilon();
    const T min_half = std::sqrt(std::numeric_limits<T>::min());
    return std::max(half * (1 + 8 * eps), min_half);
}
// How far the bounds of a body extend beyond its corners. Boxes have no reach.
template <Real T, int D>
inline T half_size(const Bodies<T, D>& bodies, std::size_t i) {
    return is_box(bodies) ? T{0} : widen_half_reach(half_reach(bodies, i));
}

// Bounds of a round body at rest in an open domain.
template <Real T, int D>
inline Box<T, D> round_box(const Vector<T, D>& centre, T half_reach) {
    constexpr T eps = std::numeric_limits<T>::epsilon();
    constexpr T largest = std::numeric_limits<T>::max();  // methods need finite sides
    const T h = widen_half_reach(half_reach);
    Box<T, D> box;
    for (std::size_t a = 0; a < D; ++a) {
        // Each side is rounded to within half an ulp; widening by eps covers that and the
        // rounding of the widening itself.
        const T lo = centre[a] - h, hi = centre[a] + h;
        box.lo[a] = std::max(lo - eps * std::abs(lo), -largest);
        box.hi[a] = std::min(hi + eps * std::abs(hi), largest);
    }
    return box;
}
// Bounds of any body at rest in an open domain; those of boxes are not rounded.
template <Real T, int D>
inline Box<T, D> box_at_rest(const Bodies<T, D>& bodies, std::size_t i) {
    Box<T, D> box;
    for (std::size_t a = 0; a < D; ++a) box.lo[a] = bodies.position.axis[a][i];
    if (!is_box(bodies)) return round_box<T, D>(box.lo, half_reach(bodies, i));
    for (std::size_t a = 0; a < D; ++a) box.hi[a] = bodies.upper.axis[a][i];
    return box;
}

// The fraction of its bounds that a body fills. Moving bodies count as their bounds.
template <Real T, int D>
double box_fraction(const Bodies<T, D>& bodies) {
    return is_round(bodies) && !bodies.swept() ? std::acos(-1.0) / (2 * D) : 1;
}

// The same bodies at rest, without their reach.
template <Real T, int D>
Bodies<T, D> without_reach(Bodies<T, D> bodies) {
    if (is_round(bodies)) {
        bodies.shape = Shape::points;
        bodies.radius = {};
    }
    bodies.cutoff = 0;
    bodies.displacement = {};
    return bodies;
}

// Query points reach as far as their cut-off, like spheres of that radius. Other shapes are
// unchanged.
template <Real T, int D>
Bodies<T, D> points_as_spheres(Bodies<T, D> queries) {
    if (!is_point(queries)) return queries;
    queries.shape = Shape::spheres;
    queries.radius = Radii<T>(queries.cutoff, queries.size());
    queries.cutoff = 0;
    return queries;
}

// Prefetches what bounds and the decision read. Forced inline: g++ drops calls of functions
// that only prefetch, because they have no effect.
template <Real T, int D>
[[gnu::always_inline]] inline void prefetch_body(const Bodies<T, D>& bodies, std::size_t i) {
    for (std::size_t a = 0; a < D; ++a) {
        __builtin_prefetch(&bodies.position.axis[a][i]);
        if (is_box(bodies)) __builtin_prefetch(&bodies.upper.axis[a][i]);
    }
    if (has_radius(bodies)) __builtin_prefetch(&bodies.radius[i]);
}

// The number of columns, and their values for a body: calls put(column, value) for each, if the
// columns hold the caller's values.
template <int D>
constexpr std::size_t packed_columns(PackedKind kind) {
    switch (kind) {
        case PackedKind::points:
            return D;
        case PackedKind::spheres:
            return D + 1;
        case PackedKind::boxes:
        case PackedKind::proxies:
            return 2 * D;
        case PackedKind::nothing:
            break;
    }
    return 0;
}
template <Real T, int D, class Put>
inline void pack_body(PackedKind kind, const Bodies<T, D>& bodies, std::size_t i,
                      const Put& put) {
    for (std::size_t a = 0; a < D; ++a) {
        put(a, bodies.position.axis[a][i]);
        if (kind == PackedKind::boxes) put(D + a, bodies.upper.axis[a][i]);
    }
    if (kind == PackedKind::spheres) put(D, bodies.radius[i]);
}

}  // namespace vicinal::inline VICINAL_API
