// Gissler et al.'s approximate mode: pairs found are correct, recall is bounded, and the report
// says that it is approximate.
#include <gtest/gtest.h>

#include "scenes/scenes.hpp"
#include "support/bodies.hpp"
#include "support/compare.hpp"

namespace vicinal::test {
namespace {

template <Real T, int D>
struct Case {
    OwnedBodies<T, D> bodies;
    Domain<D> domain = Domain<D>::open();
    Found<D> truth;

    Case(const char* scene, const ShapeCase& shape, const char* domain_name)
        : bodies(make_bodies<T, D>(scenes::make(scene, 500, 3, {{"dim", D}}), shape, 3)),
          domain(make_domain<D>(domain_name, periods_for(bodies), shape.swept)),
          truth(reference::plain_pairs(bodies.view(), domain)) {}

    Finder<T, D> finder(const std::string& options, int threads = 1) const {
        Options<D> chosen;
        chosen.method = "compact_grid(" + options + ")";
        chosen.domain = domain;
        chosen.threads = threads;
        Finder<T, D> finder(chosen);
        finder.update(bodies.view());
        return finder;
    }
};

// Expects sorted, unique, correct pairs. Returns the recall.
template <int D>
double recall(const Found<D>& truth, const Found<D>& found) {
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "repeated";
    EXPECT_TRUE(std::includes(truth.begin(), truth.end(), found.begin(), found.end()));
    return static_cast<double>(found.size()) / static_cast<double>(truth.size());
}

template <Real T, int D>
void expect_recall() {
    for (const char* scene : {"equal_spheres", "polydisperse"})
        for (const ShapeCase& shape : shape_cases)
            for (const char* domain : {"open", "periodic"}) {
                if (shape.rule != ReachRule::sum) continue;
                SCOPED_TRACE(std::string(scene) + " " + shape.name + " " + domain);
                const Case<T, D> c(scene, shape, domain);
                double share[3];
                int k = 0;
                for (const char* each : {"1", "8", "27"}) {
                    SCOPED_TRACE(each);
                    auto finder = c.finder(std::string("cells_per_body=") + each);
                    share[k++] = recall<D>(c.truth, listed(finder.pairs(Order::sorted)));
                    EXPECT_NE(finder.report().why.find("approximate"), std::string::npos)
                        << finder.report().why;
                    EXPECT_EQ(finder.report().bodies, c.bodies.size());
                }
                EXPECT_GT(share[0], 0.2);
                EXPECT_LT(share[0], 1);  // otherwise the test is vacuous
                EXPECT_LT(share[0], share[1]);
                EXPECT_LE(share[1], share[2]);
                EXPECT_GT(share[2], 0.9);
            }
}

TEST(Approximate, FindsNothingThatIsNotThere) {
    expect_recall<float, 3>();
    expect_recall<double, 2>();
}

// A body no larger than a cell covers at most 8 cells (2-D: 4); up to twice as large, 27.
template <Real T, int D>
void expect_exact() {
    for (const ShapeCase& shape : shape_cases)
        for (const char* domain : {"open", "periodic", "sheared"}) {
            if (shape.rule != ReachRule::sum || shape.swept) continue;
            SCOPED_TRACE(std::string(shape.name) + " " + domain);
            const Case<T, D> c("equal_spheres", shape, domain);
            for (const char* options : {"cell=2, cells_per_body=8", "cell=2, cells_per_body=27",
                                        "cell=2, cells_per_body=8, order=z, sort=adaptive"}) {
                SCOPED_TRACE(options);
                auto finder = c.finder(options, 2);
                EXPECT_EQ(difference<D>(c.truth, listed(finder.pairs(Order::sorted))), "");
                EXPECT_EQ(difference<D>(reference::plain_probe(c.bodies.view(), c.bodies.view(),
                                                               c.domain),
                                        listed(finder.probe(c.bodies.view(), Order::sorted))),
                          "");
            }
        }
}

TEST(Approximate, IsExactWhileBodiesCoverFewCells) {
    expect_exact<float, 2>();
    expect_exact<double, 3>();
}

TEST(Approximate, ProbesMissWhatWasKeptElsewhere) {
    const Case<double, 3> c("polydisperse", shape_cases[0], "open");
    const auto truth = reference::plain_pairs(c.bodies.view(), c.bodies.view(), c.domain);
    auto finder = c.finder("cells_per_body=1");
    const double share =
        recall<3>(truth, listed(finder.pairs_with(c.bodies.view(), Order::sorted)));
    EXPECT_GT(share, 0.2);
    EXPECT_LT(share, 1);
}

// Cells are chosen by the body's index and the step, so the result does not depend on threads,
// and other pairs are missed in the next step.
TEST(Approximate, ChoosesByBodyAndStep) {
    const Case<float, 3> c("equal_spheres", shape_cases[0], "open");
    auto one = c.finder("cells_per_body=1"), many = c.finder("cells_per_body=1", 3);
    const auto first = listed(one.pairs());
    EXPECT_EQ(first, listed(many.pairs()));
    one.update(c.bodies.view());
    EXPECT_NE(difference<3>(sorted<3>(first), listed(one.pairs(Order::sorted))), "");
}

TEST(Approximate, IsNotTheDefault) {
    const Case<float, 3> c("equal_spheres", shape_cases[0], "open");
    EXPECT_EQ(c.finder("cells_per_body=all").report().why, "as requested");
    for (const MethodInfo& method : methods())
        for (const OptionInfo& option : method.options)
            EXPECT_EQ(option.kind == OptionInfo::Kind::approximate,
                      option.name == "cells_per_body")
                << option.name;
}

}  // namespace
}  // namespace vicinal::test
