#include "mpi/body_store.hpp"

#include <algorithm>
#include <numeric>

namespace vicinal::inline VICINAL_API::mpi {
namespace {

template <Real T, int D>
std::vector<T> interleaved(const Vectors<T, D>& vectors) {
    std::vector<T> values(D * vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i)
        for (std::size_t a = 0; a < D; ++a) values[i * D + a] = vectors.axis[a][i];
    return values;
}

// One value per body.
template <class V, class C>
std::vector<V> values_of(const C& column, std::size_t count) {
    std::vector<V> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = column[i];
    return values;
}

// Rows of variable length (CSR) of some bodies.
template <class V>
void pack_rows(const std::vector<std::uint64_t>& offsets, const std::vector<V>& values,
               std::span<const Index> bodies, Packer& to) {
    for (const Index k : bodies) {
        const std::size_t count = offsets[k + 1] - offsets[k];
        to.put(static_cast<std::uint32_t>(count));
        to.put_all(std::span<const V>(values.data() + offsets[k], count));
    }
}

template <class V>
void append_rows(std::size_t count, std::vector<std::uint64_t>& offsets, std::vector<V>& values,
                 Unpacker& from) {
    for (std::size_t k = 0; k < count; ++k) {
        from.get_all(from.get<std::uint32_t>(), values);
        offsets.push_back(values.size());
    }
}

}  // namespace

template <Real T, int D>
void BodyStore<T, D>::assign(const BodyLayout<T, D>& layout, const Bodies<T, D>& bodies,
                             std::span<const std::uint64_t> own_ids, int rank,
                             Holders own_holders) {
    const std::size_t n = bodies.size();
    layout_ = layout;
    ids.assign(own_ids.begin(), own_ids.end());
    owners.assign(n, rank);
    numbers.resize(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    holders = std::move(own_holders);
    partner_offsets.assign(n + 1, 0);
    partners.clear();
    const bool any = n > 0;
    position_ = interleaved(bodies.position);
    upper_ = any && layout.upper ? interleaved(bodies.upper) : std::vector<T>{};
    radius_ = any && layout.radius ? values_of<T>(bodies.radius, n) : std::vector<T>{};
    displacement_ = any && layout.swept ? interleaved(bodies.displacement) : std::vector<T>{};
    group_ = values_of<std::uint32_t>(bodies.group, any && layout.grouped ? n : 0);
    mask_ = values_of<std::uint32_t>(bodies.mask, any && layout.masked ? n : 0);
    kind_ = values_of<std::int64_t>(bodies.kind, any && layout.kinds() ? n : 0);
    vertices_.assign(bodies.vertices.begin(), bodies.vertices.end());
}

template <Real T, int D>
Bytes BodyStore<T, D>::pack(std::span<const Index> bodies) const {
    Packer to;
    to.put(std::uint64_t{bodies.size()});
    for (const Index k : bodies) to.put(ids[k]);
    to.put_all(bodies);
    for_each_array(*this, [&](const auto& values, std::size_t each) {
        using V = typename std::remove_cvref_t<decltype(values)>::value_type;
        for (const Index k : bodies)
            to.put_all(std::span<const V>(values.data() + k * each, each));
    });
    pack_rows(holders.offsets, holders.parts, bodies, to);
    pack_rows(partner_offsets, partners, bodies, to);
    return to.take();
}

template <Real T, int D>
void BodyStore<T, D>::append(const Message& message) {
    Unpacker from(message.bytes);
    const auto count = from.get<std::uint64_t>();
    from.get_all(count, ids);
    owners.insert(owners.end(), count, message.rank);
    from.get_all(count, numbers);
    for_each_array(*this,
                   [&](auto& values, std::size_t each) { from.get_all(count * each, values); });
    append_rows(count, holders.offsets, holders.parts, from);
    append_rows(count, partner_offsets, partners, from);
}

template <Real T, int D>
Bodies<T, D> BodyStore<T, D>::view(std::span<const Pair> excluded) const {
    Bodies<T, D> bodies;
    bodies.shape = layout_.shape;
    bodies.rule = layout_.rule;
    bodies.cutoff = layout_.cutoff;
    bodies.position = vectors<D>(position_);
    if (layout_.upper) bodies.upper = vectors<D>(upper_);
    if (layout_.radius) bodies.radius = Column<T>(radius_);
    if (layout_.swept) bodies.displacement = vectors<D>(displacement_);
    if (layout_.grouped) bodies.group = group_;
    if (layout_.masked) bodies.mask = mask_;
    if (layout_.kinds()) {
        bodies.kind = kind_;
        bodies.cutoffs = layout_.cutoffs;
    }
    bodies.vertices = vertices_;
    bodies.vertices_per_body = layout_.vertices_per_body;
    bodies.excluded = excluded;
    return bodies;
}

template class BodyStore<float, 2>;
template class BodyStore<float, 3>;
template class BodyStore<double, 2>;
template class BodyStore<double, 3>;

}  // namespace vicinal::inline VICINAL_API::mpi
