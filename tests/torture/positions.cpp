// TORTURE, Positions: extreme and degenerate positions of bodies.
#include <set>

#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Positions : public ::testing::Test {};
TYPED_TEST_SUITE(Positions, Flavours, FlavourNames);

template <Real T>
constexpr T infinity = std::numeric_limits<T>::infinity();

TYPED_TEST(Positions, centre_of_the_box) {
    VICINAL_FLAVOUR;
    // The centre, and bodies exactly half a box away from it: each pairs with two images.
    for (double length : {1.0, 0.7, 3.0}) {
        const auto l = static_cast<T>(length);
        const auto positions = combinations<T, D>({l / 2, T{0}, l});
        expect_same_in_all_shapes<T, D>(positions, l / 2, cube<D>(length));
        expect_same_in_all_shapes<T, D>(positions, l / 4, cube<D>(length));
        expect_same_in_all_shapes<T, D>(positions, l / 2);
    }
}

TYPED_TEST(Positions, cell_borders) {
    VICINAL_FLAVOUR;
    // A lattice with the cut-off as its constant: each body is on the border of cells, and each
    // neighbour is exactly (0.25) or nearly (0.1) at the cut-off.
    for (double step : {0.25, 0.1}) {
        std::vector<T> values;
        for (int k = -2; k < (D == 2 ? 9 : 3); ++k) values.push_back(static_cast<T>(k * step));
        const auto positions = combinations<T, D>(values);
        expect_same_in_all_shapes<T, D>(positions, static_cast<T>(step));
        expect_same_in_all_shapes<T, D>(positions, static_cast<T>(step), cube<D>(5 * step));
    }
}

TYPED_TEST(Positions, zero_and_length_and_next_to_them) {
    VICINAL_FLAVOUR;
    for (double length : {1.0, 0.7}) {
        const auto l = static_cast<T>(length);
        const auto positions = combinations<T, D>({T{0}, l, std::nextafter(l, T{0}),
                                                   std::nextafter(l, infinity<T>),
                                                   std::nextafter(T{0}, -infinity<T>)});
        for (T reach : {T{0}, l / 16}) {
            expect_same_in_all_shapes<T, D>(positions, reach, cube<D>(length));
            expect_same_in_all_shapes<T, D>(positions, reach);
        }
    }
}

TYPED_TEST(Positions, both_zeros_are_one_position) {
    VICINAL_FLAVOUR;
    expect_same_in_all_shapes<T, D>(combinations<T, D>({T{0}, -T{0}}), T{0});
    expect_same_in_all_shapes<T, D>(combinations<T, D>({T{0}, -T{0}}), T{0}, cube<D>(1));
}

TYPED_TEST(Positions, all_negative) {
    VICINAL_FLAVOUR;
    for (auto [low, high] : {std::pair{-1.0, 0.0}, std::pair{-1001.0, -1000.0}}) {
        const auto positions = scattered<T, D>(200, low, high);
        expect_same_in_all_shapes<T, D>(positions, T(0.125));
        expect_same_in_all_shapes<T, D>(positions, T(0.125), cube<D>(0.8));
    }
}

TYPED_TEST(Positions, two_aligned_with_an_axis) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis < D; ++axis)
        for (T apart : {T{0.5}, std::nextafter(T{0.5}, T{1}), T{-0.5}}) {
            std::vector<T> positions(2 * D, T{0.25});
            positions[D + axis] += apart;
            expect_same_in_all_shapes<T, D>(positions, T{0.5});
            expect_same_in_all_shapes<T, D>(positions, T{0.5}, cube<D>(1));
        }
}

TYPED_TEST(Positions, in_a_line) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis <= D; ++axis) {  // the last is the diagonal
        auto positions = scattered<T, D>(150, 0, 1);
        for (std::size_t c = 0; c < positions.size(); ++c)
            if (c % D != axis) positions[c] = axis == D ? positions[c - c % D] : T(0.3);
        expect_same_in_all_shapes<T, D>(positions, T(0.03));
        expect_same_in_all_shapes<T, D>(positions, T(0.03), cube<D>(0.9));
    }
}

TYPED_TEST(Positions, no_extent_on_one_axis) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis < D; ++axis)
        for (T level : {T{0}, T(-7.3)}) {
            auto positions = scattered<T, D>(150, 0, 1);
            for (std::size_t i = 0; i < positions.size() / D; ++i)
                positions[i * D + axis] = level;
            expect_same_in_all_shapes<T, D>(positions, T(0.08));
            expect_same_in_all_shapes<T, D>(positions, T(0.08), cube<D>(0.9));
        }
}

TYPED_TEST(Positions, at_one_point) {
    VICINAL_FLAVOUR;
    for (T x : {T{0}, T(0.1), T{-1e6}, T(1e30)})
        for (T reach : {T{0}, T(0.1)}) {
            expect_same_in_all_shapes<T, D>(std::vector<T>(80 * D, x), reach);
            if (std::abs(x) < 1)
                expect_same_in_all_shapes<T, D>(std::vector<T>(30 * D, x), reach, cube<D>(1));
        }
}

TYPED_TEST(Positions, a_million_from_the_origin) {
    VICINAL_FLAVOUR;
    for (double from : {1e6, -1e6}) {
        const auto positions = scattered<T, D>(120, from, from + 1);
        expect_same_in_all_shapes<T, D>(positions, T(0.125));
        expect_same_in_all_shapes<T, D>(positions, T{0});
        expect_same_in_all_shapes<T, D>(positions, T(0.125), cube<D>(100));
    }
}

TYPED_TEST(Positions, a_box_far_from_the_origin) {
    VICINAL_FLAVOUR;
    // The origin of the box does not matter: all bodies are within a period of each other, so
    // images fit 16 bits. (A million periods away, float has four bits for the fraction.)
    const double from = sizeof(T) == 8 ? 1e6 : 65536;
    expect_same_in_all_shapes<T, D>(scattered<T, D>(30, from, from + 1), T(0.125), cube<D>(1));
}

// Outliers among 2000 bodies in the unit cube; memory must not grow with the volume.
template <Real T, int D>
void expect_outliers_harmless(const std::vector<std::vector<T>>& outliers) {
    auto positions = scattered<T, D>(2000, 0, 1);
    std::size_t at = 7;
    for (const auto& outlier : outliers) {
        std::copy(outlier.begin(), outlier.end(),
                  positions.begin() + static_cast<long>(at * D));
        at += 1001;
    }
    const std::set<std::string> unhurt{"compact_grid", "cuckoo_hash", "hierarchical_hash",
                                       "multilevel_hash", "uniform_hash"};
    for (const ShapeCase& kind : shape_cases) {
        if (kind.swept || kind.shape == Shape::spheres) continue;
        SCOPED_TRACE(kind.name);
        const auto bodies = shaped<T, D>(positions, T(0.05), kind);
        const auto view = bodies.view();
        const auto without = shaped<T, D>(scattered<T, D>(2000, 0, 1), T(0.05), kind);
        const Found<D> expected = reference::plain_pairs(view, Domain<D>::open());
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            Finder<T, D> finder(with_method<D>(method));
            finder.update(view);
            EXPECT_LT(finder.report().bytes, 2000u * bodies.size());
            EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
            EXPECT_EQ(finder.order().size(), bodies.size());
            // Grids with a bounded number of cells are slow here, as their pages say. For the
            // others, candidates may grow by the outliers in a cell or two, but not by other
            // bodies.
            if (!unhurt.contains(method)) continue;
            const std::uint64_t candidates = finder.report().candidates;
            const std::uint64_t bytes = finder.report().bytes;
            finder.update(without.view());
            finder.pairs(Order::sorted);
            EXPECT_LE(candidates,
                      finder.report().candidates * 5 / 4 + 2 * 2000 * outliers.size());
            EXPECT_LE(bytes, finder.report().bytes * 5 / 4);
        }
    }
}

TYPED_TEST(Positions, outliers) {
    VICINAL_FLAVOUR;
    expect_outliers_harmless<T, D>({std::vector<T>(D, T(1e30))});
    expect_outliers_harmless<T, D>({std::vector<T>(D, T(-1e30))});
    for (T far : {T(1e6), T(1e30)}) {
        expect_outliers_harmless<T, D>({std::vector<T>(D, far), std::vector<T>(D, -far)});
        std::vector<T> along_x(D, T{0.5});
        along_x[0] = far;
        expect_outliers_harmless<T, D>({along_x});
    }
}

// The work must not grow either; it is measured by candidates instead of time.
TYPED_TEST(Positions, an_outlier_does_not_bring_the_others_together) {
    VICINAL_FLAVOUR;
    auto positions = scattered<T, D>(20000, 0, 1);
    positions[7] = T(1e30);
    Finder<T, D> finder;
    const auto points = shaped<T, D>(positions, D == 2 ? T(0.02) : T(0.08), shape_cases[0]);
    finder.update(points.view());
    EXPECT_GT(finder.count(), 100000u);
    EXPECT_LT(finder.report().candidates, 40 * finder.report().pairs);
}

TYPED_TEST(Positions, outliers_along_an_open_axis) {
    VICINAL_FLAVOUR;
    auto axes = std::array<bool, D>{};
    axes[0] = true;
    auto positions = scattered<T, D>(100, 0, 1);
    positions[10 * D + 1] = T(1e30);
    positions[20 * D + 1] = T(-1e30);
    positions[30 * D + 1] = T(1e30);
    expect_same_in_all_shapes<T, D>(positions, T(0.125),
                                    Domain<D>::orthogonal(lengths<D>(0.9), axes));
}

TYPED_TEST(Positions, the_ends_of_the_number_range) {
    VICINAL_FLAVOUR;
    constexpr T largest = std::numeric_limits<T>::max();
    for (std::size_t dust : {0u, 3u, 50u}) {
        auto positions = combinations<T, D>({largest, -largest});
        for (const T x : combinations<T, D>({largest, T{0}})) positions.push_back(x);
        for (const T x : scattered<T, D>(dust, 0, 1)) positions.push_back(x);
        for (T reach : {T{0}, T(0.25)}) {
            const auto points = shaped<T, D>(positions, reach, shape_cases[0]);
            expect_same(points.view());
            OwnedBodies<T, D> boxes = shaped<T, D>(positions, T{0}, shape_cases[4]);
            expect_same(boxes.view());
        }
    }
}

}  // namespace
}  // namespace vicinal::test
