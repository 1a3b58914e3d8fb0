// The decision: the formulas of the contract, evaluated in T, in this order, without
// contraction. Every other kernel must agree with these bit for bit. All of them are exactly
// symmetric: swapping the two bodies negates every difference, which is exact.
#pragma once

#include <algorithm>
#include <array>

#include "scene/shape.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// One body, read from the caller's arrays.
template <Real T, int D>
struct Item {
    bool box = false;
    T radius = 0;       // reach_radius()
    Vector<T, D> lo{};  // centre of a round body
    Vector<T, D> hi{};
    Vector<T, D> u{};  // displacement

    Item(const Bodies<T, D>& bodies, Index i, bool ignore_cutoff)
        : box(is_box(bodies)), radius(reach_radius(bodies, i, ignore_cutoff)) {
        for (int a = 0; a < D; ++a) {
            const auto d = static_cast<std::size_t>(a);
            lo[d] = bodies.position(i, a);
            hi[d] = box ? bodies.upper(i, a) : lo[d];
            if (bodies.swept()) u[d] = bodies.displacement(i, a);
        }
    }
};

template <Real T>
T reach_of(ReachRule rule, T a, T b) {
    switch (rule) {
        case ReachRule::max:
            return std::max(a, b);
        case ReachRule::min:
            return std::min(a, b);
        case ReachRule::sum:
            break;
    }
    return a + b;
}

template <Real T, std::size_t D>
T dot(const std::array<T, D>& a, const std::array<T, D>& b) {
    T sum = a[0] * b[0] + a[1] * b[1];
    if constexpr (D == 3) sum = sum + a[2] * b[2];
    return sum;
}

// NaN is mapped to 0: the bodies are compared at the beginning of the step.
template <Real T>
T clamp_time(T t) {
    return !(t > 0) ? T{0} : (t < 1 ? t : T{1});
}

// j relative to i at the closest approach during the step, from d = (xj - xi) + s and
// v = (uj - ui) + sv.
template <Real T, int D>
Vector<T, D> closest_approach(Vector<T, D> d, const Vector<T, D>& v) {
    const T vv = dot(v, v);
    const T t = vv > 0 ? clamp_time(-dot(d, v) / vv) : T{0};
    for (std::size_t a = 0; a < D; ++a) d[a] = d[a] + t * v[a];
    return d;
}

template <Real T, int D>
bool round_touches_round(Vector<T, D> d, const Vector<T, D>& v, T reach, bool moving) {
    if (moving) d = closest_approach<T, D>(d, v);
    return dot(d, d) <= reach * reach;
}

// Per axis j's lower side against i's upper one, a = (lo_j - hi_i) + s, and the reverse, b =
// (hi_j - lo_i) + s: the boxes overlap while a + t v <= 0 <= b + t v.
template <Real T, int D>
bool box_touches_box(const Vector<T, D>& a, const Vector<T, D>& b, const Vector<T, D>& v,
                     bool moving) {
    T enter = 0, leave = 1;
    for (std::size_t k = 0; k < D; ++k) {
        if (!moving || v[k] == 0) {
            if (!(a[k] <= 0 && b[k] >= 0)) return false;
        } else {
            const T at_a = -a[k] / v[k], at_b = -b[k] / v[k];
            enter = std::max(enter, v[k] > 0 ? at_b : at_a);
            leave = std::min(leave, v[k] > 0 ? at_a : at_b);
        }
    }
    return enter <= leave;
}

// Squared distance of the origin from the box [a, b], which is the pair's relative position.
template <Real T, int D>
T squared_gap(const Vector<T, D>& a, const Vector<T, D>& b, const Vector<T, D>& v, T t) {
    Vector<T, D> e;
    for (std::size_t k = 0; k < D; ++k) {
        const T low = a[k] + t * v[k], high = b[k] + t * v[k];
        e[k] = low > 0 ? low : (high < 0 ? high : T{0});
    }
    return dot(e, e);
}

// The squared gap is convex in t and piecewise quadratic between the times at which an axis
// begins or ceases to contribute: its minimum is at one of those times or at the minimiser of
// one of the pieces. A pair is accepted only if the two are within reach at some t in [0, 1],
// so a rounded t cannot cause a false pair.
template <Real T, int D>
bool round_touches_moving_box(const Vector<T, D>& a, const Vector<T, D>& b,
                              const Vector<T, D>& v, T radius) {
    const T limit = radius * radius;
    std::array<T, 2 * D + 2> times;
    std::size_t count = 0;
    const auto insert = [&](T t) {
        std::size_t at = count++;
        for (; at > 0 && times[at - 1] > t; --at) times[at] = times[at - 1];
        times[at] = t;
    };
    insert(0);
    insert(1);
    for (std::size_t k = 0; k < D; ++k)
        if (v[k] != 0) {
            insert(clamp_time(-a[k] / v[k]));
            insert(clamp_time(-b[k] / v[k]));
        }
    for (std::size_t c = 0; c < count; ++c) {
        if (squared_gap<T, D>(a, b, v, times[c]) <= limit) return true;
        if (c + 1 == count) break;
        const T middle = (times[c] + times[c + 1]) / 2;
        T num = 0, den = 0;
        for (std::size_t k = 0; k < D; ++k) {
            const T low = a[k] + middle * v[k], high = b[k] + middle * v[k];
            if (low > 0 || high < 0) {
                num = num + (low > 0 ? a[k] : b[k]) * v[k];
                den = den + v[k] * v[k];
            }
        }
        if (!(den > 0)) continue;
        const T t = std::min(std::max(clamp_time(-num / den), times[c]), times[c + 1]);
        if (squared_gap<T, D>(a, b, v, t) <= limit) return true;
    }
    return false;
}

// True if j, shifted by s and drifting by sv during the step, touches i.
template <Real T, int D>
bool touch(const Item<T, D>& i, const Item<T, D>& j, const Vector<T, D>& s,
           const Vector<T, D>& sv, ReachRule rule, bool moving) {
    Vector<T, D> a, b, v{};
    for (std::size_t k = 0; k < D; ++k) {
        a[k] = (j.lo[k] - i.hi[k]) + s[k];
        b[k] = (j.hi[k] - i.lo[k]) + s[k];
        if (moving) v[k] = (j.u[k] - i.u[k]) + sv[k];
    }
    if (!i.box && !j.box)
        return round_touches_round<T, D>(a, v, reach_of(rule, i.radius, j.radius), moving);
    if (i.box && j.box) return box_touches_box<T, D>(a, b, v, moving);
    const T radius = i.box ? j.radius : i.radius;
    if (!moving) return squared_gap<T, D>(a, b, v, T{0}) <= radius * radius;
    if (radius == 0) return box_touches_box<T, D>(a, b, v, moving);
    return round_touches_moving_box<T, D>(a, b, v, radius);
}

}  // namespace vicinal::inline VICINAL_API
