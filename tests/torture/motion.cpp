// TORTURE, Time: two hundred steps in which bodies diffuse, fall, shear, teleport, grow, appear
// and disappear. At each step, every method with persistent state finds the pairs of the plain
// double loop, and begin and end events, replayed from the first step, give exactly these
// pairs.
#include <map>
#include <set>

#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Motion : public ::testing::Test {};
TYPED_TEST_SUITE(Motion, Flavours, FlavourNames);

template <Real T, int D>
struct World {
    OwnedBodies<T, D> bodies;
    std::vector<Index> id;
    Domain<D> domain = Domain<D>::open();
    scenes::Random random{17};
    Index next_id = 1000;

    explicit World(std::size_t shape, std::size_t n = 48) {
        bodies.kind = shape_cases[shape];
        bodies.cutoff = T(0.25);
        for (std::size_t i = 0; i < n; ++i) add();
    }

    void add() {
        for (std::size_t a = 0; a < D; ++a) {
            const double x = random.uniform();
            bodies.position.push_back(static_cast<T>(x));
            if (bodies.kind.shape == Shape::boxes)
                bodies.upper.push_back(static_cast<T>(x + 0.05 + 0.15 * random.uniform()));
            if (bodies.kind.swept)
                bodies.displacement.push_back(static_cast<T>(random.uniform(-0.1, 0.1)));
        }
        if (bodies.kind.shape == Shape::spheres)
            bodies.radius.push_back(static_cast<T>(0.05 + 0.1 * random.uniform()));
        id.push_back(next_id++ * 7 % 2039);
    }

    void remove(std::size_t i) {
        const auto cut = [i](auto& values, std::size_t each) {
            if (values.empty()) return;
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * each);
            values.erase(first, first + static_cast<std::ptrdiff_t>(each));
        };
        cut(bodies.position, D);
        cut(bodies.upper, D);
        cut(bodies.displacement, D);
        cut(bodies.radius, 1);
        cut(id, 1);
    }

    void shift(std::size_t i, std::size_t a, double by) {
        bodies.position[i * D + a] += static_cast<T>(by);
        if (!bodies.upper.empty()) bodies.upper[i * D + a] += static_cast<T>(by);
    }

    void wander(double by) {
        for (std::size_t i = 0; i < bodies.size(); ++i)
            for (std::size_t a = 0; a < D; ++a) shift(i, a, random.uniform(-by, by));
    }

    // Wraps into the box by lattice vectors.
    void wrap() {
        for (std::size_t i = 0; i < bodies.size(); ++i)
            for (std::size_t k = 0; k < D; ++k) {
                const double period = domain.lattice()[k][k];
                const double periods =
                    std::floor(static_cast<double>(bodies.position[i * D + k]) / period);
                for (std::size_t a = 0; a < D && periods != 0; ++a)
                    shift(i, a, -periods * domain.lattice()[k][a]);
            }
    }

    std::size_t pick() {
        return static_cast<std::size_t>(random.uniform() * static_cast<double>(bodies.size()));
    }
    Bodies<T, D> view() const { return bodies.view().identified(id); }
};

// The pairs as Finder::changes() names them.
template <Real T, int D>
std::set<PairKey<D>> named(const Found<D>& found, const World<T, D>& world) {
    std::set<PairKey<D>> keys;
    for (const auto& pair : found) {
        PairKey<D> key{world.id[pair.i], world.id[pair.j], {}};
        const bool turn = key.i > key.j;
        for (std::size_t a = 0; a < D; ++a)
            key.image[a] = static_cast<std::int16_t>(turn ? -pair.n[a] : pair.n[a]);
        if (turn) std::swap(key.i, key.j);
        keys.insert(key);
    }
    return keys;
}

// A set of pairs with a value for each, maintained by events alone.
template <int D>
struct Replay {
    std::set<PairKey<D>> pairs;
    std::map<PairKey<D>, int> born;
    PairMap<int, D> history;
    std::size_t renamed = 0;

    void apply(const Changes<D>& changes, int step) {
        EXPECT_TRUE(std::is_sorted(changes.began.begin(), changes.began.end()));
        EXPECT_TRUE(std::is_sorted(changes.ended.begin(), changes.ended.end()));
        for (const auto& key : changes.ended) {
            EXPECT_EQ(pairs.erase(key), 1u) << "ended but was not there";
            born.erase(key);
        }
        std::map<PairKey<D>, int> moving;
        for (const auto& [from, to] : changes.renamed) {
            EXPECT_EQ(pairs.erase(from), 1u) << "renamed but was not there";
            EXPECT_TRUE(moving.emplace(to, born[from]).second);
            born.erase(from);
        }
        for (const auto& [to, when] : moving) {
            EXPECT_TRUE(pairs.insert(to).second);
            born[to] = when;
        }
        renamed += moving.size();
        for (const auto& key : changes.began) {
            EXPECT_TRUE(pairs.insert(key).second) << "began but was there";
            born[key] = step;
        }
        history.apply(changes);
        for (const auto& [i, j, image] : changes.began) {
            ASSERT_NE(history.find(i, j, image), nullptr);
            EXPECT_EQ(*history.find(i, j, image), 0);
            *history.find(i, j, image) = step;
        }
        EXPECT_EQ(history.size(), born.size());
        for (const auto& [key, when] : born) {
            const int* const value = history.find(key.i, key.j, key.image);
            ASSERT_NE(value, nullptr);
            EXPECT_EQ(*value, when);
            Image<D> seen_from_j;
            for (std::size_t a = 0; a < D; ++a)
                seen_from_j[a] = static_cast<std::int16_t>(-key.image[a]);
            EXPECT_EQ(history.find(key.j, key.i, seen_from_j), value);
        }
    }
};

// The statistic of this name in the report.
template <int D>
double figure(const Report<D>& report, const std::string& name) {
    for (const Statistic& one : report.statistics)
        if (one.name == name) return one.value;
    return -1;
}

const std::vector<std::string> keepers{"verlet", "verlet(inner=bvh, skin=0.06)",
                                       "verlet(inner=sweep_persistent, skin=0.3)",
                                       "sweep_persistent", "bvh(refit=on)"};

// Calls advance(world, step) between the steps.
template <Real T, int D, class F>
Replay<D> follow(World<T, D> world, const F& advance, double* rebuilds = nullptr) {
    std::vector<Finder<T, D>> finders;
    for (const std::string& method : keepers) finders.emplace_back(with_method<D>(method));
    std::vector<Replay<D>> replays(finders.size());
    for (int step = 1; step <= (run_light() ? 60 : 200); ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        const Found<D> expected = reference::plain_pairs(world.view(), world.domain);
        const auto keys = named(expected, world);
        for (std::size_t f = 0; f < finders.size(); ++f) {
            SCOPED_TRACE(keepers[f]);
            finders[f].update(world.view(), world.domain);
            EXPECT_EQ(difference<D>(expected, listed(finders[f].pairs(Order::sorted))), "");
            EXPECT_EQ(finders[f].count(), expected.size());
            replays[f].apply(finders[f].changes(), step);
            EXPECT_EQ(replays[f].pairs, keys);
        }
        if (step % 50 == 0) {
            const auto probe = reference::plain_probe(world.view(), world.view(), world.domain);
            for (auto& finder : finders)
                EXPECT_EQ(
                    difference<D>(probe, listed(finder.probe(world.view(), Order::sorted))), "")
                    << "probe";
        }
        if (::testing::Test::HasFailure()) break;
        advance(world, step);
    }
    if (rebuilds != nullptr) *rebuilds = figure(finders[2].report(), "rebuilds");
    return replays[0];
}

template <int D>
Domain<D> unit_box() {
    std::array<double, D> lengths;
    lengths.fill(1);
    return Domain<D>::orthogonal(lengths);
}

TYPED_TEST(Motion, wandering) {
    VICINAL_FLAVOUR;
    for (const std::size_t shape : {0u, 1u, 2u, 3u, 4u, 6u, 9u}) {
        SCOPED_TRACE(shape_cases[shape].name);
        double rebuilds = 0;
        follow(World<T, D>(shape), [](auto& world, int) { world.wander(0.01); }, &rebuilds);
        EXPECT_GT(rebuilds, 0);
        EXPECT_LT(rebuilds, 60) << "a list that is made at every step is none";
        if (this->HasFailure()) return;
    }
}

// Coordinates are wrapped now and then. This is not motion: no list is rebuilt for it.
TYPED_TEST(Motion, wandering_and_wrapped) {
    VICINAL_FLAVOUR;
    for (const std::size_t shape : {0u, 1u, 2u, 4u, 5u, 9u}) {
        SCOPED_TRACE(shape_cases[shape].name);
        World<T, D> world(shape);
        world.domain = unit_box<D>();
        double rebuilds = 0;
        const auto replay = follow(
            world,
            [](auto& w, int step) {
                w.wander(0.01);
                if (step % 3 == 0) w.wrap();
            },
            &rebuilds);
        EXPECT_LT(rebuilds, 60);
        EXPECT_GT(replay.renamed, 0u);
        if (this->HasFailure()) return;
    }
}

TYPED_TEST(Motion, falling) {
    VICINAL_FLAVOUR;
    World<T, D> world(1);
    follow(world, [](auto& w, int step) {
        for (std::size_t i = 0; i < w.bodies.size(); ++i)
            if (w.bodies.position[i * D + 1] > T(0)) w.shift(i, 1, -0.0001 * step);
    });
}

TYPED_TEST(Motion, sheared) {
    VICINAL_FLAVOUR;
    for (const std::size_t shape : {1u, 4u, 0u, 6u}) {
        SCOPED_TRACE(shape_cases[shape].name);
        World<T, D> world(shape);
        std::array<double, D> lengths;
        lengths.fill(1);
        world.domain = Domain<D>::sheared(lengths, 0);
        follow(world, [lengths](auto& w, int step) {
            const bool moving = w.bodies.kind.swept;
            for (std::size_t i = 0; i < w.bodies.size(); ++i)
                w.shift(i, 1, 0.004 * (static_cast<double>(w.bodies.position[i * D]) - 0.5));
            w.domain = Domain<D>::sheared(lengths, 0.004 * step, moving ? 0.004 : 0);
            if (step % 5 == 0) w.wrap();
        });
        if (this->HasFailure()) return;
    }
}

// The box size oscillates; the bodies keep their positions or scale with it.
TYPED_TEST(Motion, breathing) {
    VICINAL_FLAVOUR;
    World<T, D> world(4);
    follow(world, [](auto& w, int step) {
        std::array<double, D> lengths;
        lengths.fill(1 + 0.1 * std::sin(0.05 * step));
        w.domain = Domain<D>::orthogonal(lengths);
        if (step > 100) w.wander(0.002);
    });
}

// One body jumps to a random position; none; all of them across the box.
TYPED_TEST(Motion, teleports) {
    VICINAL_FLAVOUR;
    World<T, D> world(4);
    world.domain = unit_box<D>();
    follow(world, [](auto& w, int step) {
        if (step % 10 == 5)
            for (std::size_t i = 0; i < w.bodies.size(); ++i) w.shift(i, 0, 0.5);
        else if (step % 2 == 0)
            for (std::size_t a = 0; a < D; ++a) w.shift(w.pick(), a, w.random.uniform(-3, 3));
    });
}

TYPED_TEST(Motion, growth) {
    VICINAL_FLAVOUR;
    for (const std::size_t shape : {0u, 1u, 2u}) {
        World<T, D> world(shape);
        follow(world, [](auto& w, int step) {
            w.wander(0.001);
            const T factor = step % 60 < 40 ? T(1.01) : T(0.98);
            w.bodies.cutoff *= factor;
            for (T& r : w.bodies.radius) r *= factor;
        });
        if (this->HasFailure()) return;
    }
}

// Bodies appear, disappear and reappear, and the filter changes.
TYPED_TEST(Motion, coming_and_going) {
    VICINAL_FLAVOUR;
    for (const bool periodic : {false, true}) {
        World<T, D> world(1);
        if (periodic) world.domain = unit_box<D>();
        follow(world, [](auto& w, int step) {
            w.wander(0.005);
            if (step % 3 == 0 && w.bodies.size() > 20) w.remove(w.pick());
            if (step % 4 == 0) w.add();
            if (step % 20 == 10) {  // removed and added again with the same id
                const Index id = w.id.back();
                w.remove(w.bodies.size() - 1);
                w.add();
                w.id.back() = id;
            }
            w.bodies.group.clear();
            w.bodies.mask.clear();
            w.bodies.excluded.clear();
            w.bodies.vertices.clear();
            if (step % 7 > 3) add_filter(w.bodies, FilterCase::groups, w.bodies.size(), 5);
            if (step % 11 > 7) add_filter(w.bodies, FilterCase::exclusions, w.bodies.size(), 5);
            if (step % 13 > 8) add_filter(w.bodies, FilterCase::vertices, w.bodies.size(), 2);
        });
        if (this->HasFailure()) return;
    }
}

TYPED_TEST(Motion, ids_must_differ) {
    VICINAL_FLAVOUR;
    World<T, D> world(1);
    world.id[3] = world.id[5];
    Finder<T, D> finder;
    finder.update(world.view());
    EXPECT_THROW(finder.changes(), Error);
}

}  // namespace
}  // namespace vicinal::test
