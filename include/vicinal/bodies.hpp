// A non-owning view of the caller's bodies: pointers, strides and a count. Nothing is copied,
// so the arrays must outlive every use of the view.
//
//     auto atoms = vicinal::points<3>(xyz, cutoff);           // xyz: x0 y0 z0 x1 y1 z1 ...
//     auto balls = vicinal::spheres<3>(centres, radii);       // centres: vector<array<T, 3>>
//     auto hulls = vicinal::boxes<2>(lower, upper).moving(displacement);
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include <vicinal/error.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// One value per body, `stride` bytes apart. Null means "not given".
template <class T>
struct Column {
    const T* data = nullptr;
    std::ptrdiff_t stride = sizeof(T);
    std::size_t count = 0;

    Column() = default;
    Column(const T* first, std::size_t size, std::ptrdiff_t stride_bytes = sizeof(T))
        : data(first), stride(stride_bytes), count(size) {}
    template <std::ranges::contiguous_range R>
        requires std::same_as<std::ranges::range_value_t<R>, T>
    Column(const R& range) : data(std::ranges::data(range)), count(std::ranges::size(range)) {}

    bool given() const { return data != nullptr || count > 0; }
    const T& operator[](std::size_t i) const {
        const auto* bytes = reinterpret_cast<const std::byte*>(data);
        return *reinterpret_cast<const T*>(bytes + static_cast<std::ptrdiff_t>(i) * stride);
    }
};

// One vector per body: a strided column per axis. This covers interleaved arrays, arrays of
// structs and structures of arrays.
template <Real T, int D>
struct Vectors {
    std::array<Column<T>, D> axis{};

    std::size_t size() const { return axis[0].count; }
    bool given() const { return axis[0].given(); }
    T operator()(std::size_t i, int a) const { return axis[static_cast<std::size_t>(a)][i]; }
};

enum class Shape : std::uint8_t { points, spheres, boxes };

// The maximum distance between the centres of two spheres that pair: the sum, the larger or the
// smaller of their radii.
enum class ReachRule : std::uint8_t { sum, max, min };

template <Real T, int D>
struct Bodies {
    Shape shape = Shape::points;
    ReachRule rule = ReachRule::sum;  // spheres
    T cutoff = 0;                     // points
    Vectors<T, D> position;           // centres; lower corners of boxes
    Vectors<T, D> upper;              // boxes
    Column<T> radius;                 // spheres
    Vectors<T, D> displacement;       // straight motion during the step; not given: at rest
    Column<std::uint32_t> group;      // two bodies may pair only if (group_i & mask_j) and
    Column<std::uint32_t> mask;       // (group_j & mask_i) are non-zero; not given: all bits
    std::span<const Pair> excluded;   // these never pair, in any image
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
    Bodies moving(const R& u) const;

    Bodies grouped(Column<std::uint32_t> groups, Column<std::uint32_t> masks = {}) const {
        Bodies result = *this;
        result.group = groups;
        result.mask = masks;
        return result;
    }

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

    // For example three per triangle, four per tetrahedron. In mixed meshes, elements with
    // fewer vertices repeat one of them.
    Bodies with_vertices(std::span<const std::uint32_t> numbers, std::size_t per_body) const {
        Bodies result = *this;
        result.vertices = numbers;
        result.vertices_per_body = per_body;
        return result;
    }
};

namespace detail {

// The scalar of a range of scalars (x0 y0 z0 x1 ...) or of a range of small vectors.
template <class V>
struct ScalarOf {
    using type = std::remove_cvref_t<decltype(std::declval<const V&>()[0])>;
};
template <Real T>
struct ScalarOf<T> {
    using type = T;
};

}  // namespace detail

// The vectors of any contiguous range: interleaved scalars, or elements that begin with their D
// components, contiguous (std::array<T, D>, Eigen vectors, float4 with D = 3).
template <int D, std::ranges::contiguous_range R>
auto vectors(const R& range) {
    using V = std::ranges::range_value_t<R>;
    using T = typename detail::ScalarOf<V>::type;
    static_assert(sizeof(V) == sizeof(T) || sizeof(V) >= D * sizeof(T),
                  "an element must hold all D components");
    constexpr bool flat = sizeof(V) == sizeof(T);
    const std::size_t size = std::ranges::size(range);
    if (flat && size % D != 0)
        throw Error(Error::Kind::input, "an interleaved array of " + std::to_string(size) +
                                            " numbers does not hold whole vectors of " +
                                            std::to_string(D) + "; give D numbers per body");
    const auto* first = reinterpret_cast<const T*>(std::ranges::data(range));
    Vectors<T, D> result;
    for (std::size_t a = 0; a < D; ++a)
        result.axis[a] = Column<T>(first == nullptr ? nullptr : first + a,
                                   flat ? size / D : size, flat ? D * sizeof(T) : sizeof(V));
    return result;
}

template <int D, Real T>
Vectors<T, D> vectors(const Vectors<T, D>& given) {
    return given;
}

// Vectors from one array per axis.
template <std::ranges::contiguous_range... R>
auto separate(const R&... axis) {
    using T = std::common_type_t<std::ranges::range_value_t<R>...>;
    Vectors<T, sizeof...(R)> result;
    std::size_t a = 0;
    ((result.axis[a++] = Column<T>(axis)), ...);
    return result;
}

template <Real T, int D>
template <class R>
Bodies<T, D> Bodies<T, D>::moving(const R& u) const {
    Bodies result = *this;
    result.displacement = vectors<D>(u);
    return result;
}

// Points that pair at a distance of at most `cutoff`.
template <int D, class R>
auto points(const R& positions, double cutoff = 0) {
    const auto view = vectors<D>(positions);
    using T = std::remove_cvref_t<decltype(view(0, 0))>;
    Bodies<T, D> result;
    result.shape = Shape::points;
    result.cutoff = static_cast<T>(cutoff);
    result.position = view;
    return result;
}

template <int D, class R, class C>
auto spheres(const R& centres, const C& radii, ReachRule rule = ReachRule::sum) {
    const auto view = vectors<D>(centres);
    using T = std::remove_cvref_t<decltype(view(0, 0))>;
    Bodies<T, D> result;
    result.shape = Shape::spheres;
    result.rule = rule;
    result.position = view;
    result.radius = Column<T>(radii);
    return result;
}

// Axis-aligned boxes from their lower and upper corners.
template <int D, class R, class S>
auto boxes(const R& lower, const S& upper) {
    const auto view = vectors<D>(lower);
    using T = std::remove_cvref_t<decltype(view(0, 0))>;
    Bodies<T, D> result;
    result.shape = Shape::boxes;
    result.position = view;
    result.upper = vectors<D>(upper);
    return result;
}

// Line segments from `from` to `from` + `along`, as queries for Finder::probe.
template <int D, class R, class S>
auto segments(const R& from, const S& along) {
    return points<D>(from).moving(along);
}

}  // namespace vicinal::inline VICINAL_API
