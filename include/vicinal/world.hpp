// A broad phase for engines: boxes that are added, moved and removed one at a time, the pairs
// that began and ended with each update, and ray casts, shape casts and overlap queries. Bodies
// at rest cost nothing while few others move far (docs/engines.md, "A step").
//
//     vicinal::World<float, 3> world;
//     const vicinal::Handle ground = world.add(low, high), ball = world.add(lower, upper);
//     world.move(ball, lower, upper);          // every body that moved
//     const auto& changes = world.update();    // once a step
//     for (auto [i, j, image] : changes.began) ...
//     if (const auto hit = world.closest(vicinal::Query<float, 3>::ray(from, along))) ...
//
// The same calls give the same results on any number of threads. Two boxes pair as in a Finder:
// closed, so touching counts. docs/engines.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <vicinal/changes.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// A body of a world. The handle of a removed body is given to another one only after the next
// update, so that the events of a step are never ambiguous.
using Handle = Index;

// A box or sphere, at rest or moving straight by `along`, that is compared with the bodies of a
// world. A ray is a moving point. It meets the bodies that pair with it: group and mask as in
// World::add().
template <Real T, int D>
struct Query {
    Vector<T, D> lower{}, upper{};
    T radius = 0;  // around the box
    Vector<T, D> along{};
    std::uint32_t group = ~std::uint32_t{0}, mask = ~std::uint32_t{0};

    static Query point(const Vector<T, D>& x) { return {x, x}; }
    static Query box(const Vector<T, D>& lower, const Vector<T, D>& upper) {
        return {lower, upper};
    }
    static Query sphere(const Vector<T, D>& centre, T radius) {
        return {centre, centre, radius};
    }
    static Query ray(const Vector<T, D>& from, const Vector<T, D>& along) {
        return point(from).moving(along);
    }
    Query moving(const Vector<T, D>& displacement) const {
        Query result = *this;
        result.along = displacement;
        return result;
    }
    Query grouped(std::uint32_t groups, std::uint32_t masks = ~std::uint32_t{0}) const {
        Query result = *this;
        result.group = groups;
        result.mask = masks;
        return result;
    }
};

// The fraction of Query::along after which the query touches the body: 0 if it does from the
// beginning.
template <Real T>
struct Hit {
    Handle body;
    T fraction;
    bool operator==(const Hit&) const = default;
};

// Queries may run on several threads at once, but not at the same time as another call.
template <Real T, int D>
class VICINAL_EXPORT World {
    static_assert(D == 2 || D == 3, "a world has 2 or 3 dimensions: World<float, 3>");

  public:
    explicit World(int threads = 0);  // 0: VICINAL_THREADS, or all cores
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;
    ~World();

    // Two bodies may pair only if (group_i & mask_j) and (group_j & mask_i) are non-zero.
    // `user` is yours.
    Handle add(const Vector<T, D>& lower, const Vector<T, D>& upper,
               std::uint32_t group = ~std::uint32_t{0}, std::uint32_t mask = ~std::uint32_t{0},
               std::uint64_t user = 0);
    void move(Handle body, const Vector<T, D>& lower, const Vector<T, D>& upper);
    // With the displacement that is expected until the next move. It only affects speed; the
    // other form expects the displacement since the last update.
    void move(Handle body, const Vector<T, D>& lower, const Vector<T, D>& upper,
              const Vector<T, D>& displacement);
    void remove(Handle body);

    // Finds the pairs of the present boxes. Returns those that began and ended since the last
    // update, in ascending order, as PairMap::apply() takes them. Pairs of a removed body end.
    // Valid until the next update.
    const Changes<D>& update();
    std::span<const PairKey<D>> begun() const;  // of the last update
    std::span<const PairKey<D>> ended() const;

    // The pairs of the last update, in ascending order; valid until the next update.
    const std::vector<Pair>& pairs();
    // Replaces `others` by the bodies that paired with this one at the last update, in
    // ascending order, except those that have been removed since. If an update has failed, at
    // the last one before it; pairs() throws until the next one succeeds.
    void pairs_of(Handle body, std::vector<Handle>& others) const;

    // The following compare with the present boxes of all bodies, also those that have been
    // added or moved since the last update.

    // The body that the query touches first, that with the lowest handle if there are several.
    std::optional<Hit<T>> closest(const Query<T, D>& query) const;
    // A body that the query touches: which one depends on the history of the world.
    std::optional<Hit<T>> any(const Query<T, D>& query) const;
    // Replaces `hits` by all bodies that the query touches, in the order of (fraction, handle).
    void all(const Query<T, D>& query, std::vector<Hit<T>>& hits) const;
    // Calls f(hit) for bodies that the query touches, near ones early but in no exact order. It
    // returns the fraction up to which it wants further hits: 1 for all, hit.fraction for no
    // farther ones, a negative number to stop. It must not change the world.
    template <class F>
    void visit(const Query<T, D>& query, const F& f) const {
        static_assert(std::is_invocable_r_v<T, const F&, const Hit<T>&>,
                      "the function takes a Hit and returns the fraction up to which it wants "
                      "further hits: 1 for all, a negative number to stop");
        visit(
            query,
            [](const void* context, const Hit<T>& hit) {
                return static_cast<T>((*static_cast<const F*>(context))(hit));
            },
            &f);
    }

    std::size_t size() const;  // bodies
    bool contains(Handle body) const;
    Vector<T, D> lower(Handle body) const;
    Vector<T, D> upper(Handle body) const;
    std::uint64_t user(Handle body) const;
    std::uint64_t bytes() const;  // memory of the world

  private:
    struct State;
    using Visitor = T (*)(const void* context, const Hit<T>& hit);
    void visit(const Query<T, D>& query, Visitor visitor, const void* context) const;
    State& state() const;
    std::unique_ptr<State> state_;
};

extern template class World<float, 2>;
extern template class World<float, 3>;
extern template class World<double, 2>;
extern template class World<double, 3>;

}  // namespace vicinal::inline VICINAL_API
