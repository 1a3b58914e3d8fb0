// World against a plain model: a table of boxes, a double loop for pairs, one loop per query.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference/plain.hpp"
#include "scenes/random.hpp"
#include "support/environment.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal {
namespace {

template <Real T, int D>
class Model {
  public:
    struct Body {
        Vector<T, D> lower, upper;
        std::uint32_t group, mask;
        std::uint64_t user;
    };

    std::map<Handle, Body> bodies;
    std::set<Handle> removed;  // since the last update
    std::vector<Pair> pairs;   // of the last update

    static bool overlap(const Body& a, const Body& b) {
        for (std::size_t k = 0; k < D; ++k)
            if (!(a.lower[k] <= b.upper[k] && b.lower[k] <= a.upper[k])) return false;
        return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
    }

    std::vector<Pair> plain_pairs() const {
        std::vector<Pair> result;
        for (auto a = bodies.begin(); a != bodies.end(); ++a)
            for (auto b = std::next(a); b != bodies.end(); ++b)
                if (overlap(a->second, b->second)) result.push_back({a->first, b->first});
        return result;
    }

    static reference::Relative<T, D> relative(const Query<T, D>& query, const Body& body) {
        reference::Relative<T, D> r;
        for (std::size_t k = 0; k < D; ++k) {
            r.low[k] = body.lower[k] - query.upper[k];
            r.high[k] = body.upper[k] - query.lower[k];
            r.v[k] = T(0) - query.along[k];
        }
        return r;
    }
    static bool meets(const Query<T, D>& query, const Body& body) {
        const auto r = relative(query, body);
        const bool moves = query.along != Vector<T, D>{};
        if (query.radius > 0)
            return moves ? reference::moving_round_meets_box(r, query.radius)
                         : reference::round_meets_box(r, query.radius);
        return moves ? reference::moving_box_meets_box(r) : reference::box_meets_box(r);
    }
    // The query meets the body on this part of its way, and on no smaller part.
    static bool is_first(const Query<T, D>& query, const Body& body, T fraction) {
        if (query.radius > 0) {
            const auto part = [&](T f) {
                Query<T, D> result = query;
                for (T& u : result.along) u *= f;
                return result;
            };
            return meets(part(fraction), body) &&
                   (fraction == 0 || !meets(part(std::nextafter(fraction, T(0))), body));
        }
        const auto r = relative(query, body);
        T first = 0;
        for (std::size_t k = 0; k < D; ++k) {
            const T v = r.v[k];
            if (v != 0) first = std::max(first, v > 0 ? -r.high[k] / v : -r.low[k] / v);
        }
        return first == fraction;
    }
    std::set<Handle> all(const Query<T, D>& query) const {
        std::set<Handle> result;
        for (const auto& [handle, body] : bodies)
            if ((query.group & body.mask) != 0 && (body.group & query.mask) != 0 &&
                meets(query, body))
                result.insert(handle);
        return result;
    }
};

template <int D>
std::vector<Pair> pairs_in(std::span<const PairKey<D>> keys) {
    std::vector<Pair> result;
    for (const PairKey<D>& key : keys) result.push_back({key.i, key.j});
    return result;
}

// Calls a world and the model at random, and compares every answer. The mood changes now and
// then: bodies rest, tremble, fly, jump or all move at once.
template <Real T, int D>
class RandomCalls {
  public:
    RandomCalls(std::uint64_t seed, int threads) : random_(seed), world_(threads) {}

    void run(std::size_t calls) {
        for (std::size_t call = 0; call < calls; ++call) {
            if (call % 256 == 0) mood_ = static_cast<Mood>(random_.below(6));
            ASSERT_NO_FATAL_FAILURE(one_call()) << "call " << call;
        }
    }
    const std::vector<Pair>& history() const { return history_; }

  private:
    using Plain = Model<T, D>;
    enum class Mood { rest, tremble, fly, jump, crowd, grow };

    void one_call() {
        const std::uint64_t kind = random_.below(100);
        const std::size_t wanted = mood_ == Mood::grow ? 120 : 40;
        if (kind < 12)
            update();
        else if (kind < 20)
            query();
        else if (kind < 22)
            pairs_of();
        else if (kind < 26 && model_.bodies.size() < wanted)
            add();
        else if (kind < 28 && (mood_ != Mood::rest || random_.below(20) == 0))
            remove();
        else
            move();
    }

    T coordinate() {  // often on a lattice, where boxes touch exactly
        const double x = random_.uniform(0, 16);
        return static_cast<T>(random_.below(2) == 0 ? std::floor(x) : x);
    }
    void random_box(Vector<T, D>& lower, Vector<T, D>& upper) {
        const std::uint64_t kind = random_.below(16);
        for (std::size_t k = 0; k < D; ++k) {
            lower[k] = coordinate();
            const double size = kind == 0   ? random_.uniform(0, 40)
                                : kind == 1 ? 0
                                : kind < 6  ? 1
                                            : random_.uniform(0, 2);
            upper[k] = lower[k] + static_cast<T>(size);
        }
        if (kind == 2) {  // far away
            lower[0] += static_cast<T>(1e20);
            upper[0] = lower[0];
        }
    }
    Handle some_body() {
        auto at = model_.bodies.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random_.below(model_.bodies.size())));
        return at->first;
    }
    std::uint32_t bits() {
        return random_.below(4) == 0 ? static_cast<std::uint32_t>(random_.below(4))
                                     : ~std::uint32_t{0};
    }

    void add() {
        typename Plain::Body body;
        random_box(body.lower, body.upper);
        body.group = bits();
        body.mask = bits();
        body.user = random_.next();
        const Handle handle =
            world_.add(body.lower, body.upper, body.group, body.mask, body.user);
        ASSERT_FALSE(model_.bodies.contains(handle));
        ASSERT_FALSE(model_.removed.contains(handle)) << "reused before an update";
        model_.bodies[handle] = body;
        ASSERT_EQ(world_.user(handle), body.user);
    }
    void remove() {
        if (model_.bodies.empty()) return;
        const Handle handle = some_body();
        world_.remove(handle);
        ASSERT_FALSE(world_.contains(handle));
        model_.bodies.erase(handle);
        model_.removed.insert(handle);
    }
    void move() {
        if (model_.bodies.empty()) return;
        if (mood_ == Mood::rest && random_.below(30) != 0) return;
        if (mood_ == Mood::crowd && random_.below(8) == 0) {
            for (auto& [handle, body] : model_.bodies) move(handle, body);
            return;
        }
        const Handle handle = some_body();
        move(handle, model_.bodies[handle]);
    }
    void move(Handle handle, typename Plain::Body& body) {
        Vector<T, D> u{};
        if (mood_ == Mood::jump) {
            random_box(body.lower, body.upper);
        } else {
            for (std::size_t k = 0; k < D; ++k) {
                u[k] = static_cast<T>(mood_ == Mood::fly ? random_.uniform(0, 1.5)
                                                         : random_.uniform(-0.02, 0.02));
                if (mood_ == Mood::fly && body.lower[k] > 16) u[k] -= 16;
                body.lower[k] += u[k];
                body.upper[k] += u[k];
            }
        }
        if (random_.below(2) == 0)
            world_.move(handle, body.lower, body.upper);
        else
            world_.move(handle, body.lower, body.upper, u);
        ASSERT_EQ(world_.lower(handle), body.lower);
        ASSERT_EQ(world_.upper(handle), body.upper);
    }

    void update() {
        const Changes<D>& changes = world_.update();
        ASSERT_TRUE(changes.renamed.empty());
        const std::vector<Pair> now = model_.plain_pairs();
        std::vector<Pair> began, ended;
        std::set_difference(now.begin(), now.end(), model_.pairs.begin(), model_.pairs.end(),
                            std::back_inserter(began));
        std::set_difference(model_.pairs.begin(), model_.pairs.end(), now.begin(), now.end(),
                            std::back_inserter(ended));
        ASSERT_EQ(pairs_in<D>(changes.began), began);
        ASSERT_EQ(pairs_in<D>(changes.ended), ended);
        ASSERT_EQ(pairs_in<D>(world_.begun()), began);
        ASSERT_EQ(pairs_in<D>(world_.ended()), ended);
        model_.pairs = now;
        model_.removed.clear();
        ASSERT_EQ(world_.size(), model_.bodies.size());
        if (random_.below(4) == 0) {
            ASSERT_EQ(world_.pairs(), now);
        }
        history_.insert(history_.end(), began.begin(), began.end());
    }
    void pairs_of() {
        if (model_.bodies.empty()) return;
        const Handle handle = some_body();
        std::vector<Handle> expected, others;
        for (const auto [i, j] : model_.pairs)
            if (i == handle || j == handle) {
                const Handle other = i == handle ? j : i;
                if (!model_.removed.contains(other)) expected.push_back(other);
            }
        std::sort(expected.begin(), expected.end());
        world_.pairs_of(handle, others);
        ASSERT_EQ(others, expected);
    }

    Query<T, D> random_query() {
        Query<T, D> query;
        random_box(query.lower, query.upper);
        const std::uint64_t kind = random_.below(6);
        if (kind < 4) query.upper = query.lower;
        if (kind == 3 || kind == 4) query.radius = static_cast<T>(random_.uniform(0, 3));
        if (random_.below(3) != 0)
            for (T& u : query.along)
                u = random_.below(4) == 0
                        ? T(0)
                        : static_cast<T>(random_.uniform(-1, 1) *
                                         (random_.below(8) == 0 ? 1e-12 : 20));
        if (random_.below(20) == 0) query.along[0] = static_cast<T>(1e-40);
        query.group = bits();
        query.mask = bits();
        return query;
    }
    void query() {
        const Query<T, D> query = random_query();
        const std::set<Handle> expected = model_.all(query);
        std::vector<Hit<T>> hits;
        world_.all(query, hits);
        std::set<Handle> found;
        for (std::size_t k = 0; k < hits.size(); ++k) {
            found.insert(hits[k].body);
            const bool first =
                Plain::is_first(query, model_.bodies[hits[k].body], hits[k].fraction);
            ASSERT_TRUE(first) << hits[k].fraction;
            if (k == 0) continue;
            const Hit<T>&a = hits[k - 1], &b = hits[k];
            ASSERT_TRUE(a.fraction < b.fraction ||
                        (a.fraction == b.fraction && a.body < b.body));
        }
        ASSERT_EQ(found, expected);
        ASSERT_EQ(hits.size(), expected.size());
        const auto closest = world_.closest(query);
        ASSERT_EQ(closest.has_value(), !hits.empty());
        if (closest) {
            ASSERT_EQ(*closest, hits[0]);
        }
        const auto any = world_.any(query);
        ASSERT_EQ(any.has_value(), !hits.empty());
        if (any) {
            ASSERT_TRUE(std::find(hits.begin(), hits.end(), *any) != hits.end());
        }
        // A visit that wants no hits beyond a fraction, and stops after some.
        const std::size_t max_visits = 1 + random_.below(4);
        const T limit = static_cast<T>(random_.uniform());
        std::size_t visits = 0;
        world_.visit(query, [&](const Hit<T>& hit) {
            EXPECT_TRUE(std::find(hits.begin(), hits.end(), hit) != hits.end());
            EXPECT_TRUE(visits == 0 || hit.fraction <= limit);
            return ++visits == max_visits ? T(-1) : limit;
        });
        ASSERT_LE(visits, max_visits);
    }

    scenes::Random random_;
    Mood mood_ = Mood::fly;
    World<T, D> world_;
    Plain model_;
    std::vector<Pair> history_;
};

std::size_t calls_per_type() {
    return test::run_all() ? 250000 : test::run_light() ? 5000 : 25000;
}

TEST(World, RandomCallsFloat2D) {
    RandomCalls<float, 2>(1, 1).run(calls_per_type());
}
TEST(World, RandomCallsFloat3D) {
    RandomCalls<float, 3>(2, 2).run(calls_per_type());
}
TEST(World, RandomCallsDouble2D) {
    RandomCalls<double, 2>(3, 2).run(calls_per_type());
}
TEST(World, RandomCallsDouble3D) {
    RandomCalls<double, 3>(4, 1).run(calls_per_type());
}

// Boxes that fall onto a floor, pile up, tremble and come to rest; some are added and removed.
class Pile {
  public:
    using World3 = World<float, 3>;

    Pile(std::size_t n, int threads) : random_(7), world_(threads) {
        bodies_.push_back({{-100, -2, -100}, {100, 0, 100}, 0, 0});
        bodies_[0].handle = world_.add(bodies_[0].lower, bodies_[0].upper);
        for (std::size_t k = 0; k < n; ++k) add();
    }
    const Changes<3>& step(int number) {
        for (std::size_t k = 1; k < bodies_.size(); ++k) {
            Body& b = bodies_[k];
            if (b.upper[1] == b.lower[1]) continue;
            b.speed = b.lower[1] > b.ground ? b.speed - 0.01f : 0;
            const bool trembles = b.speed == 0 && number % 60 < 30;
            for (std::size_t a = 0; a < 3; ++a) {
                const float u = a == 1 && !trembles ? std::max(b.speed, b.ground - b.lower[1])
                                : trembles ? static_cast<float>(random_.uniform(-0.002, 0.002))
                                           : 0;
                b.lower[a] += u;
                b.upper[a] += u;
            }
            world_.move(b.handle, b.lower, b.upper);
        }
        for (std::size_t k = random_.below(4); k > 0 && bodies_.size() > 2; --k) {
            const std::size_t gone = 1 + random_.below(bodies_.size() - 1);
            world_.remove(bodies_[gone].handle);
            bodies_[gone] = bodies_.back();
            bodies_.pop_back();
        }
        for (std::size_t k = random_.below(4); k > 0; --k) add();
        return world_.update();
    }
    std::vector<Pair> plain_pairs() const {
        std::vector<Pair> result;
        for (std::size_t a = 0; a < bodies_.size(); ++a)
            for (std::size_t b = a + 1; b < bodies_.size(); ++b) {
                bool yes = true;
                for (std::size_t k = 0; k < 3; ++k)
                    yes &= bodies_[a].lower[k] <= bodies_[b].upper[k] &&
                           bodies_[b].lower[k] <= bodies_[a].upper[k];
                const Handle i = bodies_[a].handle, j = bodies_[b].handle;
                if (yes) result.push_back({std::min(i, j), std::max(i, j)});
            }
        std::sort(result.begin(), result.end());
        return result;
    }
    World3& world() { return world_; }

  private:
    struct Body {
        Vector<float, 3> lower, upper;
        float ground, speed;
        Handle handle = 0;
    };
    void add() {
        Body b{};
        for (std::size_t a = 0; a < 3; ++a) {
            b.lower[a] = static_cast<float>(random_.uniform(0, 12));
            b.upper[a] = b.lower[a] + 1;
        }
        b.ground = static_cast<float>(random_.uniform(-0.1, 6));
        b.handle = world_.add(b.lower, b.upper);
        bodies_.push_back(b);
    }

    scenes::Random random_;
    World3 world_;
    std::vector<Body> bodies_;
};

TEST(World, NoPairIsMissing) {
    Pile pile(test::run_light() ? 150 : 400, 2);
    std::set<Pair> alive;
    for (int step = 0; step < 300; ++step) {
        const Changes<3>& changes = pile.step(step);
        // Book-ended: what ends has begun, what begins was not there.
        for (const auto& key : changes.ended) ASSERT_EQ(alive.erase({key.i, key.j}), 1u);
        for (const auto& key : changes.began) ASSERT_TRUE(alive.insert({key.i, key.j}).second);
        const std::vector<Pair> expected = pile.plain_pairs();
        ASSERT_EQ(std::vector<Pair>(alive.begin(), alive.end()), expected) << "step " << step;
        ASSERT_EQ(pile.world().pairs(), expected);
    }
}

TEST(World, AnyThreadsGiveTheSameEvents) {
    std::vector<std::vector<PairKey<3>>> events[3];
    for (const int run : {0, 1, 2}) {
        Pile pile(test::run_light() ? 2000 : 6000, run == 0 ? 1 : run == 1 ? 2 : 5);
        for (int step = 0; step < 70; ++step) {
            const Changes<3>& changes = pile.step(step);
            events[run].push_back(changes.began);
            events[run].push_back(changes.ended);
        }
    }
    ASSERT_EQ(events[0], events[1]);
    ASSERT_EQ(events[0], events[2]);
}

TEST(World, MemoryFollowsBodiesAndPairs) {
    // Thin plates, close together, that fly: fat boxes overlap many others, boxes none.
    World<float, 3> world(1);
    const int n = 4000;
    std::vector<Handle> plates;
    const auto lower = [](int k, int step) {
        return Vector<float, 3>{static_cast<float>(step) * 0.5f, 0,
                                static_cast<float>(k) * 0.001f};
    };
    const auto upper = [](int k, int step) {
        return Vector<float, 3>{static_cast<float>(step) * 0.5f + 1, 1,
                                static_cast<float>(k) * 0.001f + 0.0001f};
    };
    for (int k = 0; k < n; ++k) plates.push_back(world.add(lower(k, 0), upper(k, 0)));
    for (int step = 1; step < 20; ++step) {
        for (int k = 0; k < n; ++k)
            world.move(plates[static_cast<std::size_t>(k)], lower(k, step), upper(k, step),
                       {0.5f, 0, 0.3f});
        world.update();
        ASSERT_TRUE(world.pairs().empty());
    }
    EXPECT_LT(world.bytes(), 3000u * n);
}

TEST(World, PairsKeepTheirValuesInAPairMap) {
    World<double, 2> world;
    PairMap<int, 2> contacts;
    const Handle a = world.add({0, 0}, {1, 1}), b = world.add({1, 0}, {2, 1});
    contacts.apply(world.update());
    ASSERT_NE(contacts.find(a, b), nullptr) << "touching counts";
    *contacts.find(a, b) = 7;
    world.move(b, {0.5, 0}, {1.5, 1});
    contacts.apply(world.update());
    ASSERT_EQ(*contacts.find(b, a), 7);
    world.remove(a);
    contacts.apply(world.update());
    ASSERT_EQ(contacts.size(), 0u);
}

template <class F>
std::string message_of(const F& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(World, ErrorsNameTheFault) {
    World<float, 2> world;
    const Handle body = world.add({0, 0}, {1, 1});
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(message_of([&] { world.move(body, {0, 2}, {1, 1}); }),
              "the lower corner of the body on axis 1 is 2.000000, above the upper, 1.000000; "
              "swap them");
    EXPECT_EQ(message_of([&] { world.add({nan, 0}, {1, 1}); }),
              "a corner of the body on axis 0 is not a finite number; check the simulation");
    EXPECT_EQ(world.lower(body), (Vector<float, 2>{0, 0}));
    world.remove(body);
    const std::string gone =
        "body 0 is not in the world; it was removed, or add() has not "
        "returned it";
    EXPECT_EQ(message_of([&] { world.move(body, {0, 0}, {1, 1}); }), gone);
    EXPECT_EQ(message_of([&] { world.remove(body); }), gone);
    EXPECT_EQ(message_of([&] { (void)world.user(body); }), gone);
    EXPECT_EQ(message_of([&] { (void)world.closest(Query<float, 2>::sphere({0, 0}, -1)); }),
              "the radius of the query is -1; it must be a number from 0 to 1.8446739e+19 "
              "(beyond that its square overflows)");
    EXPECT_EQ(
        message_of([&] { (void)world.closest(Query<float, 2>::ray({0, 0}, {nan, 1})); }),
        "a corner of the query's displacement on axis 0 is not a finite number; check the "
        "simulation");
    World<float, 2> other = std::move(world);
    EXPECT_EQ(message_of([&] { world.update(); }),  // NOLINT(bugprone-use-after-move)
              "the world has been moved from; assign another world to it first");
    EXPECT_TRUE(other.update().began.empty());
}

// Beyond these limits infinity would be compared with infinity, and far bodies accepted.
TEST(World, QueriesWhoseSquareOverflowsAreRefused) {
    World<float, 3> world;
    const Handle body = world.add({3e19f, 0, 0}, {3e19f, 0, 0});
    const auto touches = [&](const Query<float, 3>& query) {
        const auto hit = world.closest(query);
        return hit ? std::to_string(hit->body) : std::string("nothing");
    };
    using Sphere = Query<float, 3>;
    const std::string overflow = "(beyond that its square overflows)";
    EXPECT_TRUE(
        message_of([&] { touches(Sphere::sphere({0, 0, 0}, 2e19f)); }).ends_with(overflow));
    EXPECT_TRUE(message_of([&] {
                    touches(Sphere::sphere({0, 0, 0}, 1).moving({0, 3e18f, 0}));
                }).ends_with(overflow));
    EXPECT_EQ(touches(Sphere::sphere({0, 0, 0}, 1.8e19f)), "nothing");
    EXPECT_EQ(touches(Sphere::sphere({1.5e19f, 0, 0}, 1.8e19f)), std::to_string(body));
    EXPECT_EQ(touches(Sphere::ray({0, 0, 0}, {4e19f, 0, 0})), std::to_string(body));
}

}  // namespace
}  // namespace vicinal
