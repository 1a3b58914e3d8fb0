// Counts every allocation of this program. After the third step a finder allocates nothing, and
// the memory that it reports is the memory allocated for it.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/pairs_of.hpp"

#include <vicinal/vicinal.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // GCC warns about free() in operator delete
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {
std::atomic<std::size_t> allocations = 0;
std::atomic<std::size_t> live_bytes = 0;
constexpr std::size_t never = ~std::size_t{0};
std::atomic<std::size_t> failing_allocation = never;  // its number, from now on

constexpr std::size_t usual_alignment = alignof(std::max_align_t);

// The size is stored before the memory, in a block of the alignment's size.
void* allocate(std::size_t bytes, std::size_t alignment) {
    if (allocations++ == failing_allocation) throw std::bad_alloc();
    live_bytes += bytes;
    // aligned_alloc needs a multiple of the alignment.
    void* const all =
        std::aligned_alloc(alignment, (bytes + 2 * alignment - 1) / alignment * alignment);
    if (all == nullptr) throw std::bad_alloc();
    std::memcpy(all, &bytes, sizeof bytes);
    return static_cast<std::byte*>(all) + alignment;
}

void release(void* memory, std::size_t alignment) {
    if (memory == nullptr) return;
    void* const all = static_cast<std::byte*>(memory) - alignment;
    std::size_t bytes = 0;
    std::memcpy(&bytes, all, sizeof bytes);
    live_bytes -= bytes;
    std::free(all);
}
}  // namespace

void* operator new(std::size_t bytes) {
    return allocate(bytes, usual_alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    release(memory, usual_alignment);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory, usual_alignment);
}
void operator delete(void* memory, std::align_val_t alignment) noexcept {
    release(memory, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
    release(memory, static_cast<std::size_t>(alignment));
}

namespace vicinal {
namespace {

// A slow drift back and forth: buffers reach their largest sizes within two steps.
std::vector<float> positions(std::size_t n, int step) {
    std::vector<float> x(3 * n);
    std::uint32_t state = 12345;
    for (float& v : x) {
        state = state * 1664525u + 1013904223u;
        v = static_cast<float>(state >> 8) * 0x1p-24f + (step % 2 == 0 ? 0.0f : 0.001f);
    }
    return x;
}

class Steady : public ::testing::TestWithParam<std::string> {};

TEST_P(Steady, StateAllocatesNothing) {
    const bool slow = GetParam() == "brute_force" || GetParam() == "sweep_all_pairs" ||
                      GetParam().ends_with("cells_per_body=8)");
    const std::size_t n = slow ? 4000 : 30000;
    const std::vector<float> radius(n, 0.01f);
    // One thread: with more, the memory of each worker depends on timing, and a worker may get
    // its largest task late.
    for (const bool periodic : {false, true})
        for (const Shape shape : {Shape::points, Shape::spheres, Shape::boxes}) {
            Options<3> options;
            options.method = GetParam();
            options.threads = 1;
            if (periodic) options.domain = Domain<3>::orthogonal({1.1, 1.1, 1.1});
            Finder<float, 3> finder(options);
            std::size_t before = 0;
            for (int step = 0; step < 6; ++step) {
                const std::vector<float> lower = positions(n, step);
                std::vector<float> upper = lower;
                for (float& v : upper) v += 0.02f;
                if (step >= 3) before = allocations;
                if (shape == Shape::points)
                    finder.update(points<3>(lower, 0.03f));
                else if (shape == Shape::spheres)
                    finder.update(spheres<3>(lower, radius));
                else
                    finder.update(boxes<3>(lower, upper));
                ASSERT_GT(finder.pairs().size(), 200u);
                finder.count();
                finder.neighbours();
                finder.neighbours(RowKind::full, Order::any, RowOrder::spatial);
                if (step >= 3) {
                    EXPECT_EQ(allocations - before, 0u)
                        << "step " << step << (periodic ? ", periodic" : ", open") << ", shape "
                        << static_cast<int>(shape);
                }
            }
        }
}

struct World {
    Shape shape;
    bool swept;
    bool periodic;
};

// Bodies of a world, n of them.
struct OwnedBodies {
    OwnedBodies(const World& given, std::size_t n, int step)
        : world(given),
          lower(positions(n, step)),
          upper(lower),
          radius(n, 0.01f),
          motion(lower) {
        for (float& v : upper) v += 0.02f;
        for (float& v : motion) v = 0.004f * (v - 0.5f);
    }
    Bodies<float, 3> view() const {
        Bodies<float, 3> bodies = world.shape == Shape::points    ? points<3>(lower, 0.03f)
                                  : world.shape == Shape::spheres ? spheres<3>(lower, radius)
                                                                  : boxes<3>(lower, upper);
        return world.swept ? bodies.moving(motion) : bodies;
    }
    World world;
    std::vector<float> lower, upper, radius, motion;
};

// Uses everything that a finder keeps memory for.
void use(Finder<float, 3>& finder, const Bodies<float, 3>& bodies,
         const Bodies<float, 3>& queries) {
    finder.update(bodies);
    finder.pairs();
    finder.count();
    finder.neighbours(RowKind::full, Order::any, RowOrder::spatial);
    finder.neighbours(RowKind::half, Order::sorted);
    finder.changes();
    finder.probe(queries);
    try {
        finder.nearest(queries, 3);
    } catch (const Error&) {  // only some methods support this
    }
}

class Ledger : public ::testing::TestWithParam<std::string> {};

// Objects of fixed size, 8 to 21 KB per finder with its structures for queries, are not
// counted. An array with a byte for each of 30,000 bodies would be detected.
constexpr double objects = 25000;

TEST_P(Ledger, CountsWhatWasAllocated) {
    const std::string method = GetParam();
    const bool slow = method == "brute_force" || method == "sweep_all_pairs" ||
                      method.ends_with("cells_per_body=8)");
    const std::size_t n = slow ? 4000 : 30000;
    for (const bool periodic : {false, true})
        for (const bool moving : {false, true})
            for (const Shape shape : {Shape::points, Shape::spheres, Shape::boxes}) {
                const World world{shape, moving, periodic};
                const OwnedBodies first(world, n, 0), second(world, n + n / 16, 1),
                    queries(world, 100, 0);
                Options<3> options;
                options.method = method;
                options.threads = 2;  // allocations of helpers count too
                if (periodic) options.domain = Domain<3>::orthogonal({1.1, 1.1, 1.1});
                const std::size_t before = live_bytes;
                {
                    Finder<float, 3> finder(options);
                    use(finder, first.view(), queries.view());
                    use(finder, second.view(), queries.view());
                    const auto counted = static_cast<double>(finder.report().bytes);
                    const auto live = static_cast<double>(live_bytes - before);
                    EXPECT_NEAR(counted, live, objects)
                        << (periodic ? "periodic" : "open") << (moving ? ", swept" : "")
                        << ", shape " << static_cast<int>(shape);
                }
                EXPECT_LT(live_bytes - before, 4096u);
            }
}

// Allocations of a consumer are not charged to its finder, and results may outlive their
// finder.
TEST(Nested, EachFinderCountsItsOwn) {
    const World world{Shape::points, false, true};
    const OwnedBodies bodies(world, 20000, 0), small(world, 2000, 0);
    Options<3> options;
    options.domain = Domain<3>::orthogonal({1.1, 1.1, 1.1});
    options.threads = 1;  // with more, memory depends on timing
    const auto stream = [&](Finder<float, 3>& finder, const Consumer<3>& consumer) {
        finder.update(bodies.view());
        finder.for_each_block(consumer);
        return finder.report().bytes;
    };
    const std::size_t before = live_bytes;
    {
        Finder<float, 3> alone(options);
        const std::uint64_t expected = stream(alone, [](const Block<3>&) {});
        std::unique_ptr<Finder<float, 3>> nested;
        PairList<3> probed;
        {
            Finder<float, 3> finder(options);
            const std::uint64_t counted = stream(finder, [&](const Block<3>&) {
                if (nested) return;
                nested = std::make_unique<Finder<float, 3>>(options);
                nested->update(small.view());
                nested->pairs(Order::sorted);
                probed = nested->probe(small.view(), Order::sorted);
            });
            EXPECT_EQ(counted, expected);
        }
        ASSERT_TRUE(nested);
        Finder<float, 3> usual(options);
        usual.update(small.view());
        const std::vector<Pair> pairs = test::pairs_of(usual.pairs(Order::sorted));
        EXPECT_EQ(test::pairs_of(usual.probe(small.view(), Order::sorted)),
                  test::pairs_of(probed));
        EXPECT_EQ(usual.report().bytes, nested->report().bytes);
        const PairList<3> taken = nested->take_pairs(Order::sorted);
        EXPECT_LT(nested->report().bytes, usual.report().bytes);
        nested = nullptr;
        EXPECT_EQ(test::pairs_of(taken), pairs);
    }
    EXPECT_LT(live_bytes - before, 4096u);
}

// Balls on a lattice that tremble, and some that fly through; all of it comes back.
class Trembling {
  public:
    explicit Trembling(std::size_t n) : world(1) {
        for (std::size_t k = 0; k < n; ++k) {
            bodies.push_back(world.add(lower(k, 0), upper(k, 0)));
        }
    }
    void move(int step) {
        for (std::size_t k = 0; k < bodies.size(); ++k)
            world.move(bodies[k], lower(k, step), upper(k, step));
    }

    vicinal::World<float, 3> world;
    std::vector<Handle> bodies;

  private:
    static Vector<float, 3> lower(std::size_t k, int step) {
        const float shake = step % 2 == 0 ? 0.0f : 0.01f,
                    flight = k % 64 == 0 ? static_cast<float>(step % 16) * 0.7f : 0.0f;
        return {static_cast<float>(k % 20) + shake, static_cast<float>(k / 20 % 20) - shake,
                static_cast<float>(k / 400) + flight};
    }
    static Vector<float, 3> upper(std::size_t k, int step) {
        Vector<float, 3> x = lower(k, step);
        for (float& v : x) v += 1.001f;
        return x;
    }
};

TEST(SteadyWorld, AllocatesNothing) {
    Trembling scene(8000);
    std::vector<Hit<float>> hits;
    hits.reserve(100);
    std::size_t events = 0, before = 0;
    for (int step = 0; step < 160; ++step) {
        if (step == 96) before = allocations;
        scene.move(step);
        events += scene.world.update().began.size();
        scene.world.all(Query<float, 3>::ray({0.5f, 0.5f, -1}, {0, 0, 30}), hits);
    }
    EXPECT_EQ(allocations - before, 0u);
    EXPECT_GT(events, 10000u);
    EXPECT_FALSE(hits.empty());
}

// Between an update that failed and the next one: pairs of a body are those of the last good
// update, except with removed bodies; queries see all present boxes.
void expect_answers(const vicinal::World<float, 3>& world, const PairMap<int, 3>& pairs) {
    const Query<float, 3> region = Query<float, 3>::box({0, 0, 0.5f}, {9, 9, 12});
    std::map<Handle, std::vector<Handle>> paired;
    for (const auto& [key, value] : pairs)
        if (world.contains(key.i) && world.contains(key.j)) {
            paired[key.i].push_back(key.j);
            paired[key.j].push_back(key.i);
        }
    std::vector<Handle> others, expected, found;
    for (Handle h = 0; h < 2000; ++h) {
        if (!world.contains(h)) continue;
        world.pairs_of(h, others);
        std::sort(paired[h].begin(), paired[h].end());
        ASSERT_EQ(others, paired[h]) << "body " << h;
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a)
            inside &=
                world.lower(h)[a] <= region.upper[a] && region.lower[a] <= world.upper(h)[a];
        if (inside) expected.push_back(h);
    }
    std::vector<Hit<float>> hits;
    world.all(region, hits);
    for (const auto& hit : hits) found.push_back(hit.body);
    ASSERT_EQ(found, expected);
}

// Whichever allocation fails, the next update finds all changes since the last good one.
TEST(Failing, AnyAllocationLeavesAUsableWorld) {
    bool failed = true;
    for (std::size_t k = 0; failed; ++k) {
        Trembling scene(700);
        const auto pairs = [](Trembling& s) { return s.world.pairs(); };
        PairMap<int, 3> alive;
        for (int step = 0; step < 3; ++step) {
            scene.move(step);
            alive.apply(scene.world.update());
        }
        failed = false;
        failing_allocation = allocations + k;
        for (int step = 3; step < 6 && !failed; ++step) {
            try {
                for (std::size_t b = 0; b < 40; ++b)
                    scene.bodies.push_back(scene.world.add({1, 1, 1}, {3, 3, 3}));
                scene.world.remove(scene.bodies[0]);
                scene.bodies.erase(scene.bodies.begin());
                scene.move(step);
                scene.world.move(scene.bodies[15], {3, 3, 10}, {4, 4, 11});  // far from before
                scene.world.any(Query<float, 3>::point({1, 2, 3}));
                scene.world.update();
                failing_allocation = never;
                alive.apply({{scene.world.begun().begin(), scene.world.begun().end()},
                             {scene.world.ended().begin(), scene.world.ended().end()},
                             {}});
            } catch (const std::bad_alloc&) {  // of the vectors here
                failed = true;
            } catch (const Error& error) {
                failed = error.kind() == Error::Kind::memory;
                EXPECT_TRUE(failed) << error.what();
            }
            if (!failed) failing_allocation = allocations + k;
        }
        failing_allocation = never;
        if (failed) {
            ASSERT_NO_FATAL_FAILURE(expect_answers(scene.world, alive))
                << "after allocation " << k << " failed";
        }
        alive.apply(scene.world.update());
        // As in a world without history.
        vicinal::World<float, 3> fresh(1);
        std::map<Handle, Handle> number;
        for (Handle h = 0; h < 2000; ++h)
            if (scene.world.contains(h))
                number[fresh.add(scene.world.lower(h), scene.world.upper(h))] = h;
        fresh.update();
        std::vector<Pair> expected, found;
        for (const auto [i, j] : fresh.pairs()) expected.push_back({number[i], number[j]});
        for (const auto& [key, value] : alive) found.push_back({key.i, key.j});
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(found, expected) << "after allocation " << k << " failed";
        ASSERT_EQ(pairs(scene), expected);
    }
}

// Whichever allocation of a step fails, the finder answers in the next one.
void expect_usable_after_failures(const Options<3>& options, const Bodies<double, 3>& bodies,
                                  const std::function<void(Finder<double, 3>&)>& call) {
    Finder<double, 3> undisturbed(options);
    undisturbed.update(bodies);
    const std::vector<Pair> expected = test::pairs_of(undisturbed.pairs(Order::sorted));
    ASSERT_FALSE(expected.empty());
    bool failed = true;
    for (std::size_t k = 0; failed; ++k) {
        Finder<double, 3> finder(options);
        failed = false;
        failing_allocation = allocations + k;
        try {
            call(finder);
        } catch (const Error& error) {
            failed = error.kind() == Error::Kind::memory;
            EXPECT_TRUE(failed) << error.what();
        }
        failing_allocation = never;
        finder.update(bodies);
        ASSERT_EQ(test::pairs_of(finder.pairs(Order::sorted)), expected)
            << "after allocation " << k << " failed";
    }
}

// Tree methods find nearest neighbours, others refuse.
bool finds_nearest(const std::string& method) {
    Options<3> options;
    options.method = method;
    Finder<double, 3> finder(options);
    const std::vector<double> one{0, 0, 0};
    finder.update(points<3>(one));
    try {
        finder.nearest(1);
        return true;
    } catch (const Error&) {
        return false;
    }
}

TEST(Failing, AnyAllocationLeavesAUsableFinder) {
    std::vector<double> x;
    for (int k = 0; k < 300; ++k) x.push_back(k * 0.618 - static_cast<int>(k * 0.618));
    const std::vector<Pair> excluded{{0, 1}, {2, 40}, {7, 3}, {50, 51}, {99, 12}, {1, 60}};
    std::vector<std::uint32_t> group, mask;
    for (std::uint32_t k = 0; k < 100; ++k) {
        group.push_back(1 + k % 3);
        mask.push_back(1 + k % 2);
    }
    std::vector<double> upper = x;
    for (double& side : upper) side += 0.2;
    const auto filtered = [&](const Bodies<double, 3>& bodies) {
        return bodies.excluding(excluded).grouped(group, mask);
    };
    for (const auto& bodies : {filtered(points<3>(x, 0.4)), filtered(boxes<3>(x, upper))})
        for (const MethodInfo& method : methods())
            for (const auto& domain : {Domain<3>::open(), Domain<3>::orthogonal({1, 1, 1})}) {
                SCOPED_TRACE(method.name);
                Options<3> options;
                options.method = method.name;
                options.threads = 2;
                options.domain = domain;
                expect_usable_after_failures(options, bodies, [&](Finder<double, 3>& finder) {
                    finder.update(bodies);
                    finder.pairs(Order::sorted);
                });
            }
}

// The other calls, one after the other; and the finder itself is made anew each time.
TEST(Failing, AnyCallReportsMissingMemory) {
    std::vector<double> x;
    for (int k = 0; k < 150; ++k) x.push_back(k * 0.618 - static_cast<int>(k * 0.618));
    const Bodies<double, 3> bodies = points<3>(x, 0.4);
    for (const MethodInfo& method : methods())
        for (const auto& domain : {Domain<3>::open(), Domain<3>::orthogonal({1, 1, 1})}) {
            SCOPED_TRACE(method.name);
            Options<3> options;
            options.method = method.name;
            options.threads = 1;
            options.domain = domain;
            const bool nearest = finds_nearest(method.name);
            expect_usable_after_failures(options, bodies, [&](Finder<double, 3>& finder) {
                finder = Finder<double, 3>(options);
                finder.update(bodies);
                finder.for_each_block([](const Block<3>&) {});
                finder.neighbours();
                finder.neighbours(RowKind::half, Order::sorted, RowOrder::spatial);
                finder.changes();
                finder.probe(bodies, Order::sorted);
                finder.pairs_with(bodies);
                if (nearest) finder.nearest(bodies, 3);
                finder.order();
                finder.report();
            });
        }
}

// The rows from which the nearest neighbours of many points are selected need more memory than
// the tree, which finds them without.
TEST(Failing, NearestNeighboursNeedNoMemoryForRows) {
    const std::vector<float> x = positions(600, 0);
    Options<3> options;
    options.threads = 1;
    Finder<float, 3> finder(options);
    finder.update(points<3>(x, 0.1f));
    finder.nearest(4);  // builds the tree
    const auto expected = finder.nearest(4);
    int survived = 0;
    for (std::size_t k = 0;; ++k) {
        failing_allocation = allocations + k;
        const std::size_t failing = failing_allocation;
        bool done = false;
        try {
            const auto found = finder.nearest(4);
            failing_allocation = never;
            done = allocations <= failing;
            survived += !done;
            ASSERT_TRUE(std::equal(found.indices.begin(), found.indices.end(),
                                   expected.indices.begin(), expected.indices.end()));
        } catch (const Error& error) {
            failing_allocation = never;
            EXPECT_EQ(error.kind(), Error::Kind::memory) << error.what();
        }
        if (done) break;
    }
    EXPECT_GT(survived, 20);
}

// Filters of all kinds, the exclusions unchanged.
TEST(SteadyFilters, AllocateNothing) {
    constexpr std::uint32_t n = 20000;
    std::vector<std::uint32_t> group, vertices;
    std::vector<Pair> excluded;
    for (std::uint32_t i = 0; i < n; ++i) {
        group.push_back(1 + i % 3);
        for (std::uint32_t k = 0; k < 3; ++k) vertices.push_back((i * 7 + k * 5) % 100);
        if (i > 100) excluded.push_back({i - 1, i % 90});
    }
    for (const bool periodic : {false, true}) {
        Options<3> options;
        options.threads = 1;
        if (periodic) options.domain = Domain<3>::orthogonal({1.1, 1.1, 1.1});
        Finder<float, 3> finder(options);
        for (int step = 0; step < 6; ++step) {
            const std::vector<float> x = positions(n, step);
            const std::size_t before = allocations;
            finder.update(points<3>(x, 0.03f)
                              .grouped(group, group)
                              .excluding(excluded)
                              .with_vertices(vertices, 3));
            ASSERT_GT(finder.pairs().size(), 200u);
            finder.count();
            finder.neighbours();
            if (step >= 3) {
                EXPECT_EQ(allocations - before, 0u) << "step " << step;
            }
        }
    }
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const MethodInfo& method : methods()) result.push_back(method.name);
    // Objects with their own ledger.
    for (const char* method :
         {"compact_grid(sort=auto)", "compact_grid(cells_per_body=8)",
          "hierarchical_hash(neighbours=insert)", "verlet(inner=bvh, skin=0.01)",
          "linear_kd_tree(unique=list)", "sweep_persistent(scratch=never)"})
        result.push_back(method);
    return result;
}

std::string test_name(std::string method) {
    std::replace_if(
        method.begin(), method.end(), [](char c) { return c < '0' || (c > '9' && c < 'A'); },
        '_');
    return method;
}

INSTANTIATE_TEST_SUITE_P(Methods, Ledger, ::testing::ValuesIn(names()),
                         [](const auto& method) { return test_name(method.param); });
INSTANTIATE_TEST_SUITE_P(Methods, Steady, ::testing::ValuesIn(names()),
                         [](const auto& method) { return test_name(method.param); });

}  // namespace
}  // namespace vicinal
