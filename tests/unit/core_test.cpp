// Unit tests of the core.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "base/adaptive_sort.hpp"
#include "base/sort.hpp"
#include "methods/registry.hpp"
#include "row_grid/box_grid.hpp"
#include "row_grid/box_records.hpp"
#include "row_grid/point_records.hpp"
#include "scenes/random.hpp"
#include "scenes/scenes.hpp"
#include "simd/coordinates.hpp"
#include "simd/targets.hpp"
#include "support/bodies.hpp"

namespace vicinal {
namespace {

TEST(Sort, RadixIsAStableSort) {
    scenes::Random random(1);
    for (int threads : {1, 2, 3})
        for (unsigned bits : {1u, 11u, 12u, 33u, 64u})
            for (std::size_t n : {0u, 1u, 2u, 1000u, 20000u}) {
                Sorter<KeyedIndex> sorter;
                auto& records = sorter.records;
                records.resize(n);
                std::vector<std::pair<std::uint64_t, Index>> expected;
                for (std::size_t i = 0; i < n; ++i) {
                    records[i] = {random.next() >> (64 - bits), static_cast<Index>(i)};
                    expected.emplace_back(records[i].key, records[i].value);
                }
                std::stable_sort(
                    expected.begin(), expected.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
                sorter.sort(bits, threads, [](const KeyedIndex& r) { return r.key; });
                for (std::size_t i = 0; i < n; ++i) {
                    ASSERT_EQ(records[i].key, expected[i].first);
                    ASSERT_EQ(records[i].value, expected[i].second);
                }
            }
}

// Steps of a sorter that keeps the capacity of its buckets: the same records, a few more, all
// in one bucket, none, and different numbers of records, bits and threads.
TEST(Sort, GatheringIsAStableSortWhateverCameBefore) {
    scenes::Random random(2);
    Sorter<KeyedIndex> sorter;
    const auto key = [](const KeyedIndex& r) { return r.key; };
    std::uint64_t twice = 0, all_steps = 0;
    for (int threads : {1, 2, 3, 1})
        for (unsigned bits : {3u, 12u, 40u})
            for (std::size_t n : {20000u, 20000u, 20100u, 20000u, 100u, 0u, 30000u})
                for (unsigned narrow : {0u, 0u, 1u, bits - 1}) {
                    // Up to three records per element.
                    std::vector<std::vector<KeyedIndex>> made(n);
                    std::vector<KeyedIndex> expected;
                    Index next = 0;
                    for (auto& records : made) {
                        records.resize(random.next() % 4);
                        for (KeyedIndex& r : records) {
                            r = {random.next() >> (64 - bits) >> narrow, next++};
                            expected.push_back(r);
                        }
                    }
                    std::stable_sort(
                        expected.begin(), expected.end(),
                        [&](const auto& a, const auto& b) { return a.key < b.key; });
                    std::atomic<std::uint64_t> put_count = 0;
                    const auto make = [&](Range range, std::size_t, const auto& put) {
                        for (std::size_t k = range.begin; k < range.end; ++k)
                            for (const KeyedIndex& r : made[k]) {
                                put(r);
                                ++put_count;
                            }
                    };
                    const std::uint64_t total = expected.size();
                    if (total > 0) {
                        EXPECT_EQ(
                            sorter.scatter_with_slack(n, bits, threads, total - 1, make, key),
                            total);
                    }
                    put_count = 0;
                    ASSERT_EQ(sorter.scatter_with_slack(n, bits, threads, total, make, key),
                              total);
                    twice += put_count > total;
                    ++all_steps;
                    std::vector<KeyedIndex> sorted(total), kept;
                    sorter.for_each_bucket(1, key,
                                           [&](Range entries, const KeyedIndex* bucket,
                                               const std::uint32_t* order, const auto& keep) {
                                               for (std::size_t k = 0; k < entries.size();
                                                    ++k) {
                                                   sorted[entries.begin + k] = bucket[order[k]];
                                                   if (k % 2 != 0) continue;
                                                   keep(bucket[order[k]]);
                                                   kept.push_back(bucket[order[k]]);
                                               }
                                           });
                    ASSERT_EQ(sorted, expected);
                    std::vector<KeyedIndex> left;
                    for (std::size_t b = 0; b < sorter.buckets(); ++b)
                        left.insert(left.end(), sorter.kept(b).begin(), sorter.kept(b).end());
                    ASSERT_EQ(left, kept);
                }
    // Both cases occurred: sufficient and insufficient capacity.
    EXPECT_GT(twice, 0u);
    EXPECT_LT(twice, all_steps);
}

TEST(Simd, UsesTheSetAskedFor) {
    const char* requested = std::getenv("VICINAL_SIMD");
    const std::string used = Finder<float, 3>().report().simd;
    EXPECT_EQ(used,
              requested != nullptr ? requested : target_name(available_targets().front()));
}

// Arrays of every length, so that non-finite values occur in whole vectors and in the
// remainder.
template <Real T>
void expect_finite_and_bounds(std::int64_t target) {
    const CoordinateKernels<T, 3> kernels = coordinate_kernels<T, 3>(target);
    scenes::Random random(3);
    for (std::size_t n = 0; n < 250; ++n) {
        std::vector<T> values(n);
        for (T& value : values) value = static_cast<T>(random.uniform(-1, 1));
        FlatBounds<T> expected;
        expected.lo.fill(std::numeric_limits<T>::infinity());
        expected.hi.fill(-std::numeric_limits<T>::infinity());
        for (std::size_t k = 0; k < n; ++k) {
            T &lo = expected.lo[k % flat_group], &hi = expected.hi[k % flat_group];
            lo = std::min(lo, values[k]);
            hi = std::max(hi, values[k]);
        }
        const FlatBounds<T> found = kernels.bounds(values.data(), n);
        ASSERT_EQ(found.lo, expected.lo) << n;
        ASSERT_EQ(found.hi, expected.hi) << n;
        ASSERT_TRUE(kernels.finite(values.data(), n)) << n;
        for (std::size_t k = 0; k < n; ++k)
            for (const T bad :
                 {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                  -std::numeric_limits<T>::infinity()}) {
                const T good = std::exchange(values[k], bad);
                ASSERT_FALSE(kernels.finite(values.data(), n)) << k << " of " << n;
                values[k] = good;
            }
    }
    const std::vector<T> largest(100, std::numeric_limits<T>::max());
    EXPECT_TRUE(kernels.finite(largest.data(), largest.size()));
}

TEST(Simd, FindsWhatIsNotFiniteAndBounds) {
    for (const std::int64_t target : available_targets()) {
        SCOPED_TRACE(target_name(target));
        expect_finite_and_bounds<float>(target);
        expect_finite_and_bounds<double>(target);
    }
}

// A batch of interleaved points, of points in separate arrays, or with a stride.
template <Real T, int D>
struct Layouts {
    static constexpr std::size_t gap = 5;
    std::array<std::vector<T>, D> columns;
    std::vector<T> interleaved, apart;

    Layouts() : apart(batch_size * gap, std::numeric_limits<T>::quiet_NaN()) {
        scenes::Random random(5);
        for (std::size_t k = 0; k < batch_size; ++k)
            for (std::size_t a = 0; a < D; ++a) {
                const auto x = static_cast<T>(random.uniform(0, k % 2 == 0 ? 1 : 130));
                columns[a].push_back(x);
                interleaved.push_back(x);
                apart[k * gap + a] = x;
            }
    }
    template <class F>
    void each(const F& f) const {
        Vectors<T, D> in_columns, in_points, in_gaps;
        for (std::size_t a = 0; a < D; ++a) {
            in_columns.axis[a] = Column<T>(columns[a].data(), batch_size, sizeof(T));
            in_points.axis[a] = Column<T>(interleaved.data() + a, batch_size, D * sizeof(T));
            in_gaps.axis[a] = Column<T>(apart.data() + a, batch_size, gap * sizeof(T));
        }
        for (const Vectors<T, D>& vectors : {in_columns, in_points, in_gaps})
            for (const std::size_t count : {batch_size, batch_size - 1, std::size_t{1}}) {
                BatchReader<T, D> reader(vectors);
                f(reader.read(batch_size - count, count), batch_size - count, count);
            }
    }
};

template <Real T, int D>
void expect_records(std::int64_t target) {
    PointLattice<D> lattice;
    lattice.units = (1 << unit_bits) / 0.017;
    for (std::size_t a = 0; a < D; ++a) {
        lattice.origin[a] = -0.1 * static_cast<double>(a + 1);
        lattice.bits[a] = static_cast<unsigned>(13 + a);
    }
    const Layouts<T, D> layouts;
    layouts.each([&](const PointBatch<T, D>& batch, std::size_t k, std::size_t count) {
        constexpr Index first = 0xffffff00;  // uses the highest bit of an instance
        std::array<PointRecord, batch_size> found;
        point_record_kernels<T, D>(target).records(lattice, batch, first, found.data());
        for (std::size_t i = 0; i < count; ++i) {
            std::array<double, D> x;
            for (std::size_t a = 0; a < D; ++a)
                x[a] = static_cast<double>(layouts.columns[a][k + i]);
            const PointRecord expected = lattice.record(x, first + static_cast<Index>(i));
            EXPECT_EQ(found[i].place, expected.place) << i;
            EXPECT_EQ(found[i].rest, expected.rest) << i;
        }
    });
}

template <Real T, int D>
void expect_outside(std::int64_t target) {
    const Layouts<T, D> layouts;
    Box<T, D> box;
    for (std::size_t a = 0; a < D; ++a) {  // points are on the sides of the bounds
        const std::vector<T>& x = layouts.columns[a];
        box.lo[a] = std::min({x[10], x[12], x[14]});
        box.hi[a] = std::max({x[21], x[31], x[41]});
    }
    std::size_t inside = 0;
    layouts.each([&](const PointBatch<T, D>& batch, std::size_t k, std::size_t count) {
        const std::uint64_t found = coordinate_kernels<T, D>(target).outside(batch, box);
        for (std::size_t i = 0; i < count; ++i) {
            bool out = false;
            for (std::size_t a = 0; a < D; ++a) {
                const T x = layouts.columns[a][k + i];
                out = out || x <= box.lo[a] || x >= box.hi[a];
            }
            EXPECT_EQ(found >> i & 1, out ? 1u : 0u) << i;
            inside += !out;
        }
    });
    EXPECT_GT(inside, 0u);
}

// Entries of boxes in a batch, and their unpacked records.
template <Real T, class Key, int D>
void expect_box_records(std::int64_t target) {
    using Batch = BoxBatch<Key, D>;
    BoxCells<D> cells;
    for (std::size_t a = 0; a < D; ++a) {
        cells.axes[a] = a;
        cells.origin[a] = 1.5f;  // some coordinates are below it, some beyond the last cell
        cells.per_length[a] = a == 0 ? 3.0f : 0.7f;
        cells.max_cell[a] = 80;
        cells.bits[a] = 7;
    }
    std::swap(cells.axes[0], cells.axes[D - 1]);
    const Layouts<T, D> layouts;
    std::array<std::array<T, batch_size>, D> upper;
    PointBatch<T, D> hi{};
    layouts.each([&](const PointBatch<T, D>& lo, std::size_t k, std::size_t count) {
        for (std::size_t a = 0; a < D; ++a) {
            for (std::size_t i = 0; i < batch_size; ++i) {
                const std::size_t j = std::min(i, count - 1);
                upper[a][i] =
                    layouts.columns[a][k + j] + static_cast<T>((j + a) % 5 == 0 ? 3.0 : 0.9);
            }
            hi.axis[a] = upper[a].data();
        }
        const auto kernels = box_record_kernels<T, Key, D>(target);
        constexpr Index first = 0xffffff00;
        Batch batch(cells);
        kernels.make(cells, lo, hi, first, count, batch);

        std::size_t entry = 0;
        std::uint64_t wide = 0;
        float longest = 0;
        std::vector<BoxRecord<Key, D>> records;
        for (std::size_t i = 0; i < count; ++i) {
            Box<float, D> box;
            std::array<int, D> low{}, more{};
            for (std::size_t a = 0; a < D; ++a) {
                box.lo[a] = static_cast<float>(layouts.columns[cells.axes[a]][k + i]);
                box.hi[a] = static_cast<float>(upper[cells.axes[a]][i]);
                low[a] = cells.cell(box.lo[a], a);
                more[a] = cells.cell(box.hi[a], a) - low[a];
            }
            longest = std::max(longest, box.hi[0] - box.lo[0]);
            const int nears = D == 3 ? std::min(more[1], 1) : 0;
            for (int far = 0; far <= std::min(more[D - 1], 1); ++far)
                for (int near = 0; near <= nears; ++near) {
                    Key key = static_cast<Key>(low[D - 1] + far);
                    if (D == 3) key = key << 7 | static_cast<Key>(low[1] + near);
                    key = key << 7 | static_cast<Key>(low[0]);
                    key = key << 1 | (far == 0);
                    if (D == 3) key = key << 1 | (near == 0);
                    ASSERT_LT(entry, batch.entries);
                    EXPECT_EQ(batch.entry_box[entry], i);
                    EXPECT_EQ(batch.entry_key[entry++], key) << i << ' ' << far << ' ' << near;
                    if (far + near == 0) {
                        const Key flags = (Key{1} << (D - 1)) - 1;
                        EXPECT_EQ(batch.key[i], key & ~flags);
                    }
                    records.push_back({box, first + static_cast<Index>(i), key});
                }
            for (std::size_t a = 1; a < D; ++a) {
                EXPECT_EQ(batch.more[a][i], more[a]);
                wide |= std::uint64_t{more[a] > 1} << i;
            }
        }
        EXPECT_EQ(entry, batch.entries);
        EXPECT_EQ(batch.wide, wide);
        EXPECT_EQ(batch.longest, longest);

        // Unpacking the records in reverse order restores each box.
        const std::size_t n = records.size();
        std::vector<BoxRecord<Key, D>> assigned(n);
        std::vector<std::uint32_t> order;
        for (std::size_t e = 0; e < n; ++e) {
            assigned[e] = BoxEntry<Key, D>{batch, batch.entry_box[e], batch.entry_key[e]};
            order.push_back(static_cast<std::uint32_t>(n - 1 - e));
        }
        std::array<std::vector<float>, D> low, high;
        std::vector<Index> instance(n);
        std::vector<Key> key(n);
        BoxColumns<Key, D> columns{{}, {}, instance.data(), key.data()};
        for (std::size_t a = 0; a < D; ++a) {
            low[a].resize(n);
            high[a].resize(n);
            columns.lo[a] = low[a].data();
            columns.hi[a] = high[a].data();
        }
        kernels.unpack(assigned.data(), order.data(), n, columns);
        for (std::size_t e = 0; e < n; ++e) {
            const BoxRecord<Key, D>& expected = records[n - 1 - e];
            for (std::size_t a = 0; a < D; ++a) {
                EXPECT_EQ(low[a][e], expected.box.lo[a]);
                EXPECT_EQ(high[a][e], expected.box.hi[a]);
            }
            EXPECT_EQ(instance[e], expected.instance);
            EXPECT_EQ(key[e], expected.key);
        }
    });
}

// The boxes of balls equal those of the scene.
template <Real T, int D>
void expect_balls(std::int64_t target) {
    const Layouts<T, D> layouts;
    std::vector<T> radius(batch_size);
    for (std::size_t i = 0; i < batch_size; ++i)
        radius[i] = i % 7 == 0 ? T{0} : static_cast<T>(0.01 * static_cast<double>(i * i));
    radius[3] = std::numeric_limits<T>::max();
    Scene<T, D> scene;
    scene.assign(spheres<D>(layouts.interleaved, radius), Domain<D>::open(),
                 {1, choose_target()});
    BoxCells<D> cells;
    for (std::size_t a = 0; a < D; ++a) {
        cells.axes[a] = a;
        cells.per_length[a] = 1;
        cells.max_cell[a] = 100;
        cells.bits[a] = 7;
    }
    std::swap(cells.axes[0], cells.axes[1]);
    layouts.each([&](const PointBatch<T, D>& centre, std::size_t k, std::size_t count) {
        std::vector<T> given(batch_size, radius.back());
        std::copy(radius.begin() + static_cast<std::ptrdiff_t>(k), radius.end(), given.begin());
        BoxBatch<std::uint32_t, D> batch(cells);
        box_record_kernels<T, std::uint32_t, D>(target).make_balls(
            cells, centre, given.data(), static_cast<Index>(k), count, batch);
        for (std::size_t i = 0; i < count; ++i) {
            BoxRecord<std::uint32_t, D> found;
            found = BoxEntry<std::uint32_t, D>{batch, static_cast<std::uint32_t>(i), 0};
            const Box<T, D> expected = scene.box(static_cast<Index>(k + i));
            for (std::size_t a = 0; a < D; ++a) {
                EXPECT_EQ(found.box.lo[a], static_cast<float>(expected.lo[cells.axes[a]]));
                EXPECT_EQ(found.box.hi[a], static_cast<float>(expected.hi[cells.axes[a]]));
            }
            EXPECT_EQ(found.instance, k + i);
        }
    });
}

TEST(Simd, MakesTheBoxesOfBalls) {
    for (const std::int64_t target : available_targets()) {
        SCOPED_TRACE(target_name(target));
        expect_balls<float, 2>(target);
        expect_balls<float, 3>(target);
        expect_balls<double, 2>(target);
        expect_balls<double, 3>(target);
    }
}

TEST(Simd, MakesAndPartsRecordsOfBoxes) {
    for (const std::int64_t target : available_targets()) {
        SCOPED_TRACE(target_name(target));
        expect_box_records<float, std::uint32_t, 2>(target);
        expect_box_records<float, std::uint64_t, 2>(target);
        expect_box_records<float, std::uint32_t, 3>(target);
        expect_box_records<float, std::uint64_t, 3>(target);
        expect_box_records<double, std::uint32_t, 2>(target);
        expect_box_records<double, std::uint64_t, 2>(target);
        expect_box_records<double, std::uint32_t, 3>(target);
        expect_box_records<double, std::uint64_t, 3>(target);
    }
}

TEST(Simd, TakesPointsInBatches) {
    for (const std::int64_t target : available_targets()) {
        SCOPED_TRACE(target_name(target));
        expect_records<float, 2>(target);
        expect_outside<float, 2>(target);
        expect_records<float, 3>(target);
        expect_outside<float, 3>(target);
        expect_records<double, 2>(target);
        expect_outside<double, 2>(target);
        expect_records<double, 3>(target);
        expect_outside<double, 3>(target);
    }
}

// Otherwise the agreement suite would not cover them.
TEST(BoxGrid, KeepsGiantsApart) {
    const auto workload = test::with_giants(scenes::make("equal_spheres", 4000, 7));
    const scenes::Arrays<float> arrays(workload);
    Scene<float, 3> scene;
    scene.assign(spheres<3>(arrays.position, arrays.radius), Domain<3>::open(),
                 {1, choose_target()});
    BoxGrid<float, 3> grid;
    Packed<float, 3> packed;
    grid.assign(scene, packed);
    EXPECT_EQ(grid.giants().size(), 4u);
    EXPECT_LT(grid.size(), 5 * workload.size() + 4096);
}

// From sorted to random order, with few and many threads: the result of std::sort.
TEST(Sort, AdaptiveSortSortsWhateverTheOrder) {
    scenes::Random random(4);
    for (const std::size_t n : {0u, 1u, 2u, 3u, 1000u, 20000u})
        for (const double share : {0.0, 0.0001, 0.02, 0.5, 1.0})
            for (const int threads : {1, 2, 3, 8}) {
                std::vector<int> values(n);
                std::iota(values.begin(), values.end(), 0);
                for (int& value : values)
                    if (random.uniform() < share)
                        value = static_cast<int>(random.below(n + 1)) - 5;
                if (share == 0)
                    std::rotate(values.begin(), values.begin() + n / 3, values.end());
                Buffer<int> records, room;
                records.resize(n);
                std::copy(values.begin(), values.end(), records.data());
                adaptive_sort(threads, records, room, std::less<>());
                std::sort(values.begin(), values.end());
                EXPECT_TRUE(std::equal(values.begin(), values.end(), records.data()))
                    << n << " " << share << " " << threads;
            }
}

// Neighbours in the order must be neighbours in space.
TEST(Sort, OrderIsShortAndAPermutation) {
    const auto workload = scenes::make("uniform", 20000, 1);
    const scenes::Arrays<double> arrays(workload);
    Finder<double, 3> finder;
    finder.update(arrays.bodies<3>());
    const std::vector<Index> order = finder.order();
    std::vector<Index> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (Index i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
    const auto length = [&](const auto& body) {
        double sum = 0;
        for (std::size_t k = 1; k < order.size(); ++k)
            for (std::size_t a = 0; a < 3; ++a)
                sum += std::abs(arrays.position[3 * body(k) + a] -
                                arrays.position[3 * body(k - 1) + a]);
        return sum;
    };
    EXPECT_LT(length([&](std::size_t k) { return std::size_t{order[k]}; }),
              0.1 * length([](std::size_t k) { return k; }));
}

std::string refusal(const std::string& text) {
    try {
        choose_method(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::option);
        return error.what();
    }
    return "accepted";
}

TEST(Registry, ChoosesByNameAndOptions) {
    EXPECT_EQ(choose_method("compact_grid").text(),
              "compact_grid(cell=1, order=row, sort=radix, cells_per_body=all)");
    EXPECT_EQ(choose_method(" compact_grid( cell = 2.5 , sort=auto) ").text(),
              "compact_grid(cell=2.5, order=row, sort=auto, cells_per_body=all)");
    EXPECT_EQ(choose_method("brute_force()").text(), "brute_force");
    EXPECT_EQ(choose_method("auto").name, "row_grid");
}

TEST(Registry, RefusesWhatItDoesNotKnowAndSaysWhatThereIs) {
    const std::string unknown = refusal("gird");
    EXPECT_NE(unknown.find("did you mean 'compact_grid'? methods: brute_force, "),
              std::string::npos)
        << unknown;
    for (const MethodInfo& method : methods())
        EXPECT_NE(unknown.find(method.name), std::string::npos) << unknown;
    EXPECT_NE(refusal("").find("unknown method ''"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(cel=1)").find("did you mean 'cell'"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(cell=0)").find("from 0.01 to 1000"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(cell=1e)").find("'1e'"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(cell=nan)").find("'nan'"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(cell").find("closing parenthesis"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(2)").find("key=value"), std::string::npos);
    EXPECT_NE(refusal("compact_grid(cell=1, cell=2)").find("given twice"), std::string::npos);
    EXPECT_NE(refusal("brute_force(x=1)").find("it has no options"), std::string::npos);
}

TEST(Registry, EveryMethodIsFoundByItsName) {
    for (const MethodInfo& method : methods()) {
        EXPECT_FALSE(method.summary.empty());
        EXPECT_EQ(choose_method(method.name).name, method.name);
    }
}

}  // namespace
}  // namespace vicinal
