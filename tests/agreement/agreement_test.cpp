// Every method of the registry against the plain double loop, pair by pair with images: all
// outputs, two sets and probes, over shape x domain x scene x filter x threads. One finder
// per method and thread count serves all cases, so each case also follows another past.
#include <gtest/gtest.h>

#include <map>

#include "cases.hpp"
#include "support/bodies.hpp"
#include "support/compare.hpp"

namespace vicinal::test {
namespace {

constexpr int thread_counts[] = {1, 2, 3, 8};
constexpr FilterCase filters[] = {FilterCase::none, FilterCase::groups, FilterCase::exclusions};
constexpr std::size_t bodies_per_case = 60;

template <Real T, int D>
class Agreement : public ::testing::Test {
  public:
    void TestBody() override {
        const auto& scenes = scenes::list();
        const std::vector<std::size_t> sizes{std::size(shape_cases), std::size(domain_names),
                                             scenes.size(), std::size(filters),
                                             std::size(thread_counts)};
        for (const CaseIndices& c : run_everything() ? full_product(sizes) : pairwise_cover(sizes)) {
            run(shape_cases[c[0]], domain_names[c[1]], scenes[c[2]].name, filters[c[3]],
                thread_counts[c[4]]);
            if (HasFailure()) return;
        }
    }

  private:
    void run(const ShapeCase& shape, const std::string& domain_name, const std::string& scene,
             FilterCase filter, int threads) {
        SCOPED_TRACE(std::string(shape.name) + " " + domain_name + " " + scene + " filter " +
                     std::to_string(static_cast<int>(filter)) + " threads " +
                     std::to_string(threads));
        // A giant of the default size has thousands of images, which the double loop must try.
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

        const Found<D> one_set = tool::plain_pairs(bodies.view(), domain);
        const Found<D> two_sets = tool::plain_pairs(others.view(), bodies.view(), domain);
        for (const MethodInfo& method : methods()) {
            SCOPED_TRACE(method.name);
            Finder<T, D>& finder = finder_for(method.name, threads);
            finder.update(bodies.view(), domain);
            check_one_set(finder, one_set);
            EXPECT_EQ(difference<D>(two_sets, listed(finder.pairs_with(others.view(), Order::sorted))),
                      "")
                << "two sets";
            // The order of pairs must not depend on threads.
            const Found<D> any = listed(finder.pairs());
            Finder<T, D>& alone = finder_for(method.name, 1);
            alone.update(bodies.view(), domain);
            EXPECT_TRUE(any == listed(alone.pairs())) << "order differs from that of one thread";
            finder.update(bodies.view(), domain);
        }
        for (const ShapeCase& kind : shape_cases) {
            if (kind.rule != ReachRule::sum) continue;
            const auto queries = make(6, kind, 13);
            const Found<D> expected = tool::plain_probe(bodies.view(), queries.view(), domain);
            for (const MethodInfo& method : methods()) {
                const Finder<T, D>& finder = finder_for(method.name, threads);
                EXPECT_EQ(
                    difference<D>(expected, listed(finder.probe(queries.view(), Order::sorted))), "")
                    << method.name << ": probe with " << kind.name;
            }
        }
    }

    void check_one_set(Finder<T, D>& finder, const Found<D>& expected) {
        EXPECT_EQ(difference<D>(expected, sorted<D>(listed(finder.pairs()))), "");
        EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "") << "sorted";
        EXPECT_EQ(difference<D>(expected, rows_of(finder.neighbours(RowKind::half))), "") << "half";
        EXPECT_EQ(difference<D>(both_ways<D>(expected), rows_of(finder.neighbours())), "") << "full";
        EXPECT_EQ(finder.count(), expected.size());
        EXPECT_GE(finder.report().candidates, expected.size());

        std::mutex mutex;
        Found<D> streamed;
        finder.for_each_block([&](const Block<D>& block) {
            const std::lock_guard lock(mutex);
            append(streamed, block);
        });
        EXPECT_EQ(difference<D>(expected, sorted<D>(streamed)), "") << "streamed";
    }

    Finder<T, D>& finder_for(const std::string& method, int threads) {
        auto& finder = finders_[{method, threads}];
        if (finder == nullptr) {
            Options<D> options;
            options.method = method;
            options.threads = threads;
            finder = std::make_unique<Finder<T, D>>(options);
        }
        return *finder;
    }

    std::map<std::pair<std::string, int>, std::unique_ptr<Finder<T, D>>> finders_;
};

template <Real T, int D>
void add_test(const char* name) {
    ::testing::RegisterTest("agreement", name, nullptr, nullptr, __FILE__, __LINE__,
                            []() -> ::testing::Test* { return new Agreement<T, D>(); });
}

}  // namespace
}  // namespace vicinal::test

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    vicinal::test::add_test<float, 2>("float_2d");
    vicinal::test::add_test<float, 3>("float_3d");
    vicinal::test::add_test<double, 2>("double_2d");
    vicinal::test::add_test<double, 3>("double_3d");
    return RUN_ALL_TESTS();
}
