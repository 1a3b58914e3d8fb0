// State that is kept between steps, and when it is discarded; the boxes of rigid bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/random.hpp"
#include "support/pairs_of.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal {
namespace {

struct Balls {
    std::vector<double> x, r;
    scenes::Random random{5};

    explicit Balls(std::size_t n) : r(n, 0.02) {
        for (std::size_t c = 0; c < 3 * n; ++c) x.push_back(random.uniform());
    }
    void wander(double by, std::size_t movers) {
        for (std::size_t c = 0; c < 3 * movers; ++c) x[c] += random.uniform(-by, by);
    }
    Bodies<double, 3> view() const { return spheres<3>(x, r); }
};

Finder<double, 3> finder_of(const std::string& method,
                            const Domain<3>& domain = Domain<3>::open()) {
    return Finder<double, 3>(Options<3>{.domain = domain, .method = method, .threads = 1});
}

double figure(const Finder<double, 3>& finder, const std::string& name) {
    for (const Statistic& one : finder.report().statistics)
        if (one.name == name) return one.value;
    ADD_FAILURE() << "no figure " << name;
    return -1;
}

std::string refusal_of_finder(const std::string& method) {
    try {
        finder_of(method);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Verlet, IsSpelledWithAMethodInside) {
    const auto finder = finder_of("verlet(inner=bvh(leaf=8), skin=0.5)");
    EXPECT_EQ(finder.report().method, "verlet(inner=bvh(leaf=8, refit=off), skin=0.5)");
    EXPECT_NE(refusal_of_finder("verlet(inner=verlet)").find("another method"),
              std::string::npos);
    EXPECT_NE(refusal_of_finder("verlet(inner=bvh(leaf=0))").find("leaf"), std::string::npos);
    EXPECT_NE(refusal_of_finder("verlet(inner=bhv)").find("bvh"), std::string::npos);
    EXPECT_NE(refusal_of_finder("verlet(skin=thick)").find("auto"), std::string::npos);
    EXPECT_NE(refusal_of_finder("verlet(skin=-1)").find("number from 0"), std::string::npos);
}

TEST(Verlet, WithoutSkinIsItsInnerMethod) {
    const Balls balls(500);
    auto with = finder_of("verlet(inner=bvh, skin=0)"), without = finder_of("bvh");
    with.update(balls.view());
    without.update(balls.view());
    EXPECT_EQ(test::pairs_of(with.pairs()), test::pairs_of(without.pairs()));
}

// The fat bounds replace the check of the values: invalid values are outside all fat bounds.
template <class Spoil>
void expect_refused_and_recovered(const Bodies<double, 3>& bodies, std::vector<double>& values,
                                  const Domain<3>& domain, const Spoil& spoil) {
    auto finder = finder_of("verlet(skin=0.02)", domain);
    for (int step = 0; step < 2; ++step) finder.update(bodies);
    const auto pairs = test::pairs_of(finder.pairs(Order::sorted));
    ASSERT_EQ(figure(finder, "steps since"), 1);
    for (const std::size_t body : {17u, 499u}) {
        const std::vector<double> good = values;
        spoil(body);
        try {
            finder.update(bodies);
            ADD_FAILURE() << "body " << body << " is spoilt";
        } catch (const Error& error) {
            EXPECT_EQ(error.element(), body) << error.what();
        }
        std::copy(good.begin(), good.end(), values.begin());
        finder.update(bodies);
        EXPECT_EQ(test::pairs_of(finder.pairs(Order::sorted)), pairs);
    }
}

TEST(Verlet, BadValuesInAKeptStepAreNamed) {
    const double nan = std::nan(""), infinite = HUGE_VAL;
    for (const auto& domain : {Domain<3>::open(), Domain<3>::orthogonal({1, 1, 1})}) {
        Balls balls(500);
        std::vector<double> upper;
        for (const double x : balls.x) upper.push_back(x + 0.03);
        const auto boxes = vicinal::boxes<3>(balls.x, upper);
        for (const double bad : {nan, infinite, -infinite})
            for (const auto& bodies : {balls.view(), points<3>(balls.x, 0.05), boxes})
                expect_refused_and_recovered(bodies, balls.x, domain, [&](std::size_t body) {
                    balls.x[3 * body + 1] = bad;
                });
        for (const double bad : {nan, infinite, -1e-9, -infinite})
            expect_refused_and_recovered(balls.view(), balls.r, domain,
                                         [&](std::size_t body) { balls.r[body] = bad; });
        for (const double thick : {nan, infinite, -1e-3})
            expect_refused_and_recovered(boxes, upper, domain, [&](std::size_t body) {
                upper[3 * body + 2] = balls.x[3 * body + 2] + thick;
            });
    }
}

TEST(Verlet, MakesAListOnlyWhenABodyHasLeftItsFence) {
    Balls balls(500);
    auto finder = finder_of("verlet(skin=0.02)", Domain<3>::orthogonal({1, 1, 1}));
    for (int step = 0; step < 5; ++step) {
        finder.update(balls.view());
        EXPECT_EQ(figure(finder, "rebuilds"), 1);
        EXPECT_EQ(figure(finder, "steps since"), step);
        balls.x[0] += step == 2 ? 1 : 0.001;  // wrapping is not motion
    }
    balls.x[0] += 0.02;
    finder.update(balls.view());
    EXPECT_EQ(figure(finder, "rebuilds"), 2);
    balls.r[7] += 0.005;
    finder.update(balls.view());
    EXPECT_EQ(figure(finder, "rebuilds"), 2);
    balls.r[7] += 0.02;
    finder.update(balls.view());
    EXPECT_EQ(figure(finder, "rebuilds"), 3);
    finder.update(balls.view(), Domain<3>::orthogonal({1.001, 1, 1}));
    EXPECT_EQ(figure(finder, "rebuilds"), 3) << "the skin covers this change of the box";
    finder.update(balls.view(), Domain<3>::orthogonal({1.1, 1, 1}));
    EXPECT_EQ(figure(finder, "rebuilds"), 4);
}

TEST(Verlet, ChoosesItsSkinByTheMotion) {
    for (const double by : {0.0004, 0.008}) {  // 1 % and 20 % of the diameter
        Balls balls(3000);
        auto finder = finder_of("verlet");
        double lists = 0;
        for (int step = 0; step < 20; ++step) {
            finder.update(balls.view());
            finder.count();
            if (figure(finder, "skin") > 0) ++lists;
            balls.wander(by, 3000);
        }
        if (by < 0.001) {
            EXPECT_GT(lists, 15);
            EXPECT_LT(figure(finder, "rebuilds"), 5);
        } else {
            EXPECT_EQ(lists, 0);
        }
    }
}

TEST(SweepPersistent, KeepsItsListsWhileLittleMoves) {
    Balls balls(3000);
    auto finder = finder_of("sweep_persistent"), other = finder_of("sweep_axis");
    double kept = 0;
    for (int step = 0; step < 30; ++step) {
        finder.update(balls.view());
        other.update(balls.view());
        EXPECT_EQ(test::pairs_of(finder.take_pairs(Order::sorted)),
                  test::pairs_of(other.take_pairs(Order::sorted)));
        if (step < 20) {
            kept += figure(finder, "lists kept");
            if (step > 1) {
                EXPECT_GT(figure(finder, "ends swapped"), 0);
            }
        }
        balls.wander(step < 19 ? 0.0004 : 0.1, step < 19 ? 30 : 3000);
    }
    EXPECT_EQ(kept, 19);
    EXPECT_EQ(figure(finder, "lists kept"), 0) << "all moved far";
}

TEST(BoxesOf, HoldTheVertices) {
    const auto corners = corners_of<double, 2>({-1, -2}, {1, 2});
    std::vector<Vector<double, 2>> positions = corners;
    positions.push_back({0.5, 0.25});
    const std::vector<std::uint64_t> first{0, 4, 5};
    Transform<double, 2> swapped, still;
    swapped.rotation = {{{0, -1}, {1, 0}}};
    swapped.translation = {10, 20};
    still.rotation = {{{1, 0}, {0, 1}}};
    const std::vector<Transform<double, 2>> transforms{swapped, still};
    for (const int threads : {1, 3}) {
        const auto boxes = boxes_of<double, 2>({positions, first}, transforms, threads);
        EXPECT_EQ(boxes.lower, (std::vector<Vector<double, 2>>{{8, 19}, {0.5, 0.25}}));
        EXPECT_EQ(boxes.upper, (std::vector<Vector<double, 2>>{{12, 21}, {0.5, 0.25}}));
        EXPECT_GT(boxes.seconds, 0);
        EXPECT_EQ(find_pairs(boxes.view()).size(), 0u);
    }
}

TEST(BoxesOf, KeepWhatIsNoNumber) {
    const std::vector<std::uint64_t> first{0, 3};
    const std::vector<Transform<double, 3>> transforms(1);
    for (std::size_t bad = 0; bad < 3; ++bad)
        for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            std::vector<Vector<double, 3>> positions{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
            positions[bad][1] = value;
            const auto boxes = boxes_of<double, 3>({positions, first}, transforms);
            auto finder = finder_of("row_grid");
            EXPECT_THROW(finder.update(boxes.view()), Error) << bad << ' ' << value;
        }
}

TEST(BoxesOf, RefusesWhatDoesNotFit) {
    const std::vector<Vector<float, 3>> positions(4);
    const std::vector<Transform<float, 3>> transforms(2);
    const auto refused = [&](const std::vector<std::uint64_t>& first) {
        Boxes<float, 3> boxes;
        EXPECT_THROW((boxes_of<float, 3>({positions, first}, transforms, boxes)), Error);
    };
    refused({0, 4});
    refused({0, 2, 5});
    refused({1, 2, 4});
    refused({0, 4, 4});
    refused({});
}

}  // namespace
}  // namespace vicinal
