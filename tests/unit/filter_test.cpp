// The pair filter's parts: where classes are tested, and its kernels on every instruction set.
#include <gtest/gtest.h>

#include "methods/registry.hpp"
#include "scene/pair_filter.hpp"
#include "scenes/random.hpp"
#include "simd/targets.hpp"

namespace vicinal::test {
namespace {

struct Grouped {
    std::vector<float> x;
    std::vector<std::uint32_t> group, mask;
    Bodies<float, 3> bodies;

    explicit Grouped(std::uint32_t classes) {
        scenes::Random random(3);
        for (std::uint32_t i = 0; i < 300; ++i) {
            for (int a = 0; a < 3; ++a) x.push_back(static_cast<float>(random.uniform()));
            group.push_back(i % classes);
            mask.push_back(1);
        }
        bodies = points<3>(x, 0.1).grouped(group, mask);
    }
};

bool tested_in_kernels(const std::string& name, const Bodies<float, 3>& bodies,
                       const PairFilter<3>& filter) {
    const auto method = make_method<float, 3>(choose_method(name));
    Scene<float, 3> scene;
    scene.assign(bodies, Domain<3>::open(), {2, choose_target()});
    method->build(scene);
    auto* const tester = dynamic_cast<ClassTester<float, 3>*>(method.get());
    return tester != nullptr && tester->prepare_classes(scene, *filter.classes());
}

TEST(PairFilter, KernelsTestUpToSixteenClassesOfPoints) {
    for (const std::uint32_t classes : {2u, 16u, 17u}) {
        const Grouped grouped(classes);
        PairFilter<3> filter;
        filter.assign(grouped.bodies, choose_target());
        ASSERT_NE(filter.classes(), nullptr);
        EXPECT_EQ(tested_in_kernels("row_grid", grouped.bodies, filter), classes <= 16);
        EXPECT_FALSE(tested_in_kernels("bvh", grouped.bodies, filter));
        const std::vector<float> radius(300, 0.05f);
        EXPECT_FALSE(tested_in_kernels("row_grid", spheres<3>(grouped.x, radius), filter));
    }
}

TEST(PairFilter, LeavesOnlyTheRestToTheOutput) {
    const Grouped grouped(2);
    PairFilter<3> filter;
    filter.assign(grouped.bodies, choose_target());
    EXPECT_EQ(filter.begin_search(true), nullptr);
    EXPECT_NE(filter.begin_search(false), nullptr);
    const std::vector<Pair> excluded{{0, 1}};
    filter.assign(grouped.bodies.excluding(excluded), choose_target());
    EXPECT_NE(filter.begin_search(true), nullptr);
    filter.assign(points<3>(grouped.x, 0.1), choose_target());
    EXPECT_EQ(filter.begin_search(false), nullptr);
    const std::vector<std::uint32_t> all(300, 5);
    filter.assign(points<3>(grouped.x, 0.1).grouped(all, all), choose_target());
    EXPECT_FALSE(filter.active());  // one class, which may pair
}

TEST(PairMasks, FindAndCompactOnEverySet) {
    scenes::Random random(4);
    for (const std::int64_t target : available_targets()) {
        const PairMaskKernels kernels = pair_mask_kernels(target);
        for (const std::size_t count : {0, 1, 7, 63, 64, 65, 130, 1023, 1024}) {
            std::vector<Pair> pairs(count);
            for (Pair& pair : pairs) {
                pair.i = static_cast<Index>(random.below(1000));
                pair.j = pair.i + static_cast<Index>(random.below(9));
            }
            const std::size_t words = (count + 63) / 64;
            std::vector<std::uint64_t> close(words, ~std::uint64_t{0}), expected(words);
            std::vector<Pair> kept;
            for (std::size_t k = 0; k < count; ++k)
                if (pairs[k].j - pairs[k].i <= 4) {
                    expected[k / 64] |= std::uint64_t{1} << k % 64;
                    kept.push_back(pairs[k]);
                }
            kernels.find_close(pairs.data(), count, 4, close.data());
            EXPECT_EQ(close, expected) << target_name(target) << " " << count;
            // In place, and to an earlier position in the same array.
            for (const std::size_t before : {0, 3}) {
                std::vector<Pair> all(before, Pair{9, 9});
                all.insert(all.end(), pairs.begin(), pairs.end());
                const std::size_t left =
                    kernels.compact(all.data() + before, count, close.data(), all.data());
                all.resize(left);
                EXPECT_EQ(all, kept) << target_name(target) << " " << count;
            }
        }
    }
}

}  // namespace
}  // namespace vicinal::test
