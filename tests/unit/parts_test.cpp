// Parts: their pairs together are those of the whole set, whatever the shape, the domain, the
// filters and the number of parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "agreement/cases.hpp"
#include "support/bodies.hpp"
#include "support/compare.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::test {
namespace {

// The bodies of a part, as another process would hold them.
template <Real T, int D>
OwnedBodies<T, D> gather(const OwnedBodies<T, D>& all, const std::vector<Index>& bodies) {
    OwnedBodies<T, D> result;
    result.kind = all.kind;
    result.cutoff = all.cutoff;
    result.cutoffs = all.cutoffs;
    result.vertices_per_body = all.vertices_per_body;
    const auto take = [&](const auto& from, auto& to, std::size_t each) {
        if (from.empty()) return;
        for (const Index i : bodies)
            to.insert(to.end(), from.begin() + i * each, from.begin() + (i + 1) * each);
    };
    take(all.position, result.position, D);
    take(all.upper, result.upper, D);
    take(all.displacement, result.displacement, D);
    take(all.radius, result.radius, 1);
    take(all.group, result.group, 1);
    take(all.mask, result.mask, 1);
    take(all.species, result.species, 1);
    take(all.vertices, result.vertices, all.vertices_per_body);
    constexpr Index absent = ~Index{0};
    std::vector<Index> number(all.size(), absent);
    for (std::size_t k = 0; k < bodies.size(); ++k) number[bodies[k]] = static_cast<Index>(k);
    for (const Pair pair : all.excluded)
        if (number[pair.i] != absent && number[pair.j] != absent)
            result.excluded.push_back({number[pair.i], number[pair.j]});
    return result;
}

// In the numbers of the whole set, with the lower body first.
template <int D>
reference::PlainPair<D> of_whole(reference::PlainPair<D> pair, const Part& part) {
    pair.i = part.bodies[pair.i];
    pair.j = part.bodies[pair.j];
    return pair.i <= pair.j ? pair : reference::reversed<D>(pair);
}

template <Real T, int D>
Found<D> found_by_parts(const OwnedBodies<T, D>& bodies, const Domain<D>& domain,
                        const std::vector<Part>& parts) {
    Found<D> found;
    for (const Part& part : parts) {
        const OwnedBodies<T, D> own = gather(bodies, part.bodies);
        Finder<T, D> finder({.domain = domain, .threads = 1});
        const PartFilter filter(part.number, part.bodies.size(), part.holders);
        for (const auto& pair : listed(finder.pairs(own.view())))
            if (filter.reports(pair.i, pair.j)) found.push_back(of_whole<D>(pair, part));
    }
    return sorted<D>(found);
}

template <Real T, int D>
void expect_same(const OwnedBodies<T, D>& bodies, const Domain<D>& domain) {
    Finder<T, D> finder({.domain = domain});
    const Found<D> expected = listed(finder.pairs(bodies.view(), Order::sorted));
    for (const std::size_t count : {1, 2, 3, 4, 7, 8}) {
        const auto parts = split(bodies.view(), domain, count);
        EXPECT_EQ(parts.size(), count);
        EXPECT_EQ(difference<D>(expected, found_by_parts(bodies, domain, parts)), "")
            << count << " parts";
    }
}

template <class Flavour>
class Parts : public ::testing::Test {};

template <Real T, int D>
struct Flavour {
    using Scalar = T;
    static constexpr int dim = D;
};
struct FlavourNames {
    template <class F>
    static std::string GetName(int) {
        const bool single = std::is_same_v<typename F::Scalar, float>;
        return (single ? "float_" : "double_") + std::to_string(F::dim) + "d";
    }
};
using Flavours = ::testing::Types<Flavour<float, 3>, Flavour<double, 2>, Flavour<float, 2>,
                                  Flavour<double, 3>>;
TYPED_TEST_SUITE(Parts, Flavours, FlavourNames);

TYPED_TEST(Parts, report_the_pairs_of_the_whole) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    const auto& scenes = scenes::list();
    const std::vector<std::size_t> sizes{std::size(shape_cases), std::size(domain_names),
                                         scenes.size(), filter_cases};
    // Not three values at a time: each case already runs for several numbers of parts.
    for (const CaseIndices& c : run_light() ? chosen_cases(sizes) : cover(sizes, 2)) {
        const ShapeCase& shape = shape_cases[c[0]];
        const std::string& scene = scenes[c[2]].name;
        SCOPED_TRACE(std::string(shape.name) + " " + domain_names[c[1]] + " " + scene +
                     " filter " + std::to_string(c[3]));
        std::map<std::string, double> parameters{{"dim", D}};
        if (scene == "giant") parameters["ratio"] = 10;
        auto bodies = make_bodies<T, D>(scenes::make(scene, 100, 5, parameters), shape, 3);
        add_filter(bodies, static_cast<FilterCase>(c[3]), bodies.size(), 4);
        expect_same(bodies,
                    make_domain<D>(domain_names[c[1]], periods_for(bodies), shape.swept));
    }
}

// Points and boxes exactly on the faces of a period that is not exact in binary, and on the
// cuts.
TYPED_TEST(Parts, ties_on_faces) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    for (const std::size_t shape : {0, 1, 4, 5, 9}) {
        OwnedBodies<T, D> bodies;
        bodies.kind = shape_cases[shape];
        bodies.cutoff = static_cast<T>(0.7) / 4;
        for (int i = 0; i < (D == 2 ? 81 : 729); ++i)
            for (int a = 0, rest = i; a < D; ++a, rest /= 9) {
                const T x = static_cast<T>(rest % 9 - 2) * (static_cast<T>(0.7) / 4);
                bodies.position.push_back(x);
                bodies.upper.push_back(x + (i % 3 == 0 ? static_cast<T>(0.7) / 4 : T(0)));
                bodies.displacement.push_back(i % 2 == 0 ? static_cast<T>(0.7) / 4 : T(0));
            }
        bodies.radius.assign(bodies.size(), static_cast<T>(0.7) / 8);
        std::array<double, D> period;
        period.fill(0.7);
        for (const char* domain : {"periodic", "slab", "sheared", "triclinic"}) {
            SCOPED_TRACE(std::string(bodies.kind.name) + " " + domain);
            expect_same(bodies, make_domain<D>(domain, period, bodies.kind.swept));
        }
    }
}

TYPED_TEST(Parts, no_body_and_few) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    std::array<double, D> period;
    period.fill(1);
    for (const std::size_t n : {0, 1, 2, 5})
        for (const ShapeCase& shape : shape_cases) {
            const auto scene = scenes::make("uniform", n, 5, {{"dim", D}});
            auto bodies = make_bodies<T, D>(scene, shape, 3);
            if (n > 0) bodies.cutoff = T(0.6);
            for (const char* domain : {"open", "periodic", "sheared"}) {
                SCOPED_TRACE(std::to_string(n) + " " + shape.name + " " + domain);
                expect_same(bodies, make_domain<D>(domain, period, shape.swept));
            }
        }
}

// The offset passes its reduction; the domain changes within a step too.
TYPED_TEST(Parts, shear_offset_passes_its_reduction) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    const auto scene = scenes::make("uniform", 200, 5, {{"dim", D}});
    std::array<double, D> period;
    period.fill(1);
    for (const std::size_t shape : {0, 6, 9}) {
        auto bodies = make_bodies<T, D>(scene, shape_cases[shape], 3);
        for (double offset = 0.3; offset < 0.8; offset += 0.1)
            expect_same(bodies, Domain<D>::sheared(period, offset, 0.4));
    }
}

// Reaches of a period and more.
TYPED_TEST(Parts, reach_spans_the_box) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    const auto scene = scenes::make("uniform", 30, 5, {{"dim", D}});
    std::array<double, D> period;
    period.fill(1);
    for (const ShapeCase& shape : shape_cases) {
        auto bodies = make_bodies<T, D>(scene, shape, 3);
        bodies.cutoff = T(1.3);
        for (std::size_t i = 0; i < bodies.radius.size(); i += 7) bodies.radius[i] = T(0.8);
        for (std::size_t c = 0; c < bodies.upper.size(); c += 11) bodies.upper[c] += T(1.5);
        for (const char* domain : {"periodic", "wire", "sheared_back", "skewed"}) {
            SCOPED_TRACE(std::string(shape.name) + " " + domain);
            expect_same(bodies, make_domain<D>(domain, period, shape.swept));
        }
    }
}

// Beyond 64 holders a body is held by all; beyond 64 lower parts the words are not exact.
TEST(ManyParts, report_the_pairs_of_the_whole) {
    auto scene = scenes::make("uniform", 400, 5);
    auto bodies = make_bodies<double, 3>(scene, shape_cases[1], 3);
    bodies.radius[7] = bodies.radius[8] = 0.9;
    bodies.radius[9] = 0.25;
    for (const auto& domain : {Domain<3>::open(), Domain<3>::orthogonal({1, 1, 1})}) {
        const Found<3> expected =
            listed(Finder<double, 3>({.domain = domain}).pairs(bodies.view(), Order::sorted));
        const auto parts = split(bodies.view(), domain, 200);
        EXPECT_EQ(difference<3>(expected, found_by_parts(bodies, domain, parts)), "");
        const Holders& last = parts.back().holders;
        EXPECT_TRUE(std::ranges::count(last.parts, Holders::all_parts) > 0);
    }
}

TEST(PartsOf, bodies_far_away_belong_to_one_part_each) {
    const std::vector<double> x{1e30, 0, 0, -1e300, 1e300, 0, 0.5, 0.5, 0.5, 0.6, 0.5, 0.5};
    const auto parts = split(points<3>(x, 0.2), Domain<3>::open(), 3);
    std::vector<Index> own;
    for (const Part& part : parts)
        own.insert(own.end(), part.bodies.begin(), part.bodies.begin() + part.own);
    std::ranges::sort(own);
    EXPECT_EQ(own, (std::vector<Index>{0, 1, 2, 3}));
}

// Regions from their boxes, as another library returns them.
TEST(Regions, are_restored_from_their_sides) {
    using Sides = Regions<2>::Sides;
    constexpr double far = std::numeric_limits<double>::max();
    const std::vector<Sides> boxes{{{-far, -far}, {1, 2}},
                                   {{-far, 2}, {1, far}},
                                   {{1, -far}, {1, far}},  // empty
                                   {{1, -far}, {far, far}}};
    const Regions<2> regions(boxes);
    EXPECT_EQ(regions.parts(), 4u);
    EXPECT_EQ(regions.part_at({0, 1}), 0u);
    EXPECT_EQ(regions.part_at({0, 3}), 1u);
    EXPECT_EQ(regions.part_at({5, 3}), 3u);
    std::vector<PartNumber> found;
    regions.find_meeting({{0, 2}, {1, 2}}, found);
    std::ranges::sort(found);
    EXPECT_EQ(found, (std::vector<PartNumber>{0, 1, 2, 3}));
    const std::vector<Sides> windmill{{{0, 0}, {2, 1}},
                                      {{2, 0}, {3, 2}},
                                      {{1, 2}, {3, 3}},
                                      {{0, 1}, {1, 3}},
                                      {{1, 1}, {2, 2}}};
    EXPECT_THROW(Regions<2>{windmill}, Error);
}

std::uint64_t copies_of(const std::vector<Part>& parts) {
    std::uint64_t copies = 0;
    for (const Part& part : parts) copies += part.bodies.size() - part.own;
    return copies;
}

// n bodies per part with k neighbours each: a shell of half the reach around a cube.
TEST(PartsOf, uniform_points_have_few_copies) {
    const std::size_t bodies = run_light() ? 20000 : 200000;
    const auto scene = scenes::make("uniform", bodies, 1);
    const double neighbours = 20;
    const double cutoff =
        std::cbrt(3 * neighbours / (4 * std::numbers::pi * static_cast<double>(bodies)));
    for (const std::size_t count : {8, 64, 128, 512}) {
        const auto parts =
            split(points<3>(scene.position, cutoff), Domain<3>::orthogonal({1, 1, 1}), count);
        const double n = static_cast<double>(bodies) / static_cast<double>(count);
        const double x = std::cbrt(3 * neighbours / (4 * std::numbers::pi * n));
        EXPECT_LE(static_cast<double>(copies_of(parts)) / static_cast<double>(count),
                  1.1 * n * (std::pow(1 + x, 3) - 1))
            << count << " parts";
    }
}

TEST(PartsOf, giant_is_copied_and_not_the_dust) {
    const auto scene = scenes::make("giant", 200000, 1);
    const auto parts = split(spheres<3>(scene.position, scene.radius), Domain<3>::open(), 64);
    EXPECT_LE(copies_of(parts), 20000u);
}

// The work of a part: one for each of its bodies and for each of their pairs, half of which
// belong to it.
TEST(PartsOf, clusters_are_divided_into_equal_work) {
    const auto scene = scenes::make("clusters", 100000, 1);
    const auto bodies = points<3>(scene.position, scene.cutoff);
    Finder<double, 3> finder;
    const auto& rows = finder.neighbours(bodies);
    const auto imbalance = [&](const std::vector<Part>& parts) {
        double all = 0, most = 0;
        for (const Part& part : parts) {
            double work = 0;
            for (std::size_t k = 0; k < part.own; ++k)
                work += 1 + static_cast<double>(rows[part.bodies[k]].size()) / 2;
            all += work;
            most = std::max(most, work);
        }
        return most * static_cast<double>(parts.size()) / all;
    };
    const std::vector<double> equal(bodies.size(), 1);
    for (const std::size_t count : {8, 64}) {
        const double weighted = imbalance(split(bodies, Domain<3>::open(), count));
        EXPECT_LE(weighted, 1.1) << count << " parts";
        EXPECT_GT(imbalance(split(bodies, Domain<3>::open(), count, equal)), 1.1);
    }
}

TEST(PartsOf, errors_name_the_remedy) {
    std::vector<double> x(9, 0.5);
    const auto bodies = points<3>(x, 0.1);
    const auto message = [](const auto& f) -> std::string {
        try {
            f();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message([&] { split(bodies, Domain<3>::open(), 0); }).find("0 parts"),
              std::string::npos);
    const std::vector<double> weights(2, 1);
    EXPECT_NE(message([&] { split(bodies, Domain<3>::open(), 2, weights); }).find("2 weights"),
              std::string::npos);
    x[4] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(message([&] { split(bodies, Domain<3>::open(), 2); }).find("y of body 1"),
              std::string::npos);
}

}  // namespace
}  // namespace vicinal::test
