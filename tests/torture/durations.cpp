// TORTURE, Time: for any input values, a call on a few hundred bodies takes at most a second or
// is an error with a reason. tests/fuzz/durations.cpp searches for more such cases.
#include "torture.hpp"

#include <ctime>
#include <type_traits>

namespace vicinal::test {
namespace {

template <class F>
class Durations : public ::testing::Test {};
TYPED_TEST_SUITE(Durations, Flavours, FlavourNames);

// Processor time of this process, which is independent of other processes.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void expect_soon(const std::string& what, const std::function<void()>& call) {
    const double max_seconds = run_light() ? 10 : 1;
    const double before = processor_seconds();
    call();
    EXPECT_LT(processor_seconds() - before, max_seconds) << what;
}

// Compares every call of a finder, with several methods, with the double loop.
template <Real T, int D>
void expect_all_soon(const std::vector<std::string>& chosen, const Bodies<T, D>& bodies,
                     const Domain<D>& domain) {
    const Found<D> expected = reference::plain_pairs(bodies, domain),
                   two_sets = reference::plain_pairs(bodies, bodies, domain),
                   probe = reference::plain_probe(bodies, bodies, domain);
    const auto same = [](const char* what, const Found<D>& right,
                         const std::function<Found<D>()>& call) {
        Found<D> found;
        expect_soon(what, [&] { found = call(); });
        EXPECT_EQ(difference<D>(right, found), "") << what;
    };
    for (const std::string& method : chosen) {
        SCOPED_TRACE(method);
        Finder<T, D> finder(with_method<D>(method, 1, domain));
        for (int step = 0; step < 3; ++step) {  // an automatic skin starts at the second
            expect_soon("update", [&] { finder.update(bodies); });
            same("pairs", expected, [&] { return listed(finder.pairs(Order::sorted)); });
        }
        same("rows", expected,
             [&] { return sorted<D>(rows_of(finder.neighbours(RowKind::half))); });
        expect_soon("changes", [&] { finder.changes(); });
        same("two sets", two_sets,
             [&] { return listed(finder.pairs_with(bodies, Order::sorted)); });
        same("probe", probe, [&] { return listed(finder.probe(bodies, Order::sorted)); });
    }
}

TYPED_TEST(Durations, skin_in_a_tiny_box) {
    VICINAL_FLAVOUR;
    for (const double spread : {1.0, 20.0, 3000.0}) {
        SCOPED_TRACE(spread);
        const auto positions = scattered<T, D>(70, 0, spread * 1e-12);
        const auto bodies = points<D>(positions, 2e-13);
        expect_all_soon(
            {"verlet(skin=0.5)", "verlet(skin=auto)", "verlet(inner=bvh, skin=1e-13)"}, bodies,
            cube<D>(1e-12));
    }
}

// A few bodies that pair with hundreds of images of each other, in a Verlet list if there is
// one.
TYPED_TEST(Durations, skin_around_giants) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(70, 0, 1);
    std::vector<T> radii(70, T(0.01));
    for (const double giant : {1.7, D == 2 ? 40.0 : 4.0}) {
        radii[69] = static_cast<T>(giant);
        expect_all_soon({"verlet(skin=0.01)"}, spheres<D>(positions, radii), cube<D>(1));
    }
}

template <int D>
Domain<D> skewed_far(double skew) {
    typename Domain<D>::Lattice h{};
    for (std::size_t a = 0; a < D; ++a) h[a][a] = 1;
    h[1][0] = skew;
    if constexpr (D == 3) {
        h[2][0] = skew;
        h[2][1] = -0.6 * skew;
    }
    return Domain<D>::triclinic(h);
}

TYPED_TEST(Durations, very_skewed_cells) {
    VICINAL_FLAVOUR;
    // The double loop tests every image within bounds along each axis.
    const auto positions = scattered<T, D>(D == 2 ? 36 : 8, 0, 1);
    for (const double skew : {7.0, D == 2 ? -200.0 : -20.0}) {
        SCOPED_TRACE(skew);
        expect_all_soon({"cuckoo_hash(cell=50)", "compact_grid(cell=0.1)", "row_grid",
                         "linear_kd_tree(root=1000)"},
                        points<D>(positions, 0.4), skewed_far<D>(skew));
    }
    // Too many images for the double loop: compare two methods.
    const auto many = scattered<T, D>(300, 0, 1);
    const auto bodies = points<D>(many, 0.2);
    std::vector<Found<D>> found;
    for (const char* method : {"cuckoo_hash(cell=50)", "compact_grid(cell=0.1)", "bvh"})
        expect_soon(method, [&] {
            Finder<T, D> finder(with_method<D>(method, 1, skewed_far<D>(100)));
            finder.update(bodies);
            found.push_back(listed(finder.pairs(Order::sorted)));
        });
    EXPECT_GT(found[0].size(), 300u);
    for (std::size_t f = 1; f < found.size(); ++f)
        EXPECT_EQ(difference<D>(found[0], found[f]), "");
}

// Bodies whose bounds overflow when widened and cross every finite cell.
TYPED_TEST(Durations, boxes_as_large_as_numbers) {
    VICINAL_FLAVOUR;
    constexpr T largest = std::numeric_limits<float>::max();
    std::vector<T> lower, upper;
    for (std::size_t i = 0; i < 40; ++i)
        for (int a = 0; a < D; ++a) {
            lower.push_back(i % 8 == 7 ? largest : -largest);
            upper.push_back(i % 8 == 6 ? -largest : largest);
        }
    expect_all_soon(method_names(), boxes<D>(lower, upper), Domain<D>::open());
}

TYPED_TEST(Durations, options_at_their_ends) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(40, 0, 1);
    for (const double reach : {0.01, 0.9, D == 2 ? 2.0 : 1.2}) {
        SCOPED_TRACE(reach);
        expect_all_soon(
            {"linear_kd_tree(root=1000)", "linear_kd_tree(root=1000, bits=4)",
             "hierarchical_hash(table=0.01)", "hierarchical_hash(table=0.01, levels=8)",
             "multilevel_hash(table=0.01)", "cuckoo_hash(cell=1000)",
             "compact_grid(cell=0.01)"},
            points<D>(positions, reach), cube<D>(1));
    }
    // Queries that cover many periods of bodies that do not.
    const auto bodies = points<D>(positions, 0.01);
    const std::vector<T> radii(40, D == 2 ? T(8) : T(3));
    const auto queries = spheres<D>(positions, radii);
    const Found<D> expected = reference::plain_probe(bodies, queries, cube<D>(1));
    for (const char* method : {"linear_kd_tree(root=1000)", "hierarchical_hash(table=0.01)",
                               "cuckoo_hash(cell=50)", "compact_grid(cell=0.1)", "row_grid"}) {
        Finder<T, D> finder(with_method<D>(method, 1, cube<D>(1)));
        finder.update(bodies);
        Found<D> found;
        expect_soon(method, [&] { found = listed(finder.probe(queries, Order::sorted)); });
        EXPECT_EQ(difference<D>(expected, found), "") << method;
    }
}

// Images whose shift overflows have no pairs, and no method hangs making cells for them.
TYPED_TEST(Durations, shifts_that_overflow) {
    VICINAL_FLAVOUR;
    typename Domain<D>::Lattice h{};
    for (std::size_t a = 0; a < D; ++a) h[a][a] = 1;
    h[1][0] = static_cast<double>(std::numeric_limits<T>::max()) / 25;
    std::array<bool, D> axes{};
    axes[1] = true;
    const auto positions = scattered<T, D>(20, -40, 40);
    std::vector<Found<D>> found;
    for (const std::string& method : method_extremes(next_turn()))
        expect_soon(method, [&] {
            try {
                const auto options = with_method<D>(method, 1, Domain<D>::triclinic(h, axes));
                found.push_back(
                    listed(find_pairs(points<D>(positions, 15), options, Order::sorted)));
            } catch (const Error&) {  // the inverse of the lattice may overflow
                found.emplace_back();
            }
            EXPECT_EQ(difference<D>(found[0], found.back()), "") << method;
        });
    EXPECT_EQ(found[0].empty(), !(std::is_same_v<T, float>));
}

// Nearest neighbours do not depend on the reach or on how many periods apart the bodies are.
TYPED_TEST(Durations, nearest) {
    VICINAL_FLAVOUR;
    const std::size_t n = 60, k = 5;
    scenes::Random random(3);
    std::vector<T> positions, far;  // multiples of 1/64, so that shifts are exact
    std::vector<int> periods;
    for (std::size_t c = 0; c < n * D; ++c) {
        positions.push_back(static_cast<T>(random.below(64)) / 64);
        periods.push_back(static_cast<int>(random.below(24000)) - 12000);
        far.push_back(positions[c] + static_cast<T>(periods[c]));
    }
    for (const char* method :
         {"bvh", "kd_tree", "linear_kd_tree", "orthtree", "phase_kd_tree"}) {
        SCOPED_TRACE(method);
        const auto nearest = [&](const std::vector<T>& at, double cutoff) {
            Rows<T, D> found;
            expect_soon("nearest", [&] {
                Finder<T, D> finder(with_method<D>(method, 1, cube<D>(1)));
                finder.update(points<D>(at, cutoff));
                found = finder.nearest(k);
            });
            return found;
        };
        const auto expected = nearest(positions, 0);
        const auto wide = nearest(positions, 1e4);
        EXPECT_EQ(expected.distances, wide.distances);
        EXPECT_EQ(expected.indices, wide.indices);
        EXPECT_EQ(expected.images, wide.images);
        const auto apart = nearest(far, 0.5);
        EXPECT_EQ(expected.distances, apart.distances);
        // Ties are broken by image, and images differ for distant bodies.
        for (std::size_t e = 0; e < apart.indices.size(); ++e) {
            const std::size_t i = e / k, j = apart.indices[e];
            T square = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const T d =
                    (far[j * D + a] - far[i * D + a]) + static_cast<T>(apart.images[e][a]);
                square += d * d;
            }
            EXPECT_EQ(std::sqrt(square), apart.distances[e]);
        }
    }
    // A reach beyond the range of images is an error of the update.
    Finder<T, D> finder(with_method<D>("kd_tree", 1, cube<D>(1)));
    expect_soon("update", [&] {
        expect_error(
            Error::Kind::input, {"periods", "smaller reach"},
            [&] { finder.update(points<D>(positions, 1e10)); }, 0);
    });
}

// The time is that of a sort, not quadratic.
TYPED_TEST(Durations, nearest_of_a_few_bodies_again_and_again) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(3, 0, 1);
    Finder<T, D> finder(with_method<D>("kd_tree", 1, cube<D>(1)));
    finder.update(points<D>(positions));
    Rows<T, D> found;
    expect_soon("nearest", [&] { found = finder.nearest(100000); });
    ASSERT_EQ(found.distances.size(), 300000u);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto row = found.distances.begin() + static_cast<std::ptrdiff_t>(i * 100000);
        EXPECT_TRUE(std::is_sorted(row, row + 100000));
    }
    // All neighbours are within the last distance: as many as pairs with that cut-off.
    const T last = found.distances[99999];
    const Bodies<T, D> within = points<D>(positions, static_cast<double>(last) * 0.99);
    std::uint64_t nearer = 0;
    for (std::size_t e = 0; e < 100000; ++e)
        nearer += found.distances[e] <= within.cutoff ? 1u : 0u;
    std::uint64_t pairs = 0;
    for (const auto& pair :
         listed(find_pairs(within, with_method<D>("row_grid", 1, cube<D>(1)))))
        pairs += pair.i == 0 ? (pair.j == 0 ? 2u : 1u) : 0u;
    EXPECT_EQ(nearer, pairs);
}

TYPED_TEST(Durations, tens_of_periods_in_each_direction) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(3, 0, 1);
    expect_all_soon({"row_grid"}, points<D>(positions, D == 2 ? 40 : 12), cube<D>(1));
    expect_all_soon({"row_grid"}, points<D>(positions, D == 2 ? 30 : 6), skewed_far<D>(1.5));
}

TYPED_TEST(Durations, more_images_than_can_be_tested) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(300, 0, 1);
    const auto bodies = points<D>(positions, 300);
    Finder<T, D> finder(with_method<D>("row_grid", 1, cube<D>(1)));
    finder.update(bodies);
    const auto refused = [&](const char* what, const std::function<void()>& call) {
        expect_soon(what, [&] {
            expect_error(Error::Kind::limit,
                         {"images of 300 bodies", "smaller reach", "larger box", "max_pairs"},
                         call);
        });
    };
    refused("pairs", [&] { finder.pairs(); });
    refused("count", [&] { finder.count(); });
    refused("rows", [&] { finder.neighbours(); });
    refused("changes", [&] { finder.changes(); });
    refused("two sets", [&] { finder.pairs_with(bodies); });
    refused("probe", [&] { finder.probe(bodies); });
    expect_soon("order", [&] { EXPECT_EQ(finder.order().size(), 300u); });
    // A query that spans many periods, and bodies without extent.
    finder.update(points<D>(positions, 0.01));
    refused("probe", [&] {
        const std::vector<T> radii(300, T(300));
        finder.probe(spheres<D>(positions, radii));
    });
    Finder<T, D> tree(with_method<D>("bvh", 1, cube<D>(1)));
    tree.update(points<D>(positions, 0.01));
    expect_soon("nearest", [&] {
        expect_error(
            Error::Kind::limit, {"query 0", "images", "fewer neighbours", "max_pairs"},
            [&] { tree.nearest(1000000000); }, 0);
    });
}

// A higher max_pairs allows more work.
TYPED_TEST(Durations, max_pairs_allows_more_images) {
    VICINAL_FLAVOUR;
    const auto positions = scattered<T, D>(2, 0, 1);
    const auto bodies = points<D>(positions, D == 2 ? 800 : 75);
    Options<D> options = with_method<D>("row_grid", 1, cube<D>(1));
    Finder<T, D> strict(options);
    strict.update(bodies);
    expect_error(Error::Kind::limit, {"max_pairs"}, [&] { strict.count(); });
    options.max_pairs = 1000000000;
    Finder<T, D> generous(options);
    generous.update(bodies);
    EXPECT_GT(generous.count(), 3000000u);
}

}  // namespace
}  // namespace vicinal::test
