// A non-owning view of the caller's bodies. Nothing is copied, so the arrays must outlive every
// use of the view. views.hpp says which arrays it takes.
//
//     auto atoms = vicinal::points<3>(xyz, cutoff);           // xyz: x0 y0 z0 x1 y1 z1 ...
//     auto balls = vicinal::spheres<3>(centres, radii);       // centres: vector<array<T, 3>>
//     auto equal = vicinal::spheres<3>(centres, 0.5);         // one radius for all
//     auto hulls = vicinal::boxes<2>(lower, upper).moving(displacement);
//     auto grains = vicinal::spheres<3>(grains, &Grain::position, &Grain::radius);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include <vicinal/types.hpp>
#include <vicinal/views.hpp>

namespace vicinal::inline VICINAL_API {

enum class Shape : std::uint8_t { points, spheres, boxes };

// The maximum distance between the centres of two spheres that pair: the sum, the larger or the
// smaller of their radii.
enum class ReachRule : std::uint8_t { sum, max, min };

namespace detail {

// The number of T in an element of a table: 1, or K for a row std::array<T, K> or T[K]; else 0.
template <class V, Real T>
constexpr std::size_t numbers_in() {
    if constexpr (std::same_as<V, T>)
        return 1;
    else if constexpr (std::is_array_v<V>)
        return std::same_as<std::remove_extent_t<V>, T> ? std::extent_v<V> : 0;
    else if constexpr (
        requires(const V& v) { requires std::same_as<Bare<decltype(v[0])>, T>; } &&
        requires { std::tuple_size<V>::value; })
        return std::tuple_size_v<V>;
    else
        return 0;
}

// The numbers of a square table, row by row.
template <Real T, class R>
std::span<const T> table_of(const R& table) {
    if constexpr (EigenMatrix<R>) {
        static_assert(std::same_as<typename R::Scalar, T> && owns_elements<R>(),
                      "a matrix of cut-offs must be of the type of the positions, and no map");
        return {table.data(), static_cast<std::size_t>(table.size())};
    } else {
        constexpr std::size_t each = numbers_in<Element<R>, T>();
        static_assert(each > 0,
                      "the cut-offs must be of the type of the positions, float or double, and "
                      "contiguous: K * K numbers, or K rows std::array<T, K>");
        if constexpr (each > 0)
            return {reinterpret_cast<const T*>(std::ranges::data(table)),
                    each * std::ranges::size(table)};
        else
            return {};
    }
}

}  // namespace detail

template <Real T, int D>
struct Bodies {
    static_assert(D == 2 || D == 3,
                  "bodies are in 2-D or 3-D: points<2>(...) or points<3>(...)");

    Shape shape = Shape::points;
    ReachRule rule = ReachRule::sum;  // spheres
    T cutoff = 0;                     // points
    Vectors<T, D> position;           // centres; lower corners of boxes
    Vectors<T, D> upper;              // boxes
    Radii<T> radius;                  // spheres
    Vectors<T, D> displacement;       // straight motion during the step; not given: at rest
    Column<std::uint32_t> group;      // two bodies may pair only if (group_i & mask_j) and
    Column<std::uint32_t> mask;       // (group_j & mask_i) are non-zero; not given: all bits
    // Points of several kinds: a number from 0 for each, and a cut-off for each pair of kinds
    // in a symmetric table, cutoffs[a * kinds + b]; a negative one: never. `cutoff` is the
    // largest.
    Integers kind;
    std::span<const T> cutoffs;
    std::span<const Pair> excluded;  // these never pair, in any image
    // Indices of mesh vertices, vertices_per_body for each body: two bodies with a common
    // vertex never pair, in any image. Two sets must both have them, with shared indices.
    std::span<const std::uint32_t> vertices;
    std::size_t vertices_per_body = 0;  // 1 to 8; 0: not given
    // Persistent id of each body for Finder::changes(), if bodies are added, removed or
    // reordered between steps. Ids must be unique (checked there); not given: the body's index.
    Column<Index> id;

    std::size_t size() const { return position.size(); }
    bool swept() const { return displacement.given(); }

    // The same bodies, moving straight by `u` during the step.
    template <class R>
        requires(!detail::TemporaryContainer<R>)
    Bodies moving(R&& u) const {
        const auto view = vectors<D>(u);
        constexpr bool same = std::is_same_v<decltype(view), const Vectors<T, D>>;
        static_assert(same,
                      "displacements must be of the type of the positions, float or double");
        Bodies result = *this;
        if constexpr (same) result.displacement = view;
        return result;
    }
    template <detail::TemporaryContainer R>
    Bodies moving(R&&) const = delete;  // a view of a temporary would dangle

    Bodies grouped(Column<std::uint32_t> groups, Column<std::uint32_t> masks = {}) const {
        Bodies result = *this;
        result.group = groups;
        result.mask = masks;
        return result;
    }

    // Points with a kind each (of any integer type, from 0), which pair at a distance of at
    // most the cut-off of their two kinds. `table` is square and symmetric: K * K numbers, or K
    // rows of K. A negative cut-off means that these two kinds never pair.
    template <class Table>
        requires(!detail::TemporaryContainer<Table>)
    Bodies with_kinds(Integers kinds, Table&& table) const {
        Bodies result = *this;
        result.kind = kinds;
        result.cutoffs = detail::table_of<T>(table);
        result.cutoff = 0;
        for (const T c : result.cutoffs)
            if (c > result.cutoff) result.cutoff = c;
        return result;
    }
    template <detail::TemporaryContainer Table>
    Bodies with_kinds(Integers, Table&&) const = delete;  // a view of a temporary would dangle

    Bodies identified(Column<Index> ids) const {
        Bodies result = *this;
        result.id = ids;
        return result;
    }

    Bodies excluding(std::span<const Pair> pairs) const {
        Bodies result = *this;
        result.excluded = pairs;
        return result;
    }
    template <detail::TemporaryContainer R>
    Bodies excluding(R&&) const = delete;  // a view of a temporary would dangle

    // For example three per triangle, four per tetrahedron. In mixed meshes, elements with
    // fewer vertices repeat one of them.
    Bodies with_vertices(std::span<const std::uint32_t> numbers, std::size_t per_body) const {
        Bodies result = *this;
        result.vertices = numbers;
        result.vertices_per_body = per_body;
        return result;
    }
    template <detail::TemporaryContainer R>
    Bodies with_vertices(R&&,
                         std::size_t) const = delete;  // a view of a temporary would dangle
};

namespace detail {

template <Real T, int D>
Bodies<T, D> bodies_of(Shape shape, const Vectors<T, D>& position) {
    Bodies<T, D> result;
    result.shape = shape;
    result.position = position;
    return result;
}

template <Real T, int D>
Bodies<T, D> points_of(const Vectors<T, D>& position, double cutoff) {
    Bodies<T, D> result = bodies_of(Shape::points, position);
    result.cutoff = static_cast<T>(cutoff);
    return result;
}

template <Real T, int D>
Bodies<T, D> spheres_of(const Vectors<T, D>& centres, const Radii<T>& radii, ReachRule rule) {
    Bodies<T, D> result = bodies_of(Shape::spheres, centres);
    result.rule = rule;
    result.radius = radii;
    return result;
}

template <Real T, Real U, int D>
Bodies<T, D> boxes_of(const Vectors<T, D>& lower, const Vectors<U, D>& upper) {
    static_assert(std::same_as<T, U>,
                  "lower and upper corners must both be float or both be double");
    Bodies<T, D> result = bodies_of(Shape::boxes, lower);
    if constexpr (std::same_as<T, U>) result.upper = upper;
    return result;
}

// One radius for all of `count` spheres, or a column of them.
template <Real T, class C>
Radii<T> radii_of(const C& radii, std::size_t count) {
    if constexpr (std::is_arithmetic_v<C>) {
        return Radii<T>(static_cast<T>(radii), count);
    } else {
        constexpr bool same = std::convertible_to<const C&, Column<T>>;
        static_assert(same,
                      "the radii must be one number, or contiguous and of the type of the "
                      "centres, float or double: convert one of the two");
        if constexpr (same)
            return Column<T>(radii);
        else
            return {};
    }
}

}  // namespace detail

// Points that pair at a distance of at most `cutoff`.
template <int D, class R>
    requires(!detail::TemporaryContainer<R>)
auto points(R&& positions, double cutoff = 0) {
    return detail::points_of(vectors<D>(positions), cutoff);
}
// The same for a member of each particle: points<3>(particles, &Particle::position, cutoff).
template <int D, class R, class M, class C>
    requires(!detail::TemporaryContainer<R>)
auto points(R&& particles, M C::* position, double cutoff = 0) {
    return detail::points_of(vectors<D>(particles, position), cutoff);
}

// Spheres of one radius each, or of one for all.
template <int D, class R, class C>
    requires(!detail::TemporaryContainer<R> && !detail::TemporaryContainer<C>)
auto spheres(R&& centres, C&& radii, ReachRule rule = ReachRule::sum) {
    const auto view = vectors<D>(centres);
    using T = std::remove_cvref_t<decltype(view(0, 0))>;
    return detail::spheres_of(
        view, detail::radii_of<T>(static_cast<const detail::Bare<C>&>(radii), view.size()),
        rule);
}
template <int D, class R, class M, class C, class N>
    requires(!detail::TemporaryContainer<R> && !detail::TemporaryContainer<N>)
auto spheres(R&& particles, M C::* centre, N&& radius, ReachRule rule = ReachRule::sum) {
    if constexpr (std::is_member_object_pointer_v<detail::Bare<N>>)
        return spheres<D>(vectors<D>(particles, centre), column(particles, radius), rule);
    else
        return spheres<D>(vectors<D>(particles, centre), radius, rule);
}

// Axis-aligned boxes from their lower and upper corners.
template <int D, class R, class S>
    requires(!detail::TemporaryContainer<R> && !detail::TemporaryContainer<S>)
auto boxes(R&& lower, S&& upper) {
    return detail::boxes_of(vectors<D>(lower), vectors<D>(upper));
}
template <int D, class R, class M, class C, class N>
    requires(!detail::TemporaryContainer<R>)
auto boxes(R&& particles, M C::* lower, N C::* upper) {
    return detail::boxes_of(vectors<D>(particles, lower), vectors<D>(particles, upper));
}

// Line segments from `from` to `from` + `along`, as queries for Finder::probe.
template <int D, class R, class S>
    requires(!detail::TemporaryContainer<R> && !detail::TemporaryContainer<S>)
auto segments(R&& from, S&& along) {
    return points<D>(from).moving(along);
}

// A view of a temporary container would dangle: give the container a name.
template <int D, class... A>
    requires(detail::TemporaryContainer<A> || ...)
void points(A&&...) = delete;
template <int D, class... A>
    requires(detail::TemporaryContainer<A> || ...)
void spheres(A&&...) = delete;
template <int D, class... A>
    requires(detail::TemporaryContainer<A> || ...)
void boxes(A&&...) = delete;
template <int D, class... A>
    requires(detail::TemporaryContainer<A> || ...)
void segments(A&&...) = delete;

}  // namespace vicinal::inline VICINAL_API
