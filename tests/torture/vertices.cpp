// Bodies of a mesh: bodies with a common vertex never pair. Tuples of every size, alone and
// with groups and exclusions.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Vertices : public ::testing::Test {};
TYPED_TEST_SUITE(Vertices, Flavours, FlavourNames);

// About a third of all pairs have a vertex in common.
template <Real T, int D>
OwnedBodies<T, D> mesh(std::size_t n, double reach, std::size_t each, std::uint64_t seed,
                       const ShapeCase& kind = shape_cases[0]) {
    auto bodies = shaped<T, D>(scattered<T, D>(n, 0, 1, seed), static_cast<T>(reach), kind);
    add_vertices(bodies, each, 3 * each * each, seed);
    return bodies;
}

TYPED_TEST(Vertices, every_method_and_shape) {
    VICINAL_FLAVOUR;
    std::size_t each = 0;
    for (const ShapeCase& kind : shape_cases)
        for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)}) {
            SCOPED_TRACE(kind.name);
            each = each % 8 + 1;
            expect_same(mesh<T, D>(run_light() ? 16 : 64, 0.3, each, 3, kind).view(), domain);
        }
}

// Thousands of pairs: the filter is applied several times in a search. One finder gets one
// filter after the other.
TYPED_TEST(Vertices, one_after_the_other) {
    VICINAL_FLAVOUR;
    const double reach = D == 2 ? 0.12 : 0.2;
    std::vector<OwnedBodies<T, D>> cases;
    for (std::size_t each = 1; each <= 8; ++each) {
        cases.push_back(mesh<T, D>(400, reach, each, 7));
        const auto other = static_cast<FilterCase>(each % 3);
        add_filter(cases.back(), other, cases.back().size(), 5);
    }
    cases.push_back(cases[5]);
    add_filter(cases.back(), FilterCase::groups, cases.back().size(), 6);
    cases.push_back(cases[5]);
    cases.back().vertices.clear();
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(1), cube<D>(0.7)}) {
        std::vector<Found<D>> expected;
        for (const auto& bodies : cases)
            expected.push_back(reference::plain_pairs(bodies.view(), domain));
        for (const char* const method : {"auto", "verlet(skin=0.05)", "uniform_hash"}) {
            if (run_light() && std::string(method) != "auto") continue;
            Finder<T, D> finder(with_method<D>(method, 2, domain));
            for (std::size_t c = 0; c < cases.size(); ++c) {
                SCOPED_TRACE(std::string(method) + " case " + std::to_string(c));
                finder.update(cases[c].view());
                expect_answers(finder, expected[c]);
            }
        }
    }
}

// A strip of triangles, each of which overlaps the next three and shares a vertex with the
// first two of them.
TYPED_TEST(Vertices, a_strip_of_triangles) {
    VICINAL_FLAVOUR;
    constexpr Index n = 50;
    std::vector<T> lower, upper;
    std::vector<std::uint32_t> vertices;
    for (Index i = 0; i < n; ++i) {
        for (int a = 0; a < D; ++a) {
            lower.push_back(a == 0 ? static_cast<T>(i) : T(0));
            upper.push_back(a == 0 ? static_cast<T>(i + 3) : T(1));
        }
        for (Index k = 0; k < 3; ++k) vertices.push_back(i + k);
    }
    Found<D> expected;
    for (Index i = 0; i + 3 < n; ++i) expected.push_back({i, i + 3, {}});
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method));
        finder.update(boxes<D>(lower, upper).with_vertices(vertices, 3));
        expect_answers(finder, expected);
    }
}

// Tuples of both sets, of any two sizes. If one set has none, the others have no effect.
TYPED_TEST(Vertices, two_sets) {
    VICINAL_FLAVOUR;
    const double reach = D == 2 ? 0.2 : 0.35;
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)})
        for (std::size_t of_bodies = 0; of_bodies <= 8; ++of_bodies) {
            auto bodies = mesh<T, D>(120, reach, of_bodies, 3);
            Finder<T, D> finder(with_method<D>("auto", 2, domain));
            finder.update(bodies.view());
            for (const std::size_t of_queries : {0, 1, 2, 3, 4, 7}) {
                SCOPED_TRACE(std::to_string(of_queries) + " x " + std::to_string(of_bodies));
                auto queries = mesh<T, D>(40, reach, 0, 4);
                const std::size_t both = std::max<std::size_t>(1, of_bodies * of_bodies);
                add_vertices(queries, of_queries, 3 * both, 5);
                add_filter(queries, static_cast<FilterCase>(of_queries % 3), bodies.size(), 6);
                EXPECT_EQ(
                    difference<D>(reference::plain_pairs(queries.view(), bodies.view(), domain),
                                  listed(finder.pairs_with(queries.view(), Order::sorted))),
                    "");
                EXPECT_EQ(
                    difference<D>(reference::plain_probe(bodies.view(), queries.view(), domain),
                                  listed(finder.probe(queries.view(), Order::sorted))),
                    "");
            }
        }
}

// The caller's tuples are read in every step.
TYPED_TEST(Vertices, change_while_a_skin_is_kept) {
    VICINAL_FLAVOUR;
    auto bodies = mesh<T, D>(300, D == 2 ? 0.12 : 0.2, 3, 7);
    for (const char* const method : {"auto", "verlet(skin=0.1)"}) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method));
        for (std::size_t step = 0; step < 6; ++step) {
            std::swap(bodies.vertices[7 * step], bodies.vertices[301 + 13 * step]);
            finder.update(bodies.view());
            expect_answers(finder, reference::plain_pairs(bodies.view(), Domain<D>::open()));
        }
    }
}

TYPED_TEST(Vertices, of_no_bodies) {
    VICINAL_FLAVOUR;
    const std::vector<T> none;
    const std::vector<std::uint32_t> vertices;
    Finder<T, D> finder(with_method<D>("auto"));
    finder.update(points<D>(none, 1).with_vertices(vertices, 3));
    EXPECT_TRUE(listed(finder.pairs()).empty());
}

}  // namespace
}  // namespace vicinal::test
