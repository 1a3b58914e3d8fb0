// Compares nearest neighbours of every method that finds them with a plain loop over all bodies
// and images: the same bodies, images and distances in the same order.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "finder/nearest_rows.hpp"
#include "support/bodies.hpp"
#include "support/environment.hpp"

namespace vicinal::test {
namespace {

const std::set<std::string> trees{"bvh", "kd_tree", "linear_kd_tree", "orthtree",
                                  "phase_kd_tree"};

const std::vector<std::string> chosen{"auto",
                                      "verlet(skin=0.1)",
                                      "bvh",
                                      "bvh(leaf=1)",
                                      "kd_tree",
                                      "kd_tree(build=insert)",
                                      "linear_kd_tree",
                                      "linear_kd_tree(split=off, octree=on)",
                                      "linear_kd_tree(coherent=on)",
                                      "orthtree",
                                      "phase_kd_tree"};

template <Real T, int D>
struct Found {
    T square;
    Index body;
    std::array<int, D> n;
    auto key() const { return std::tie(square, body, n); }
    bool operator<(const Found& other) const { return key() < other.key(); }
};

template <Real T, int D>
bool may_pair(const OwnedBodies<T, D>& queries, Index i, const OwnedBodies<T, D>& bodies,
              Index j, bool own) {
    const auto bits = [](const std::vector<std::uint32_t>& values, Index k) {
        return values.empty() ? ~0u : values[k];
    };
    if ((bits(queries.group, i) & bits(bodies.mask, j)) == 0 ||
        (bits(bodies.group, j) & bits(queries.mask, i)) == 0)
        return false;
    for (const Pair& pair : queries.excluded)
        if ((pair.i == i && pair.j == j) || (own && pair.i == j && pair.j == i)) return false;
    for (std::size_t k = 0; k < queries.vertices_per_body; ++k)
        for (std::size_t l = 0; l < bodies.vertices_per_body; ++l)
            if (queries.vertices[i * queries.vertices_per_body + k] ==
                bodies.vertices[j * bodies.vertices_per_body + l])
                return false;
    return true;
}

// Images up to `reach` periods away.
template <Real T, int D>
std::vector<Found<T, D>> plain(const OwnedBodies<T, D>& queries, Index i,
                               const OwnedBodies<T, D>& bodies,
                               const std::array<std::array<double, D>, D>& lattice,
                               const std::array<bool, D>& periodic, int reach, bool own,
                               std::size_t k, T max_distance) {
    const auto side = [](const OwnedBodies<T, D>& b, std::size_t at, bool high) {
        return high && !b.upper.empty() ? b.upper[at] : b.position[at];
    };
    std::vector<Found<T, D>> all;
    std::array<int, D> n;
    for (std::size_t a = 0; a < D; ++a) n[a] = periodic[a] ? -reach : 0;
    const std::array<int, D> first = n;
    for (bool more = true; more;) {
        std::array<T, D> s;
        for (std::size_t a = 0; a < D; ++a) {
            s[a] = static_cast<T>(n[0]) * static_cast<T>(lattice[0][a]);
            for (std::size_t m = 1; m < D; ++m)
                s[a] = s[a] + static_cast<T>(n[m]) * static_cast<T>(lattice[m][a]);
        }
        for (Index j = 0; j < bodies.size(); ++j) {
            if (own && i == j && n == std::array<int, D>{}) continue;
            if (!may_pair(queries, i, bodies, j, own)) continue;
            T sum = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const T above =
                    (side(bodies, j * D + a, false) - side(queries, i * D + a, true)) + s[a];
                const T below =
                    (side(bodies, j * D + a, true) - side(queries, i * D + a, false)) + s[a];
                const T gap = above > 0 ? above : below < 0 ? below : T{0};
                sum = a == 0 ? gap * gap : sum + gap * gap;
            }
            if (sum <= max_distance * max_distance) all.push_back({sum, j, n});
        }
        more = false;
        for (std::size_t a = 0; a < D && !more; ++a) {
            if (n[a] < -first[a]) {
                ++n[a];
                more = true;
            } else {
                n[a] = first[a];
            }
        }
    }
    const std::size_t count = std::min(k, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
    all.resize(count);
    return all;
}

template <Real T, int D>
void compare(const OwnedBodies<T, D>& bodies, const OwnedBodies<T, D>& queries,
             const Domain<D>& domain, int reach, std::size_t k, T max_distance, int threads) {
    for (const bool own : {false, true}) {
        const OwnedBodies<T, D>& asking = own ? bodies : queries;
        const auto compared = static_cast<Index>(std::min<std::size_t>(asking.size(), 8));
        std::vector<std::vector<Found<T, D>>> expected;
        for (const std::string& method : chosen) {
            SCOPED_TRACE(method + (own ? ", own" : ", queries") + ", k " + std::to_string(k));
            Finder<T, D> finder(
                Options<D>{.domain = domain, .method = method, .threads = threads});
            finder.update(bodies.view());
            if (expected.empty())
                for (Index i = 0; i < compared; ++i)
                    expected.push_back(plain<T, D>(asking, i, bodies, finder.report().lattice,
                                                   domain.periodic(), reach, own, k,
                                                   max_distance));
            const Rows<T, D> found = own ? finder.nearest(k, max_distance)
                                         : finder.nearest(queries.view(), k, max_distance);
            ASSERT_EQ(found.size(), asking.size());
            for (Index i = 0; i < compared; ++i) {
                ASSERT_EQ(found[i].size(), expected[i].size()) << "query " << i;
                for (std::size_t e = 0; e < expected[i].size(); ++e) {
                    const auto& one = expected[i][e];
                    const std::size_t at = found.offsets[i] + e;
                    std::array<int, D> image{};
                    if (!found.images.empty())
                        for (std::size_t a = 0; a < D; ++a) image[a] = found.images[at][a];
                    ASSERT_EQ(std::tie(found.indices[at], image), std::tie(one.body, one.n))
                        << "query " << i << " neighbour " << e;
                    ASSERT_EQ(found.distances[at], std::sqrt(one.square));
                    // Otherwise the range of the plain loop might be too small.
                    for (const int n : one.n) ASSERT_LT(std::abs(n), reach);
                }
            }
        }
    }
}

template <Real T, int D>
void run() {
    std::size_t turn = 0;
    for (const ShapeCase& shape : shape_cases) {
        if (shape.rule != ReachRule::sum) continue;
        for (const char* name : domain_names)
            for (const char* scene : {"uniform", "sheets", "giant"}) {
                const std::size_t t = turn++;
                if (run_light() && (t / 3 + t) % 3 != 0) continue;
                // A giant would need too many images in the plain loop.
                if (name == std::string("skewed") && scene == std::string("giant")) continue;
                SCOPED_TRACE(std::string(shape.name) + " " + name + " " + scene);
                std::map<std::string, double> parameters{{"dim", D}};
                if (scene == std::string("giant")) parameters["ratio"] = 10;
                const auto make = [&](std::size_t n, const ShapeCase& kind,
                                      std::uint64_t seed) {
                    return make_bodies<T, D>(scenes::make(scene, n, seed, parameters), kind,
                                             seed);
                };
                auto bodies = make(40, shape, 21 + t);
                // Ties: some bodies coincide.
                for (std::size_t c = 0; c < 12 * D; ++c) {
                    bodies.position[c] = bodies.position[12 * D + c];
                    if (!bodies.upper.empty()) bodies.upper[c] = bodies.upper[12 * D + c];
                }
                auto queries = make(6, t % 2 == 0 ? shape_cases[0] : shape, 22 + t);
                const auto filter = static_cast<FilterCase>(t % filter_cases);
                add_filter(bodies, filter, bodies.size(), 3);
                add_filter(queries, filter, bodies.size(), 4);
                if (filter == FilterCase::exclusions) {
                    bodies.excluded.resize(40);
                    queries.excluded.resize(40);
                }
                const auto domain = make_domain<D>(name, periods_for(bodies), shape.swept);
                const int reach = D == 2 ? 12 : name == std::string("skewed") ? 8 : 6;
                const T max_distance =
                    t % 2 == 0 ? std::numeric_limits<T>::infinity() : 3 * bodies.cutoff;
                compare<T, D>(bodies, queries, domain, reach, t % 5 == 0 ? 12 : 1 + t % 7,
                              max_distance, t % 2 == 0 ? 1 : 3);
                if (::testing::Test::HasFailure()) return;
            }
    }
}

// Many points are found in rows (finder/nearest_rows.hpp), with ties and where crowds leave
// some or all of them to the tree. A tree by itself finds the same for every query.
template <Real T, int D>
void run_many() {
    for (const char* scene : {"uniform", "lattice", "clusters"})
        for (const std::size_t k : {std::size_t{1}, std::size_t{8}, std::size_t{32}}) {
            if (run_light() && (k == 1 || scene == std::string("lattice"))) continue;
            SCOPED_TRACE(std::string(scene) + " k " + std::to_string(k));
            const auto make = [&](const char* name, std::size_t n, std::uint64_t seed) {
                return make_bodies<T, D>(scenes::make(name, n, seed, {{"dim", D}}),
                                         shape_cases[0], seed);
            };
            auto bodies = make(scene, 2000, 5);
            auto queries = make("uniform", 1500, 6);
            for (std::size_t a = 0; a < D; ++a) queries.position[a] = T(1e6);  // far away
            for (std::size_t c = 0; c < 10 * D; ++c)
                queries.position[10 * D + c] = bodies.position[c];
            for (const T max_distance :
                 {std::numeric_limits<T>::infinity(), bodies.cutoff / 2}) {
                Finder<T, D> rows({.threads = k == 1 ? 1 : 3}), tree({.method = "kd_tree"});
                rows.update(bodies.view());
                tree.update(bodies.view());
                const auto same = [&](const Rows<T, D>& a, const Rows<T, D>& b) {
                    const auto equal = [](const auto& x, const auto& y) {
                        return std::equal(x.begin(), x.end(), y.begin(), y.end());
                    };
                    EXPECT_TRUE(equal(a.offsets, b.offsets));
                    EXPECT_TRUE(equal(a.indices, b.indices));
                    EXPECT_TRUE(equal(a.distances, b.distances));
                    EXPECT_GT(a.indices.size(), 0u);
                };
                same(rows.nearest(k, max_distance), tree.nearest(k, max_distance));
                same(rows.nearest(queries.view(), k, max_distance),
                     tree.nearest(queries.view(), k, max_distance));
            }
        }
}

TEST(Nearest, of_many_points_float_2d) {
    run_many<float, 2>();
}
TEST(Nearest, of_many_points_float_3d) {
    run_many<float, 3>();
}
TEST(Nearest, of_many_points_double_2d) {
    run_many<double, 2>();
}
TEST(Nearest, of_many_points_double_3d) {
    run_many<double, 3>();
}

TEST(Nearest, agrees_with_a_plain_loop_float_2d) {
    run<float, 2>();
}
TEST(Nearest, agrees_with_a_plain_loop_float_3d) {
    run<float, 3>();
}
TEST(Nearest, agrees_with_a_plain_loop_double_2d) {
    run<double, 2>();
}
TEST(Nearest, agrees_with_a_plain_loop_double_3d) {
    run<double, 3>();
}

// Many more images than bodies; all bodies filtered out; no bodies.
TEST(Nearest, few_bodies) {
    const std::vector<double> one{0.25, 0.25};
    for (const std::string& method : chosen) {
        SCOPED_TRACE(method);
        Finder<double, 2> finder(Options<2>{
            .domain = Domain<2>::orthogonal({1, 1}), .method = method, .threads = 1});
        finder.update(points<2>(one, 0.1));
        const auto own = finder.nearest(8);
        ASSERT_EQ(own.indices.size(), 8u);
        for (std::size_t e = 0; e < 8; ++e)
            EXPECT_EQ(own.distances[e], e < 4 ? 1 : std::sqrt(2.0));
        EXPECT_EQ(own.images[0], (Image<2>{-1, 0}));
        EXPECT_EQ(finder.nearest(points<2>(one), 100).indices.size(), 100u);
        const std::vector<std::uint32_t> group{1}, mask{2};
        EXPECT_TRUE(finder.nearest(points<2>(one).grouped(group, mask), 3).indices.size() ==
                    3u);
        finder.update(points<2>(one, 0.1).grouped(group, mask));
        EXPECT_TRUE(finder.nearest(3).indices.empty());
        const std::vector<double> none;
        finder.update(points<2>(none, 0.1));
        EXPECT_TRUE(finder.nearest(points<2>(one), 3).indices.empty());
        EXPECT_EQ(finder.nearest(3).size(), 0u);
    }
}

// If squares overflow or underflow, ties are in the order of indices.
TEST(Nearest, extreme_places) {
    const std::vector<float> x{0, 0, 1e-30f, 0, 3e30f, 0, -3e30f, 0, 1, 0, 1e-25f, 0};
    const std::vector<float> origin{0, 0};
    for (const std::string& method : chosen) {
        SCOPED_TRACE(method);
        Finder<float, 2> finder(Options<2>{.method = method, .threads = 1});
        finder.update(points<2>(x, 0.1));
        const auto found = finder.nearest(points<2>(origin), 6);
        EXPECT_EQ(found.indices, (std::vector<Index>{0, 1, 5, 4, 2, 3}));
    }
}

TEST(Nearest, very_many_at_one_place) {
    const std::vector<float> x(3 * 200'000, 0.5f), query{0, 0.5f, 0.5f};
    for (const std::string& method : chosen) {
        SCOPED_TRACE(method);
        // A Verlet list would hold all pairs.
        if (method == "kd_tree(build=insert)" || method.starts_with("verlet")) continue;
        Finder<float, 3> finder(Options<3>{.method = method});
        finder.update(points<3>(x, 0));
        const auto found = finder.nearest(points<3>(query), 3);
        EXPECT_EQ(found.indices, (std::vector<Index>{0, 1, 2}));
    }
}

TEST(Nearest, any_method_finds_them_and_the_report_names_the_tree) {
    const std::vector<float> x{0, 0, 3, 0};
    for (const MethodInfo& method : methods()) {
        SCOPED_TRACE(method.name);
        Finder<float, 2> finder(Options<2>{.method = method.name});
        finder.update(points<2>(x, 1));
        EXPECT_EQ(finder.report().nearest_method, "");
        const auto found = finder.nearest(1);
        EXPECT_EQ(found.indices, (std::vector<Index>{1, 0}));
        EXPECT_EQ(found.distances, (std::vector<float>{3, 3}));
        const bool is_tree = trees.contains(method.name);
        EXPECT_EQ(finder.report().nearest_method.starts_with("kd_tree"), !is_tree);
    }
}

// How many of the queries the rows of a grid answer; of those, all as a tree.
template <Real T, int D>
std::size_t found_in_rows(const Bodies<T, D>& bodies, const Bodies<T, D>* queries,
                          std::size_t k, NearestRows<T, D>& rows,
                          T max_distance = std::numeric_limits<T>::infinity()) {
    rows.find(bodies, queries, k, max_distance, Options<D>{}, 2);
    Finder<T, D> tree({.method = "kd_tree"});
    tree.update(bodies);
    const Rows<T, D> expected = queries != nullptr ? tree.nearest(*queries, k, max_distance)
                                                   : tree.nearest(k, max_distance);
    std::size_t found = 0;
    for (Index q = 0; q < expected.size(); ++q) {
        if (!rows.has(q)) continue;
        ++found;
        std::vector<Index> indices;
        std::vector<T> distances;
        for (const Neighbour<T, D>& neighbour : rows.of(q)) {
            indices.push_back(neighbour.body);
            distances.push_back(std::sqrt(neighbour.square));
        }
        const auto range = [&](const auto& values) {
            return std::vector(values.begin() + expected.offsets[q],
                               values.begin() + expected.offsets[q + 1]);
        };
        EXPECT_EQ(indices, range(expected.indices)) << "query " << q;
        EXPECT_EQ(distances, range(expected.distances)) << "query " << q;
    }
    return found;
}

template <Real T, int D>
void run_rows() {
    const auto uniform = [](std::size_t n, std::uint64_t seed) {
        return make_bodies<T, D>(scenes::make("uniform", n, seed, {{"dim", D}}), shape_cases[0],
                                 seed);
    };
    const std::size_t n = 3000;
    const auto bodies = uniform(n, 7);
    const auto found = [&](const OwnedBodies<T, D>& queries, std::size_t k) {
        NearestRows<T, D> rows;
        const Bodies<T, D> view = queries.view();
        return found_in_rows<T, D>(bodies.view(), &view, k, rows);
    };
    const auto own = [](const OwnedBodies<T, D>& of, std::size_t k,
                        T max_distance = std::numeric_limits<T>::infinity()) {
        NearestRows<T, D> rows;
        return found_in_rows<T, D>(of.view(), nullptr, k, rows, max_distance);
    };
    EXPECT_GT(own(bodies, 1), n / 2);  // near the border there are too few
    EXPECT_GT(own(bodies, 8), n / 2);
    EXPECT_GT(own(bodies, 32), n / 8);
    EXPECT_EQ(own(bodies, 33), 0u);
    EXPECT_EQ(own(uniform(500, 7), 8), 0u);
    EXPECT_EQ(own(bodies, 8, bodies.cutoff / 8), n);
    EXPECT_GT(found(uniform(n, 8), 8), n / 2);
    EXPECT_GT(found(uniform(2 * n, 8), 8), n);
    EXPECT_EQ(found(uniform(2 * n + 1, 8), 8), 0u);
    EXPECT_EQ(found(uniform(n / 4 - 1, 8), 8), 0u);

    // Clumps in an even set, some of whose points coincide: those in the clump are left to the
    // tree. If it has too many pairs, all are.
    for (const std::size_t clump : {300, 3000}) {
        auto clumped = bodies;
        for (std::size_t c = 0; c < clump * D; ++c)
            clumped.position.push_back(bodies.position[c % D] +
                                       (c / D % 3 == 0 ? T(1e-5) * T(c / D) / T(clump) : T(0)));
        NearestRows<T, D> rows;
        const std::size_t outside = found_in_rows<T, D>(clumped.view(), nullptr, 8, rows);
        EXPECT_EQ(outside > n / 2, clump == 300);
        EXPECT_EQ(rows.any(), clump == 300);
        for (std::size_t c = 0; c < clump; ++c) EXPECT_FALSE(rows.has(Index(n + c)));
        Finder<T, D> both({.threads = 2}), tree({.method = "kd_tree"});
        both.update(clumped.view());
        tree.update(clumped.view());
        const auto a = both.nearest(8), b = tree.nearest(8);
        EXPECT_TRUE(
            std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end()));
    }
}

TEST(Nearest, in_rows_float_2d) {
    run_rows<float, 2>();
}
TEST(Nearest, in_rows_double_3d) {
    run_rows<double, 3>();
}

// Vectors are those from the query to its neighbour; their length is the distance.
TEST(Nearest, columns) {
    const std::vector<float> x{0.1f, 0.1f, 0.9f, 0.1f, 0.5f, 0.5f};
    Finder<float, 2> finder(Options<2>{.domain = Domain<2>::orthogonal({1, 1})});
    finder.update(points<2>(x, 0.1));
    const auto found = finder.nearest<std::int64_t>(2, 10, Columns::ijSdD);
    ASSERT_EQ(found.indices.size(), 6u);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t e = found.offsets[i]; e < found.offsets[i + 1]; ++e) {
            const auto j = static_cast<std::size_t>(found.indices[e]);
            std::array<float, 2> d{};
            for (std::size_t a = 0; a < 2; ++a)
                d[a] = (x[2 * j + a] - x[2 * i + a]) + static_cast<float>(found.images[e][a]);
            EXPECT_EQ(found.vectors[e], d);
            EXPECT_EQ(found.distances[e], std::sqrt(d[0] * d[0] + d[1] * d[1]));
        }
    const auto bare = finder.nearest(points<2>(x), 2, 10, Columns::ij);
    EXPECT_TRUE(bare.images.empty() && bare.vectors.empty() && bare.distances.empty());
    finder.update(boxes<2>(x, x));
    EXPECT_THROW(finder.nearest(1, 10, Columns::ijD), Error);
    EXPECT_EQ(finder.nearest(1, 10, Columns::ijd).distances.size(), 3u);
}

TEST(Nearest, bad_questions_are_errors) {
    const std::vector<float> x{0, 0}, bad{0, std::nanf("")}, two{0, 0, 1, 1};
    Finder<float, 2> finder(Options<2>{.method = "bvh", .max_pairs = 1});
    EXPECT_THROW(finder.nearest(1), Error);  // no bodies yet
    finder.update(points<2>(x, 1));
    EXPECT_THROW(finder.nearest(0), Error);
    EXPECT_THROW(finder.nearest(1, -1.0f), Error);
    EXPECT_THROW(finder.nearest(1, std::nanf("")), Error);
    EXPECT_THROW(finder.nearest(1, 1e30f), Error);
    EXPECT_THROW(finder.nearest(points<2>(bad), 1), Error);
    EXPECT_THROW(finder.nearest(points<2>(two), 1), Error);
    EXPECT_NO_THROW(finder.nearest(points<2>(x), 1));
}

}  // namespace
}  // namespace vicinal::test
