#include "sieve/sieve.hpp"

#include <algorithm>
#include <numeric>

namespace vicinal::inline VICINAL_API {
namespace {

constexpr Index no_query = ~Index{0};

// What columns that hold `kind` are tested as. A query of another shape needs the formula;
// boxes are tested by its bounds first. The path of a point and a box have the formula of two
// boxes.
template <Real T, int D>
PackedKind tested_kind(const SearchContext<T, D>& context, PackedKind kind) {
    if (context.one_set()) return kind;
    const Bodies<T, D>& queries = context.queries->view();
    if (kind == PackedKind::points || kind == PackedKind::spheres)
        return is_round(queries) ? kind : PackedKind::nothing;
    if (kind != PackedKind::boxes || is_box(queries)) return kind;
    const bool path = queries.swept() && is_point(queries) &&
                      reach_radius(queries, 0, context.ignore_cutoff) == 0;
    return path ? PackedKind::boxes : PackedKind::proxies;
}

}  // namespace

template <Real T, int D>
Sieve<T, D>::Sieve(const SearchContext<T, D>& context, const Packed<T, D>& packed)
    : context_(context),
      scene_(*context.scene),
      first_scene_(context.first_scene()),
      packed_(packed),
      out_(*context.writer),
      emitter_(context_) {
    query_.instance = no_query;
    tested_ = tested_kind(context_, packed.kind());
    choose_test(context.kernels.runs);
    for (std::size_t c = 0; c < 2 * D; ++c) columns_.values[c] = packed.column(c);
    columns_.radius = packed.radius();
}

template <Real T, int D>
void Sieve<T, D>::choose_test(const RunKernels<T, D>& kernels) {
    const bool moving = tested_ != PackedKind::proxies && context_.moving();
    const auto& tests = moving ? kernels.moving : kernels.rest;
    switch (tested_) {
        case PackedKind::points:
            near_test_ = tests.points;
            break;
        case PackedKind::spheres:
            near_test_ = tests.spheres[static_cast<std::size_t>(context_.rule)];
            break;
        case PackedKind::boxes:
        case PackedKind::proxies:
            near_test_ = tests.boxes;
            break;
        case PackedKind::nothing:
            break;
    }
}

template <Real T, int D>
void Sieve<T, D>::load(std::size_t entry, First& first) const {
    first.instance = packed_.instance(entry);
    first.bits = packed_.bits(entry);
    const std::size_t columns = packed_columns<D>(tested_);
    for (std::size_t c = 0; c < D; ++c) first.values.values[c] = packed_.column(c)[entry];
    for (std::size_t c = D; c < columns; ++c) first.values.values[c] = packed_.column(c)[entry];
    first.values.limit = scene_.view().cutoff * scene_.view().cutoff;
    first.values.radius = first.values.values[D];
}

template <Real T, int D>
void Sieve<T, D>::load_query(Index query, First& first) const {
    first.instance = query;
    first.bits = static_cast<Bits>(~unsigned{Scene<T, D>::image_bits} |
                                   first_scene_.lowest_image_flags(query));
    // Without columns every candidate is decided by the formula; the query may be a ghost.
    if (tested_ == PackedKind::nothing) return;
    RunQuery<T, D>& values = first.values;
    if (tested_ == PackedKind::proxies) {
        const Box<T, D> box = first_scene_.box(query);
        for (std::size_t a = 0; a < D; ++a) {
            values.values[a] = box.lo[a];
            values.values[D + a] = box.hi[a];
        }
        return;
    }
    const Bodies<T, D>& view = first_scene_.view();
    for (std::size_t a = 0; a < D; ++a) {
        values.values[a] = lower_corner(view, query, a);
        values.values[D + a] = upper_corner(view, query, a);
        values.motion[a] = view.swept() ? 0 - view.displacement.axis[a][query] : T{0};
    }
    values.radius = reach_radius(view, query, context_.ignore_cutoff);
    // Points: all have the same radius.
    const T reach = reach_of(
        context_.rule, values.radius,
        is_point(scene_.view()) && !context_.ignore_cutoff ? scene_.view().cutoff : T{0});
    values.limit = reach * reach;
}

// Keeps the entries that the owner rule accepts. Branch-free: a query meets a large body in
// many cells, and owns it in one of them.
template <Real T, int D>
std::size_t Sieve<T, D>::keep_owned(Bits first, Owner owner, std::span<Index> entries) const {
    const auto either = static_cast<unsigned>(owner.either | Scene<T, D>::image_bits);
    const unsigned second = owner.second;
    const Bits* const bits = packed_.bits();
    std::size_t count = 0;
    for (const Index e : entries) {
        const unsigned other = bits[e];
        entries[count] = e;
        count += unsigned{((first | other) & either) == either} &
                 unsigned{(other & second) == second};
    }
    return count;
}

// Writes every entry of the run that passes the test and the owner rule.
template <Real T, int D>
void Sieve<T, D>::test_run(const First& first, Run run, Owner owner) {
    VICINAL_ASSERT(run.begin <= run.end && run.end <= packed_.size());
    const bool owned = packed_.owned();
    if (owned && (first.bits & owner.first) != owner.first) {
        out_.count_candidates(run.size());
        return;
    }
    // Then there are no images: instances are bodies.
    const bool decided = near_test_ != nullptr && tested_ != PackedKind::proxies;
    constexpr std::size_t batch = 256;
    std::array<Index, batch + 32> near;  // padding for a vector of overrun
    for (std::size_t begin = run.begin; begin < run.end; begin += batch) {
        const std::size_t end = std::min(run.end, begin + batch);
        std::size_t count = end - begin;
        out_.count_candidates(count);
        if (near_test_ != nullptr)
            count = near_test_(columns_, first.values, begin, end, near.data());
        else
            std::iota(near.begin(), near.begin() + count, static_cast<Index>(begin));
        if (owned) count = keep_owned(first.bits, owner, std::span(near).first(count));
        if (decided) {
            write(first.instance, std::span(near).first(count));
            continue;
        }
        for (std::size_t k = 0; k < count; ++k) {
            const Index instance = packed_.instance(near[k]);
            if (emitter_.touches(first.instance, instance))
                emitter_.emit(first.instance, instance);
        }
    }
}

// Writes the pairs of a body with these entries, in an open domain.
template <Real T, int D>
void Sieve<T, D>::write(Index first, std::span<const Index> entries) {
    if (entries.empty()) return;
    if (out_.counting()) return out_.add(entries.size());
    Pair* const out = out_.reserve(entries.size());
    const Index* const instance = packed_.instances();
    const bool one_set = context_.one_set();
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const Index second = instance[entries[k]];
        out[k] = one_set ? ordered(first, second) : Pair{first, second};
    }
    out_.commit(entries.size());
}

template <Real T, int D>
void Sieve<T, D>::one(std::size_t entry, Run run, Owner owner) {
    if (run.size() == 0) return;
    First first;
    load(entry, first);
    test_run(first, run, owner);
}

template <Real T, int D>
void Sieve<T, D>::cross(Run a, Run b, Owner owner) {
    for (std::size_t e = a.begin; e < a.end; ++e) one(e, b, owner);
}

template <Real T, int D>
void Sieve<T, D>::self(Run run, Owner owner) {
    for (std::size_t e = run.begin; e < run.end; ++e) one(e, {e + 1, run.end}, owner);
}

template <Real T, int D>
void Sieve<T, D>::probe_one(Index query, Run run, Owner owner) {
    if (run.size() == 0) return;
    if (query_.instance != query) load_query(query, query_);
    test_run(query_, run, owner);
}

template <Real T, int D>
void Sieve<T, D>::list(const Records<T>& records, std::span<const EntryPair> pairs) {
    out_.count_candidates(pairs.size());
    const ListTest<T> near =
        records.boxes ? context_.kernels.lists.boxes
                      : context_.kernels.lists.round[static_cast<std::size_t>(records.rule)];
    const bool writes_pairs = writes_directly();
    const Index* const instance = packed_.instances();
    constexpr std::size_t batch = 1024;
    std::array<Index, batch + 1> hits;
    for (; !pairs.empty(); pairs = pairs.subspan(std::min(batch, pairs.size()))) {
        const std::size_t count =
            near(records.values, pairs.data(), std::min(batch, pairs.size()), hits.data());
        if (writes_pairs) {
            Pair* const out = out_.reserve(count);
            for (std::size_t k = 0; k < count; ++k) {
                const Index i = instance[pairs[hits[k]].first],
                            j = instance[pairs[hits[k]].second];
                out[k] = ordered(i, j);
            }
            out_.commit(count);
            continue;
        }
        for (std::size_t k = 0; k < count; ++k) emit_if_owner(pairs[hits[k]]);
    }
}

template <Real T, int D>
void Sieve<T, D>::overlapping(std::span<const EntryPair> pairs) {
    out_.count_candidates(pairs.size());
    if (!writes_directly()) {
        for (const EntryPair& pair : pairs) emit_if_owner(pair);
        return;
    }
    const Index* const instance = packed_.instances();
    constexpr std::size_t batch = 1024;
    for (; !pairs.empty(); pairs = pairs.subspan(std::min(batch, pairs.size()))) {
        const std::size_t count = std::min(batch, pairs.size());
        Pair* const out = out_.reserve(count);
        for (std::size_t k = 0; k < count; ++k) {
            const Index i = instance[pairs[k].first], j = instance[pairs[k].second];
            out[k] = ordered(i, j);
        }
        out_.commit(count);
    }
}

// For two entries that passed the test: applies the owner rule, and the formula unless both are
// unshifted.
template <Real T, int D>
void Sieve<T, D>::emit_if_owner(const EntryPair& near) {
    const unsigned one = packed_.bits(near.first), other = packed_.bits(near.second);
    if (((one | other) & Scene<T, D>::image_bits) != Scene<T, D>::image_bits) return;
    const bool decided = (one & other & unshifted_bit) != 0;
    const Index i = packed_.instance(near.first), j = packed_.instance(near.second);
    if (decided || emitter_.touches(i, j)) emitter_.emit(i, j);
}

template class Sieve<float, 2>;
template class Sieve<float, 3>;
template class Sieve<double, 2>;
template class Sieve<double, 3>;

}  // namespace vicinal::inline VICINAL_API
