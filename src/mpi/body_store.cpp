#include "mpi/body_store.hpp"

#include <algorithm>
#include <unordered_map>

namespace vicinal::inline VICINAL_API::mpi {
namespace {

template <Real T, int D>
void copy_vectors(const Vectors<T, D> vectors, T* to) {
    const std::size_t n = vectors.size();
    bool interleaved = true;
    for (std::size_t a = 0; a < D; ++a)
        interleaved = interleaved && vectors.axis[a].stride == D * sizeof(T) &&
                      vectors.axis[a].data == vectors.axis[0].data + a;
    if (interleaved) {
        std::copy_n(vectors.axis[0].data, D * n, to);
        return;
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t a = 0; a < D; ++a) to[i * D + a] = vectors.axis[a][i];
}

// One value per body.
template <class V, class C>
void copy_values(const C column, std::size_t count, V* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = column[i];
}

}  // namespace

template <Real T, int D>
void BodyStore<T, D>::assign(const BodyLayout<T, D>& layout, const Bodies<T, D>& bodies,
                             std::span<const std::uint64_t> own_ids, int rank) {
    const std::size_t n = bodies.size();
    layout_ = layout;
    own_ = n;
    rank_ = rank;
    ids.assign(own_ids.begin(), own_ids.end());
    copies_.clear();
    holders = {};
    partners.clear();
    resize_arrays(n);
    if (n > 0) set_own(bodies);
}

template <Real T, int D>
void BodyStore<T, D>::set_own(const Bodies<T, D>& bodies) {
    copy_vectors(bodies.position, position_.data());
    if (layout_.upper) copy_vectors(bodies.upper, upper_.data());
    if (layout_.radius) copy_values(bodies.radius, own_, radius_.data());
    if (layout_.swept) copy_vectors(bodies.displacement, displacement_.data());
    if (layout_.grouped) copy_values(bodies.group, own_, group_.data());
    if (layout_.masked) copy_values(bodies.mask, own_, mask_.data());
    if (layout_.kinds()) copy_values(bodies.kind, own_, kind_.data());
    std::ranges::copy(bodies.vertices, vertices_.begin());
}

template <Real T, int D>
Bytes BodyStore<T, D>::pack(std::span<const std::size_t> places) const {
    Packer to;
    to.put(std::uint64_t{places.size()});
    std::vector<Index> bodies, numbers;
    std::vector<std::uint64_t> their_ids;
    std::vector<std::uint32_t> counts;
    std::vector<PartNumber> parts;
    for (const std::size_t s : places) {
        const Index body = holders.bodies[s];
        bodies.push_back(body);
        their_ids.push_back(ids[body]);
        numbers.push_back(number(body));
        counts.push_back(static_cast<std::uint32_t>(holders[s].size()));
        parts.insert(parts.end(), holders[s].begin(), holders[s].end());
    }
    to.put_all(std::span<const std::uint64_t>(their_ids));
    to.put_all(std::span<const Index>(numbers));
    to.put_all(std::span<const std::byte>(pack_values(bodies)));
    to.put_all(std::span<const std::uint32_t>(counts));
    to.put_all(std::span<const PartNumber>(parts));
    std::vector<Partner> sent;  // bodies by their places in the message
    for (std::size_t k = 0; k < places.size() && !partners.empty(); ++k) {
        const Index body = holders.bodies[places[k]];
        for (auto p = std::ranges::lower_bound(partners, body, {}, &Partner::body);
             p != partners.end() && p->body == body; ++p)
            sent.push_back({static_cast<Index>(k), p->id});
    }
    to.put_counted(sent);
    return to.take();
}

template <Real T, int D>
void BodyStore<T, D>::append(const Message& message) {
    Unpacker from(message.bytes);
    const std::size_t first = size();
    const auto count = from.get<std::uint64_t>();
    from.get_all(count, ids);
    for (std::size_t k = 0; k < count; ++k)
        copies_.push_back({message.rank, from.get<Index>()});
    for_each_array(*this,
                   [&](auto& values, std::size_t each) { from.get_all(count * each, values); });
    std::vector<std::uint32_t> counts;
    from.get_all(count, counts);
    for (std::size_t k = 0; k < count; ++k) {
        from.get_all(counts[k], holders.parts);
        holders.bodies.push_back(static_cast<Index>(first + k));
        holders.offsets.push_back(holders.parts.size());
    }
    for (const Partner& partner : from.get_counted<Partner>())
        partners.push_back({static_cast<Index>(first + partner.body), partner.id});
}

template <Real T, int D>
Bytes BodyStore<T, D>::pack_values(std::span<const Index> bodies) const {
    Packer to;
    for_each_array(*this, [&](const auto& values, std::size_t each) {
        using V = typename std::remove_cvref_t<decltype(values)>::value_type;
        std::vector<V> gathered(bodies.size() * each);
        for (std::size_t k = 0; k < bodies.size(); ++k)
            for (std::size_t c = 0; c < each; ++c)
                gathered[k * each + c] = values[bodies[k] * each + c];
        to.put_all(std::span<const V>(gathered));
    });
    return to.take();
}

template <Real T, int D>
void BodyStore<T, D>::set_values(std::size_t begin, const Bytes& packed, std::size_t count) {
    Unpacker from(packed);
    for_each_array(*this, [&](auto& values, std::size_t each) {
        from.set_all(count * each, values.data() + begin * each);
    });
}

template <Real T, int D>
std::vector<Pair> BodyStore<T, D>::excluded() const {
    std::vector<Pair> pairs;
    if (partners.empty()) return pairs;
    std::unordered_map<std::uint64_t, Index> numbers;
    for (std::size_t k = 0; k < size(); ++k) numbers[ids[k]] = static_cast<Index>(k);
    for (const Partner& partner : partners)
        if (const auto j = numbers.find(partner.id); j != numbers.end())
            pairs.push_back({partner.body, j->second});
    return pairs;
}

template <Real T, int D>
void BodyStore<T, D>::append_unheld(std::uint64_t id, int owner, Index number) {
    ids.push_back(id);
    copies_.push_back({owner, number});
}

template <Real T, int D>
void BodyStore<T, D>::drop_unheld() {
    const std::size_t searched = position_.size() / D;
    ids.resize(searched);
    copies_.resize(searched - own_, {});
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
