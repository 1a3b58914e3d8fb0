// TORTURE, Sizes: extreme sizes of bodies, and exact contact.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Sizes : public ::testing::Test {};
TYPED_TEST_SUITE(Sizes, Flavours, FlavourNames);

constexpr ReachRule rules[] = {ReachRule::sum, ReachRule::max, ReachRule::min};

// Spheres by all three rules, and the boxes around them.
template <Real T, int D>
void expect_same_balls(const std::vector<T>& centres, const std::vector<T>& radii,
                       const Domain<D>& domain = Domain<D>::open()) {
    for (ReachRule rule : rules) {
        SCOPED_TRACE(static_cast<int>(rule));
        expect_same(spheres<D>(centres, radii, rule), domain);
    }
    std::vector<T> lower = centres, upper = centres;
    for (std::size_t c = 0; c < centres.size(); ++c) {
        lower[c] -= radii[c / D];
        upper[c] += radii[c / D];
    }
    SCOPED_TRACE("boxes");
    expect_same(boxes<D>(lower, upper), domain);
}

TYPED_TEST(Sizes, nothing_reaches_only_its_own_place) {
    VICINAL_FLAVOUR;
    // Positions on a coarse lattice, so that many coincide.
    std::vector<T> positions = scattered<T, D>(120, -2, 2);
    for (T& x : positions) x = std::round(x);
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(3)}) {
        expect_same(points<D>(positions, 0), domain);
        expect_same_balls<T, D>(positions, std::vector<T>(120, T{0}), domain);
        EXPECT_GT(find_pairs(points<D>(positions, 0), {.domain = domain}).size(), 0u);
    }
}

TYPED_TEST(Sizes, one_size_of_nothing_among_others) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(60, 0, 1);
    std::vector<T> radii(60, T(0.1));
    for (std::size_t i = 0; i < 60; i += 3) radii[i] = 0;
    expect_same_balls<T, D>(positions, radii);
    expect_same_balls<T, D>(positions, radii, cube<D>(0.9));
}

TYPED_TEST(Sizes, flat_boxes_that_touch) {
    VICINAL_FLAVOUR;
    // All boxes with corners on a small lattice, also without volume: faces, edges and corners
    // touch.
    std::vector<T> lower, upper;
    const auto corners = combinations<T, D>({T{0}, T{0.5}, T{1}});
    for (std::size_t p = 0; p < corners.size(); p += D)
        for (std::size_t q = 0; q < corners.size(); q += D) {
            bool ordered = true;
            for (std::size_t a = 0; a < D; ++a) ordered &= corners[p + a] <= corners[q + a];
            if (!ordered) continue;
            lower.insert(lower.end(), &corners[p], &corners[p] + D);
            upper.insert(upper.end(), &corners[q], &corners[q] + D);
        }
    const auto bodies = boxes<D>(lower, upper);
    expect_same(bodies);
    expect_same(bodies, cube<D>(1.5));
    expect_same(bodies, cube<D>(1));
    expect_same(bodies, cube<D>(2));
}

TYPED_TEST(Sizes, boxes_one_step_apart_do_not_meet) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis < D; ++axis) {
        std::vector<T> lower(3 * D, T{0}), upper(3 * D, T{1});
        lower[D + axis] = T{1};
        upper[D + axis] = T{2};
        lower[2 * D + axis] = std::nextafter(T{1}, T{2});
        upper[2 * D + axis] = T{2};
        expect_same(boxes<D>(lower, upper));
        const auto found = pairs_of(find_pairs(boxes<D>(lower, upper), {}, Order::sorted));
        EXPECT_EQ(found, (std::vector<Pair>{{0, 1}, {1, 2}}));
        expect_same(boxes<D>(lower, upper), cube<D>(4));
        expect_same(boxes<D>(lower, upper), cube<D>(2));
    }
}

TYPED_TEST(Sizes, spheres_at_exactly_their_reach) {
    VICINAL_FLAVOUR;
    // 3-4-5 and 1-2-2-3: exact distances at many scales.
    for (int exponent : {-40, -10, 0, 10, 40}) {
        const T unit = std::ldexp(T{1}, exponent);
        std::vector<T> positions(2 * D, unit);
        positions[D] += D == 2 ? 3 * unit : 1 * unit;
        positions[D + 1] += D == 2 ? 4 * unit : 2 * unit;
        if (D == 3) positions[D + 2] += 2 * unit;
        const T distance = D == 2 ? 5 * unit : 3 * unit;
        for (T reach : {distance, std::nextafter(distance, T{0})}) {
            expect_same(points<D>(positions, static_cast<double>(reach)));
            const std::vector<T> radii{reach - unit, unit};
            expect_same(spheres<D>(positions, radii));
            const std::size_t found =
                find_pairs(points<D>(positions, static_cast<double>(reach))).size();
            EXPECT_EQ(found, reach == distance ? 1u : 0u);
        }
    }
}

TYPED_TEST(Sizes, rounding_decides_near_the_reach) {
    VICINAL_FLAVOUR;
    // Distances within a few ulps of the reach in random directions: all methods must agree
    // with the formula.
    scenes::Random random(17);
    std::vector<T> positions;
    for (int k = 0; k < 500; ++k) {
        std::array<double, D> direction;
        double norm = 0;
        for (double& d : direction) {
            d = random.normal();
            norm += d * d;
        }
        const double x = random.uniform(-100, 100);
        for (std::size_t a = 0; a < D; ++a) positions.push_back(static_cast<T>(x + double(a)));
        for (std::size_t a = 0; a < D; ++a)
            positions.push_back(positions[positions.size() - D] +
                                static_cast<T>(0.3 * direction[a] / std::sqrt(norm)));
    }
    expect_same(points<D>(positions, static_cast<double>(T(0.3))));
    const std::vector<T> radii(1000, T(0.15));
    expect_same(spheres<D>(positions, radii));
    expect_same(points<D>(positions, static_cast<double>(T(0.3))), cube<D>(150));
}

TYPED_TEST(Sizes, one_giant_among_dust) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(1000, 0, 1);
    for (std::size_t giant : {0u, 999u})
        for (double size : {0.45, 20.0}) {  // inside the scene, and larger than the scene
            std::vector<T> radii(1000, static_cast<T>(size / 1000));
            radii[giant] = static_cast<T>(size);
            expect_same_balls<T, D>(positions, radii);
        }
}

TYPED_TEST(Sizes, one_giant_among_dust_in_a_periodic_box) {
    VICINAL_FLAVOUR;
    const std::size_t n = 100;
    const auto positions = scattered<T, D>(n, 0, 1);
    std::vector<T> radii(n, T(0.001));
    for (double giant : {0.3, 1.0}) {
        radii[n / 2] = static_cast<T>(giant);
        expect_same_balls<T, D>(positions, radii, cube<D>(0.95));
    }
}

TYPED_TEST(Sizes, two_giants_and_dust_between) {
    VICINAL_FLAVOUR;
    auto positions = scattered<T, D>(400, -1, 1);
    std::vector<T> radii(400, T(0.001));
    for (std::size_t a = 0; a < D; ++a) positions[a] = T{-1000}, positions[D + a] = T{1000};
    radii[0] = radii[1] = static_cast<T>(1000 * std::sqrt(double{D}));
    expect_same_balls<T, D>(positions, radii);
}

TYPED_TEST(Sizes, everything_larger_than_the_scene) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(200, 0, 1);
    expect_same_in_all_shapes<T, D>(positions, T{50});
    expect_same_balls<T, D>(positions, std::vector<T>(200, T{1e6}));
}

TYPED_TEST(Sizes, radii_over_two_decades) {
    VICINAL_FLAVOUR;
    scenes::Random random(23);
    std::vector<T> radii;
    for (int i = 0; i < 600; ++i)
        radii.push_back(static_cast<T>(0.01 * std::exp(random.normal())));
    const auto positions = scattered<T, D>(600, 0, 1);
    expect_same_balls<T, D>(positions, radii);
    const std::vector<T> some(positions.begin(), positions.begin() + 150 * D);
    expect_same_balls<T, D>(some, {radii.begin(), radii.begin() + 150}, cube<D>(0.9));
}

TYPED_TEST(Sizes, larger_than_all_that_came_before) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(300, 0, 1);
    std::vector<T> radii(300, T(0.01));
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method));
        for (double grown : {0.01, 0.02, 0.5, 10.0, 1e5, 0.01}) {
            radii[123] = static_cast<T>(grown);
            const auto bodies = spheres<D>(positions, radii);
            finder.update(bodies);
            expect_answers(finder, reference::plain_pairs(bodies, Domain<D>::open()));
        }
    }
}

TYPED_TEST(Sizes, queries_of_any_size_against_a_standing_structure) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(300, 0, 1),
               query_centres = scattered<T, D>(8, -0.5, 1.5, 2);
    const std::vector<T> dust(300, T(0.01));
    const std::vector<T> sizes{T{0}, T(1e-20), T(0.01), T(0.1), T{1}, T{10}, T(1e10), T(1e18)};
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)}) {
        // The number of images grows with the size of the query.
        const std::size_t queries = domain.is_open() ? sizes.size() : 5;
        const std::vector<T> centres(query_centres.begin(),
                                     query_centres.begin() + long(queries * D));
        const std::vector<T> radii(sizes.begin(), sizes.begin() + long(queries));
        const auto query = spheres<D>(centres, radii);
        for (const auto& bodies : {spheres<D>(positions, dust), points<D>(positions, 0.1)}) {
            const auto probe = reference::plain_probe(bodies, query, domain);
            for (const std::string& method : method_names()) {
                SCOPED_TRACE(method);
                Finder<T, D> finder(with_method<D>(method, 1, domain));
                finder.update(bodies);
                EXPECT_EQ(difference<D>(probe, listed(finder.probe(query, Order::sorted))), "");
                if (bodies.shape != Shape::spheres) continue;
                EXPECT_EQ(difference<D>(reference::plain_pairs(query, bodies, domain),
                                        listed(finder.pairs_with(query, Order::sorted))),
                          "");
            }
        }
    }
}

TYPED_TEST(Sizes, squares_that_underflow) {
    VICINAL_FLAVOUR;
    // The squared distance is 0 in T, so bodies this near pair even with a reach of 0.
    const T tiny = std::is_same_v<T, float> ? T(1e-23) : static_cast<T>(1e-162);
    std::vector<T> positions;
    for (int k = 0; k < 40; ++k)
        for (std::size_t a = 0; a < D; ++a)
            positions.push_back(tiny * static_cast<T>((k * (int(a) + 1)) % 17 - 8));
    for (double offset : {0.0, 1.0}) {
        std::vector<T> moved = positions;
        for (std::size_t i = 20; i < 40; ++i) moved[i * D] += static_cast<T>(offset);
        expect_same_in_all_shapes<T, D>(moved, T{0});
        expect_same_in_all_shapes<T, D>(moved, tiny);
        expect_same_in_all_shapes<T, D>(moved, tiny * tiny);
        expect_same_in_all_shapes<T, D>(moved, T{0}, cube<D>(1));
    }
    const std::vector<T> two = [&] {
        std::vector<T> both(2 * D, T{0});
        both[D] = tiny;
        return both;
    }();
    for (const std::string& method : method_names())
        EXPECT_EQ(find_pairs(points<D>(two, 0), with_method<D>(method)).size(), 1u) << method;
}

TYPED_TEST(Sizes, underflow_across_a_face) {
    VICINAL_FLAVOUR;
    const T tiny = std::is_same_v<T, float> ? T(1e-23) : static_cast<T>(1e-162);
    const auto positions = combinations<T, D>({tiny, -tiny, T{1}, T{0.5}});
    expect_same_in_all_shapes<T, D>(positions, T{0}, cube<D>(1));
    expect_same_in_all_shapes<T, D>(positions, T{0}, cube<D>(0.5));
}

TYPED_TEST(Sizes, boxes_that_cover_all_numbers) {
    VICINAL_FLAVOUR;
    constexpr T largest = std::numeric_limits<T>::max();
    for (std::size_t large : {1u, 5u, 60u}) {
        auto lower = scattered<T, D>(60, 0, 1), upper = lower;
        for (T& x : upper) x += T(0.1);
        for (std::size_t c = 0; c < large * D; ++c) lower[c] = -largest, upper[c] = largest;
        expect_same(boxes<D>(lower, upper));
    }
}

TYPED_TEST(Sizes, the_largest_reach_without_overflow) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(20, 0, 1);
    const T largest =
        std::sqrt(std::numeric_limits<T>::max()) * (1 - 4 * std::numeric_limits<T>::epsilon());
    ASSERT_TRUE(std::isfinite(largest * largest));
    for (T share : {T(0.25), T(0.5), T(0.99), T{1}}) {
        SCOPED_TRACE(share);
        auto with_far = positions;
        with_far[0] = largest * share;
        with_far[D] = -with_far[0];
        EXPECT_NO_THROW(expect_same(points<D>(with_far, static_cast<double>(largest * share))));
        const std::vector<T> radii(20, largest * share / 2);
        EXPECT_NO_THROW(expect_same(spheres<D>(with_far, radii)));
    }
}

}  // namespace
}  // namespace vicinal::test
