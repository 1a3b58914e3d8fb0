// A plain implementation of the contract: a double loop over all bodies and images. `vicinal
// verify` and the agreement tests compare the library with it, so it shares no code with the
// library. It reads the views and the lattice. The formulas are those of the contract,
// evaluated in T and in the order given there (compile with -ffp-contract=off).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <vicinal/bodies.hpp>
#include <vicinal/domain.hpp>

#include "reference/plain_images.hpp"

namespace vicinal::reference {

// Bodies i and j touch, with j shifted by n[0]*H0 + n[1]*H1 + ...
template <int D>
struct PlainPair {
    Index i;
    Index j;
    Shift<D> n;
    auto operator<=>(const PlainPair&) const = default;
};

// The same pair seen from j.
template <int D>
PlainPair<D> reversed(const PlainPair<D>& pair) {
    PlainPair<D> result{pair.j, pair.i, pair.n};
    for (int& n : result.n) n = -n;
    return result;
}

// True if a pair within one set is in canonical orientation: i < j, or i == j and a positive
// image.
template <int D>
bool is_canonical(const PlainPair<D>& pair) {
    return pair.i < pair.j || (pair.i == pair.j && pair.n > Shift<D>{});
}

// The second body relative to the first: on every axis the differences between the first's
// upper and the second's lower side and vice versa (for two bodies without width both are the
// difference of the centres), and the motion during the step.
template <Real T, int D>
struct Relative {
    std::array<T, D> low, high, v;
};

// The shift of image n on one axis, and its motion during the step if either body's set moves:
// only the shear moves images, along y, by n0 times the change of its offset.
template <Real T, int D>
T shift_of(const Shift<D>& n, const Domain<D>& domain, std::size_t axis) {
    T s = 0;
    for (std::size_t k = 0; k < D; ++k)
        s += static_cast<T>(n[k]) * static_cast<T>(domain.lattice()[k][axis]);
    return s;
}

template <Real T, int D>
T slide_of(const Shift<D>& n, const Domain<D>& domain, std::size_t axis) {
    return axis == 1 ? static_cast<T>(n[0]) * static_cast<T>(domain.shear_change()) : T(0);
}

template <Real T, int D>
Relative<T, D> relative(const Bodies<T, D>& a, Index i, const Bodies<T, D>& b, Index j,
                        const Shift<D>& n, const Domain<D>& domain) {
    const auto& upper_i = a.shape == Shape::boxes ? a.upper : a.position;
    const auto& upper_j = b.shape == Shape::boxes ? b.upper : b.position;
    const bool home = is_home<D>(n), swept = a.swept() || b.swept();
    Relative<T, D> result;
    for (int x = 0; x < D; ++x) {
        const auto axis = static_cast<std::size_t>(x);
        const T s = home ? T(0) : shift_of<T>(n, domain, axis);
        result.low[axis] = (b.position(j, x) - upper_i(i, x)) + s;
        result.high[axis] = (upper_j(j, x) - a.position(i, x)) + s;
        result.v[axis] = 0;
        if (!swept) continue;
        const T ui = a.swept() ? a.displacement(i, x) : T(0);
        const T uj = b.swept() ? b.displacement(j, x) : T(0);
        result.v[axis] = (uj - ui) + slide_of<T>(n, domain, axis);
    }
    return result;
}

template <Real T, std::size_t D>
T dot(const std::array<T, D>& a, const std::array<T, D>& b) {
    T sum = a[0] * b[0];
    for (std::size_t x = 1; x < D; ++x) sum += a[x] * b[x];
    return sum;
}

template <Real T>
T clamp_time(T t) {
    return !(t > 0) ? T(0) : (t < 1 ? t : T(1));
}

// Two round bodies: the vector between their centres, at the nearest approach if they move.
template <Real T, int D>
std::array<T, D> nearest_approach(const Relative<T, D>& r, bool swept) {
    std::array<T, D> d = r.low;
    if (!swept) return d;
    const T vv = dot(r.v, r.v);
    const T t = vv > 0 ? clamp_time(-dot(d, r.v) / vv) : T(0);
    for (std::size_t x = 0; x < D; ++x) d[x] = d[x] + t * r.v[x];
    return d;
}

template <Real T, int D>
bool round_meets_round(const Relative<T, D>& r, T reach, bool swept) {
    const std::array<T, D> d = nearest_approach(r, swept);
    return dot(d, d) <= reach * reach;
}

template <Real T, int D>
bool box_meets_box(const Relative<T, D>& r) {
    for (std::size_t x = 0; x < D; ++x)
        if (!(r.low[x] <= 0 && r.high[x] >= 0)) return false;
    return true;
}

// The times at which both conditions hold form an interval on every axis; the boxes overlap if
// these intervals and [0, 1] have a time in common.
template <Real T, int D>
bool moving_box_meets_box(const Relative<T, D>& r) {
    T entry = 0, exit = 1;
    for (std::size_t x = 0; x < D; ++x) {
        const T v = r.v[x];
        if (v == 0) {
            if (!(r.low[x] <= 0 && r.high[x] >= 0)) return false;
            continue;
        }
        const T at_low = -r.low[x] / v, at_high = -r.high[x] / v;
        entry = std::max(entry, v > 0 ? at_high : at_low);
        exit = std::min(exit, v > 0 ? at_low : at_high);
    }
    return entry <= exit;
}

// From the centre of a round body to the nearest point of a box, at time t.
template <Real T, int D>
std::array<T, D> gap_at(const Relative<T, D>& r, T t) {
    std::array<T, D> e;
    for (std::size_t x = 0; x < D; ++x) {
        const T low = r.low[x] + t * r.v[x], high = r.high[x] + t * r.v[x];
        e[x] = low > 0 ? low : (high < 0 ? high : T(0));
    }
    return e;
}

template <Real T, int D>
bool round_meets_box(const Relative<T, D>& r, T radius) {
    std::array<T, D> e;
    for (std::size_t x = 0; x < D; ++x)
        e[x] = r.low[x] > 0 ? r.low[x] : (r.high[x] < 0 ? r.high[x] : T(0));
    return dot(e, e) <= radius * radius;
}

// The time of the minimum squared distance between two times, without a change of the nearest
// side, face or edge in between.
template <Real T, int D>
T nearest_between(const Relative<T, D>& r, T from, T to) {
    const auto e = gap_at(r, (from + to) / 2);
    T num = 0, den = 0;
    for (std::size_t x = 0; x < D; ++x) {
        if (e[x] == 0) continue;
        num += (e[x] > 0 ? r.low[x] : r.high[x]) * r.v[x];
        den += r.v[x] * r.v[x];
    }
    if (!(den > 0)) return from;
    const T t = clamp_time(-num / den);
    return t < from ? from : (t > to ? to : t);
}

// The squared distance is a quadratic between the times at which a side is crossed: its minimum
// is at one of those times or inside one of the pieces.
template <Real T, int D>
bool moving_round_meets_box(const Relative<T, D>& r, T radius) {
    const auto within = [&](T t) {
        const auto e = gap_at(r, t);
        return dot(e, e) <= radius * radius;
    };
    std::vector<T> times{T(0), T(1)};
    for (std::size_t x = 0; x < D; ++x) {
        if (r.v[x] == 0) continue;
        times.push_back(clamp_time(-r.low[x] / r.v[x]));
        times.push_back(clamp_time(-r.high[x] / r.v[x]));
    }
    if (std::any_of(times.begin(), times.end(), within)) return true;
    std::sort(times.begin(), times.end());
    for (std::size_t k = 0; k + 1 < times.size(); ++k)
        if (within(nearest_between(r, times[k], times[k + 1]))) return true;
    return false;
}

// The cut-off of two points with kinds; negative: never.
template <Real T, int D>
T plain_cutoff(const Bodies<T, D>& a, Index i, const Bodies<T, D>& b, Index j) {
    std::size_t kinds = 1;
    while (kinds * kinds < a.cutoffs.size()) ++kinds;
    return a.cutoffs[static_cast<std::size_t>(a.kind[i]) * kinds +
                     static_cast<std::size_t>(b.kind[j])];
}

template <Real T, int D>
T plain_reach(const Bodies<T, D>& a, Index i, const Bodies<T, D>& b, Index j) {
    if (a.shape == Shape::points && a.kind.given()) return plain_cutoff(a, i, b, j);
    if (a.shape == Shape::points) return a.cutoff;
    const T ri = a.radius[i], rj = b.radius[j];
    if (a.rule == ReachRule::sum) return ri + rj;
    return a.rule == ReachRule::max ? std::max(ri, rj) : std::min(ri, rj);
}

// Bodies of one shape, within one set or between two. Within one set the caller passes the pair
// in its canonical orientation, for which the formula is defined.
template <Real T, int D>
bool plain_touch(const Bodies<T, D>& a, Index i, const Bodies<T, D>& b, Index j,
                 const Shift<D>& n, const Domain<D>& domain) {
    const auto r = relative(a, i, b, j, n, domain);
    const bool swept = a.swept() || b.swept();
    if (a.shape == Shape::boxes) return swept ? moving_box_meets_box(r) : box_meets_box(r);
    const T reach = plain_reach(a, i, b, j);
    return reach >= 0 && round_meets_round(r, reach, swept);
}

// A query of any shape and a body of any shape. A query point reaches as far as its cut-off;
// the cut-off of bodies is ignored.
template <Real T, int D>
bool plain_meets(const Bodies<T, D>& queries, Index q, const Bodies<T, D>& bodies, Index j,
                 const Shift<D>& n, const Domain<D>& domain) {
    const auto r = relative(queries, q, bodies, j, n, domain);
    const bool swept = queries.swept() || bodies.swept();
    const bool box_query = queries.shape == Shape::boxes,
               box_body = bodies.shape == Shape::boxes;
    const T rq = queries.shape == Shape::spheres  ? queries.radius[q]
                 : queries.shape == Shape::points ? queries.cutoff
                                                  : T(0);
    const T rb = bodies.shape == Shape::spheres ? bodies.radius[j] : T(0);
    if (!box_query && !box_body) return round_meets_round(r, rq + rb, swept);
    if (box_query && box_body) return swept ? moving_box_meets_box(r) : box_meets_box(r);
    const T radius = box_query ? rb : rq;
    if (!swept) return round_meets_box(r, radius);
    return radius > 0 ? moving_round_meets_box(r, radius) : moving_box_meets_box(r);
}

// Every pair of the bodies of `a` with those of `b`, one body of `a` at a time. The loop is in
// plain.cpp, so that it is optimised although tests are compiled for short build times.
template <Real T, int D>
class PlainSearch {
  public:
    enum class Sets { one, two, probe };

    PlainSearch(const Bodies<T, D>& a, const Bodies<T, D>& b, const Domain<D>& domain,
                Sets sets)
        : a_(a), b_(b), domain_(domain), sets_(sets), images_(domain, a.swept() || b.swept()) {
        for (const Pair& pair : a.excluded) {
            excluded_.push_back(pair);
            if (sets == Sets::one) excluded_.push_back({pair.j, pair.i});
        }
        std::sort(excluded_.begin(), excluded_.end());
    }

    // All (i, j, n), sorted. Within one set every partner of i, on either side.
    std::vector<PlainPair<D>> partners(Index i) const { return collect(i, false); }

    // Within one set only the pairs in which i comes first.
    std::vector<PlainPair<D>> canonical_partners(Index i) const {
        return collect(i, sets_ == Sets::one);
    }

  private:
    std::vector<PlainPair<D>> collect(Index i, bool canonical) const;
    bool meets(const PlainPair<D>& pair) const;
    bool allowed(Index i, Index j) const;

    const Bodies<T, D> a_, b_;
    const Domain<D> domain_;
    const Sets sets_;
    const PlainImages<T, D> images_;
    std::vector<Pair> excluded_;
};

template <Real T, int D>
std::vector<PlainPair<D>> plain_all(const PlainSearch<T, D>& search, std::size_t bodies) {
    std::vector<PlainPair<D>> result;
    for (std::size_t i = 0; i < bodies; ++i) {
        const auto row = search.canonical_partners(static_cast<Index>(i));
        result.insert(result.end(), row.begin(), row.end());
    }
    return result;
}

// All pairs of one set, sorted by (i, j, n).
template <Real T, int D>
std::vector<PlainPair<D>> plain_pairs(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    using Search = PlainSearch<T, D>;
    return plain_all(Search(bodies, bodies, domain, Search::Sets::one), bodies.size());
}

// All pairs (i in a, j in b), sorted. Excluded pairs are those of `a`.
template <Real T, int D>
std::vector<PlainPair<D>> plain_pairs(const Bodies<T, D>& a, const Bodies<T, D>& b,
                                      const Domain<D>& domain) {
    using Search = PlainSearch<T, D>;
    return plain_all(Search(a, b, domain, Search::Sets::two), a.size());
}

// All pairs (query, body), sorted. Excluded pairs are those of the queries.
template <Real T, int D>
std::vector<PlainPair<D>> plain_probe(const Bodies<T, D>& bodies, const Bodies<T, D>& queries,
                                      const Domain<D>& domain) {
    using Search = PlainSearch<T, D>;
    return plain_all(Search(queries, bodies, domain, Search::Sets::probe), queries.size());
}

}  // namespace vicinal::reference
