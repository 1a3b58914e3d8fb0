#include "sieve/sieve.hpp"

#include <algorithm>
#include <numeric>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
Sieve<T, D>::Sieve(const SearchContext<T, D>& context, const Packed<T, D>& packed)
    : context_(context),
      scene_(*context.scene),
      first_scene_(context.first_scene()),
      packed_(packed),
      out_(*context.writer),
      emitter_(context_) {
    // Ghosts, moving bodies and probes are decided from the caller's arrays.
    const bool exact = !context.ignore_cutoff && !context.moving();
    const bool usable = exact || packed.kind() == PackedKind::proxies;
    tested_ = usable ? packed.kind() : PackedKind::nothing;
    tested_columns_ = packed_columns<D>(tested_);
    const RunKernels<T, D>& runs = context.kernels.runs;
    switch (tested_) {
        case PackedKind::points:
            near_test_ = runs.points;
            break;
        case PackedKind::spheres:
            near_test_ = runs.spheres[static_cast<std::size_t>(context.rule)];
            break;
        case PackedKind::boxes:
        case PackedKind::proxies:
            near_test_ = runs.boxes;
            break;
        case PackedKind::nothing:
            break;
    }
    for (std::size_t c = 0; c < 2 * D; ++c) columns_.values[c] = packed.column(c);
    columns_.radius = packed.radius();
}

template <Real T, int D>
typename Sieve<T, D>::First Sieve<T, D>::load(std::size_t entry) const {
    First first{packed_.instance(entry), packed_.bits(entry), {}};
    for (std::size_t c = 0; c < D; ++c) first.values[c] = packed_.column(c)[entry];
    for (std::size_t c = D; c < tested_columns_; ++c)
        first.values[c] = packed_.column(c)[entry];
    return first;
}

template <Real T, int D>
typename Sieve<T, D>::First Sieve<T, D>::load_query(Index query) const {
    First first{query, static_cast<Bits>(~unsigned{Scene<T, D>::image_bits}), {}};
    first.bits = static_cast<Bits>(first.bits | first_scene_.lowest_image_flags(query));
    if (tested_ == PackedKind::proxies) {
        const Box<T, D> box = first_scene_.box(query);
        for (std::size_t a = 0; a < D; ++a) {
            first.values[a] = box.lo[a];
            first.values[D + a] = box.hi[a];
        }
    } else if (tested_ != PackedKind::nothing) {
        pack_body(tested_, first_scene_.view(), query,
                  [&](std::size_t c, T value) { first.values[c] = value; });
    }
    return first;
}

// Writes every entry of the run that passes the test and the owner rule.
template <Real T, int D>
void Sieve<T, D>::test_run(const First& first, Run run, Owner owner) {
    VICINAL_ASSERT(run.begin <= run.end && run.end <= packed_.size());
    out_.candidates += run.size();
    const bool owned = packed_.owned();
    if (owned && (first.bits & owner.first) != owner.first) return;
    const auto either = static_cast<unsigned>(owner.either | Scene<T, D>::image_bits);
    const bool decided = near_test_ != nullptr && tested_ != PackedKind::proxies;
    const RunQuery<T, D> query{first.values, scene_.view().cutoff * scene_.view().cutoff,
                               first.values[D]};
    const bool writes_pairs = decided && context_.one_set() && writes_directly();
    constexpr std::size_t batch = 256;
    std::array<Index, batch + 32> near;  // padding for a vector of overrun
    for (std::size_t begin = run.begin; begin < run.end; begin += batch) {
        const std::size_t end = std::min(run.end, begin + batch);
        std::size_t count = end - begin;
        if (near_test_ != nullptr)
            count = near_test_(columns_, query, begin, end, near.data());
        else
            std::iota(near.begin(), near.begin() + count, static_cast<Index>(begin));
        if (writes_pairs && out_.counting()) {
            out_.add(count);
            continue;
        }
        if (writes_pairs) {
            Pair* const out = out_.reserve(count);
            for (std::size_t k = 0; k < count; ++k) {
                const Index j = packed_.instances()[near[k]];
                out[k] = {std::min(first.instance, j), std::max(first.instance, j)};
            }
            out_.commit(count);
            continue;
        }
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t e = near[k];
            if (owned) {
                const unsigned bits = packed_.bits(e);
                if (((first.bits | bits) & either) != either ||
                    (bits & owner.second) != owner.second)
                    continue;
            }
            const Index instance = packed_.instance(e);
            if (decided || emitter_.touches(first.instance, instance))
                emitter_.emit(first.instance, instance);
        }
    }
}

template <Real T, int D>
void Sieve<T, D>::one(std::size_t entry, Run run, Owner owner) {
    if (run.size() > 0) test_run(load(entry), run, owner);
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
    if (run.size() > 0) test_run(load_query(query), run, owner);
}

template <Real T, int D>
void Sieve<T, D>::list(const Records<T>& records, std::span<const EntryPair> pairs) {
    out_.candidates += pairs.size();
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
    out_.candidates += pairs.size();
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
