// The public interface of a world, and its queries.
#include <vicinal/world.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "finder/call.hpp"
#include "scene/check.hpp"
#include "world/state.hpp"

namespace vicinal::inline VICINAL_API {

namespace {

// One element can be added without fail.
template <class V>
void reserve_one(V& values) {
    if (values.size() == values.capacity()) values.reserve(2 * values.size() + 64);
}

// A call of the public interface that may allocate or evaluate the formula.
template <class F>
decltype(auto) run_in_world(MemoryLedger& ledger, const char* what_for, const F& f) {
    const FloatEnvironment environment;
    const LedgerScope scope(&ledger);
    return with_memory_errors(what_for, f);
}

}  // namespace

template <Real T, int D>
void World<T, D>::State::check(Handle h) const {
    if (h < body.size() && body[h].is(alive)) return;
    throw Error(Error::Kind::input,
                "body " + std::to_string(h) +
                    " is not in the world; it was removed, or add() has not returned it",
                h);
}

template <Real T, int D>
void World<T, D>::State::check(const Vector<T, D>& low, const Vector<T, D>& high,
                               const char* what) const {
    unsigned good = 1;  // branch-free
    constexpr T max_value = std::numeric_limits<T>::max();
    for (std::size_t k = 0; k < D; ++k)
        good &= unsigned{low[k] <= high[k]} & unsigned{low[k] >= -max_value} &
                unsigned{high[k] <= max_value};
    if (good != 0) return;
    for (std::size_t k = 0; k < D; ++k) {
        const std::string where = std::string(" of ") + what + " on axis " + std::to_string(k);
        if (!std::isfinite(low[k]) || !std::isfinite(high[k]))
            throw Error(Error::Kind::input,
                        "a corner" + where + " is not a finite number; check the simulation");
        if (low[k] > high[k])
            throw Error(Error::Kind::input, "the lower corner" + where + " is " +
                                                std::to_string(low[k]) + ", above the upper, " +
                                                std::to_string(high[k]) + "; swap them");
    }
}

template <Real T, int D>
void World<T, D>::State::loosen(Handle h) {
    Body& b = body[h];
    if (b.is(loose)) return;
    b.flags |= loose;
    loose_bodies.push_back(h);
    tree_current.store(false, std::memory_order_relaxed);
}

template <Real T, int D>
Handle World<T, D>::State::add(const Box<T, D>& box, std::uint32_t group, std::uint32_t mask,
                               std::uint64_t given_user) {
    // A body takes part in an update with its handle, which is free again after the next one.
    const bool reuse = !free.empty();
    const auto h = reuse ? free.back() : static_cast<Handle>(body.size());
    if (h >= DynamicTree<T, D>::max_bodies)
        throw Error(Error::Kind::limit,
                    "a world holds up to 2147483647 bodies; remove some, or use two worlds");
    // All that may fail comes first.
    reserve_one(touched);
    reserve_one(loose_bodies);
    if (!reuse) {
        const std::size_t bodies = h + std::size_t{1};
        before.resize(bodies);
        fat.resize(bodies);
        displacement.resize(bodies);
        filter.resize(bodies);
        user.resize(bodies);
        list.resize(bodies);
        active.resize(bodies);
        body.resize(bodies);
    } else {
        free.pop_back();
    }
    body[h] = {box, alive | added | awake, 0};
    before[h] = fat[h] = box;
    filter[h] = {group, mask};
    user[h] = given_user;
    constexpr std::uint32_t every = ~std::uint32_t{0};
    uses_groups = uses_groups || group != every || mask != every;
    touched.push_back(h);
    loosen(h);
    ++size;
    return h;
}

template <Real T, int D>
void World<T, D>::State::move(Handle h, const Box<T, D>& box, const Vector<T, D>* u) {
    Body& b = body[h];
    reserve_one(touched);
    reserve_one(loose_bodies);
    if (u != nullptr) {
        displacement[h] = *u;
        b.flags |= guided;
    }
    if (b.box.lo == box.lo && b.box.hi == box.hi) return;
    if (!b.is(moved | added)) {
        touched.push_back(h);
        b.flags |= moved;
    }
    b.box = box;
    loosen(h);
}

template <Real T, int D>
void World<T, D>::State::remove(Handle h) {
    Body& b = body[h];
    reserve_one(touched);
    reserve_one(removed);
    removed.push_back(h);
    if (!b.is(moved | added)) touched.push_back(h);
    b.flags |= moved;
    b.flags &= static_cast<std::uint8_t>(~alive);
    --size;
}

template <Real T, int D>
void World<T, D>::State::update_tree() {
    if (tree_current.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(tree_mutex);
    if (tree_current.load(std::memory_order_relaxed)) return;
    const bool built = std::exchange(tree_built, false);  // false if this fails
    if (!built) build_tree();
    for (const Handle h : loose_bodies) {
        const Body& b = body[h];
        if (b.is(alive) && (!tree.holds(h) || !encloses(tree.box_of(h), b.box)))
            tree.set(h, united(fat[h], b.box));
    }
    for (const Handle h : loose_bodies) body[h].flags &= static_cast<std::uint8_t>(~loose);
    tree_built = true;
    loose_bodies.clear();
    tree_current.store(true, std::memory_order_release);
}

template <Real T, int D>
template <class F>
void World<T, D>::State::cast(const Query<T, D>& query, const F& f) {
    check(query.lower, query.upper, "the query");
    check(query.along, query.along, "the query's displacement");
    const T max_radius = largest_reach<T>();
    if (!(query.radius >= 0 && query.radius <= max_radius))
        throw Error(Error::Kind::input,
                    "the radius of the query is " + number_text(query.radius) +
                        "; it must be a number from 0 to " + number_text(max_radius) +
                        " (beyond that its square overflows)");
    const T max_displacement = max_radius / 8;  // as of bodies; a box or point may move farther
    for (const T u : query.along)
        if (query.radius > 0 && std::abs(u) > max_displacement)
            throw Error(Error::Kind::input, "the displacement of the query is " +
                                                number_text(u) +
                                                "; with a radius it must stay within " +
                                                number_text(max_displacement) +
                                                " (beyond that its square overflows)");
    update_tree();
    const Cast<T, D> cast(query);
    T limit = 1;
    tree.cast(
        limit, [&](const Box<T, D>& box) { return cast.entry(box); },
        [&](Handle h) {
            const Body& b = body[h];
            if (!b.is(alive) || (query.group & filter[h].mask) == 0 ||
                (filter[h].group & query.mask) == 0)
                return limit;
            const T fraction = cast.hit(b.box);
            if (fraction >= 0 && fraction <= limit)
                limit =
                    std::min(limit, run_callers_code([&] { return f(Hit<T>{h, fraction}); }));
            return limit;
        });
}

template <Real T, int D>
void World<T, D>::State::pairs_of(Handle h, std::vector<Handle>& others) {
    others.clear();
    const auto add_if_paired = [&](Handle other) {
        if (other != h && body[other].is(alive) && paired(h, other)) others.push_back(other);
    };
    if (broken) {  // fat boxes are not those of the last update
        for (Handle other = 0; other < body.size(); ++other) add_if_paired(other);
        return;
    }
    update_tree();
    tree.overlapping(fat[h], add_if_paired);
    std::sort(others.begin(), others.end());
}

template <Real T, int D>
void World<T, D>::State::list_pairs() {
    if (listed) return;
    if (broken)
        throw Error(Error::Kind::input,
                    "the last update failed, so there are no pairs; call update() again");
    keys.clear();
    for (Handle i = 0; i < body.size(); ++i)
        for (Index c = 0; c < list[i].count; ++c) {
            const Candidate candidate = pool[list[i].begin + c];
            const Handle j = candidate >> 1;
            if ((candidate & 1) != 0)
                keys.push_back(std::uint64_t{std::min(i, j)} << 32 | std::max(i, j));
        }
    std::sort(keys.begin(), keys.end());
    pairs.resize(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k)
        pairs[k] = {static_cast<Index>(keys[k] >> 32), static_cast<Index>(keys[k])};
    listed = true;
}

template <Real T, int D>
std::uint64_t World<T, D>::State::bytes() {
    return ledger.bytes() + heap_bytes(changes.began) + heap_bytes(changes.ended) +
           heap_bytes(pairs) + (finder == nullptr ? 0 : finder->report().bytes);
}

template <Real T, int D>
World<T, D>::World(int threads)
    : state_(with_memory_errors("make a world",
                                [&] { return std::make_unique<State>(threads); })) {}
template <Real T, int D>
World<T, D>::World(World&&) noexcept = default;
template <Real T, int D>
World<T, D>& World<T, D>::operator=(World&&) noexcept = default;
template <Real T, int D>
World<T, D>::~World() = default;

template <Real T, int D>
typename World<T, D>::State& World<T, D>::state() const {
    if (state_ == nullptr)
        throw Error(Error::Kind::input,
                    "the world has been moved from; assign another world to it first");
    return *state_;
}

template <Real T, int D>
Handle World<T, D>::add(const Vector<T, D>& lower, const Vector<T, D>& upper,
                        std::uint32_t group, std::uint32_t mask, std::uint64_t user) {
    State& s = state();
    s.check(lower, upper, "the body");
    const LedgerScope scope(&s.ledger);
    return with_memory_errors("add a body",
                              [&] { return s.add({lower, upper}, group, mask, user); });
}

template <Real T, int D>
void World<T, D>::move(Handle body, const Vector<T, D>& lower, const Vector<T, D>& upper) {
    State& s = state();
    s.check(body);
    s.check(lower, upper, "the body");
    const LedgerScope scope(&s.ledger);
    with_memory_errors("move a body", [&] { s.move(body, {lower, upper}, nullptr); });
}

template <Real T, int D>
void World<T, D>::move(Handle body, const Vector<T, D>& lower, const Vector<T, D>& upper,
                       const Vector<T, D>& displacement) {
    State& s = state();
    s.check(body);
    s.check(lower, upper, "the body");
    s.check(displacement, displacement, "the displacement");
    const LedgerScope scope(&s.ledger);
    with_memory_errors("move a body", [&] { s.move(body, {lower, upper}, &displacement); });
}

template <Real T, int D>
void World<T, D>::remove(Handle body) {
    State& s = state();
    s.check(body);
    const LedgerScope scope(&s.ledger);
    with_memory_errors("remove a body", [&] { s.remove(body); });
}

template <Real T, int D>
const Changes<D>& World<T, D>::update() {
    State& s = state();
    run_in_world(s.ledger, "update the world", [&] { s.update_or_break(); });
    return s.changes;
}

template <Real T, int D>
std::span<const PairKey<D>> World<T, D>::begun() const {
    return state().changes.began;
}
template <Real T, int D>
std::span<const PairKey<D>> World<T, D>::ended() const {
    return state().changes.ended;
}

template <Real T, int D>
const std::vector<Pair>& World<T, D>::pairs() {
    State& s = state();
    run_in_world(s.ledger, "list the pairs", [&] { s.list_pairs(); });
    return s.pairs;
}

template <Real T, int D>
void World<T, D>::pairs_of(Handle body, std::vector<Handle>& others) const {
    State& s = state();
    s.check(body);
    run_in_world(s.ledger, "list the pairs", [&] { s.pairs_of(body, others); });
}

template <Real T, int D>
std::optional<Hit<T>> World<T, D>::closest(const Query<T, D>& query) const {
    std::optional<Hit<T>> best;
    visit(query, [&](const Hit<T>& hit) {
        if (!best || hit.fraction < best->fraction ||
            (hit.fraction == best->fraction && hit.body < best->body))
            best = hit;
        return best->fraction;
    });
    return best;
}

template <Real T, int D>
std::optional<Hit<T>> World<T, D>::any(const Query<T, D>& query) const {
    std::optional<Hit<T>> found;
    visit(query, [&](const Hit<T>& hit) {
        found = hit;
        return T{-1};
    });
    return found;
}

template <Real T, int D>
void World<T, D>::all(const Query<T, D>& query, std::vector<Hit<T>>& hits) const {
    hits.clear();
    visit(query, [&](const Hit<T>& hit) {
        hits.push_back(hit);
        return T{1};
    });
    std::sort(hits.begin(), hits.end(), [](const Hit<T>& a, const Hit<T>& b) {
        return a.fraction < b.fraction || (a.fraction == b.fraction && a.body < b.body);
    });
}

template <Real T, int D>
void World<T, D>::visit(const Query<T, D>& query, Visitor visitor, const void* context) const {
    State& s = state();
    run_in_world(s.ledger, "answer the query", [&] {
        s.cast(query, [&](const Hit<T>& hit) { return visitor(context, hit); });
    });
}

template <Real T, int D>
std::size_t World<T, D>::size() const {
    return state().size;
}
template <Real T, int D>
bool World<T, D>::contains(Handle body) const {
    const State& s = state();
    return body < s.body.size() && s.body[body].is(State::alive);
}
template <Real T, int D>
Vector<T, D> World<T, D>::lower(Handle body) const {
    const State& s = state();
    s.check(body);
    return s.body[body].box.lo;
}
template <Real T, int D>
Vector<T, D> World<T, D>::upper(Handle body) const {
    const State& s = state();
    s.check(body);
    return s.body[body].box.hi;
}
template <Real T, int D>
std::uint64_t World<T, D>::user(Handle body) const {
    const State& s = state();
    s.check(body);
    return s.user[body];
}
template <Real T, int D>
std::uint64_t World<T, D>::bytes() const {
    return state().bytes();
}

template class World<float, 2>;
template class World<float, 3>;
template class World<double, 2>;
template class World<double, 3>;

}  // namespace vicinal::inline VICINAL_API
