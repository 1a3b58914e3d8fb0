// The caller's structs as views, domains and forms of the C++ interface.
#pragma once

#include <span>
#include <string>

#include "c/status.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

template <class T>
Column<T> column_of(const vicinal_column& column, std::uint64_t count) {
    if (column.data == nullptr) return {};
    const std::ptrdiff_t stride =
        column.stride != 0 ? column.stride : static_cast<std::ptrdiff_t>(sizeof(T));
    return {static_cast<const T*>(column.data), count, stride};
}

template <Real T, int D>
Vectors<T, D> vectors_of(const vicinal_vectors& given, std::uint64_t count) {
    Vectors<T, D> result;
    const std::ptrdiff_t along = given.axis_stride != 0
                                     ? given.axis_stride
                                     : static_cast<std::ptrdiff_t>(sizeof(T)),
                         between = given.stride != 0 ? given.stride : D * along;
    const auto* const bytes = static_cast<const std::byte*>(given.data);
    for (int a = 0; a < D; ++a)
        result.axis[static_cast<std::size_t>(a)] = {
            bytes == nullptr ? nullptr : reinterpret_cast<const T*>(bytes + a * along), count,
            between};
    return result;
}

// Throws unless `dimension` and `scalar` are those of the finder.
void check_type(const char* name, int dimension, int scalar, int expected_dimension,
                int expected_scalar);

template <Real T>
constexpr int scalar_of = std::same_as<T, float> ? VICINAL_FLOAT : VICINAL_DOUBLE;

ReachRule rule_of(int rule);

template <Real T, int D>
Bodies<T, D> shape_of(const vicinal_bodies& b) {
    const auto position = vectors_of<T, D>(b.position, b.count);
    switch (b.shape) {
        case VICINAL_POINTS:
            return points<D>(position, b.cutoff);
        case VICINAL_SPHERES: {
            const ReachRule rule = rule_of(b.rule);
            if (b.radius.data == nullptr) return spheres<D>(position, b.equal_radius, rule);
            return spheres<D>(position, column_of<T>(b.radius, b.count), rule);
        }
        case VICINAL_BOXES:
            return boxes<D>(position, vectors_of<T, D>(b.upper, b.count));
        default:
            refuse("vicinal_bodies: there is no shape " + std::to_string(b.shape) +
                   "; use VICINAL_POINTS, VICINAL_SPHERES or VICINAL_BOXES");
    }
}

// The number of cut-offs in the table of b.kinds kinds.
std::size_t table_size(const vicinal_bodies& b);

template <Real T, int D>
Bodies<T, D> bodies_of(const vicinal_bodies* given) {
    const vicinal_bodies& b = checked(given, "vicinal_bodies");
    check_type("vicinal_bodies", b.dimension, b.scalar, D, scalar_of<T>);
    Bodies<T, D> result = shape_of<T, D>(b);
    if (b.displacement.data != nullptr)
        result = result.moving(vectors_of<T, D>(b.displacement, b.count));
    result = result
                 .grouped(column_of<std::uint32_t>(b.group, b.count),
                          column_of<std::uint32_t>(b.mask, b.count))
                 .identified(column_of<Index>(b.id, b.count));
    if (b.kind.data != nullptr || b.kinds > 0)
        result = result.with_kinds(
            column_of<std::int32_t>(b.kind, b.count),
            std::span<const T>(static_cast<const T*>(b.cutoffs), table_size(b)));
    if (b.excluded_count > 0)
        result = result.excluding(
            std::span(reinterpret_cast<const Pair*>(&required(b.excluded, "excluded")),
                      b.excluded_count));
    if (b.vertices_per_body > 0)
        result = result.with_vertices(
            std::span(b.vertices, b.vertices == nullptr ? 0 : b.vertices_per_body * b.count),
            b.vertices_per_body);
    return result;
}

template <int D>
Domain<D> domain_of(const vicinal_domain* given) {
    const vicinal_domain& d = checked(given, "vicinal_domain");
    typename Domain<D>::Lengths lengths{};
    typename Domain<D>::Axes periodic{};
    typename Domain<D>::Lattice vectors{};
    for (std::size_t a = 0; a < D; ++a) {
        lengths[a] = d.lengths[a];
        periodic[a] = d.open_axes[a] == 0;
        for (std::size_t c = 0; c < D; ++c) vectors[a][c] = d.vectors[a][c];
    }
    switch (d.kind) {
        case VICINAL_OPEN:
            return Domain<D>::open();
        case VICINAL_ORTHOGONAL:
            return Domain<D>::orthogonal(lengths, periodic);
        case VICINAL_SHEARED:
            return Domain<D>::sheared(lengths, d.offset, d.change, periodic);
        case VICINAL_TRICLINIC:
            return Domain<D>::triclinic(vectors, periodic);
        default:
            refuse("vicinal_domain: there is no kind " + std::to_string(d.kind) +
                   "; use VICINAL_OPEN, VICINAL_ORTHOGONAL, VICINAL_SHEARED or "
                   "VICINAL_TRICLINIC");
    }
}

// The hook that vicinal_options describes; empty if there is none.
std::function<bool()> hook_of(const vicinal_options& o);

// `o` has been checked.
template <int D>
Options<D> options_of(const vicinal_options& o) {
    Options<D> result;
    if (o.domain != nullptr) result.domain = domain_of<D>(o.domain);
    if (o.method != nullptr) result.method = o.method;
    result.threads = o.threads;
    if (o.max_pairs != 0) result.max_pairs = o.max_pairs;
    if (o.max_bytes != 0) result.max_bytes = o.max_bytes;
    result.allocator = {o.allocate, o.release, o.allocator_context};
    result.cancelled = hook_of(o);
    return result;
}

struct Form {
    Columns columns;
    PairForm pairs;
    RowKind row_kind = RowKind::full;
    RowOrder row_order = RowOrder::body;
    int index = VICINAL_UINT32;
};
Form form_of(const vicinal_form* given, Columns default_columns = Columns::ijS);

// Calls f<I>() with the index type of the form.
template <class F>
void with_index_type(int index, const F& f) {
    switch (index) {
        case VICINAL_UINT32:
            return f.template operator()<std::uint32_t>();
        case VICINAL_INT32:
            return f.template operator()<std::int32_t>();
        default:
            return f.template operator()<std::int64_t>();
    }
}

}  // namespace vicinal::inline VICINAL_API
