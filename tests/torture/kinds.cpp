// Points of several kinds, with a cut-off for each pair of kinds.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Kinds : public ::testing::Test {};
TYPED_TEST_SUITE(Kinds, Flavours, FlavourNames);

template <Real T, int D>
OwnedBodies<T, D> kinds_of(const std::vector<T>& positions, T reach, bool moving,
                           std::uint64_t seed = 1) {
    auto bodies = shaped<T, D>(positions, reach, shape_cases[moving ? 5 : 0]);
    add_kinds(bodies, seed);
    return bodies;
}

TYPED_TEST(Kinds, every_domain_at_rest_and_moving) {
    VICINAL_FLAVOUR;
    for (const char* const name : domain_names)
        for (const bool moving : {false, true})
            for (const double reach : {0.25, 1.3}) {
                SCOPED_TRACE(std::string(name) + (moving ? " moving " : " ") +
                             std::to_string(reach));
                const auto bodies =
                    kinds_of<T, D>(scattered<T, D>(reach < 1 ? 60 : 12, -0.2, 1.2),
                                   static_cast<T>(reach), moving);
                expect_same(bodies.view(), make_domain<D>(name, lengths<D>(1), moving));
            }
}

// Enough points for the strips of row_grid and for several blocks.
TYPED_TEST(Kinds, a_crowd) {
    VICINAL_FLAVOUR;
    const auto bodies =
        kinds_of<T, D>(scattered<T, D>(1500, 0, 1), T(D == 2 ? 0.05 : 0.12), false);
    for (const auto& domain : {Domain<D>::open(), cube<D>(1)}) {
        const Found<D> expected = reference::plain_pairs(bodies.view(), domain);
        for (const char* const method : {"auto", "bvh", "verlet", "sweep_axis"}) {
            SCOPED_TRACE(method);
            Finder<T, D> finder(with_method<D>(method, 3, domain));
            for (int step = 0; step < 2; ++step) {
                finder.update(bodies.view());
                expect_answers(finder, expected);
            }
        }
    }
}

// Touching counts, coincident points of kinds with cut-off 0 pair, and a negative cut-off means
// never, for images of a body too.
TYPED_TEST(Kinds, exact_at_the_border) {
    VICINAL_FLAVOUR;
    std::vector<T> x(5 * D, T{0});
    x[1 * D] = 3;
    x[2 * D] = std::nextafter(T{3}, T{4});
    x[4 * D] = 5;
    const std::vector<int> kind{0, 1, 1, 2, 3};
    // Of kinds 0 and 1: 3; 0 and 2: 0; 0 and 3: never.
    std::vector<T> table(16, T{-1});
    const auto set = [&](std::size_t a, std::size_t b, T c) {
        table[4 * a + b] = table[4 * b + a] = c;
    };
    set(0, 1, 3);
    set(0, 2, 0);
    set(1, 3, 100);
    const auto bodies = points<D>(x).with_kinds(kind, table);
    EXPECT_EQ(bodies.cutoff, 100);
    const Found<D> expected{{0, 1, {}}, {0, 3, {}}, {1, 4, {}}, {2, 4, {}}};
    EXPECT_EQ(difference<D>(expected, reference::plain_pairs(bodies, Domain<D>::open())), "");
    expect_same(bodies);
    const std::vector<int> same{0, 1};
    const std::vector<T> own{T{1}, T{-1}, T{-1}, T{-1}};
    const std::vector<T> far(2 * D, T{0.5});
    const auto two = points<D>(far).with_kinds(same, own);
    // Only body 0 meets its own images.
    for (const auto& pair : reference::plain_pairs(two, cube<D>(0.9)))
        EXPECT_TRUE(pair.i == 0 && pair.j == 0);
    expect_same(two, cube<D>(0.9));
}

// Kinds, cut-offs and other filters change from step to step, also while a list is kept.
TYPED_TEST(Kinds, change_between_steps) {
    VICINAL_FLAVOUR;
    auto bodies = kinds_of<T, D>(scattered<T, D>(120, 0, 1), T(0.2), false);
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        const bool list = method == "verlet";
        Finder<T, D> finder(with_method<D>(list ? "verlet(skin=0.05)" : method, 2, cube<D>(1)));
        auto now = bodies;
        scenes::Random random(3);
        for (int step = 0; step < 6; ++step) {
            SCOPED_TRACE(step);
            for (T& x : now.position) x += static_cast<T>(random.uniform(-0.004, 0.004));
            if (step % 2 == 1)
                for (int& k : now.species) k = (k + 1) % 4;
            if (step == 3) now.cutoffs[5] = T(0.15);
            if (step == 4) now.cutoffs[5] = T(0.3);  // larger than all others
            if (step == 2) add_filter(now, FilterCase::groups, now.size(), 4);
            if (step == 4) add_filter(now, FilterCase::exclusions, now.size(), 4);
            if (step == 5) now.cutoffs.clear();  // no kinds any more
            const Found<D> expected = reference::plain_pairs(now.view(), cube<D>(1));
            finder.update(now.view());
            EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "");
        }
    }
}

// The kinds of an empty set are a null pointer, but its table says that it has kinds.
TYPED_TEST(Kinds, either_set_may_be_empty) {
    VICINAL_FLAVOUR;
    const auto bodies = kinds_of<T, D>(scattered<T, D>(50, 0, 1), T(0.2), false);
    const auto empty = kinds_of<T, D>({}, T(0.2), false);
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method, 1, cube<D>(1)));
        finder.update(bodies.view());
        EXPECT_TRUE(finder.pairs_with(empty.view()).empty());
        EXPECT_FALSE(finder.pairs_with(bodies.view()).empty());
        finder.update(empty.view());
        EXPECT_TRUE(finder.pairs_with(bodies.view()).empty());
        EXPECT_TRUE(finder.pairs_with(empty.view()).empty());
    }
}

template <class I>
struct Atom {
    I number;
    std::array<double, 2> place;
};

template <class I>
void expect_kinds_of_type() {
    std::vector<Atom<I>> atoms;
    std::vector<I> kinds;
    for (int k = 0; k < 30; ++k) {
        kinds.push_back(static_cast<I>(k % 3));
        atoms.push_back({kinds.back(), {0.1 * k, 0}});
    }
    const double table[3][3] = {{0.35, 0.15, -1}, {0.15, 0.25, 0.2}, {-1, 0.2, 0.3}};
    const std::array<std::array<double, 3>, 3> rows{
        {{0.35, 0.15, -1}, {0.15, 0.25, 0.2}, {-1, 0.2, 0.3}}};
    const std::vector<double> flat{0.35, 0.15, -1, 0.15, 0.25, 0.2, -1, 0.2, 0.3};
    const auto view = points<2>(atoms, &Atom<I>::place);
    const auto expected =
        reference::plain_pairs(view.with_kinds(kinds, flat), Domain<2>::open());
    EXPECT_GT(expected.size(), 10u);
    const Integers members = column(atoms, &Atom<I>::number);
    for (const auto& bodies : {view.with_kinds(kinds, table), view.with_kinds(kinds, rows),
                               view.with_kinds(members, flat)}) {
        Finder<double, 2> finder;
        finder.update(bodies);
        EXPECT_EQ(difference<2>(expected, listed(finder.pairs(Order::sorted))), "");
    }
}

TEST(KindsOf, any_integer_type_and_layout) {
    expect_kinds_of_type<std::int8_t>();
    expect_kinds_of_type<std::uint8_t>();
    expect_kinds_of_type<std::uint16_t>();
    expect_kinds_of_type<int>();
    expect_kinds_of_type<std::int64_t>();
    expect_kinds_of_type<std::size_t>();
}

// Distances only: kinds do not matter to nearest neighbours.
TEST(KindsOf, nearest_neighbours_do_not_matter) {
    const std::vector<double> x{0, 0, 1, 0, 3, 0};
    const std::vector<int> kind{0, 1, 0};
    const std::vector<double> never(4, -1.0);
    Finder<double, 2> finder;
    finder.update(points<2>(x).with_kinds(kind, never));
    EXPECT_EQ(finder.count(), 0u);
    EXPECT_EQ(finder.nearest(1).indices[0], 1u);
}

TYPED_TEST(Kinds, bad_input_is_named) {
    VICINAL_FLAVOUR;
    const auto x = scattered<T, D>(5, 0, 1);
    std::vector<int> kind{0, 1, 1, 0, 1};
    std::vector<T> table{1, 2, 2, 1};
    const auto refused = [&](const Bodies<T, D>& bodies, const std::vector<std::string>& words,
                             std::optional<std::uint64_t> element = {}) {
        Finder<T, D> finder;
        expect_error(Error::Kind::input, words, [&] { finder.update(bodies); }, element);
    };
    const auto view = [&] { return points<D>(x).with_kinds(kind, table); };
    kind[3] = 2;
    refused(view(), {"body 3", "kind", "2", "0 to 1"}, 3);
    kind[3] = -1;
    refused(view(), {"body 3", "-1"}, 3);
    kind[3] = 0;
    table = {1, 2, 3, 1};
    refused(view(), {"kinds 1 and 0 is 3", "kinds 0 and 1 is 2", "symmetric"});
    table = {1, 2, 2};
    refused(view(), {"3 numbers", "K * K"});
    table = {};
    refused(view(), {"0 numbers"});
    table = {1, T(std::nan("")), T(std::nan("")), 1};
    refused(view(), {"kinds 0 and 1", "nan"});
    table = {1, std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity(), 1};
    refused(view(), {"inf"});
    table.assign(257 * 257, T{1});
    refused(view(), {"66049 numbers", "256"});
    table = {1, 2, 2, 1};
    const auto old = view();
    table[3] = 5;
    refused(old, {"kinds 1 and 1 is 5", "make the view again"});
    kind.pop_back();
    refused(view(), {"4 kinds for 5 bodies"});
    kind.push_back(1);
    Bodies<T, D> balls = spheres<D>(x, 0.1);
    balls.kind = kind;
    balls.cutoffs = table;
    refused(balls, {"only points have kinds"});

    Finder<T, D> finder;
    finder.update(view());
    const std::vector<T> other{1, 5, 5, 1};
    for (const auto& second : {points<D>(x, 5), points<D>(x).with_kinds(kind, other)})
        expect_error(Error::Kind::input, {"two sets", "same table"},
                     [&] { finder.pairs_with(second); });
    expect_error(Error::Kind::input, {"queries have no kinds", "pairs_with"},
                 [&] { finder.probe(view()); });
}

}  // namespace
}  // namespace vicinal::test
