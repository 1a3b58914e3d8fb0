// TORTURE, Counts: numbers of bodies and pairs, and the limits that a caller may set.
#include "torture.hpp"

namespace vicinal::test {
namespace {

template <class F>
class Counts : public ::testing::Test {};
TYPED_TEST_SUITE(Counts, Flavours, FlavourNames);

// One position n times: a stride of 0 is a valid layout.
template <Real T, int D>
Vectors<T, D> one_place(const std::array<T, D>& place, std::size_t n) {
    Vectors<T, D> view;
    for (std::size_t a = 0; a < D; ++a) view.axis[a] = Column<T>(&place[a], n, 0);
    return view;
}

// The number of bodies of a heavy case, whose cost is quadratic in n: a quarter of n, for one
// type and dimension per method, in turn. With VICINAL_TEST_ALL all n for that one and a
// quarter for the others: faults that depend on n, such as a counter or buffer that is too
// small, do not depend on type and dimension.
template <class F>
std::size_t heavy_size(std::size_t method, std::size_t n) {
    constexpr std::size_t flavour =
        (sizeof(typename F::T) == 4 ? 0u : 2u) + (F::D == 3 ? 1u : 0u);
    if ((method + 1) % 4 == flavour) return run_all() ? n : run_light() ? n / 10 : n / 4;
    return run_all() ? n / 4 : 0;
}

constexpr std::uint64_t all_pairs(std::uint64_t n) {
    return n * (n - 1) / 2;
}

TYPED_TEST(Counts, few_and_many_bodies) {
    VICINAL_FLAVOUR;
    for (std::size_t n : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 31u, 32u, 33u, 1000u}) {
        SCOPED_TRACE(n);
        const auto positions = scattered<T, D>(n, 0, 1, n);
        // About ten neighbours each.
        const double reach = n < 10   ? 0.5
                             : D == 2 ? std::sqrt(3.0 / double(n))
                                      : std::cbrt(2.0 / double(n));
        expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach));
        if (n < 1000)
            expect_same_in_all_shapes<T, D>(positions, static_cast<T>(reach / 2), cube<D>(0.9));
        else
            expect_same(points<D>(positions, reach / 2), cube<D>(0.9));
    }
}

TYPED_TEST(Counts, nothing_at_all) {
    VICINAL_FLAVOUR;
    const std::vector<T> none, one(D, T{0});
    for (const std::string& method : method_extremes(next_turn()))
        for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(1)}) {
            SCOPED_TRACE(method);
            Finder<T, D> finder(with_method<D>(method, 2, domain));
            finder.update(points<D>(none, 1));
            expect_answers(finder, {});
            EXPECT_EQ(finder.neighbours().size(), 0u);
            EXPECT_TRUE(finder.order().empty());
            EXPECT_TRUE(finder.pairs_with(points<D>(one, 1)).empty());
            EXPECT_TRUE(finder.probe(points<D>(one)).empty());
            finder.update(points<D>(one, 0.5));
            EXPECT_TRUE(finder.pairs_with(points<D>(none, 0.5)).empty());
            EXPECT_TRUE(finder.probe(points<D>(none)).empty());
            EXPECT_EQ(finder.neighbours().size(), 1u);
            EXPECT_EQ(finder.order(), std::vector<Index>{0});
        }
}

// All (i, j) with i < j in sorted order: the pairs of coincident bodies.
template <int D>
void expect_every_pair(const PairList<D>& list, std::size_t n) {
    ASSERT_EQ(list.size(), all_pairs(n));
    Index i = 0, j = 1;
    for (const Block<D>& block : list.blocks())
        for (const Pair pair : block.pairs) {
            if (pair != Pair{i, j}) {
                FAIL() << "expected (" << i << "," << j << "), found (" << pair.i << ","
                       << pair.j << ")";
            }
            if (++j == n) j = ++i + 1;
        }
}

// Many bodies in few cells: more candidates per body than the buffers of the kernels hold.
TYPED_TEST(Counts, crowds) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(1500, 0, 1);
    const auto crowd = points<D>(positions, 0.35);
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(1)}) {
        const auto found = [&](const std::string& method) {
            return listed(find_pairs(crowd, with_method<D>(method, 2, domain), Order::sorted));
        };
        const Found<D> expected = found("brute_force");
        EXPECT_GT(expected.size(), 100000u);
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            EXPECT_EQ(difference<D>(expected, found(method)), "");
            Finder<T, D> finder(with_method<D>(method, 2, domain));
            finder.update(crowd);
            const auto& rows = finder.neighbours(RowKind::full, Order::sorted);
            std::uint64_t wrong = 2 * expected.size() - rows.indices.size();
            for (const auto& pair : expected)
                for (const auto& [i, j] :
                     {std::pair(pair.i, pair.j), std::pair(pair.j, pair.i)}) {
                    const auto begin = rows.indices.begin();
                    wrong +=
                        !std::binary_search(begin + std::ptrdiff_t(rows.offsets[i]),
                                            begin + std::ptrdiff_t(rows.offsets[i + 1]), j);
                }
            EXPECT_EQ(wrong, 0u);
        }
    }
}

TYPED_TEST(Counts, five_thousand_boxes_at_one_place) {
    VICINAL_FLAVOUR;
    const auto names = method_names();
    for (std::size_t m = 0; m < names.size(); ++m) {
        const std::size_t n = heavy_size<TypeParam>(m, 5000);
        if (n == 0) continue;
        SCOPED_TRACE(names[m]);
        std::vector<T> lower(n * D, T(0.1)), upper(n * D, T(0.2));
        Finder<T, D> finder(with_method<D>(names[m], 2));
        finder.update(boxes<D>(lower, upper));
        expect_every_pair(finder.pairs(Order::sorted), n);
    }
}

TYPED_TEST(Counts, twenty_thousand_at_one_place) {
    VICINAL_FLAVOUR;
    const auto names = method_names();
    for (std::size_t m = 0; m < names.size(); ++m) {
        const std::size_t n = heavy_size<TypeParam>(m, 20000);
        if (n == 0) continue;
        SCOPED_TRACE(names[m]);
        const std::array<T, D> place{};
        Finder<T, D> finder(with_method<D>(names[m]));
        finder.update(points<D>(one_place<T, D>(place, n)));
        EXPECT_EQ(finder.count(), all_pairs(n));
        std::vector<std::uint32_t> partners(n);
        std::uint64_t wrong = 0, total = 0;
        finder.for_each_block([&](const Block<D>& block) {
            total += block.pairs.size();
            for (const Pair pair : block.pairs) {
                wrong += !(pair.i < pair.j && pair.j < n);
                ++partners[pair.i];
                ++partners[pair.j];
            }
        });
        EXPECT_EQ(partners, std::vector<std::uint32_t>(n, static_cast<std::uint32_t>(n - 1)));
        EXPECT_EQ(wrong, 0u);
        EXPECT_EQ(total, all_pairs(n));
    }
}

TYPED_TEST(Counts, a_million_at_one_place) {
    VICINAL_FLAVOUR;
    const auto names = method_names();
    for (std::size_t m = 0; m < names.size(); ++m) {
        const std::size_t n = heavy_size<TypeParam>(m, 1000000);
        if (n == 0) continue;
        SCOPED_TRACE(names[m]);
        const std::array<T, D> place{};
        auto options = with_method<D>(names[m], 2);
        options.max_pairs = 1000;
        Finder<T, D> finder(options);
        finder.update(points<D>(one_place<T, D>(place, n), 0.5));
        EXPECT_LT(finder.report().bytes, 2000u * n);
        expect_error(Error::Kind::limit, {"pairs", "more than", "max_pairs is 1000"},
                     [&] { finder.pairs(); });
        expect_error(Error::Kind::limit, {"pairs", "max_pairs is 1000"},
                     [&] { finder.count(); });
        finder.update(points<D>(one_place<T, D>(place, 45)));
        EXPECT_EQ(finder.count(), all_pairs(45));
    }
}

TYPED_TEST(Counts, nobody_is_near) {
    VICINAL_FLAVOUR;
    constexpr std::size_t edge = 6, n = D == 2 ? edge * edge : edge * edge * edge;
    std::vector<T> positions;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t a = 0, cell = k; a < D; ++a, cell /= edge)
            positions.push_back(static_cast<T>(cell % edge));
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method, 2));
        finder.update(points<D>(positions, 0.75));
        const Rows<T, D>& rows = finder.neighbours();
        EXPECT_EQ(rows.offsets, std::vector<std::uint64_t>(n + 1, 0));
        EXPECT_TRUE(rows.indices.empty());
        EXPECT_EQ(finder.count(), 0u);
    }
}

// Limits are checked in code that all methods share: one method is enough.
TEST(MorePairs, than_32_bits_hold) {
    if (!run_all()) GTEST_SKIP() << "takes seconds; VICINAL_TEST_ALL=1 runs it";
    constexpr std::size_t n = 93000;
    static_assert(all_pairs(n) > std::uint64_t{1} << 32);
    const std::array<float, 3> place{};
    Finder<float, 3> finder(with_method<3>("auto", 2));
    finder.update(points<3>(one_place<float, 3>(place, n), 1));
    EXPECT_EQ(finder.count(), all_pairs(n));
    EXPECT_EQ(finder.report().pairs, all_pairs(n));
}

template <Real T, int D>
void use_every_output(Finder<T, D>& finder,
                      const std::function<void(std::function<void()>)>& use) {
    use([&] { finder.pairs(); });
    use([&] { finder.pairs(Order::sorted); });
    use([&] { finder.neighbours(); });
    use([&] { finder.count(); });
    use([&] { finder.for_each_block([](const Block<D>&) {}); });
}

TYPED_TEST(Counts, max_pairs_exactly_and_one_below) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(200, 0, 1);
    const auto bodies = points<D>(positions, 0.25);
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)})
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            const auto exact = reference::plain_pairs(bodies, domain).size();
            auto options = with_method<D>(method, 2, domain);
            options.max_pairs = exact;
            Finder<T, D> enough(options);
            enough.update(bodies);
            use_every_output<T, D>(enough, [&](const auto& call) { EXPECT_NO_THROW(call()); });
            EXPECT_EQ(enough.pairs().size(), exact);
            options.max_pairs = exact - 1;
            Finder<T, D> short_by_one(options);
            short_by_one.update(bodies);
            use_every_output<T, D>(short_by_one, [&](const auto& call) {
                expect_error(Error::Kind::limit,
                             {std::to_string(exact) + " pairs", std::to_string(exact - 1)},
                             call);
            });
            // Exceeding the limit is an error of the call; the bodies stay valid.
            short_by_one.update(points<D>(positions, 0.125));
            EXPECT_EQ(difference<D>(reference::plain_pairs(points<D>(positions, 0.125), domain),
                                    listed(short_by_one.pairs(Order::sorted))),
                      "");
        }
}

TYPED_TEST(Counts, max_pairs_of_two_sets_and_probes) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(100, 0, 1), others = scattered<T, D>(50, 0, 1, 2);
    const std::vector<T> radii(50, T(0.25));
    const auto bodies = points<D>(positions, 0.25), second = points<D>(others, 0.25);
    const auto queries = spheres<D>(others, radii);
    const auto pairs = reference::plain_pairs(second, bodies, Domain<D>::open()).size();
    const auto hits = reference::plain_probe(bodies, queries, Domain<D>::open()).size();
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        auto options = with_method<D>(method);
        options.max_pairs = std::max(pairs, hits);
        Finder<T, D> enough(options);
        enough.update(bodies);
        EXPECT_EQ(enough.pairs_with(second).size(), pairs);
        EXPECT_EQ(enough.probe(queries).size(), hits);
        options.max_pairs = std::min(pairs, hits) - 1;
        Finder<T, D> too_few(options);
        too_few.update(bodies);
        expect_error(Error::Kind::limit, {std::to_string(pairs) + " pairs"},
                     [&] { too_few.pairs_with(second); });
        expect_error(Error::Kind::limit, {std::to_string(hits) + " pairs"},
                     [&] { too_few.probe(queries); });
    }
}

TYPED_TEST(Counts, max_bytes_of_the_structure) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(500, 0, 1);
    const auto bodies = points<D>(positions, 0.1);
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)})
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            Finder<T, D> free_one(with_method<D>(method, 1, domain));
            free_one.update(bodies);
            const std::uint64_t bytes = free_one.report().bytes;
            auto options = with_method<D>(method, 1, domain);
            options.max_bytes = bytes;
            Finder<T, D> enough(options);
            EXPECT_NO_THROW(enough.update(bodies));
            options.max_bytes = bytes - 1;
            Finder<T, D> short_by_one(options);
            expect_error(Error::Kind::limit,
                         {std::to_string(bytes) + " bytes", std::to_string(bytes - 1)},
                         [&] { short_by_one.update(bodies); });
        }
}

// The smallest max_bytes with which the pairs can be listed.
template <Real T, int D>
std::uint64_t min_max_bytes(Options<D> options, const Bodies<T, D>& bodies, std::uint64_t low,
                            std::uint64_t high) {
    while (low < high) {
        options.max_bytes = low + (high - low) / 2;
        Finder<T, D> finder(options);
        finder.update(bodies);
        try {
            finder.pairs();
            high = options.max_bytes;
        } catch (const Error&) {
            low = options.max_bytes + 1;
        }
    }
    return low;
}

TYPED_TEST(Counts, max_bytes_of_the_pairs) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(500, 0, 1);
    const auto bodies = points<D>(positions, 0.25);
    for (const Domain<D>& domain : {Domain<D>::open(), cube<D>(0.9)}) {
        const Found<D> expected = reference::plain_pairs(bodies, domain);
        for (const std::string& method : method_names()) {
            SCOPED_TRACE(method);
            auto options = with_method<D>(method, 1, domain);
            Finder<T, D> unlimited(options);
            unlimited.update(bodies);
            const std::uint64_t structure = unlimited.report().bytes;
            const std::uint64_t pair_bytes =
                sizeof(Pair) + (domain.is_open() ? 0 : sizeof(Image<D>));
            const std::uint64_t min_bytes =
                min_max_bytes(options, bodies, structure, structure + (1u << 24));
            EXPECT_GE(min_bytes, structure + expected.size() * pair_bytes);
            options.max_bytes = min_bytes;
            Finder<T, D> enough(options);
            enough.update(bodies);
            EXPECT_EQ(difference<D>(expected, sorted<D>(listed(enough.pairs()))), "");
            options.max_bytes = min_bytes - 1;
            Finder<T, D> short_by_one(options);
            short_by_one.update(bodies);
            expect_error(Error::Kind::limit,
                         {std::to_string(expected.size()) + " pairs", "bytes", "max_bytes"},
                         [&] { short_by_one.pairs(); });
            // Counting and streaming need no memory per pair.
            EXPECT_EQ(short_by_one.count(), expected.size());
            EXPECT_EQ(difference<D>(expected, streamed(short_by_one)), "");
        }
    }
}

TYPED_TEST(Counts, what_is_held_is_within_max_bytes) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(500, 0, 1);
    const auto bodies = points<D>(positions, 0.25);
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        Finder<T, D> free_one(with_method<D>(method));
        free_one.update(bodies);
        const std::uint64_t structure = free_one.report().bytes;
        for (std::uint64_t more = 1; more < 1u << 24; more *= 2) {
            auto options = with_method<D>(method);
            options.max_bytes = structure + more;
            Finder<T, D> finder(options);
            finder.update(bodies);
            try {
                finder.pairs(Order::sorted);
                EXPECT_LE(finder.report().bytes, options.max_bytes) << "pairs";
                finder.neighbours();
                EXPECT_LE(finder.report().bytes, options.max_bytes) << "rows";
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), Error::Kind::limit);
            }
        }
    }
}

// Rows, then more pairs, then more bodies: each fits the limit alone, but not together with the
// memory of earlier calls.
TYPED_TEST(Counts, earlier_results_make_room) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(500, 0, 1),
               more_positions = scattered<T, D>(4000, 0, 1);
    const auto bodies = points<D>(positions, 0.5), wider = points<D>(positions, 0.6),
               more = points<D>(more_positions, 0.001);
    const Found<D> expected = reference::plain_pairs(wider, Domain<D>::open());
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        auto options = with_method<D>(method);
        options.max_bytes = std::uint64_t{1} << 40;
        Finder<T, D> with_rows(options), with_pairs(options), with_more(options);
        // Steps before the test: verlet makes its list in the second, which needs memory as
        // well.
        for (const auto& step : {bodies, wider, bodies}) with_rows.update(step);
        with_rows.neighbours();
        with_pairs.update(bodies);
        with_pairs.update(wider);
        with_pairs.pairs();
        with_more.update(more);
        std::uint64_t largest = 0;
        for (auto* finder : {&with_rows, &with_pairs, &with_more})
            largest = std::max(largest, finder->report().bytes);
        options.max_bytes = largest + largest / 8;  // memory grows by an eighth more
        Finder<T, D> finder(options);
        finder.update(bodies);
        EXPECT_EQ(finder.neighbours().size(), bodies.size());
        finder.update(wider);
        EXPECT_EQ(difference<D>(expected, sorted<D>(listed(finder.pairs()))), "");
        finder.update(bodies);
        finder.neighbours();
        EXPECT_NO_THROW(finder.update(more));
        EXPECT_LE(finder.report().bytes, options.max_bytes);
    }
}

}  // namespace
}  // namespace vicinal::test
