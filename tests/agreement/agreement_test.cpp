// Compares every method of the registry with the plain double loop, pair by pair with images:
// pairs and counts, two sets and probes, in every dimension and precision. The other outputs
// are tested for one method per case, in turn.
//
// The cases are a covering array: every combination of values of any two of shape, domain,
// scene, filter, thread count and kind of queries occurs in some case; with VICINAL_TEST_ALL of
// any three. The double loop runs once per case, for all methods. One finder per method and
// thread count serves all cases, so that it also starts from the state of another case.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "cases.hpp"
#include "support/bodies.hpp"
#include "support/columns.hpp"
#include "support/compare.hpp"

namespace vicinal::test {
namespace {

constexpr int thread_counts[] = {1, 2, 3, 8};
constexpr FilterCase filters[] = {FilterCase::none, FilterCase::groups, FilterCase::exclusions,
                                  FilterCase::vertices, FilterCase::kinds};
constexpr std::size_t bodies_per_case = 40;
constexpr std::size_t queries_per_case = 4;

// The rules max and min differ from sum only in the last decision.
std::vector<ShapeCase> shapes_of_the_rule_sum() {
    std::vector<ShapeCase> shapes;
    for (const ShapeCase& shape : shape_cases)
        if (shape.rule == ReachRule::sum) shapes.push_back(shape);
    return shapes;
}

template <Real T, int D>
class Agreement : public ::testing::Test {
  public:
    void TestBody() override {
        const auto& scenes = scenes::list();
        const auto queries = shapes_of_the_rule_sum();
        for (const CaseIndices& c :
             chosen_cases({std::size(shape_cases), std::size(domain_names), scenes.size(),
                           std::size(filters), std::size(thread_counts), queries.size()})) {
            run(shape_cases[c[0]], domain_names[c[1]], scenes[c[2]].name, filters[c[3]],
                thread_counts[c[4]], queries[c[5]]);
            if (HasFailure()) return;
        }
    }

  private:
    void run(const ShapeCase& shape, const std::string& domain_name, const std::string& scene,
             FilterCase filter, int threads, const ShapeCase& query) {
        SCOPED_TRACE(std::string(shape.name) + " " + domain_name + " " + scene + " filter " +
                     std::to_string(static_cast<int>(filter)) + " threads " +
                     std::to_string(threads) + " probed with " + query.name);
        // A giant of the default size has thousands of images, all tested by the double loop.
        std::map<std::string, double> parameters{{"dim", D}};
        if (scene == "giant") parameters["ratio"] = 10;
        const auto make = [&](std::size_t n, const ShapeCase& kind, std::uint64_t seed) {
            return make_bodies<T, D>(scenes::make(scene, n, seed, parameters), kind, seed);
        };
        auto bodies = make(bodies_per_case, shape, 11);
        add_filter(bodies, filter, bodies.size(), 3);
        auto others = make(bodies_per_case / 3, shape, 12);
        others.cutoff = bodies.cutoff;
        add_filter(others, filter, bodies.size(), 4);
        const auto domain = make_domain<D>(domain_name, periods_for(bodies), shape.swept);

        Expected expected;
        expected.one_set = reference::plain_pairs(bodies.view(), domain);
        expected.two_sets = reference::plain_pairs(others.view(), bodies.view(), domain);
        expected.queries = make(queries_per_case, query, 13);
        expected.probes =
            reference::plain_probe(bodies.view(), expected.queries.view(), domain);
        const auto all = methods();
        // Hashed, so that the choice is independent of the factors of the cases.
        const std::size_t turn = (++cases_ * 2654435761u >> 16) % all.size();
        for (std::size_t m = 0; m < all.size(); ++m) {
            const MethodInfo& method = all[m];
            SCOPED_TRACE(method.name);
            check(method.name, threads, bodies.view(), others.view(), domain, expected,
                  m == turn);
            // Direct images use no method: one test is enough for all.
            const auto& report = finders_for(method.name, threads).finder.report();
            if (report.why.starts_with("method unused")) break;
        }
    }

    struct Expected {
        OwnedBodies<T, D> queries;
        Found<D> one_set, two_sets, probes;
    };

    void check(const std::string& method, int threads, const Bodies<T, D>& bodies,
               const Bodies<T, D>& others, const Domain<D>& domain, const Expected& expected,
               bool all_outputs) {
        auto& [finder, alone] = finders_for(method, threads);
        finder.update(bodies, domain);
        const Found<D> found = listed(finder.pairs());
        EXPECT_EQ(difference<D>(expected.one_set, sorted<D>(found)), "");
        EXPECT_EQ(finder.count(), expected.one_set.size());
        if (all_outputs || finder.report().why.starts_with("method unused"))
            check_outputs(finder, expected.one_set);
        check_columns(finder, bodies, others, domain, expected, all_outputs);
        EXPECT_EQ(
            difference<D>(expected.two_sets, listed(finder.pairs_with(others, Order::sorted))),
            "")
            << "two sets";
        EXPECT_EQ(difference<D>(expected.probes,
                                listed(finder.probe(expected.queries.view(), Order::sorted))),
                  "")
            << "probe";
        if (threads == 1) return;
        alone.update(bodies, domain);
        EXPECT_TRUE(found == listed(alone.pairs())) << "order differs from that of one thread";
    }

    // Made from the pairs by code that is independent of the method, so one method per case is
    // enough.
    void check_outputs(Finder<T, D>& finder, const Found<D>& expected) {
        EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "") << "sorted";
        EXPECT_EQ(
            difference<D>(expected, rows_of(finder.neighbours(RowKind::half, Order::sorted))),
            "")
            << "half";
        EXPECT_EQ(
            difference<D>(both_ways<D>(expected), sorted<D>(rows_of(finder.neighbours()))), "")
            << "full";
        const Rows<T, D>& ordered =
            finder.neighbours(RowKind::full, Order::sorted, RowOrder::spatial);
        EXPECT_EQ(difference<D>(both_ways<D>(expected), sorted<D>(rows_of(ordered))), "")
            << "in order()";
        EXPECT_TRUE(ordered.bodies == finder.order());
        EXPECT_GE(finder.report().candidates, expected.size());

        std::mutex mutex;
        Found<D> streamed;
        finder.for_each_block([&](const Block<D>& block) {
            const std::lock_guard lock(mutex);
            append(streamed, block);
        });
        EXPECT_EQ(difference<D>(expected, sorted<D>(streamed)), "") << "streamed";
    }

    // Plain arrays: the same pairs, with vectors and distances equal to the formula's bit by
    // bit.
    void check_columns(Finder<T, D>& finder, const Bodies<T, D>& bodies,
                       const Bodies<T, D>& others, const Domain<D>& domain,
                       const Expected& expected, bool all_outputs) {
        const Columns all = bodies.shape == Shape::boxes ? Columns::ijS : Columns::ijSdD;
        const Measure<T, D> own{bodies, bodies, domain};
        compare_columns("pairs", own, expected.one_set, finder.pairs(all));
        if (!all_outputs) return;
        const Found<D> full = both_ways<D>(expected.one_set);
        compare_columns("2 x n", own, expected.one_set,
                        finder.template pairs<std::int64_t>(
                            all, {.order = Order::sorted, .layout = PairLayout::two_by_n}),
                        true);
        compare_columns("full", own, full,
                        finder.template pairs<std::int32_t>(
                            all, {.order = Order::sorted, .kind = RowKind::full}),
                        true);
        compare_columns("rows", own, full, flat(finder.neighbours(all)));
        const auto taken = finder.template take_neighbours<std::int64_t>(
            all, RowKind::full, Order::sorted, RowOrder::spatial);
        compare_columns("taken rows", own, full, flat(taken));
        const Measure<T, D> two{others, bodies, domain};
        compare_columns("two sets", two, expected.two_sets, finder.pairs_with(others, all));
        compare_columns("rows of two sets", two, expected.two_sets,
                        flat(finder.rows_with(others, all, Order::sorted)), true);
        const Bodies<T, D> queries = expected.queries.view();
        const bool round = all == Columns::ijSdD && queries.shape != Shape::boxes;
        const Measure<T, D> probed{queries, bodies, domain};
        compare_columns(
            "probe", probed, expected.probes,
            finder.probe(queries, round ? all : Columns::ijS, {.order = Order::sorted}), true);

        std::mutex mutex;
        Flat<T, D> streamed;
        finder.for_each_block(all, [&](const ColumnBlock<T, D>& block) {
            const std::lock_guard lock(mutex);
            streamed.add(block);
        });
        compare_columns("streamed", own, expected.one_set, streamed);
    }

    // A finder, and one with a single thread and the same history, on which the order may
    // depend.
    struct Finders {
        Finder<T, D> finder, alone;
    };

    Finders& finders_for(const std::string& method, int threads) {
        auto& finders = finders_[{method, threads}];
        if (finders == nullptr) {
            Options<D> many, one;
            many.method = one.method = method;
            many.threads = threads;
            one.threads = 1;
            finders.reset(new Finders{Finder<T, D>(many), Finder<T, D>(one)});
        }
        return *finders;
    }

    std::map<std::pair<std::string, int>, std::unique_ptr<Finders>> finders_;
    std::size_t cases_ = 0;
};

// Thousands of bodies, so that rows, strips and tasks are full: every method against brute
// force, which is compared with the plain loop above. Thread counts cycle.
template <Real T, int D>
class Crowd : public ::testing::Test {
  public:
    void TestBody() override {
        const std::size_t n = run_light() ? 400 : 1200;
        const char* const scenes[] = {"uniform",       "clusters",     "shell",       "lattice",
                                      "equal_spheres", "polydisperse", "three_sizes", "sheets"};
        const char* const domains[] = {"open", "periodic", "sheared"};
        const auto shapes = shapes_of_the_rule_sum();
        for (const CaseIndices& c :
             chosen_cases({std::size(scenes), shapes.size(), std::size(domains)})) {
            if (D == 2 && std::string(scenes[c[0]]) == "sheets") continue;
            run(scenes::make(scenes[c[0]], n, 5, {{"dim", D}}), shapes[c[1]], domains[c[2]],
                scenes[c[0]]);
            if (HasFailure()) return;
        }
        // More than one task.
        const auto many = scenes::make("uniform", run_light() ? 5000 : 12000, 6, {{"dim", D}});
        for (const ShapeCase& shape : shapes)
            if (!shape.swept) run(many, shape, "open", "many");
        // Bodies that cover thousands of the others' cells.
        const auto giants = with_giants(
            scenes::make("equal_spheres", run_light() ? 2000 : 4000, 7, {{"dim", D}}));
        for (const ShapeCase& shape : shapes)
            if (shape.shape != Shape::points)
                for (const char* domain : {"open", "periodic"})
                    run(giants, shape, domain, "giants");
    }

  private:
    void run(const scenes::Workload& workload, const ShapeCase& shape, const char* domain_name,
             const char* scene) {
        SCOPED_TRACE(std::string(scene) + " " + shape.name + " " + domain_name);
        const auto bodies = make_bodies<T, D>(workload, shape, 5);
        Options<D> options;
        options.domain = make_domain<D>(domain_name, periods_for(bodies), shape.swept);
        options.method = "brute_force";
        const auto expected = listed(find_pairs(bodies.view(), options, Order::sorted));
        EXPECT_GT(expected.size(), workload.size() / 100);
        options.threads = thread_counts[cases_++ % std::size(thread_counts)];
        for (const MethodInfo& method : methods()) {
            if (method.name == "brute_force") continue;
            SCOPED_TRACE(method.name + " threads " + std::to_string(options.threads));
            options.method = method.name;
            Finder<T, D> finder(options);
            finder.update(bodies.view());
            EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
            EXPECT_EQ(finder.count(), expected.size());
        }
    }

    std::size_t cases_ = 0;
};

template <template <Real, int> class Suite, Real T, int D>
void add_test(const char* suite, const char* name) {
    ::testing::RegisterTest(suite, name, nullptr, nullptr, __FILE__, __LINE__,
                            []() -> ::testing::Test* { return new Suite<T, D>(); });
}

template <template <Real, int> class Suite>
void add_tests(const char* suite) {
    add_test<Suite, float, 3>(suite, "float_3d");
    add_test<Suite, double, 2>(suite, "double_2d");
#ifndef VICINAL_TEST_LIGHT
    add_test<Suite, float, 2>(suite, "float_2d");
    add_test<Suite, double, 3>(suite, "double_3d");
#endif
}

}  // namespace
}  // namespace vicinal::test

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    vicinal::test::add_tests<vicinal::test::Agreement>("agreement");
    vicinal::test::add_tests<vicinal::test::Crowd>("crowd");
    return RUN_ALL_TESTS();
}
