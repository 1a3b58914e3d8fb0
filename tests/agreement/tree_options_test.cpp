// Compares options of the trees and of Lara's grids with the plain double loop, over steps in
// which bodies move a little, so that state of the previous step is reused.
#include <gtest/gtest.h>

#include <set>

#include "structures/cell_order.hpp"
#include "support/bodies.hpp"
#include "support/compare.hpp"
#include "support/environment.hpp"

namespace vicinal::test {
namespace {

template <Real T, int D>
void run() {
    const std::string corners = D == 2 ? "(0.2, 0.1, 0.7, 0.6)" : "(0.2, 0.1, 0, 0.7, 0.6, 1)";
    const std::vector<std::string> methods{
        "bvh(leaf=1)",
        "bvh(refit=on)",
        "bvh(leaf=3, refit=on)",
        "kd_tree(build=insert)",
        "kd_tree(leaf=1, build=insert)",
        "orthtree(leaf=1)",
        "orthtree(axes=2)",
        "orthtree(build=insert)",
        "orthtree(leaf=1, build=insert, axes=2)",
        "phase_kd_tree(leaf=1)",
        "phase_kd_tree(build=insert)",
        "fixed_grid(axes=2)",
        "fixed_grid(order=morton)",
        "fixed_grid(axes=2, order=hilbert)",
        "variable_grid(axes=2)",
        "variable_grid(order=hilbert)",
        "variable_grid(axes=2, order=morton)",
        "linear_kd_tree(split=off)",
        "linear_kd_tree(octree=on)",
        "linear_kd_tree(split=off, octree=on)",
        "linear_kd_tree(unique=list)",
        "linear_kd_tree(bits=3)",
        "linear_kd_tree(root=7, axes=zyx)",
        "linear_kd_tree(root=" + corners + ")",
        "linear_kd_tree(coherent=on)",
        "linear_kd_tree(coherent=on, octree=on, bits=5)",
        "linear_kd_tree(coherent=on, unique=list, axes=yzx)",
        "linear_kd_tree(coherent=on, root=" + corners + ")",
    };
    std::size_t turn = 0;
    for (const ShapeCase& shape : shape_cases) {
        if (shape.rule != ReachRule::sum) continue;
        for (const char* domain_name : {"open", "periodic", "sheared", "triclinic"}) {
            const char* const scenes[] = {"uniform", "equal_spheres", "sheets"};
            const char* const scene = scenes[turn++ % 3];
            if (run_light() && (turn / 4 + turn) % 2 != 0) continue;
            SCOPED_TRACE(std::string(shape.name) + " " + domain_name + " " + scene);
            auto bodies = make_bodies<T, D>(scenes::make(scene, 80, 31 + turn, {{"dim", D}}),
                                            shape, 31 + turn);
            const auto domain = make_domain<D>(domain_name, periods_for(bodies), shape.swept);
            std::vector<Finder<T, D>> finders;
            for (const std::string& method : methods)
                finders.emplace_back(Options<D>{
                    .domain = domain, .method = method, .threads = turn % 2 == 0 ? 1 : 3});
            scenes::Random random(turn);
            for (int step = 0; step < 4; ++step) {
                const Found<D> expected = reference::plain_pairs(bodies.view(), domain);
                const Found<D> probed =
                    reference::plain_probe(bodies.view(), bodies.view(), domain);
                for (std::size_t m = 0; m < methods.size(); ++m) {
                    finders[m].update(bodies.view());
                    EXPECT_EQ(difference<D>(expected, sorted<D>(listed(finders[m].pairs()))),
                              "")
                        << methods[m] << " step " << step;
                    EXPECT_EQ(difference<D>(probed, listed(finders[m].probe(bodies.view(),
                                                                            Order::sorted))),
                              "")
                        << methods[m] << " probed, step " << step;
                    if (::testing::Test::HasFailure()) return;
                }
                // A little at first, then far.
                const double far = step == 2 ? 20 : 0.2;
                for (std::size_t c = 0; c < bodies.position.size(); ++c) {
                    const T way =
                        static_cast<T>(far * (random.uniform() - 0.5)) * bodies.cutoff;
                    bodies.position[c] += way;
                    if (!bodies.upper.empty())
                        bodies.upper[c] = std::max(bodies.upper[c] + way, bodies.position[c]);
                }
            }
        }
    }
}

// Each cell once, Hilbert's curve from each cell to an adjacent one.
template <int D>
void expect_curve(CellOrder order, const Cell<D>& counts, unsigned axes, bool adjacent) {
    std::set<Cell<D>> seen;
    Cell<D> last{};
    CurveWalk<D>(order, counts, axes).for_each([&](const Cell<D>& cell) {
        int steps = 0;
        for (std::size_t a = 0; a < D; ++a) {
            EXPECT_GE(cell[a], 0);
            EXPECT_LT(cell[a], counts[a]);
            steps += std::abs(cell[a] - last[a]);
        }
        if (adjacent) {
            EXPECT_EQ(steps, seen.empty() ? 0 : 1);
        }
        EXPECT_TRUE(seen.insert(cell).second);
        last = cell;
    });
    std::size_t cells = 1;
    for (const std::int32_t count : counts) cells *= static_cast<std::size_t>(count);
    EXPECT_EQ(seen.size(), cells);
}

TEST(CellOrders, visit_each_cell_once) {
    for (const CellOrder order : {CellOrder::morton, CellOrder::hilbert}) {
        expect_curve<2>(order, {1, 1}, 2, true);
        expect_curve<2>(order, {5, 11}, 2, false);
        expect_curve<3>(order, {3, 1, 7}, 3, false);
        expect_curve<3>(order, {6, 5, 1}, 2, false);
    }
    expect_curve<2>(CellOrder::hilbert, {16, 16}, 2, true);
    expect_curve<3>(CellOrder::hilbert, {8, 8, 1}, 2, true);
    expect_curve<3>(CellOrder::hilbert, {8, 8, 8}, 3, true);
}

TEST(TreeOptions, agree_with_the_double_loop_float_2d) {
    run<float, 2>();
}
TEST(TreeOptions, agree_with_the_double_loop_float_3d) {
    run<float, 3>();
}
TEST(TreeOptions, agree_with_the_double_loop_double_2d) {
    run<double, 2>();
}
TEST(TreeOptions, agree_with_the_double_loop_double_3d) {
    run<double, 3>();
}

TEST(TreeOptions, coherent_and_plain_records_of_very_many_bodies_are_the_same_set) {
    auto bodies = make_bodies<float, 3>(
        scenes::make("equal_spheres", 30'000, 5, {{"fill", 0.3}}), shape_cases[1], 5);
    Finder<float, 3> coherent(Options<3>{.method = "linear_kd_tree(coherent=on)"});
    Finder<float, 3> other(Options<3>{.method = "row_grid"});
    for (int step = 0; step < 3; ++step) {
        coherent.update(bodies.view());
        other.update(bodies.view());
        EXPECT_EQ(difference<3>(listed(other.pairs(Order::sorted)),
                                listed(coherent.pairs(Order::sorted))),
                  "");
        for (std::size_t c = 0; c < bodies.position.size(); ++c)
            bodies.position[c] += (c % 7 == 0 ? 0.5f : -0.01f) * bodies.radius[0];
    }
}

// kd-tree-1 of Poirrier (2009): all pairs, some of them several times.
TEST(TreeOptions, repeats_can_only_be_counted) {
    const auto bodies = make_bodies<float, 3>(
        scenes::make("equal_spheres", 2000, 5, {{"fill", 0.3}}), shape_cases[1], 5);
    Finder<float, 3> exact(Options<3>{.method = "linear_kd_tree"});
    Finder<float, 3> finder(Options<3>{.method = "linear_kd_tree(unique=none)"});
    exact.update(bodies.view());
    finder.update(bodies.view());
    EXPECT_GT(finder.count(), exact.count());
    EXPECT_LE(finder.count(), 8 * exact.count());
    EXPECT_NE(finder.report().why.find("repeated pairs"), std::string::npos);
    EXPECT_THROW(finder.pairs(), Error);
    EXPECT_THROW(finder.take_pairs(), Error);
    EXPECT_THROW(finder.neighbours(), Error);
    EXPECT_THROW(finder.for_each_block([](const Block<3>&) {}), Error);
    EXPECT_EQ(listed(finder.probe(bodies.view(), Order::sorted)),
              listed(exact.probe(bodies.view(), Order::sorted)));
}

TEST(TreeOptions, a_root_is_a_factor_or_a_box_of_the_dimension) {
    const auto make = [](const std::string& root) {
        Finder<float, 2> finder(Options<2>{.method = "linear_kd_tree(root=" + root + ")"});
    };
    EXPECT_NO_THROW(make("2"));
    EXPECT_NO_THROW(make("(0, 0, 1, 1)"));
    for (const char* bad : {"0.5", "auto", "(0, 0, 0, 1, 1, 1)", "(0, 0, 1, 0)", "(0, 0, 1, x)",
                            "()", "(nan, 0, 1, 1)", "(0, 0, inf, 1)"})
        EXPECT_THROW(make(bad), Error) << bad;
}

}  // namespace
}  // namespace vicinal::test
