// What new users stumbled over: each of these compiled and meant something else, read freed
// memory, or did not compile with a readable message.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "support/compare.hpp"

#include <vicinal/vicinal.hpp>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define VICINAL_TEST_EIGEN
#endif

namespace vicinal::test {
namespace {

using reference::plain_pairs;
using reference::plain_probe;

// ---- domains
// -----------------------------------------------------------------------------------

template <class T>
concept DomainFromThreeNumbers = requires(Options<3> o) { o.domain = {T{10}, T{10}, T{10}}; };
template <class T>
concept DomainFromArray = requires(Options<3> o, std::array<T, 3> a) { o.domain = {a}; };
static_assert(!DomainFromThreeNumbers<double> && !DomainFromThreeNumbers<int>);
static_assert(!DomainFromArray<double>);
static_assert(!std::is_aggregate_v<Domain<3>> && !std::is_default_constructible_v<Domain<3>>);

// s = (n0*H0 + n1*H1) + n2*H2 in the scalar type, for the lattice as reduced.
template <Real T>
void expect_shifts(const Domain<3>& domain) {
    const auto& h = domain.lattice();
    for (const Image<3>& n : {Image<3>{0, 0, 0}, Image<3>{1, -2, 3}, Image<3>{-7, 1, 30000}}) {
        const Vector<T, 3> s = domain.shift<T>(n);
        for (std::size_t a = 0; a < 3; ++a) {
            const T first = static_cast<T>(n[0]) * static_cast<T>(h[0][a]);
            const T second = static_cast<T>(n[1]) * static_cast<T>(h[1][a]);
            const T third = static_cast<T>(n[2]) * static_cast<T>(h[2][a]);
            EXPECT_EQ(s[a], (first + second) + third);
        }
    }
}

TEST(Traps, the_shift_of_an_image_is_that_of_the_contract) {
    for (const auto& domain :
         {Domain<3>::open(), Domain<3>::orthogonal({0.1, 0.7, 1.3}),
          Domain<3>::sheared({1.1, 0.9, 1}, 12345.678, 0.3),
          Domain<3>::triclinic(
              {{{1.1, 0.1, -0.3}, {0.2, 0.9, 0.7}, {1 / 3.0, 1 / 7.0, -1.7}}})}) {
        expect_shifts<float>(domain);
        expect_shifts<double>(domain);
    }
    // The offset is reduced modulo the length in y.
    const auto sheared = Domain<3>::sheared({10, 4, 10}, 9.5);
    EXPECT_EQ(sheared.shift<double>({1, 0, 0}), (Vector<double, 3>{10, 1.5, 0}));
}

// The vector of a pair from its image.
TEST(Traps, the_shift_gives_the_vector_of_a_pair) {
    const std::vector<float> x{0.05f, 0.5f, 0.5f, 0.95f, 0.5f, 0.5f};
    const auto domain = Domain<3>::orthogonal({1, 1, 1});
    const auto pairs = find_pairs(points<3>(x, 0.2), {.domain = domain});
    ASSERT_EQ(pairs.size(), 1u);
    for (const auto [i, j, image] : pairs.with_images())
        EXPECT_NEAR((x[3 * j] - x[3 * i]) + domain.shift<float>(image)[0], -0.1f, 1e-6f);
}

// ---- views of temporaries
// ----------------------------------------------------------------------

using Numbers = std::vector<double>;
using Triples = std::vector<std::array<double, 3>>;

template <class... A>
concept MakesPoints = requires(A&&... a) { points<3>(std::forward<A>(a)...); };
template <class... A>
concept MakesSpheres = requires(A&&... a) { spheres<3>(std::forward<A>(a)...); };
template <class... A>
concept MakesBoxes = requires(A&&... a) { boxes<3>(std::forward<A>(a)...); };
template <class... A>
concept MakesSegments = requires(A&&... a) { segments<3>(std::forward<A>(a)...); };
template <class... A>
concept MakesSeparate = requires(A&&... a) { separate(std::forward<A>(a)...); };
template <class... A>
concept MakesVectors = requires(A&&... a) { vectors<3>(std::forward<A>(a)...); };

static_assert(MakesPoints<Numbers&, double> && MakesPoints<const Triples&>);
static_assert(!MakesPoints<Numbers, double> && !MakesPoints<const Numbers, double> &&
              !MakesPoints<Triples> && !MakesPoints<std::array<double, 6>>);
static_assert(MakesPoints<std::span<double>, double> && MakesPoints<std::span<const double>> &&
              MakesPoints<std::ranges::ref_view<Numbers>>);
static_assert(MakesPoints<double (&)[6], double> && MakesPoints<double (&)[2][3], double>);
static_assert(MakesPoints<Vectors<double, 3>, double>);
static_assert(MakesSpheres<Numbers&, Numbers&> && MakesSpheres<Numbers&, double> &&
              MakesSpheres<Numbers&, int, ReachRule> && MakesSpheres<Numbers&, Column<double>>);
static_assert(!MakesSpheres<Numbers&, Numbers> && !MakesSpheres<Numbers, Numbers&> &&
              !MakesSpheres<Numbers, double> && !MakesSpheres<Numbers&, Numbers, ReachRule>);
static_assert(MakesBoxes<Numbers&, Numbers&> && !MakesBoxes<Numbers, Numbers&> &&
              !MakesBoxes<Numbers&, Numbers>);
static_assert(MakesSegments<Numbers&, Numbers&> && !MakesSegments<Numbers&, Numbers>);
static_assert(MakesSeparate<Numbers&, Numbers&, Numbers&> &&
              !MakesSeparate<Numbers&, Numbers&, Numbers>);
static_assert(MakesVectors<Numbers&> && !MakesVectors<Numbers>);

using View = Bodies<double, 3>;
using Words = std::vector<std::uint32_t>;
using Pairs = std::vector<Pair>;
template <class A>
concept Moves = requires(View v, A&& a) { v.moving(std::forward<A>(a)); };
template <class A>
concept Groups_ = requires(View v, A&& a) { v.grouped(std::forward<A>(a)); };
template <class A>
concept Identifies = requires(View v, A&& a) { v.identified(std::forward<A>(a)); };
template <class A>
concept Excludes = requires(View v, A&& a) { v.excluding(std::forward<A>(a)); };
template <class A>
concept HasVertices = requires(View v, A&& a) { v.with_vertices(std::forward<A>(a), 2); };
static_assert(Moves<Numbers&> && !Moves<Numbers> && Moves<std::span<double>>);
static_assert(Groups_<Words&> && !Groups_<Words> && Identifies<Words&> && !Identifies<Words>);
static_assert(Excludes<Pairs&> && !Excludes<Pairs> && Excludes<std::span<Pair>>);
static_assert(HasVertices<Words&> && !HasVertices<Words>);
template <class K, class C>
concept HasKinds =
    requires(View v, K&& k, C&& c) { v.with_kinds(std::forward<K>(k), std::forward<C>(c)); };
static_assert(HasKinds<std::vector<int>&, Numbers&> && !HasKinds<std::vector<int>, Numbers&> &&
              !HasKinds<std::vector<int>&, Numbers> && HasKinds<Words&, double (&)[2][2]>);
template <class B>
concept HasView = requires(B&& b) { std::forward<B>(b).view(); };
static_assert(HasView<Boxes<float, 3>&> && !HasView<Boxes<float, 3>>);

// ---- one radius for all
// ------------------------------------------------------------------------

// The radius is in the view itself, wherever it is copied to.
template <Real T, int D>
void expect_one_radius() {
    std::vector<T> x;
    for (std::size_t c = 0; c < 300 * D; ++c)
        x.push_back(static_cast<T>((c * 7919) % 1009) / T{1009});
    const std::vector<T> radii(300, T(0.06));
    for (const ReachRule rule : {ReachRule::sum, ReachRule::max, ReachRule::min}) {
        auto original = std::make_unique<Bodies<T, D>>(spheres<D>(x, T(0.06), rule));
        Bodies<T, D> copy = *original, assigned;
        assigned = copy;
        original.reset();
        copy = spheres<D>(x, T(100));
        EXPECT_EQ(assigned.radius.count(), 300u);
        std::array<double, D> side;
        side.fill(0.9);
        for (const auto& domain : {Domain<D>::open(), Domain<D>::orthogonal(side)}) {
            const auto expected = plain_pairs(spheres<D>(x, radii, rule), domain);
            ASSERT_FALSE(expected.empty());
            EXPECT_EQ(plain_pairs(assigned, domain), expected);
            for (const MethodInfo& method : methods()) {
                SCOPED_TRACE(method.name);
                Finder<T, D> finder(Options<D>{.domain = domain, .method = method.name});
                for (int step = 0; step < 2; ++step) {  // verlet: the second uses the list
                    finder.update(assigned);
                    EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
                }
                EXPECT_EQ(difference<D>(plain_probe(assigned, assigned, domain),
                                        listed(finder.probe(assigned, Order::sorted))),
                          "");
            }
        }
    }
}

TEST(Traps, one_radius_for_all_spheres) {
    expect_one_radius<float, 3>();
    expect_one_radius<double, 2>();
}

TEST(Traps, a_bad_radius_for_all_is_named) {
    const std::vector<double> x{0, 0, 0};
    EXPECT_THROW(find_pairs(spheres<3>(x, -1.0)), Error);
    EXPECT_EQ(find_pairs(spheres<3>(std::span<const double>(), 1)).size(), 0u);
}

// ---- layouts
// -----------------------------------------------------------------------------------

struct Float3 {
    float x, y, z;
};
struct Double2 {
    double weight, y, x;  // members are found by name, not by place
};
struct Particle {
    int kind;
    double radius;
    std::array<double, 3> position;
    double velocity[3];
    Float3 colour;
    std::uint32_t group;
};
struct Ion : Particle {
    double charge;
};

template <Real T, int D>
std::vector<Vector<T, D>> read(const Vectors<T, D>& view) {
    std::vector<Vector<T, D>> result(view.size());
    for (std::size_t i = 0; i < view.size(); ++i)
        for (std::size_t a = 0; a < D; ++a) result[i][a] = view.axis[a][i];
    return result;
}
using Read3 = std::vector<Vector<double, 3>>;
using Read3f = std::vector<Vector<float, 3>>;

TEST(Traps, structs_with_named_components) {
    const std::vector<Float3> a{{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(read(vectors<3>(a)), (Read3f{{1, 2, 3}, {4, 5, 6}}));
    EXPECT_EQ(read(vectors<2>(a)), (std::vector<Vector<float, 2>>{{1, 2}, {4, 5}}));
    const std::vector<Double2> b{{9, 2, 1}, {9, 4, 3}};
    EXPECT_EQ(read(vectors<2>(b)), (std::vector<Vector<double, 2>>{{1, 2}, {3, 4}}));
    EXPECT_EQ(read(vectors<3>(std::vector<Float3>().empty() ? std::span<const Float3>()
                                                            : std::span<const Float3>(a))),
              Read3f{});
}

TEST(Traps, members_of_particles) {
    std::vector<Ion> ions(3);
    for (std::size_t i = 0; i < 3; ++i) {
        const double v = static_cast<double>(i);
        ions[i].position = {v, v + 0.5, v + 1};
        ions[i].radius = 0.25 * (v + 1);
        ions[i].velocity[0] = ions[i].velocity[1] = 0, ions[i].velocity[2] = -v;
        ions[i].colour = {static_cast<float>(i), 0, 1};
        ions[i].group = static_cast<std::uint32_t>(i);
    }
    const Read3 positions{{0, 0.5, 1}, {1, 1.5, 2}, {2, 2.5, 3}};
    EXPECT_EQ(read(points<3>(ions, &Particle::position, 0.5).position), positions);
    EXPECT_EQ(points<3>(ions, &Ion::position, 0.5).cutoff, 0.5);
    EXPECT_EQ(read(vectors<3>(ions, &Particle::velocity)),
              (Read3{{0, 0, 0}, {0, 0, -1}, {0, 0, -2}}));
    EXPECT_EQ(read(vectors<3>(ions, &Particle::colour)),
              (Read3f{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}));
    const auto balls = spheres<3>(ions, &Particle::position, &Particle::radius, ReachRule::max);
    EXPECT_EQ(read(balls.position), positions);
    EXPECT_EQ(balls.radius[2], 0.75);
    EXPECT_EQ(balls.rule, ReachRule::max);
    EXPECT_EQ(spheres<3>(ions, &Particle::position, 2).radius[1], 2);
    EXPECT_EQ(read(boxes<3>(ions, &Particle::position, &Particle::velocity).upper),
              read(vectors<3>(ions, &Particle::velocity)));
    const Bodies<double, 3> moving = points<3>(ions, &Particle::position)
                                         .moving(vectors<3>(ions, &Particle::velocity))
                                         .grouped(column(ions, &Particle::group));
    EXPECT_EQ(moving.displacement(2, 2), -2);
    EXPECT_EQ(moving.group[2], 2u);
    ions.clear();
    EXPECT_EQ(points<3>(ions, &Particle::position).size(), 0u);
}
static_assert(!MakesPoints<std::vector<Particle>, std::array<double, 3> Particle::*, double>);
static_assert(!MakesSpheres<std::vector<Particle>, std::array<double, 3> Particle::*,
                            double Particle::*>);

TEST(Traps, c_arrays) {
    const double flat[6] = {1, 2, 3, 4, 5, 6};
    const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const float radii[2] = {1, 2};
    EXPECT_EQ(read(vectors<3>(flat)), (Read3{{1, 2, 3}, {4, 5, 6}}));
    EXPECT_EQ(read(vectors<3>(rows)), (Read3{{1, 2, 3}, {4, 5, 6}}));
    EXPECT_EQ(Column<float>(radii)[1], 2);
}

#ifdef VICINAL_TEST_EIGEN
TEST(Traps, eigen) {
    const Read3 expected{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    Eigen::Matrix3Xd columns(3, 4);
    Eigen::MatrixX3d rows(4, 3);  // column-major: the axes are separate
    Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> row_major(4, 3);
    std::vector<Eigen::Vector3d> vector(4);
    Eigen::VectorXd flat(12), radii(4);
    for (int i = 0; i < 4; ++i)
        for (int a = 0; a < 3; ++a) {
            const double v = 3 * i + a + 1;
            columns(a, i) = rows(i, a) = row_major(i, a) =
                vector[static_cast<std::size_t>(i)][a] = flat[3 * i + a] = v;
        }
    radii << 1, 2, 3, 4;
    EXPECT_EQ(read(vectors<3>(columns)), expected);
    EXPECT_EQ(read(vectors<3>(rows)), expected);
    EXPECT_EQ(read(vectors<3>(row_major)), expected);
    EXPECT_EQ(read(vectors<3>(vector)), expected);
    EXPECT_EQ(read(vectors<3>(flat)), expected);
    // Maps and blocks do not own what they show.
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
    EXPECT_EQ(read(vectors<3>(Eigen::Map<const RowMajor>(flat.data(), 4, 3))), expected);
    Eigen::MatrixXd wide(5, 4);
    wide.topRows<3>() = columns;
    EXPECT_EQ(read(vectors<3>(wide.topRows<3>())), expected);
    EXPECT_EQ(spheres<3>(columns, radii).radius[3], 4);
    EXPECT_EQ(spheres<3>(columns, columns.row(1)).radius[3], 11);  // strided
    static_assert(MakesPoints<Eigen::Matrix3Xd&> && !MakesPoints<Eigen::Matrix3Xd>);
    static_assert(!MakesSpheres<Eigen::Matrix3Xd&, Eigen::VectorXd>);
    static_assert(MakesPoints<Eigen::Map<Eigen::Matrix3Xd>>);
    const Bodies<double, 3> bodies = points<3>(columns, 5.5);
    EXPECT_EQ(find_pairs(bodies).size(), 3u);
}
#endif

// ---- probes
// ------------------------------------------------------------------------------------

// scipy's query_ball_point.
TEST(Traps, query_points_reach_as_far_as_their_cutoff) {
    std::vector<double> x, q;
    std::uint32_t state = 1;
    for (int k = 0; k < 330; ++k) {
        state = state * 1664525u + 1013904223u;
        (k < 300 ? x : q).push_back(state * 0x1p-32);
    }
    const std::vector<double> along(30, 0.3), lower = x;
    std::vector<double> upper = x;
    for (double& side : upper) side += 0.05;
    const std::vector<Bodies<double, 3>> all_bodies{points<3>(x, 0.5), spheres<3>(x, 0.02),
                                                    boxes<3>(lower, upper)};
    for (const double cutoff : {0.0, 0.1, 0.7})
        for (const bool moving : {false, true})
            for (const Bodies<double, 3>& bodies : all_bodies) {
                Bodies<double, 3> queries = points<3>(q, cutoff);
                if (moving) queries = queries.moving(along);
                for (const auto& domain : {Domain<3>::open(), Domain<3>::orthogonal({1, 1, 1}),
                                           Domain<3>::orthogonal({0.2, 0.3, 0.4})}) {
                    const auto expected = plain_probe(bodies, queries, domain);
                    for (const char* const method : {"auto", "bvh", "brute_force"}) {
                        Finder<double, 3> finder(
                            Options<3>{.domain = domain, .method = method});
                        finder.update(bodies);
                        EXPECT_EQ(difference<3>(expected,
                                                listed(finder.probe(queries, Order::sorted))),
                                  "");
                    }
                    EXPECT_TRUE(cutoff == 0 || !expected.empty());
                }
            }
}

// ---- arrays that change between update and search
// -----------------------------------------------

TEST(Traps, bodies_that_change_after_the_update) {
#ifndef VICINAL_ASSERTS
    GTEST_SKIP() << "detected in development builds";
#endif
    std::vector<double> x{0, 0, 0, 1, 0, 0}, radius{0.1, 0.1}, u(6, 0.0);
    std::vector<std::uint32_t> group{1, 1};
    Finder<double, 3> finder;
    const auto bodies = spheres<3>(x, radius).moving(u).grouped(group);
    const std::vector<std::function<void()>> searches{
        [&] { finder.pairs(); },
        [&] { finder.count(); },
        [&] { finder.neighbours(); },
        [&] { finder.changes(); },
        [&] { finder.probe(bodies); },
        [&] { finder.pairs_with(bodies); },
        [&] { finder.for_each_block([](const Block<3>&) {}); }};
    for (const auto& search : searches)
        for (int k = 0; k < 4; ++k) {
            finder.update(bodies);
            EXPECT_NO_THROW(search());
            if (k == 0) x[3] += 0.5;
            if (k == 1) radius[1] += 0.5;
            if (k == 2) u[5] += 0.5;
            if (k == 3) group[0] ^= 2;
            try {
                search();
                ADD_FAILURE() << "not detected";
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), Error::Kind::input);
                EXPECT_NE(std::string(error.what()).find("call update()"), std::string::npos);
            }
        }
}

}  // namespace
}  // namespace vicinal::test
