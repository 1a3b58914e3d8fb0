// Groups and exclusions. One finder gets one filter after the other, so that the state a filter
// keeps between steps, and the old content of the memory for pairs and images, are those of
// another filter.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Filters : public ::testing::Test {};
TYPED_TEST_SUITE(Filters, Flavours, FlavourNames);

// Thousands of pairs: the filter is applied several times in a search.
template <Real T, int D>
struct Crowd {
    static constexpr Index n = 600;
    std::vector<T> positions = scattered<T, D>(n, 0, 1, 7);
    Bodies<T, D> bodies = points<D>(positions, D == 2 ? 0.12 : 0.2);
};

using Excluded = std::vector<Pair>;
using Values = std::vector<std::uint32_t>;

// Bonded triples: all index gaps are small.
Excluded triples(Index n) {
    Excluded pairs;
    for (Index k = 0; k + 2 < n; k += 3)
        for (const Pair pair : {Pair{k, k + 1}, Pair{k + 2, k}, Pair{k + 1, k + 2}})
            pairs.push_back(pair);
    return pairs;
}

// Excludes `each` following bodies `stride` apart, and each body's own images.
Excluded far_apart(Index n, Index stride, Index each) {
    Excluded pairs;
    for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < each; ++k) pairs.push_back({i, (i + k * stride) % n});
    return pairs;
}

// Gaps of 15, 30, 45 and 60.
Excluded steps_of_fifteen(Index n) {
    Excluded pairs;
    for (Index i = 0; i < n; ++i)
        for (Index k = 15; k <= 60 && k <= i; k += 15) pairs.push_back({i, i - k});
    return pairs;
}

Values modulo(Index n, std::uint32_t period, std::uint32_t first) {
    Values values;
    for (Index k = 0; k < n; ++k) values.push_back(first + k % period);
    return values;
}

// Groups and masks of exactly `count` classes, of which some may not pair. The high bits of a
// group are in no mask.
struct Classes {
    Values group, mask;
    Classes(Index n, std::uint32_t count) {
        for (std::uint32_t k = 0; k < n; ++k) {
            const std::uint32_t c = k % count;
            group.push_back(1u << c % 3 | c << 8);
            mask.push_back(1 + c % 6);
        }
    }
};

template <Real T, int D>
void expect_filtered(Finder<T, D>& finder, const Bodies<T, D>& bodies,
                     const Domain<D>& domain) {
    finder.update(bodies);
    expect_answers(finder, reference::plain_pairs(bodies, domain));
}

TYPED_TEST(Filters, one_after_the_other) {
    VICINAL_FLAVOUR;
    const Crowd<T, D> crowd;
    const Index n = crowd.n;
    const Bodies<T, D>& all = crowd.bodies;
    // Gaps that fit a signature exactly (15) and that do not (16), rows of up to four partners
    // and longer ones; classes that the kernels test (16), that fit a byte (256), and more.
    const std::vector<Excluded> excluded{
        triples(n),          far_apart(n, 5, 4),    far_apart(n, 1, 16), far_apart(n, 1, 17),
        far_apart(n, 97, 3), far_apart(n, 101, 40), steps_of_fifteen(n)};
    const Values two = modulo(n, 2, 1), three = modulo(n, 3, 1), none(n, 0);
    std::vector<Classes> classes;
    for (const std::uint32_t count : {2u, 8u, 9u, 16u, 17u, 256u, 257u})
        classes.emplace_back(n, count);
    std::vector<Bodies<T, D>> cases{all};
    for (const Excluded& pairs : excluded) cases.push_back(all.excluding(pairs));
    for (const Classes& c : classes) cases.push_back(all.grouped(c.group, c.mask));
    for (const Classes& c : classes)
        cases.push_back(all.grouped(c.group, c.mask).excluding(excluded[0]));
    cases.push_back(all.grouped(two, three));
    cases.push_back(all.grouped({}, two));  // all may pair
    cases.push_back(all.grouped(none));
    cases.push_back(all);
    // In the smaller box, bodies are outside by up to a period.
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(1), cube<D>(0.7)}) {
        std::vector<Found<D>> expected;
        for (const Bodies<T, D>& bodies : cases)
            expected.push_back(reference::plain_pairs(bodies, domain));
        for (std::size_t c = 1; c <= excluded.size() + 2 * classes.size(); ++c)
            EXPECT_LT(expected[c].size(), expected[0].size())
                << "case " << c << " filters nothing";
        for (const char* const method : {"auto", "verlet(skin=0.05)", "uniform_hash"}) {
            SCOPED_TRACE(method);
            if (run_light() && std::string(method) != "auto") continue;
            Finder<T, D> finder(with_method<D>(method, 2, domain));
            for (std::size_t c = 0; c < cases.size(); ++c) {
                SCOPED_TRACE(c);
                finder.update(cases[c]);
                expect_answers(finder, expected[c]);
            }
        }
    }
}

// On a lattice whose spacing is the cut-off, every pair is decided by the formula; shear and a
// triclinic box make ghosts.
TYPED_TEST(Filters, undecided_pairs_and_ghosts) {
    VICINAL_FLAVOUR;
    std::vector<T> places;
    constexpr int side = D == 2 ? 24 : 9;
    for (int k = 0; k < (D == 2 ? side * side : side * side * side); ++k)
        for (int a = 0, rest = k; a < D; ++a, rest /= side)
            places.push_back(static_cast<T>(rest % side));
    const auto n = static_cast<Index>(places.size() / D);
    typename Domain<D>::Lengths lengths;
    lengths.fill(side);
    for (const std::uint32_t count : {2u, 16u}) {
        const Classes classes(n, count);
        const auto bodies = points<D>(places, 1).grouped(classes.group, classes.mask);
        for (const Domain<D>& domain : {Domain<D>::open(), Domain<D>::orthogonal(lengths),
                                        Domain<D>::sheared(lengths, 0.5)}) {
            Finder<T, D> finder(with_method<D>("row_grid", 2, domain));
            expect_filtered(finder, bodies, domain);
        }
    }
}

TYPED_TEST(Filters, every_shape) {
    VICINAL_FLAVOUR;
    const Crowd<T, D> crowd;
    const Values group = modulo(crowd.n, 3, 1), mask = modulo(crowd.n, 4, 1);
    const Excluded pairs = triples(crowd.n);
    for (const ShapeCase& kind : shape_cases) {
        SCOPED_TRACE(kind.name);
        const auto bodies = shaped<T, D>(crowd.positions, T(0.1), kind);
        for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)}) {
            Finder<T, D> finder(with_method<D>("auto", 1, domain));
            expect_filtered(finder, bodies.view().grouped(group, mask), domain);
            expect_filtered(finder, bodies.view().excluding(pairs), domain);
        }
    }
}

// The list of exclusions changes in place, or belongs to other bodies.
TYPED_TEST(Filters, exclusions_are_read_in_every_step) {
    VICINAL_FLAVOUR;
    const Crowd<T, D> crowd;
    Excluded pairs = triples(crowd.n);
    Finder<T, D> finder(with_method<D>("auto"));
    const Bodies<T, D> bodies = crowd.bodies.excluding(pairs);
    expect_filtered(finder, bodies, Domain<D>::open());
    expect_filtered(finder, bodies, Domain<D>::open());
    pairs.back() = {0, 400};
    expect_filtered(finder, bodies, Domain<D>::open());
    pairs[5] = {crowd.n, 0};
    expect_error(Error::Kind::input, {"excluded pair 5", "600"},
                 [&] { finder.update(bodies); });
    pairs[5] = {1, 599};
    expect_filtered(finder, bodies, Domain<D>::open());
    const std::vector<T> fewer(crowd.positions.begin(), crowd.positions.begin() + 300 * D);
    pairs.resize(30);
    pairs[5] = {1, 299};
    expect_filtered(finder, points<D>(fewer, crowd.bodies.cutoff).excluding(pairs),
                    Domain<D>::open());
    expect_filtered(finder, crowd.bodies.excluding(pairs), Domain<D>::open());
    pairs[5] = {1, 300};
    expect_error(Error::Kind::input, {"excluded pair 5", "300"}, [&] {
        finder.update(points<D>(fewer, crowd.bodies.cutoff).excluding(pairs));
    });
}

// Pairs (i of the queries, j of the bodies): i may be the larger index, and the pair is not
// swapped.
TYPED_TEST(Filters, two_sets) {
    VICINAL_FLAVOUR;
    const Crowd<T, D> crowd;
    const Values group = modulo(crowd.n, 3, 1), mask = modulo(crowd.n, 4, 1);
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)}) {
        const Bodies<T, D> bodies = crowd.bodies.grouped(group, mask);
        Finder<T, D> finder(with_method<D>("auto", 2, domain));
        finder.update(bodies);
        for (const Excluded& pairs : {triples(crowd.n), far_apart(crowd.n, 101, 6)}) {
            const Bodies<T, D> queries = crowd.bodies.grouped(mask, group).excluding(pairs);
            EXPECT_EQ(difference<D>(reference::plain_pairs(queries, bodies, domain),
                                    listed(finder.pairs_with(queries, Order::sorted))),
                      "");
            EXPECT_EQ(difference<D>(reference::plain_probe(bodies, queries, domain),
                                    listed(finder.probe(queries, Order::sorted))),
                      "");
        }
    }
}

// Limits count the pairs after filtering.
TYPED_TEST(Filters, limits) {
    VICINAL_FLAVOUR;
    const Crowd<T, D> crowd;
    const Values group = modulo(crowd.n, 2, 1);
    const Bodies<T, D> bodies = crowd.bodies.grouped(group, group);
    Options<D> options = with_method<D>("auto");
    options.max_pairs = reference::plain_pairs(bodies, Domain<D>::open()).size();
    Finder<T, D> finder(options);
    finder.update(bodies);
    EXPECT_EQ(finder.count(), options.max_pairs);
    finder.update(crowd.bodies);
    expect_error(Error::Kind::limit, {"max_pairs"}, [&] { finder.pairs(); });
}

}  // namespace
}  // namespace vicinal::test
