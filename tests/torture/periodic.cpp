// TORTURE, Periodic: all kinds of boxes, small and skewed, and their images.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Periodic : public ::testing::Test {};
TYPED_TEST_SUITE(Periodic, Flavours, FlavourNames);

TYPED_TEST(Periodic, three_cells_two_and_one) {
    VICINAL_FLAVOUR;
    for (double cells : {4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0})
        expect_same_in_all_shapes<T, D>(scattered<T, D>(25, -0.2, 1.2),
                                        static_cast<T>(1 / cells), cube<D>(1));
}

TYPED_TEST(Periodic, reach_beyond_the_box) {
    VICINAL_FLAVOUR;
    // A body pairs with several images of another and of itself.
    for (double reach : {0.5, 0.55, 0.9, 1.0, 1.1, 2.0, 2.6})
        for (std::size_t n : {1u, 2u, 6u}) {
            SCOPED_TRACE(std::to_string(reach) + " n " + std::to_string(n));
            const auto positions = scattered<T, D>(n, 0, 1);
            expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach), cube<D>(1));
            EXPECT_GT(find_pairs(points<D>(positions, reach), {.domain = cube<D>(0.9 * reach)})
                          .size(),
                      0u);
        }
}

TYPED_TEST(Periodic, a_body_and_its_own_images) {
    VICINAL_FLAVOUR;
    // Only the positive half of the images, each once: along every axis ...
    const std::vector<T> one(D, T(0.3));
    Found<D> expected;
    for (std::size_t a = 0; a < D; ++a) {
        reference::PlainPair<D> pair{0, 0, {}};
        pair.n[D - 1 - a] = 1;
        expected.push_back(pair);
    }
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        const auto options = with_method<D>(method, 1, cube<D>(1));
        EXPECT_EQ(difference<D>(expected,
                                listed(find_pairs(points<D>(one, 1), options, Order::sorted))),
                  "");
        // ... and full rows hold both halves.
        Finder<T, D> finder(options);
        finder.update(points<D>(one, 1));
        EXPECT_EQ(finder.neighbours().indices.size(), 2u * D);
    }
}

// Of files as they are: a vector that points backwards, two swapped, skewed, some axes open.
TYPED_TEST(Periodic, left_handed_lattices) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(14, -0.3, 1.3);
    typename Domain<D>::Lattice backwards{}, swapped{}, skewed{}, flat{};
    for (std::size_t a = 0; a < D; ++a) {
        backwards[a][a] = skewed[a][a] = flat[a][a] = a == 1 ? -1 : 1;
        swapped[a][a == 0 ? 1 : a == 1 ? 0 : 2] = 0.9;
    }
    skewed[0][1] = 0.4;
    skewed[1][0] = -1.3;
    std::array<bool, D> wire{};
    wire[1] = true;
    flat[0] = {};  // an open axis that the file gives as zero
    for (const double reach : {0.2, 1.1}) {
        SCOPED_TRACE(reach);
        for (const auto& lattice : {backwards, swapped, skewed})
            expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach),
                                            Domain<D>::triclinic(lattice));
        expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach),
                                        Domain<D>::triclinic(flat, wire));
    }
}

TYPED_TEST(Periodic, every_choice_of_axes) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(50, -0.3, 1.3);
    for (unsigned chosen = 0; chosen < 1u << D; ++chosen) {
        SCOPED_TRACE(chosen);
        std::array<bool, D> axes;
        auto sides = lengths<D>(0);  // an open axis ignores its length
        for (std::size_t a = 0; a < D; ++a) {
            axes[a] = (chosen >> a & 1) != 0;
            if (axes[a]) sides[a] = 0.8 + 0.1 * static_cast<double>(a);
        }
        expect_same_in_all_shapes<T, D>(positions, T(0.2), Domain<D>::orthogonal(sides, axes));
    }
}

TYPED_TEST(Periodic, sides_of_very_different_length) {
    VICINAL_FLAVOUR;
    for (std::size_t thin = 0; thin < D; ++thin) {
        auto sides = lengths<D>(10);
        sides[thin] = 0.1;
        expect_same_in_all_shapes<T, D>(scattered<T, D>(20, 0, 1), T(0.15),
                                        Domain<D>::orthogonal(sides));
    }
}

// The pair is reported once, in the image of the caller's coordinates, whichever body is on
// which side.
template <Real T, int D>
void expect_pair_across(std::size_t axis, const Bodies<T, D>& forth, const Bodies<T, D>& back) {
    reference::PlainPair<D> pair{0, 1, {}};
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method + " axis " + std::to_string(axis));
        const auto options = with_method<D>(method, 1, cube<D>(4));
        pair.n = {};
        pair.n[axis] = -1;  // body 1 is near the upper face
        EXPECT_EQ(difference<D>({pair}, listed(find_pairs(forth, options))), "");
        pair.n[axis] = 1;
        EXPECT_EQ(difference<D>({pair}, listed(find_pairs(back, options))), "");
    }
}

TYPED_TEST(Periodic, exact_touch_across_a_face) {
    VICINAL_FLAVOUR;
    for (std::size_t axis = 0; axis < D; ++axis) {
        std::vector<T> forth(2 * D, T{1}), back(2 * D, T{1});
        forth[axis] = back[D + axis] = T{0.25};
        forth[D + axis] = back[axis] = T{3.75};
        expect_pair_across<T, D>(axis, points<D>(forth, 0.5), points<D>(back, 0.5));
        const std::vector<T> radii(2, T{0.25});
        expect_pair_across<T, D>(axis, spheres<D>(forth, radii), spheres<D>(back, radii));
        auto forth_upper = forth, back_upper = back;
        for (T& x : forth_upper) x += T{0.25};
        for (T& x : back_upper) x += T{0.25};
        forth[axis] = back[D + axis] = T{0};  // the upper body ends exactly at the face
        expect_pair_across<T, D>(axis, boxes<D>(forth, forth_upper),
                                 boxes<D>(back, back_upper));
        const double less = static_cast<double>(std::nextafter(T{0.5}, T{0}));
        EXPECT_EQ(find_pairs(points<D>(forth, less), {.domain = cube<D>(4)}).size(), 1u);
        forth[axis] = T{0.25};
        EXPECT_EQ(find_pairs(points<D>(forth, less), {.domain = cube<D>(4)}).size(), 0u);
    }
}

TYPED_TEST(Periodic, across_edges_and_corners) {
    VICINAL_FLAVOUR;
    // Two bodies in opposite corners, and one on every corner of the box: images of one
    // position.
    const auto corners = combinations<T, D>({T{0}, T{1}});
    expect_same_in_all_shapes<T, D>(corners, T{0}, cube<D>(1));
    expect_same_in_all_shapes<T, D>(corners, T(0.1), cube<D>(1));
    const auto near_corners = combinations<T, D>({T(0.0625), T(0.9375)});
    expect_same_in_all_shapes<T, D>(near_corners, T(0.125), cube<D>(1));
    expect_same_in_all_shapes<T, D>(near_corners, T(0.25), cube<D>(1));
}

TYPED_TEST(Periodic, sheared) {
    VICINAL_FLAVOUR;
    const auto sides = [] {
        auto result = lengths<D>(0.9);
        result[1] = 1.2;
        return result;
    }();
    const auto positions = scattered<T, D>(D == 2 ? 50 : 30, -0.3, 1.4);
    for (double offset : {0.0, 0.6, -0.4, 1e6 * 1.2 + 0.36, -1e6 * 1.2 - 0.36})
        for (double change : {0.0, 0.3, -2.0}) {
            if (change != 0 && std::abs(offset) > 1) continue;
            SCOPED_TRACE(std::to_string(offset) + " change " + std::to_string(change));
            const auto domain = Domain<D>::sheared(sides, offset, change);
            EXPECT_LE(std::abs(domain.lattice()[0][1]), 0.6);
            expect_same_in_all_shapes<T, D>(positions, T(0.2), domain);
        }
}

TYPED_TEST(Periodic, sheared_with_a_reach_beyond_the_box) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(5, 0, 1);
    for (double offset : {0.5, -1.0 / 3, 17.3})
        for (double reach : {0.6, 1.2, 2.6})
            expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach),
                                            Domain<D>::sheared(lengths<D>(1), offset, 0.25));
}

TYPED_TEST(Periodic, whole_periods_of_shear_change_nothing) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(100, -0.5, 1.5);
    const auto bodies = points<D>(positions, 0.2);
    const auto expected =
        reference::plain_pairs(bodies, Domain<D>::sheared(lengths<D>(1), 0.25));
    for (double periods : {-1e9, -7.0, 1.0, 1e6})
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            const auto domain = Domain<D>::sheared(lengths<D>(1), 0.25 + periods);
            Finder<T, D> finder(with_method<D>(method, 1, domain));
            finder.update(bodies);
            EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
            EXPECT_EQ(finder.report().lattice[0][1], 0.25);
        }
}

TYPED_TEST(Periodic, some_sheared_axes_open) {
    VICINAL_FLAVOUR;
    if (D == 2) GTEST_SKIP() << "a sheared domain needs x and y";
    std::array<bool, D> axes;
    axes.fill(true);
    axes[D - 1] = false;
    const auto domain = Domain<D>::sheared(lengths<D>(0.9), 0.3, 0.1, axes);
    expect_same_in_all_shapes<T, D>(scattered<T, D>(50, -0.3, 1.3), T(0.2), domain);
}

template <int D>
Domain<D> skewed(double skew) {
    typename Domain<D>::Lattice h{};
    for (std::size_t a = 0; a < D; ++a) h[a][a] = 1 - 0.1 * static_cast<double>(a);
    h[1][0] = skew;
    if constexpr (D == 3) {
        h[2][0] = -0.7 * skew;
        h[2][1] = 0.6 * skew;
    }
    return Domain<D>::triclinic(h);
}

TYPED_TEST(Periodic, very_skewed_triclinic) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(D == 2 ? 30 : 6, -1, 2);
    for (double skew : {0.5, 2.9, -5.3})
        for (double reach : {0.0, 0.8}) {
            SCOPED_TRACE(std::to_string(skew) + " reach " + std::to_string(reach));
            expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach), skewed<D>(skew));
        }
}

TYPED_TEST(Periodic, triclinic_full_matrix) {
    VICINAL_FLAVOUR;
    typename Domain<D>::Lattice h{};
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t a = 0; a < D; ++a)
            h[k][a] =
                k == a ? 1 : 0.35 * static_cast<double>(k) - 0.25 * static_cast<double>(a);
    const auto positions = scattered<T, D>(25, -1, 2);
    expect_same_in_all_shapes<T, D>(positions, T(0.3), Domain<D>::triclinic(h));
    std::array<bool, D> axes{};
    axes[1] = true;
    expect_same_in_all_shapes<T, D>(positions, T(0.3), Domain<D>::triclinic(h, axes));
}

TYPED_TEST(Periodic, many_periods_outside) {
    VICINAL_FLAVOUR;
    // All bodies far from the origin, and spread over the full range of images.
    for (auto [low, high] : {std::pair{30000, 30000}, std::pair{-30000, -30000},
                             std::pair{-20000, 12000}, std::pair{0, 32000}}) {
        scenes::Random random(3);
        auto positions = scattered<T, D>(20, 0, 1);
        for (T& x : positions) {
            const double periods = std::floor(random.uniform(low, high + 1));
            x += static_cast<T>(periods);
        }
        SCOPED_TRACE(std::to_string(low) + " to " + std::to_string(high));
        expect_same_in_all_shapes<T, D>(positions, T(0.25), cube<D>(1));
        expect_same_in_all_shapes<T, D>(positions, T{0}, cube<D>(1));
    }
}

TYPED_TEST(Periodic, reach_of_many_periods) {
    VICINAL_FLAVOUR;
    // Ghosts would outnumber the bodies: the search uses direct images instead.
    const T reach = D == 2 ? 9 : 4;
    for (std::size_t n : {1, 2, 5}) {
        const auto positions = scattered<T, D>(n, -2, 3);
        expect_same_in_all_shapes<T, D>(positions, reach, cube<D>(1));
        expect_same_in_all_shapes<T, D>(positions, reach, skewed<D>(0.3));
        expect_same_in_all_shapes<T, D>(positions, reach,
                                        Domain<D>::sheared(lengths<D>(1), 0.3, 0.2));
    }
    // The images of a body a thousand periods outside move far in one step of the shear.
    std::vector<T> far(2 * D, T(0.25));
    far[0] = 1000;
    far[D] = 1001;
    expect_same_in_all_shapes<T, D>(far, T(0.5), Domain<D>::sheared(lengths<D>(2), 0.25, 3.0));
    // The structure has no ghosts then.
    Options<D> options;
    options.domain = cube<D>(T(0.01));
    Finder<T, D> finder(options);
    finder.update(points<D>(far, D == 2 ? 0.2 : 0.05));
    EXPECT_EQ(finder.report().ghosts, 0u);
    EXPECT_EQ(finder.order().size(), 2u);
}

TYPED_TEST(Periodic, wrapping_a_body_does_not_move_it) {
    VICINAL_FLAVOUR;
    // Coordinates and period are multiples of 2^-6, so that shifts are exact.
    scenes::Random random(9);
    auto positions = scattered<T, D>(60, 0, 4), outside = positions;
    std::vector<int> periods;
    for (std::size_t c = 0; c < positions.size(); ++c) {
        positions[c] = std::floor(positions[c] * 64) / 64;
        periods.push_back(static_cast<int>(std::floor(random.uniform(-100, 100))));
        outside[c] = positions[c] + 4 * static_cast<T>(periods[c]);
    }
    Found<D> expected = reference::plain_pairs(points<D>(positions, 0.75), cube<D>(4));
    for (auto& pair : expected)
        for (std::size_t a = 0; a < D; ++a)
            pair.n[a] += periods[pair.i * D + a] - periods[pair.j * D + a];
    expected = sorted<D>(expected);
    for (const std::string& method : method_names()) {
        const auto found = find_pairs(points<D>(outside, 0.75),
                                      with_method<D>(method, 1, cube<D>(4)), Order::sorted);
        EXPECT_EQ(difference<D>(expected, listed(found)), "") << method;
    }
}

TYPED_TEST(Periodic, the_box_changes_while_the_bodies_do_not) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(40, -0.5, 1.5);
    std::vector<Domain<D>> domains{Domain<D>::open()};
    for (double length : {1.0, 0.999, 0.7, 1.3, 5.0}) domains.push_back(cube<D>(length));
    for (double offset : {0.0, 0.1, 0.5, -0.4})
        domains.push_back(Domain<D>::sheared(lengths<D>(1), offset, 0.1));
    domains.push_back(skewed<D>(0.5));
    domains.push_back(Domain<D>::open());
    for (const ShapeCase& kind : shape_cases) {
        const auto bodies = shaped<T, D>(positions, T(0.25), kind);
        std::vector<Found<D>> expected;
        for (const auto& domain : domains)
            expected.push_back(reference::plain_pairs(bodies.view(), domain));
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(std::string(kind.name) + " " + method);
            Finder<T, D> finder(with_method<D>(method));
            for (std::size_t step = 0; step < domains.size(); ++step) {
                finder.update(bodies.view(), domains[step]);
                expect_answers(finder, expected[step]);
            }
        }
    }
}

// Points within one period: row_grid has native periodicity, without ghosts. Three or more
// cells, seldom a divisor of the box; few and many points per row; some points on faces.
TYPED_TEST(Periodic, points_across_joined_faces) {
    VICINAL_FLAVOUR;
    scenes::Random random(11);
    Finder<T, D> finder(with_method<D>("row_grid", 2));
    Found<D> crossing;
    for (int round = 0; round < (run_light() ? 12 : 40); ++round) {
        SCOPED_TRACE(round);
        const auto cutoff = static_cast<T>(random.uniform(0.5, 2));
        auto sides = lengths<D>(0);
        std::array<bool, D> axes;
        std::vector<T> positions =
            scattered<T, D>(round % 3 == 0 ? 40 : 500, 0, 1, static_cast<std::uint64_t>(round));
        for (std::size_t a = 0; a < D; ++a) {
            const double cells = random.uniform(3.1, round % 2 == 0 ? 5 : 12),
                         origin = round % 4 < 2 ? 0 : random.uniform(-300, 300);
            axes[a] = round < 4 || random.uniform() < 0.8;
            sides[a] = static_cast<double>(static_cast<T>(cells * static_cast<double>(cutoff)));
            for (std::size_t c = a; c < positions.size(); c += D) {
                const T snapped =
                    random.uniform() < 0.05 ? std::round(positions[c]) : positions[c];
                // Dense at one end: sparse rows, and cells without occupied neighbours.
                const double at =
                    round % 5 == 4 ? std::pow(static_cast<double>(snapped), 3) : snapped;
                positions[c] = static_cast<T>(origin) + static_cast<T>(at * sides[a] * 0.9999);
            }
        }
        const auto domain = Domain<D>::orthogonal(sides, axes);
        auto bodies = shaped<T, D>(positions, cutoff, shape_cases[0]);
        if (round % 6 == 5)
            add_filter(bodies, static_cast<FilterCase>(1 + round / 6 % (filter_cases - 1)),
                       bodies.size(), 6);
        const Found<D> expected = reference::plain_pairs(bodies.view(), domain);
        finder.update(bodies.view(), domain);
        EXPECT_EQ(finder.report().ghosts, 0u);
        expect_answers(finder, expected);
        for (const auto& pair : expected)
            if (pair.n != reference::PlainPair<D>{}.n) crossing.push_back(pair);
        if (bodies.size() > 100) continue;
        // Queries need ghosts, and may be called while pairs are streamed.
        std::mutex mutex;
        Found<D> queried, found;
        finder.for_each_block([&](const Block<D>& block) {
            const std::lock_guard lock(mutex);
            queried = listed(finder.pairs_with(bodies.view(), Order::sorted));
            append(found, block);
        });
        EXPECT_EQ(difference<D>(expected, sorted<D>(found)), "");
        if (!expected.empty()) {
            EXPECT_EQ(
                difference<D>(reference::plain_pairs(bodies.view(), bodies.view(), domain),
                              queried),
                "");
        }
        expect_answers(finder, expected);
    }
    EXPECT_GT(crossing.size(), 1000u);
}

TYPED_TEST(Periodic, what_queries_need_counts_as_memory) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(20000, 0, 1);
    const auto bodies = points<D>(positions, D == 2 ? 0.002 : 0.02);
    Options<D> options = with_method<D>("row_grid", 1, cube<D>(1));
    Finder<T, D> free(options);
    free.update(bodies);
    const Found<D> expected = listed(free.pairs());
    options.max_bytes = free.report().bytes;
    Finder<T, D> limited(options);
    limited.update(bodies);
    EXPECT_EQ(difference<D>(expected, listed(limited.pairs())), "");
    expect_error(Error::Kind::limit, {"max_bytes"}, [&] { limited.pairs_with(bodies); });
    EXPECT_EQ(difference<D>(expected, listed(limited.pairs())), "");
}

TYPED_TEST(Periodic, filters_hold_in_every_image) {
    VICINAL_FLAVOUR;
    auto bodies = shaped<T, D>(scattered<T, D>(20, 0, 1), T(0.7), shape_cases[0]);
    add_filter(bodies, FilterCase::exclusions, bodies.size(), 6);
    bodies.excluded.push_back({3, 3});
    expect_same(bodies.view(), cube<D>(0.6));
    bodies.excluded.clear();
    add_filter(bodies, FilterCase::groups, bodies.size(), 6);
    expect_same(bodies.view(), cube<D>(0.6));
    bodies.group.clear();
    bodies.mask.clear();
    add_filter(bodies, FilterCase::vertices, bodies.size(), 2);
    expect_same(bodies.view(), cube<D>(0.6));
}

}  // namespace
}  // namespace vicinal::test
