// The plain evaluation, the reference of all other tests, on cases small enough to check by
// hand.
#include "reference/plain.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace vicinal::reference {
namespace {

template <int D>
using Pairs = std::vector<PlainPair<D>>;

using Points = std::vector<std::array<double, 2>>;

Domain<2> periodic(double x, double y) {
    return Domain<2>::orthogonal({x, y}, {x > 0, y > 0});
}

TEST(Plain, touching_counts_and_nothing_beyond) {
    const Points x{{0, 0}, {3, 4}};
    EXPECT_EQ(plain_pairs(points<2>(x, 5), Domain<2>::open()), (Pairs<2>{{0, 1, {}}}));
    EXPECT_TRUE(plain_pairs(points<2>(x, std::nextafter(5.0, 0.0)), Domain<2>::open()).empty());
    const std::vector<double> radii{2, 3};
    EXPECT_EQ(plain_pairs(spheres<2>(x, radii), Domain<2>::open()).size(), 1u);
    EXPECT_EQ(plain_pairs(spheres<2>(x, radii, ReachRule::max), Domain<2>::open()).size(), 0u);
}

TEST(Plain, a_cutoff_beyond_the_box_meets_many_images) {
    const Points x{{0.25, 7.25}};  // seven periods outside, which must not matter
    // |n| <= 2 on the axes and the diagonals (1, 1): half of 12 images.
    EXPECT_EQ(plain_pairs(points<2>(x, 2), periodic(1, 1)), (Pairs<2>{{0, 0, {0, 1}},
                                                                      {0, 0, {0, 2}},
                                                                      {0, 0, {1, -1}},
                                                                      {0, 0, {1, 0}},
                                                                      {0, 0, {1, 1}},
                                                                      {0, 0, {2, 0}}}));
}

TEST(Plain, images_refer_to_the_coordinates_as_given) {
    const Points x{{0.1, 0}, {-4.95, 0}};
    EXPECT_EQ(plain_pairs(points<2>(x, 0.1), periodic(1, 0)), (Pairs<2>{{0, 1, {5, 0}}}));
}

TEST(Plain, an_open_axis_has_no_images) {
    const Points x{{0, 0}, {0, 0.9}};
    EXPECT_TRUE(plain_pairs(points<2>(x, 0.2), periodic(1, 0)).empty());
    EXPECT_EQ(plain_pairs(points<2>(x, 0.2), periodic(0, 1)), (Pairs<2>{{0, 1, {0, -1}}}));
}

TEST(Plain, a_skewed_lattice) {
    // So skewed that the nearest image is far in n.
    const auto domain = Domain<2>::triclinic({{{1, 40.5}, {0, 1}}});
    const Points x{{0, 0}, {0.95, 0.5}};
    EXPECT_EQ(plain_pairs(points<2>(x, 0.1), domain), (Pairs<2>{{0, 1, {-1, 40}}}));
}

TEST(Plain, shear_moves_the_images_of_swept_bodies) {
    const auto sheared = [](double change) { return Domain<2>::sheared({10, 10}, 0, change); };
    const Points x{{0, 0}, {9.5, 8}};
    const Points u{{0, 0}, {0, 0}};
    EXPECT_TRUE(plain_pairs(points<2>(x, 0.51), sheared(3)).empty());
    // Seen from body 0 across -x, body 1 moves from y = -2 to -5, or with the other sign to 1,
    // through 0.
    EXPECT_TRUE(plain_pairs(points<2>(x, 0.51).moving(u), sheared(3)).empty());
    EXPECT_EQ(plain_pairs(points<2>(x, 0.51).moving(u), sheared(-3)),
              (Pairs<2>{{0, 1, {-1, -1}}}));
}

TEST(Plain, swept_boxes_and_points) {
    const Points lower{{0, 0}, {5, 0}}, upper{{1, 1}, {6, 1}}, u{{4, 0}, {0, 0}},
        v{{3.9, 0}, {0, 0}};
    EXPECT_TRUE(plain_pairs(boxes<2>(lower, upper), Domain<2>::open()).empty());
    EXPECT_EQ(plain_pairs(boxes<2>(lower, upper).moving(u), Domain<2>::open()).size(), 1u);
    EXPECT_TRUE(plain_pairs(boxes<2>(lower, upper).moving(v), Domain<2>::open()).empty());
    EXPECT_EQ(plain_pairs(points<2>(lower, 1).moving(u), Domain<2>::open()).size(), 1u);
    EXPECT_TRUE(plain_pairs(points<2>(lower, 1).moving(v), Domain<2>::open()).empty());
}

TEST(Plain, groups_and_exclusions) {
    const Points x{{0, 0}, {0, 0}, {0, 0}};
    const std::vector<std::uint32_t> group{1, 2, 2}, mask{2, 1, 1};
    EXPECT_EQ(plain_pairs(points<2>(x, 1).grouped(group, mask), Domain<2>::open()),
              (Pairs<2>{{0, 1, {}}, {0, 2, {}}}));
    const std::vector<Pair> excluded{{2, 0}};
    EXPECT_EQ(plain_pairs(points<2>(x, 1).excluding(excluded), Domain<2>::open()),
              (Pairs<2>{{0, 1, {}}, {1, 2, {}}}));
    // Between two sets an exclusion has a direction.
    EXPECT_EQ(
        plain_pairs(points<2>(x, 1).excluding(excluded), points<2>(x, 1), Domain<2>::open())
            .size(),
        8u);
}

TEST(Plain, vertices_in_common) {
    // Triangles (0, 1, 2) and (1, 2, 3) have an edge in common, (3, 4, 5) a vertex with one.
    const Points x{{0, 0}, {0, 0}, {0, 0}};
    const std::vector<std::uint32_t> triangles{0, 1, 2, 3, 2, 1, 5, 4, 3}, ends{5, 9};
    const auto bodies = points<2>(x, 1).with_vertices(triangles, 3);
    EXPECT_EQ(plain_pairs(bodies, Domain<2>::open()), (Pairs<2>{{0, 2, {}}}));
    // Nor with an image of itself.
    EXPECT_EQ(plain_pairs(bodies, periodic(1, 0)),
              (Pairs<2>{{0, 2, {-1, 0}}, {0, 2, {0, 0}}, {0, 2, {1, 0}}}));
    const Points y{{0, 0}};
    EXPECT_EQ(plain_pairs(points<2>(y, 1).with_vertices(ends, 2), bodies, Domain<2>::open()),
              (Pairs<2>{{0, 0, {}}, {0, 1, {}}}));
    EXPECT_EQ(plain_pairs(points<2>(y, 1), bodies, Domain<2>::open()).size(), 3u);
}

TEST(Plain, partners_on_both_sides) {
    const Points x{{0, 0}, {0.5, 0}};
    using Search = PlainSearch<double, 2>;
    const auto bodies = points<2>(x, 0.5);
    const Search search(bodies, bodies, periodic(1, 0), Search::Sets::one);
    EXPECT_EQ(search.partners(0), (Pairs<2>{{0, 1, {-1, 0}}, {0, 1, {0, 0}}}));
    EXPECT_EQ(search.partners(1), (Pairs<2>{{1, 0, {0, 0}}, {1, 0, {1, 0}}}));
    EXPECT_TRUE(search.canonical_partners(1).empty());
    const auto wide = points<2>(x, 1);
    const Search alone(wide, wide, periodic(1, 0), Search::Sets::one);
    EXPECT_EQ(alone.partners(0).size(), 4u);
}

TEST(Plain, probes_of_every_shape) {
    const Points lower{{0, 0}}, upper{{1, 1}}, far{{4, 3}}, to{{-4, -3}}, past{{-4, 0}};
    const auto box = boxes<2>(lower, upper);
    const auto ball = [](const Points& at, const std::vector<double>& r) {
        return spheres<2>(at, r);
    };
    const std::vector<double> one{1}, three{3};
    const auto hits = [](const auto& bodies, const auto& queries) {
        return plain_probe(bodies, queries, Domain<2>::open()).size();
    };
    EXPECT_EQ(hits(box, points<2>(far)), 0u);
    EXPECT_EQ(hits(box, points<2>(upper)), 1u);
    EXPECT_EQ(hits(box, ball(far, three)), 0u);
    EXPECT_EQ(hits(box, ball(far, {3.7})), 1u);
    EXPECT_EQ(hits(ball(far, {3.7}), box), 1u);
    EXPECT_EQ(hits(box, segments<2>(far, to)), 1u);
    EXPECT_EQ(hits(box, segments<2>(far, past)), 0u);
    EXPECT_EQ(hits(segments<2>(far, to), box), 1u);
    EXPECT_EQ(hits(box, ball(far, one).moving(past)), 0u);
    EXPECT_EQ(hits(box, ball(far, {2}).moving(past)), 1u);
    EXPECT_EQ(hits(ball(far, {2}).moving(past), box), 1u);
    EXPECT_EQ(hits(ball(far, {2}).moving(past), ball(lower, {1})), 1u);
    // The cut-off of a query is its reach, that of a body does not apply.
    EXPECT_EQ(hits(points<2>(far, 100), points<2>(lower)), 0u);
    EXPECT_EQ(hits(points<2>(far), points<2>(lower, 100)), 1u);
    EXPECT_EQ(hits(box, points<2>(far, 3)), 0u);
    EXPECT_EQ(hits(box, points<2>(far, 3.7)), 1u);
    EXPECT_EQ(hits(box, points<2>(far, 2).moving(past)), 1u);
}

// Touches the corner in the middle of the motion: the closest approach is inside a piece, not
// at a crossing.
TEST(Plain, a_moving_sphere_that_grazes_a_corner) {
    const Points lower{{-1, -1}}, upper{{0, 0}}, from{{0, 2}}, along{{2, -2}};
    const auto box = boxes<2>(lower, upper);
    const auto hits = [&](double radius) {
        const std::vector<double> r{radius};
        return plain_probe(box, spheres<2>(from, r).moving(along), Domain<2>::open()).size();
    };
    EXPECT_EQ(hits(1.4143), 1u);  // the line passes the corner at sqrt(2)
    EXPECT_EQ(hits(1.4142), 0u);
}

}  // namespace
}  // namespace vicinal::reference
