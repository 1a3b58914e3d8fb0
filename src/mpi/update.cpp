// The flow of an update: agree on the layout; cut space at the first one; find the holders of
// this rank's bodies; send copies; search own bodies and copies like any others. With a skin,
// later updates only send the values of the copies, while the plan stands. PartFilter
// then selects the pairs that this rank reports: the rule is in parts/filter.cpp.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "mpi/partition.hpp"
#include "mpi/state.hpp"

namespace vicinal::inline VICINAL_API::mpi {

template <Real T, int D>
void Finder<T, D>::State::check_input(const Bodies<T, D>& bodies,
                                      std::span<const std::uint64_t> ids) const {
    if (ids.size() != bodies.size())
        throw Error(Error::Kind::input, "mpi: " + std::to_string(ids.size()) + " ids for " +
                                            std::to_string(bodies.size()) +
                                            " bodies; give one per body");
    if (!bodies.excluded.empty())
        throw Error(
            Error::Kind::input,
            "mpi: the bodies exclude pairs by index, which other ranks do not know; give "
            "the excluded pairs to update(), by id");
}

// The bytes in which layouts and domains are compared.
template <Real T, int D>
Bytes bytes_of(const BodyLayout<T, D>& layout) {
    Packer to;
    to.put(layout.shape);
    to.put(layout.rule);
    to.put(layout.cutoff);
    to.put(layout.upper);
    to.put(layout.radius);
    to.put(layout.swept);
    to.put(layout.grouped);
    to.put(layout.masked);
    to.put(std::uint64_t{layout.vertices_per_body});
    to.put_counted(layout.cutoffs);
    return to.take();
}

template <Real T, int D>
BodyLayout<T, D> layout_from(const Bytes& bytes) {
    Unpacker from(bytes);
    BodyLayout<T, D> layout;
    layout.shape = from.get<Shape>();
    layout.rule = from.get<ReachRule>();
    layout.cutoff = from.get<T>();
    layout.upper = from.get<bool>();
    layout.radius = from.get<bool>();
    layout.swept = from.get<bool>();
    layout.grouped = from.get<bool>();
    layout.masked = from.get<bool>();
    layout.vertices_per_body = from.get<std::uint64_t>();
    layout.cutoffs = from.get_counted<T>();
    return layout;
}

template <int D>
Bytes bytes_of(const Domain<D>& domain) {
    Packer to;
    to.put(domain.lattice());
    to.put(domain.periodic());
    to.put(domain.shear_change());
    return to.take();
}

// That of the lowest rank with bodies; ranks without bodies take it over.
template <Real T, int D>
BodyLayout<T, D> Finder<T, D>::State::agree_on_layout(const Bodies<T, D>& bodies,
                                                      const Domain<D>& domain) {
    const BodyLayout<T, D> mine(bodies);
    const int first = comm.min(bodies.size() > 0 ? comm.rank() : comm.size());
    const int source = first < comm.size() ? first : 0;
    Bytes layout = bytes_of(mine), common_domain = bytes_of(domain);
    comm.broadcast(layout, source);
    comm.broadcast(common_domain, source);
    const BodyLayout<T, D> common = layout_from<T, D>(layout);
    comm.together([&] {
        if (common_domain != bytes_of(domain))
            throw Error(Error::Kind::input, "mpi: the domain differs from that of rank " +
                                                std::to_string(source) +
                                                "; give all ranks the same");
        if (bodies.size() > 0 && mine != common)
            throw Error(Error::Kind::input,
                        "mpi: the bodies differ from those of rank " + std::to_string(source) +
                            " in shape, reach rule, cut-offs, or in whether they have "
                            "displacements, groups, masks, kinds or vertices; give all ranks "
                            "the same");
    });
    return common;
}

template <Real T, int D>
void Finder<T, D>::State::cut_space(const Bodies<T, D>& bodies, std::size_t count,
                                    const Domain<D>& domain) {
    std::vector<Vector<double, D>> positions;
    std::vector<double> weights;
    Vector<double, D> lengths{};
    comm.together([&] {
        positions = cell_positions(bodies, domain);
        weights = work_estimates(bodies, domain);
        lengths = cell_lengths<T, D>(domain);
        positions.resize(count);
        weights.resize(count);
    });
    comm.together([&] { regions = bisect<D>(comm, positions, weights, lengths); });
    cut = true;
}

// The ids that own bodies do not pair with.
template <Real T, int D>
void Finder<T, D>::State::add_exclusions(std::span<const IdPair> excluded) {
    if (excluded.empty()) return;
    std::unordered_map<std::uint64_t, Index> numbers;
    for (std::size_t k = 0; k < own; ++k) numbers[store.ids[k]] = static_cast<Index>(k);
    for (const IdPair& pair : excluded) {
        const auto i = numbers.find(pair.i), j = numbers.find(pair.j);
        if (i == numbers.end() && j == numbers.end())
            throw Error(Error::Kind::input,
                        "mpi: this rank has neither body of the excluded pair of ids " +
                            std::to_string(pair.i) + " and " + std::to_string(pair.j) +
                            "; give it to a rank that has one");
        if (i != numbers.end()) store.partners.push_back({i->second, pair.j});
        if (j != numbers.end()) store.partners.push_back({j->second, pair.i});
    }
    std::ranges::sort(store.partners);
}

template <Real T, int D>
void Finder<T, D>::State::exchange_copies() {
    std::vector<Message> outgoing;
    comm.together([&] {
        const Holders& holders = store.holders;
        std::map<int, std::vector<std::size_t>> places;
        for (std::size_t s = 0; s < holders.size(); ++s) {
            if (holders[s][0] == Holders::all_parts)
                for (int r = 0; r < comm.size(); ++r) places[r].push_back(s);
            else
                for (const PartNumber r : holders[s]) places[static_cast<int>(r)].push_back(s);
        }
        for (const auto& [r, list] : places) {
            if (r == comm.rank()) continue;
            outgoing.push_back({r, store.pack(list)});
            auto& bodies = plan.sent.emplace_back(Plan::Sent{r, {}}).bodies;
            for (const std::size_t s : list) bodies.push_back(holders.bodies[s]);
        }
    });
    const std::vector<Message> incoming = comm.exchange(outgoing);
    comm.together([&] {
        for (const Message& message : incoming) {
            const std::size_t begin = store.size();
            store.append(message);
            plan.held.push_back({message.rank, begin, store.size() - begin});
        }
        plan.searched_sent = plan.sent.size();
        plan.searched_held = plan.held.size();
    });
}

// Errors name bodies by id, not by index.
template <Real T, int D>
template <class F>
void Finder<T, D>::State::naming_ids(std::span<const std::uint64_t> ids, const F& f) const {
    try {
        f();
    } catch (const Error& error) {
        if (!error.element()) throw;
        const std::uint64_t id = ids[*error.element()];
        throw Error(error.kind(), error.what() + (" (id " + std::to_string(id) + ")"), id);
    }
}

// Holders do not change while the bounds of all bodies are within those for which they were
// found.
template <Real T, int D>
bool Finder<T, D>::State::plan_stands(const Bodies<T, D>& bodies,
                                      std::span<const std::uint64_t> ids,
                                      const Domain<D>& domain,
                                      std::span<const IdPair> excluded) const {
    const auto same = [](const IdPair& a, const IdPair& b) { return a.i == b.i && a.j == b.j; };
    return skin > 0 && filter && bytes_of(domain) == bytes_of(options.domain) &&
           (bodies.size() == 0 || BodyLayout<T, D>(bodies) == common_layout) &&
           std::ranges::equal(ids, std::span(planned.ids)) &&
           std::ranges::equal(excluded, planned_excluded, same) &&
           are_within(bodies, planned.view({}), skin / 2, options.threads);
}

template <Real T, int D>
void Finder<T, D>::State::make_plan(const Bodies<T, D>& given,
                                    std::span<const std::uint64_t> ids, const Domain<D>& domain,
                                    std::span<const IdPair> excluded) {
    plan = {};
    common_layout = agree_on_layout(given, domain);
    options.domain = domain;
    Bodies<T, D> bodies = given;
    if (bodies.size() == 0) {  // swept like the others: a changing shear moves their images
        store.assign(common_layout, {}, {}, comm.rank());
        bodies = store.view({});
    }
    if (!cut) cut_space(bodies, bodies.size(), domain);
    own = bodies.size();
    comm.together([&] {
        const std::array<PartNumber, 1> owner{static_cast<PartNumber>(comm.rank())};
        Holders holders;
        naming_ids(ids, [&] {
            holders = find_holders(bodies, domain, regions, owner, options.threads, skin / 2);
        });
        store.assign(common_layout, bodies, ids, comm.rank());
        store.holders = std::move(holders);
        add_exclusions(excluded);
        if (skin > 0) {
            planned.assign(common_layout, bodies, ids, comm.rank());
            planned_excluded.assign(excluded.begin(), excluded.end());
        }
    });
    exchange_copies();
    excluded_here = store.excluded();
}

// To the standing copies.
template <Real T, int D>
void Finder<T, D>::State::send_values(const Bodies<T, D>& bodies) {
    std::vector<Message> outgoing;
    comm.together([&] {
        store.drop_unheld();
        plan.drop_unheld();
        if (bodies.size() > 0) store.set_own(bodies);
        for (const Plan::Sent& list : plan.sent)
            outgoing.push_back({list.rank, store.pack_values(list.bodies)});
    });
    const std::vector<Message> incoming = comm.exchange(outgoing);
    comm.together([&] {
        // Both ascend by rank.
        for (std::size_t m = 0; m < incoming.size(); ++m)
            store.set_values(plan.held[m].begin, incoming[m].bytes, plan.held[m].count);
    });
}

template <Real T, int D>
void Finder<T, D>::State::update(const Bodies<T, D>& given, std::span<const std::uint64_t> ids,
                                 const Domain<D>& domain, std::span<const IdPair> excluded) {
    bool stands = false;
    comm.together([&] {
        check_input(given, ids);
        stands = plan_stands(given, ids, domain, excluded);
    });
    stands = comm.min(stands ? 1 : 0) != 0;
    std::optional<PartFilter> made = std::move(filter);
    filter.reset();
    local_numbers.clear();
    if (stands)
        send_values(given);
    else
        make_plan(given, ids, domain, excluded);
    comm.together([&] {
        naming_ids(store.ids, [&] { search.update(store.view(excluded_here), domain); });
        if (!stands)
            made.emplace(static_cast<PartNumber>(comm.rank()), store.size(), store.holders);
    });
    filter = std::move(made);
}

template <Real T, int D>
void Finder<T, D>::State::require_update() const {
    if (!filter)
        throw Error(Error::Kind::input,
                    "the finder has no bodies; call update() first (and again after an error)");
}

template struct Finder<float, 2>::State;
template struct Finder<float, 3>::State;
template struct Finder<double, 2>::State;
template struct Finder<double, 3>::State;

}  // namespace vicinal::inline VICINAL_API::mpi
