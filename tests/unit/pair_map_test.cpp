// PairMap against a plain map, and changes() on any number of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "scenes/random.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal {
namespace {

using Key = PairKey<2>;

// Random changes of a set of pairs, among them new names for old pairs, and chains of names in
// which one pair takes the old name of another.
Changes<2> random_changes(const std::map<Key, int>& pairs, Index max_id, std::size_t count,
                          scenes::Random& random) {
    Changes<2> changes;
    std::map<Key, int> after;
    std::vector<Key> persist;
    for (const auto& [key, value] : pairs)
        (random.below(8) == 0 ? changes.ended : persist).push_back(key);
    for (const Key& key : persist) after[key] = 1;
    for (const Key& key : persist) {
        if (random.below(6) != 0) continue;
        Key to = key;
        to.image[0] = static_cast<std::int16_t>(to.image[0] + 1);
        if (to.i == to.j && !(to.image > Image<2>{})) continue;
        after.erase(key);
        changes.renamed.push_back({key, to});
    }
    // A new name may be the old name of a pair that is renamed too, but of no other.
    for (std::size_t k = 0; k < changes.renamed.size();) {
        const Key to = changes.renamed[k].to;
        if (after.count(to) == 0) {
            after[to] = 1;
            ++k;
            continue;
        }
        after[changes.renamed[k].from] = 1;
        changes.renamed.erase(changes.renamed.begin() + static_cast<std::ptrdiff_t>(k));
        k = 0;
        after.clear();
        for (const Key& key : persist) after[key] = 1;
        for (const auto& name : changes.renamed) after.erase(name.from);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const auto i = static_cast<Index>(random.below(std::uint64_t{max_id} + 1)),
                   j = static_cast<Index>(random.below(std::uint64_t{max_id} + 1));
        const Image<2> image{static_cast<std::int16_t>(static_cast<int>(random.below(3)) - 1),
                             static_cast<std::int16_t>(static_cast<int>(random.below(3)) - 1)};
        const Key key = key_of<2>(i, j, image);
        if ((key.i == key.j && image == Image<2>{}) || after.count(key) != 0) continue;
        after[key] = 1;
        changes.began.push_back(key);
    }
    std::sort(changes.began.begin(), changes.began.end());
    return changes;
}

void apply_plainly(std::map<Key, int>& model, const Changes<2>& changes) {
    for (const Key& key : changes.ended) model.erase(key);
    std::map<Key, int> moving;
    for (const auto& [from, to] : changes.renamed) {
        moving[to] = model.at(from);
        model.erase(from);
    }
    model.insert(moving.begin(), moving.end());
    for (const Key& key : changes.began) model[key] = 0;
}

TEST(PairMap, IsAMapWhateverTheThreadsAndIds) {
    for (const Index max_id : {Index{3}, Index{60}, Index{5000}, ~Index{0}})
        for (const int threads : {1, 2, 5}) {
            SCOPED_TRACE(std::to_string(max_id) + " threads " + std::to_string(threads));
            scenes::Random random(max_id);
            std::map<Key, int> model;
            PairMap<int, 2> map;
            for (int step = 1; step <= 12; ++step) {
                const auto changes =
                    random_changes(model, max_id, max_id > 60 ? 9000 : 30, random);
                apply_plainly(model, changes);
                map.apply(changes, threads);
                for (auto& [key, value] : model) {
                    if (value == 0) value = static_cast<int>(random.below(1 << 30)) + 1;
                    int* const found = map.find(key.i, key.j, key.image);
                    ASSERT_NE(found, nullptr);
                    if (*found == 0) *found = value;
                    ASSERT_EQ(*found, value);
                }
                // The same pairs in the same order, nothing else.
                ASSERT_EQ(map.size(), model.size());
                auto expected = model.begin();
                for (const auto& [key, value] : map) {
                    ASSERT_EQ(key, expected->first);
                    ASSERT_EQ(value, expected->second);
                    ++expected;
                }
            }
            EXPECT_GT(model.size(), 3u);
        }
}

TEST(PairMap, FindsAPairFromEitherSide) {
    PairMap<int, 3> map;
    Changes<3> changes;
    changes.began = {{1, 1, {0, 0, 2}}, {1, 7, {}}, {1, 7, {0, 1, -2}}, {9, 4000000000u, {}}};
    map.apply(changes);
    int n = 0;
    for (auto& [key, value] : map) value = ++n;
    EXPECT_EQ(*map.find(1, 7), 2);
    EXPECT_EQ(*map.find(7, 1), 2);
    EXPECT_EQ(*map.find(1, 7, {0, 1, -2}), 3);
    EXPECT_EQ(*map.find(7, 1, {0, -1, 2}), 3);
    EXPECT_EQ(map.find(7, 1, {0, 1, -2}), nullptr);
    EXPECT_EQ(*map.find(1, 1, {0, 0, 2}), 1);
    EXPECT_EQ(*map.find(1, 1, {0, 0, -2}), 1);
    EXPECT_EQ(*map.find(4000000000u, 9), 4);
    const auto& constant = map;
    EXPECT_EQ(*constant.find(7, 1), 2);
    for (const auto& [i, j] :
         {std::pair{0u, 1u}, {8u, 9u}, {9u, 10u}, {4000000000u, 4000000001u}})
        EXPECT_EQ(constant.find(i, j), nullptr);
    EXPECT_EQ((PairMap<int, 3>().find(0, 1)), nullptr);
    changes.ended = std::exchange(changes.began, {});
    map.apply(changes);
    EXPECT_EQ(map.size(), 0u);
    EXPECT_EQ(map.find(1, 7), nullptr);
}

// Values that can only be moved keep their identity.
TEST(PairMap, MovesItsValues) {
    PairMap<std::unique_ptr<int>, 2> map;
    Changes<2> changes;
    for (Index i = 0; i < 20000; ++i) changes.began.push_back({i, i + 1, {}});
    map.apply(changes, 3);
    std::vector<const int*> where;
    for (auto& [key, value] : map) {
        value = std::make_unique<int>(static_cast<int>(key.i));
        where.push_back(value.get());
    }
    Changes<2> next;
    for (Index i = 0; i < 20000; i += 2) next.ended.push_back({i, i + 1, {}});
    for (Index i = 1; i < 20000; i += 4)
        next.renamed.push_back({{i, i + 1, {}}, {i, i + 1, {1, 0}}});
    map.apply(next, 3);
    EXPECT_EQ(map.size(), 10000u);
    for (auto& [key, value] : map) {
        ASSERT_NE(value, nullptr);
        EXPECT_EQ(value.get(), where[key.i]);
        EXPECT_EQ(key.image[0], key.i % 4 == 1 ? 1 : 0);
    }
}

TEST(PairMap, VisitsAllInParallel) {
    PairMap<std::uint64_t, 2> map;
    Changes<2> changes;
    for (Index i = 0; i < 50000; ++i) changes.began.push_back({i, i + 3, {}});
    map.apply(changes);
    for (const int threads : {0, 1, 4}) {
        std::atomic<std::uint64_t> sum = 0;
        map.for_each_parallel(
            [&](const Key& key, std::uint64_t& value) {
                value += key.j;
                sum += key.i;
            },
            threads);
        EXPECT_EQ(sum, 50000ull * 49999 / 2);
    }
    for (const auto& [key, value] : map) ASSERT_EQ(value, 3u * key.j);
}

// Bodies come and go, change their order, move and are wrapped: the same changes on any number
// of threads, and those of a plain comparison.
TEST(Changes, AreTheSameOnAnyNumberOfThreads) {
    const std::size_t n = 12000;
    for (const bool periodic : {false, true}) {
        std::vector<Finder<float, 3>> finders;
        for (const int threads : {1, 2, 3, 8}) {
            Options<3> options;
            options.threads = threads;
            if (periodic) options.domain = Domain<3>::orthogonal({1, 1, 1});
            finders.emplace_back(options);
        }
        scenes::Random random(5);
        std::vector<float> x(3 * n);
        std::vector<Index> id(n);
        for (float& c : x) c = static_cast<float>(random.uniform());
        for (std::size_t i = 0; i < n; ++i) id[i] = static_cast<Index>(i * 7919 % 100003);
        std::map<PairKey<3>, int> present;
        for (int step = 0; step < 5; ++step) {
            const auto bodies = points<3>(x, 0.05).identified(id);
            std::vector<const Changes<3>*> all;
            for (auto& finder : finders) {
                finder.update(bodies);
                all.push_back(&finder.changes());
            }
            for (const Changes<3>* one : all) {
                EXPECT_EQ(one->began, all[0]->began);
                EXPECT_EQ(one->ended, all[0]->ended);
                ASSERT_EQ(one->renamed.size(), all[0]->renamed.size());
                for (std::size_t k = 0; k < one->renamed.size(); ++k) {
                    EXPECT_EQ(one->renamed[k].from, all[0]->renamed[k].from);
                    EXPECT_EQ(one->renamed[k].to, all[0]->renamed[k].to);
                }
            }
            // Replayed, they give the pairs of this step.
            for (const auto& key : all[0]->ended) EXPECT_EQ(present.erase(key), 1u);
            for (const auto& name : all[0]->renamed) EXPECT_EQ(present.erase(name.from), 1u);
            for (const auto& name : all[0]->renamed) present[name.to] = 1;
            for (const auto& key : all[0]->began) EXPECT_TRUE(present.emplace(key, 1).second);
            std::map<PairKey<3>, int> expected;
            for (const auto [i, j, image] : finders[0].pairs().with_images())
                expected[key_of<3>(id[i], id[j], image)] = 1;
            EXPECT_EQ(present, expected);
            EXPECT_EQ(all[0]->renamed.empty(), !periodic || step == 0);

            for (std::size_t c = 0; c < x.size(); ++c) {
                x[c] += static_cast<float>(random.uniform(-0.004, 0.004));
                if (periodic && random.below(50) == 0) x[c] += 1;
            }
            if (step == 1)  // other bodies
                for (std::size_t i = 0; i < n; i += 9) id[i] += 100003;
            if (step == 2) {  // another order
                for (std::size_t i = 0; i + 1 < n; i += 3) {
                    std::swap(id[i], id[i + 1]);
                    for (std::size_t a = 0; a < 3; ++a)
                        std::swap(x[3 * i + a], x[3 * (i + 1) + a]);
                }
            }
            if (step == 3) {  // fewer
                x.resize(3 * (n - 1000));
                id.resize(n - 1000);
            }
        }
    }
}

TEST(Changes, IdsMustBeUnique) {
    const std::vector<float> x(9, 0.5f);
    const std::vector<Index> id{5, 3, 5};
    Finder<float, 3> finder;
    finder.update(points<3>(x, 1).identified(id));
    EXPECT_THROW(finder.changes(), Error);
}

}  // namespace
}  // namespace vicinal
