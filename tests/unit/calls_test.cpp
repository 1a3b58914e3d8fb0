// Calls that end early or are refused: cancelled by the caller's hook, in any piece of work,
// and calls on a finder that is busy. Afterwards the finder answers as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "base/sort.hpp"
#include "finder/structure.hpp"
#include "scenes/random.hpp"
#include "sieve/direct_images.hpp"
#include "support/bodies.hpp"
#include "support/pairs_of.hpp"

namespace vicinal::test {
namespace {

// The hook is asked at every opportunity, whatever the time.
class Cancelled : public ::testing::Test {
  protected:
    void SetUp() override { CancelHook::min_interval = 0; }
    void TearDown() override { CancelHook::min_interval = usual_; }

  private:
    CancelHook::Clock::rep usual_ = CancelHook::min_interval;
};

// Returns true at the n-th question.
struct Hook {
    std::atomic<std::uint64_t> asked = 0, cancel_at = 0;
    std::atomic<int> inside = 0;
    std::atomic<bool> overlapping = false;

    bool operator()() {
        if (inside++ != 0) overlapping = true;
        const bool cancelled = ++asked == cancel_at;
        --inside;
        return cancelled;
    }
};

std::vector<double> scattered(std::size_t n, std::uint64_t seed) {
    scenes::Random random(seed);
    std::vector<double> x;
    for (std::size_t c = 0; c < 3 * n; ++c) x.push_back(random.uniform());
    return x;
}

struct Scene3 {
    static constexpr std::size_t bodies_count = 300, queries_count = 100;
    std::vector<double> x = scattered(bodies_count, 1), y = scattered(queries_count, 2);
    std::vector<double> radius = std::vector<double>(bodies_count, 0.05),
                        others = std::vector<double>(queries_count, 0.05);
    Bodies<double, 3> bodies, queries;

    explicit Scene3(bool round)
        : bodies(round ? spheres<3>(x, radius) : points<3>(x, 0.1)),
          queries(round ? spheres<3>(y, others) : points<3>(y, 0.1)) {}
};

struct KindOfCall {
    const char* name;
    std::function<void(Finder<double, 3>&, const Scene3&)> call;
};

const std::vector<KindOfCall>& kinds_of_calls() {
    using F = Finder<double, 3>;
    static const Consumer<3> consumer = [](const Block<3>&) {};
    static const std::vector<KindOfCall> kinds{
        {"update", [](F& f, const Scene3& s) { f.update(s.bodies); }},
        {"pairs", [](F& f, const Scene3&) { f.pairs(); }},
        {"sorted", [](F& f, const Scene3&) { f.pairs(Order::sorted); }},
        {"take", [](F& f, const Scene3&) { f.take_pairs(); }},
        {"stream", [](F& f, const Scene3&) { f.for_each_block(consumer); }},
        {"count", [](F& f, const Scene3&) { f.count(); }},
        {"rows", [](F& f, const Scene3&) { f.neighbours(); }},
        {"spatial rows",
         [](F& f, const Scene3&) {
             f.neighbours(RowKind::full, Order::sorted, RowOrder::spatial);
         }},
        {"half rows", [](F& f, const Scene3&) { f.neighbours(RowKind::half); }},
        {"columns", [](F& f, const Scene3&) { f.pairs(Columns::ijSdD); }},
        {"row columns", [](F& f, const Scene3&) { f.take_neighbours(Columns::ijSdD); }},
        {"changes", [](F& f, const Scene3&) { f.changes(); }},
        {"two sets", [](F& f, const Scene3& s) { f.pairs_with(s.queries); }},
        {"two sets, stream", [](F& f, const Scene3& s) { f.pairs_with(s.queries, consumer); }},
        {"probe", [](F& f, const Scene3& s) { f.probe(s.queries, Order::sorted); }},
        {"probe, stream", [](F& f, const Scene3& s) { f.probe(s.queries, consumer); }},
        {"nearest", [](F& f, const Scene3& s) { f.nearest(s.queries, 3); }},
        {"own nearest", [](F& f, const Scene3&) { f.nearest(3); }},
        {"order", [](F& f, const Scene3&) { f.order(); }},
    };
    return kinds;
}

// Cancels the first, the last and some question in between of every kind of call.
void expect_cancelled(const std::string& method, int threads, const Domain<3>& domain,
                      bool round) {
    const Scene3 scene(round);
    Hook hook;
    Options<3> options;
    options.method = method;
    options.threads = threads;
    options.domain = domain;
    const std::vector<Pair> expected =
        test::pairs_of(find_pairs(scene.bodies, options, Order::sorted));
    ASSERT_FALSE(expected.empty());
    options.cancelled = std::ref(hook);
    std::size_t cancelled = 0;
    for (const KindOfCall& kind : kinds_of_calls()) {
        SCOPED_TRACE(kind.name);
        std::uint64_t questions = 0;
        // The first pass counts the questions, the others cancel one of them. Always with a new
        // finder, because the work may depend on the steps before.
        for (int pass = 0; pass < 4; ++pass) {
            hook.cancel_at = 0;
            Finder<double, 3> finder(options);
            finder.update(scene.bodies);
            const std::uint64_t before = hook.asked;
            const std::uint64_t chosen[] = {0, 1, (questions + 1) / 2, questions};
            if (pass > 0) hook.cancel_at = before + chosen[pass];
            try {
                kind.call(finder, scene);
                // On several threads, a call may ask less often.
                EXPECT_TRUE(pass == 0 || (threads > 1 && hook.asked < hook.cancel_at));
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), Error::Kind::cancelled) << error.what();
                ++cancelled;
            }
            if (pass == 0) questions = hook.asked - before;
            ASSERT_GE(questions, 1u);
            EXPECT_FALSE(finder.report().method.empty());  // the report does not ask
            hook.cancel_at = 0;
            finder.update(scene.bodies);
            EXPECT_EQ(test::pairs_of(finder.pairs(Order::sorted)), expected);
            finder.neighbours(RowKind::half, Order::sorted);
            EXPECT_EQ(finder.count(), expected.size());
        }
    }
    EXPECT_GE(cancelled, 2 * (kinds_of_calls().size() - 2));
    EXPECT_FALSE(hook.overlapping);
}

TEST_F(Cancelled, a_batch_at_any_question) {
    const Scene3 scene(false);
    const std::vector<std::uint64_t> offsets{0, 40, 40, Scene3::bodies_count / 2,
                                             Scene3::bodies_count};
    for (const int threads : {1, 3}) {
        Hook hook;
        Options<3> options;
        options.threads = threads;
        options.cancelled = std::ref(hook);
        const auto search = [&] {
            return find_batch(scene.bodies, offsets, Domain<3>::orthogonal({1, 1, 1}),
                              Columns::ijSdD, options);
        };
        EXPECT_GT(search().indices.size(), 0u);
        const std::uint64_t questions = hook.asked;
        ASSERT_GE(questions, 2u);
        for (const std::uint64_t at : {std::uint64_t{1}, (questions + 1) / 2, questions}) {
            const std::uint64_t before = hook.asked;
            hook.cancel_at = before + at;
            try {
                search();
                EXPECT_TRUE(threads > 1 && hook.asked < hook.cancel_at);
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), Error::Kind::cancelled) << error.what();
            }
            hook.cancel_at = 0;
        }
        EXPECT_FALSE(hook.overlapping);
    }
}

TEST_F(Cancelled, any_call_of_any_method_ends_and_leaves_a_usable_finder) {
    std::size_t turn = 0;
    for (const MethodInfo& method : methods())
        for (const int threads : {1, 3}) {
            SCOPED_TRACE(method.name + " threads " + std::to_string(threads));
            const Domain<3> domain =
                turn % 2 == 0 ? Domain<3>::orthogonal({1, 1, 1}) : Domain<3>::open();
            expect_cancelled(method.name, threads, domain, turn / 2 % 2 == 0);
            ++turn;
        }
    // The reach spans many periods.
    expect_cancelled("auto", 1, Domain<3>::orthogonal({0.11, 0.12, 0.13}), false);
}

// The changes since the last call that was not cancelled.
TEST_F(Cancelled, changes_are_not_lost) {
    Hook hook;
    Options<3> options;
    options.cancelled = std::ref(hook);
    Finder<double, 3> finder(options);
    const std::vector<double> apart{0, 0, 0, 1, 0, 0, 2, 0, 0},
        together{0, 0, 0, 0.1, 0, 0, 2, 0, 0};
    finder.update(points<3>(together, 0.5));
    EXPECT_EQ(finder.changes().began.size(), 1u);
    finder.update(points<3>(apart, 0.5));
    hook.cancel_at = hook.asked + 1;
    EXPECT_THROW(finder.changes(), Error);
    finder.update(points<3>(apart, 0.5));
    EXPECT_EQ(finder.changes().ended, (std::vector<PairKey<3>>{{0, 1, {}}}));
}

TEST_F(Cancelled, an_exception_of_the_hook_ends_the_call) {
    Options<3> options;
    options.cancelled = []() -> bool { throw std::runtime_error("from the hook"); };
    for (const int threads : {1, 4}) {
        options.threads = threads;
        Finder<double, 3> finder(options);
        const std::vector<double> x = scattered(100, 1);
        EXPECT_THROW(finder.update(points<3>(x, 0.1)), std::runtime_error);
    }
}

// A consumer's own loops and searches do not ask the hook of the search around them.
TEST_F(Cancelled, a_consumer_works_for_itself) {
    const Scene3 scene(false);
    Hook hook;
    Options<3> options;
    options.cancelled = std::ref(hook);
    options.threads = 1;
    Finder<double, 3> finder(options);
    finder.update(scene.bodies);
    std::atomic<std::uint64_t> asked = 0, consumed = 0;
    finder.for_each_block([&](const Block<3>&) {
        const std::uint64_t before = hook.asked;
        ++consumed;
        EXPECT_GT(find_pairs(scene.queries).size(), 0u);
        parallel_tasks(2, 10, [](std::size_t, int) {});
        asked += hook.asked - before;
    });
    EXPECT_GT(consumed, 0u);
    EXPECT_EQ(asked, 0u);
}

TEST(CancelHook, is_not_asked_more_often_than_needed) {
    Hook hook;
    Options<3> options;
    options.cancelled = std::ref(hook);
    options.threads = 1;
    Finder<double, 3> finder(options);
    const Scene3 scene(false);
    const auto begin = std::chrono::steady_clock::now();
    const auto spent = [&] { return std::chrono::steady_clock::now() - begin; };
    std::uint64_t steps = 0;
    // Much longer only on a machine on which the first calls had to wait for a processor.
    while (spent() < std::chrono::milliseconds(60) ||
           (hook.asked == 0 && spent() < std::chrono::seconds(10))) {
        finder.update(scene.bodies);
        finder.count();
        ++steps;
    }
    EXPECT_GE(hook.asked, 1u);  // although no call takes as long as the interval
    EXPECT_LE(hook.asked, static_cast<std::uint64_t>(spent() / std::chrono::milliseconds(10)));
    EXPECT_GT(steps, 0u);
}

// ---- work between two questions
// --------------------------------------------------------------

// Records the largest number of candidates between two questions of a search, on one thread.
template <Real T, int D>
class WorkMeter {
  public:
    explicit WorkMeter(const Blocks<D>& blocks)
        : hook_([this] {
              note();
              return false;
          }),
          call_(hook_),
          scope_(&call_),
          blocks_(blocks) {}
    std::uint64_t largest() {
        note();
        return largest_;
    }
    std::uint64_t questions() const { return questions_; }

  private:
    void note() {
        const std::uint64_t now = blocks_.candidates();
        largest_ = std::max(largest_, now - last_);
        last_ = now;
        ++questions_;
    }
    CancelHook hook_;
    Cancellation call_;
    CancellationScope scope_;
    const Blocks<D>& blocks_;
    std::uint64_t last_ = 0, largest_ = 0, questions_ = 0;
};

// Expects that a search of the bodies, or of the queries against them, asks often enough.
template <Real T, int D>
void expect_small_steps(const std::string& method, const Bodies<T, D>& bodies,
                        const Domain<D>& domain, const Bodies<T, D>* queries = nullptr) {
    constexpr std::uint64_t max_work = 1 << 20;  // candidates: a few milliseconds
    const Execution execution{1, choose_target()};
    Structure<T, D> structure(choose_method(method));
    structure.build(
        bodies, domain, execution, no_limit,
        queries == nullptr ? Structure<T, D>::Use::search : Structure<T, D>::Use::queries);
    Blocks<D> blocks;
    WorkMeter<T, D> meter(blocks);
    SearchContext<T, D> context;
    context.scene = &structure.scene();
    context.rule = reach_rule(bodies);
    context.kernels = Kernels<T, D>(execution.target);
    Scene<T, D> query_scene;
    if (queries != nullptr) {
        query_scene.assign(*queries, domain, execution);
        query_scene.add_ghosts(no_limit, &structure.scene());
        context.queries = &query_scene;
    }
    const bool direct = structure.scene().images() == Images::direct;
    blocks.count(structure.scene().periodic(), 1, {});
    const std::size_t tasks = queries != nullptr ? query_scene.size()
                              : direct           ? bodies.size()
                                                 : structure.method().tasks();
    parallel_tasks(1, tasks, [&](std::size_t t, int worker) {
        const SearchContext<T, D> own = context.for_worker(blocks.writer(worker), worker);
        blocks.writer(worker).begin_task(t);
        if (direct)
            search_images(own, {t, t + 1});
        else if (queries != nullptr)
            structure.method().probe(query_scene, {t, t + 1}, own);
        else
            structure.method().search({t, t + 1}, own);
        blocks.writer(worker).end_task();
    });
    blocks.finish();
    EXPECT_LE(meter.largest(), max_work) << method;
    EXPECT_GT(blocks.candidates(), 2 * max_work) << method << ": too few to tell";
}

std::vector<std::string> methods_for_crowds() {
    std::vector<std::string> names;
    for (const MethodInfo& method : methods())
        // Their searches read lists of pairs, which are made while they build.
        if (method.name != "verlet") names.push_back(method.name);
    return names;
}

TEST_F(Cancelled, a_crowd_at_one_place_is_searched_in_small_steps) {
    const std::size_t n = 2200;
    const std::vector<float> x(3 * n, 0.5f), upper(3 * n, 0.6f);
    for (const std::string& method : methods_for_crowds()) {
        expect_small_steps<float, 3>(method, points<3>(x, 0.1), Domain<3>::open());
        expect_small_steps<float, 3>(method, boxes<3>(x, upper), Domain<3>::open());
    }
    const std::vector<float> many(3 * 1000, 0.5f);
    for (const std::string& method : methods_for_crowds()) {
        const Bodies<float, 3> queries = points<3>(many, 0.1);
        expect_small_steps<float, 3>(method, points<3>(x, 0.1), Domain<3>::open(), &queries);
    }
}

// Bodies that reach everything: no cells, rows or leaves divide the work.
TEST_F(Cancelled, giants_are_searched_in_small_steps) {
    const std::size_t n = 2600;
    const auto wide = scattered(n, 3);
    const std::vector<float> x(wide.begin(), wide.end());
    std::vector<float> radius(n, 1e-4f);
    for (std::size_t i = 0; i < n; ++i)
        if (i % 2 == 0) radius[i] = 3;
    for (const std::string& method : methods_for_crowds())
        expect_small_steps<float, 3>(method, spheres<3>(x, radius), Domain<3>::open());
}

TEST_F(Cancelled, direct_images_are_searched_in_small_steps) {
    const auto x = scattered(200, 4);
    expect_small_steps<double, 3>("auto", points<3>(x, 2.0),
                                  Domain<3>::orthogonal({0.5, 0.5, 0.5}));
}

TEST_F(Cancelled, loops_over_many_bodies_ask_between_pieces) {
    std::uint64_t asked = 0;
    CancelHook hook([&] {
        ++asked;
        return false;
    });
    Cancellation call(hook);
    const CancellationScope scope(&call);
    const auto questions = [&](const auto& f) {
        asked = 0;
        f();
        return asked;
    };
    const std::size_t n = std::size_t{1} << 24;
    EXPECT_GE(questions([&] { parallel_for(1, n, [](std::size_t) {}); }), n / work_per_poll);
    EXPECT_GE(questions([&] { parallel_ranges(1, n, [](Range, std::size_t) {}); }), n >> 21);
    std::vector<std::uint32_t> values(1 << 18);
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<std::uint32_t>(k) * 2654435761u;
    EXPECT_GE(questions([&] { sort_in_steps(values.begin(), values.end()); }),
              values.size() * 12 / work_per_poll);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

// ---- busy
// --------------------------------------------------------------------------------------

void expect_busy(const std::function<void()>& call) {
    try {
        call();
        ADD_FAILURE() << "the call was not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::busy) << error.what();
    }
}

TEST(Busy, a_consumer_cannot_change_its_own_finder) {
    const Scene3 scene(false);
    for (const char* const method : {"auto", "kd_tree", "verlet"})
        for (const int threads : {1, 4}) {
            Options<3> options;
            options.method = method;
            options.threads = threads;
            Finder<double, 3> finder(options);
            finder.update(scene.bodies);
            const std::size_t expected = finder.count();
            std::atomic<std::size_t> streamed = 0;
            const std::vector<Pair> probed =
                test::pairs_of(finder.probe(scene.queries, Order::sorted));
            std::mutex mutex;
            finder.for_each_block([&](const Block<3>& block) {
                streamed += block.pairs.size();
                const std::lock_guard lock(mutex);
                for (const KindOfCall& kind : kinds_of_calls()) {
                    const std::string name = kind.name;
                    if (name.find("two sets") != std::string::npos ||
                        name.find("probe") != std::string::npos ||
                        name.find("nearest") != std::string::npos || name == "order")
                        continue;
                    expect_busy([&] { kind.call(finder, scene); });
                }
                expect_busy([&] { finder.report(); });
                expect_busy([&] { finder.update(scene.bodies, Domain<3>::open()); });
                EXPECT_EQ(test::pairs_of(finder.probe(scene.queries, Order::sorted)), probed);
            });
            EXPECT_EQ(streamed, expected);
            EXPECT_EQ(finder.count(), expected);
        }
}

TEST(Busy, nor_can_the_consumer_of_a_query) {
    const Scene3 scene(true);
    Finder<double, 3> finder;
    finder.update(scene.bodies);
    std::atomic<int> calls = 0;
    const Consumer<3> consumer = [&](const Block<3>&) {
        ++calls;
        expect_busy([&] { finder.update(scene.bodies); });
        expect_busy([&] { finder.pairs(); });
        EXPECT_NO_THROW(finder.probe(scene.queries));
    };
    finder.probe(scene.queries, consumer);
    finder.pairs_with(scene.queries, consumer);
    EXPECT_GE(calls, 2);
    EXPECT_NO_THROW(finder.update(scene.bodies));
}

TEST(Busy, nor_can_another_thread) {
    const Scene3 scene(false);
    Finder<double, 3> finder;
    finder.update(scene.bodies);
    std::mutex mutex;
    bool tried = false;
    finder.for_each_block([&](const Block<3>&) {
        const std::lock_guard lock(mutex);
        if (std::exchange(tried, true)) return;
        std::thread([&] {
            expect_busy([&] { finder.update(scene.bodies); });
            expect_busy([&] { finder.count(); });
            EXPECT_NO_THROW(finder.probe(scene.queries));
        }).join();
    });
    EXPECT_TRUE(tried);
}

// An error of the consumer ends the call as any other.
TEST(Busy, not_after_an_error) {
    const Scene3 scene(false);
    Finder<double, 3> finder;
    finder.update(scene.bodies);
    EXPECT_THROW(
        finder.for_each_block([](const Block<3>&) { throw std::runtime_error("consumer"); }),
        std::runtime_error);
    EXPECT_NO_THROW(finder.update(scene.bodies));
    EXPECT_GT(finder.count(), 0u);
}

}  // namespace
}  // namespace vicinal::test
