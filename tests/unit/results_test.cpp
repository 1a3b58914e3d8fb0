// Forms of results: columns, memory of the caller, rows that are taken, batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "scenes/random.hpp"
#include "simd/columns.hpp"
#include "simd/targets.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal {
namespace {

std::vector<double> scattered(std::size_t n, unsigned seed) {
    scenes::Random random(seed);
    std::vector<double> x(3 * n);
    for (double& c : x) c = random.uniform();
    return x;
}

TEST(Results, columns_are_named_by_letters) {
    EXPECT_EQ(columns_of("ij"), Columns::ij);
    EXPECT_EQ(columns_of("ijSdD"), Columns::ijSdD);
    EXPECT_EQ(columns_of("Djdi"), Columns::ijdD);
    for (const char* const wrong : {"", "i", "ijj", "ijx", "SdD", "ij d"}) {
        SCOPED_TRACE(wrong);
        try {
            columns_of(wrong);
            FAIL() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::option);
            EXPECT_NE(std::string(error.what()).find("ijSdD"), std::string::npos);
        }
    }
}

TEST(Results, pairs_of_a_periodic_domain_are_iterated_with_their_images) {
    const std::vector<double> x{0.1, 0.5, 0.5, 0.9, 0.5, 0.5, 0.2, 0.5, 0.5};
    Finder<double, 3> finder({.domain = Domain<3>::orthogonal({1, 1, 1})});
    std::vector<ImagedPair<3>> found;
    for (auto [i, j, image] : finder.pairs(points<3>(x, 0.25), Order::sorted).with_images())
        found.push_back({i, j, image});
    const std::vector<ImagedPair<3>> expected{{0, 1, {-1, 0, 0}}, {0, 2, {}}};
    EXPECT_EQ(found, expected);
    const Rows<double, 3>& rows = finder.neighbours();
    ASSERT_EQ(rows[1].size(), 1u);
    EXPECT_EQ(rows.images_of(1)[0], (Image<3>{1, 0, 0}));
}

// Sorted rows against those of a tree. More points than a task of row_grid has (4096): where a
// task begins with the first or last row of cells of a layer, the rows after it need some
// before the first (full stencil). Of several cut-offs, some put the begin of a task there.
template <class T, int D>
void expect_rows_of_a_tree(double cutoff, bool grouped) {
    constexpr std::size_t n = 9000;
    const auto given = scattered(n, 11);
    const std::vector<T> x(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(D * n));
    scenes::Random random(12);
    std::vector<std::uint32_t> groups(n), masks(n);
    for (std::uint32_t& group : groups) group = 1u << random.next() % 3;
    for (std::uint32_t& mask : masks) mask = static_cast<std::uint32_t>(1 + random.next() % 7);
    auto atoms = points<D>(x, static_cast<T>(cutoff));
    if (grouped) atoms = atoms.grouped(groups, masks);
    std::array<double, D> edges;
    edges.fill(1);
    for (unsigned faces = 0; faces < 1u << D; ++faces) {
        std::array<bool, D> periodic;
        for (unsigned a = 0; a < D; ++a) periodic[a] = (faces >> a & 1) != 0;
        SCOPED_TRACE("periodic axes (bits): " + std::to_string(faces));
        const auto box = Domain<D>::orthogonal(edges, periodic);
        Finder<T, D> grid({.domain = box, .method = "row_grid"}),
            tree({.domain = box, .method = "kd_tree"});
        const auto& found = grid.neighbours(atoms, Columns::ijS, RowKind::full, Order::sorted);
        const auto& expected =
            tree.neighbours(atoms, Columns::ijS, RowKind::full, Order::sorted);
        ASSERT_GT(expected.indices.size(), n);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_TRUE(std::ranges::equal(found[i], expected[i])) << "row " << i;
            ASSERT_TRUE(std::ranges::equal(found.images_of(i), expected.images_of(i)))
                << "row " << i;
        }
    }
}

TEST(Results, rows_of_many_points_in_a_periodic_box) {
    for (const bool grouped : {false, true}) {
        SCOPED_TRACE(grouped ? "groups" : "no groups");
        for (const double cutoff : {0.045, 0.055, 0.07}) {
            SCOPED_TRACE(cutoff);
            expect_rows_of_a_tree<double, 3>(cutoff, grouped);
            expect_rows_of_a_tree<float, 3>(cutoff, grouped);
            expect_rows_of_a_tree<double, 2>(cutoff / 2, grouped);
            expect_rows_of_a_tree<float, 2>(cutoff / 2, grouped);
        }
    }
}

TEST(Results, boxes_have_no_vectors) {
    const std::vector<float> lower{0, 0, 0}, upper{1, 1, 1};
    Finder<float, 3> finder;
    finder.update(boxes<3>(lower, upper));
    for (const Columns columns : {Columns::ijd, Columns::ijD, Columns::ijSdD}) {
        EXPECT_THROW(finder.pairs(columns), Error);
        EXPECT_THROW(finder.neighbours(columns), Error);
        EXPECT_THROW(finder.probe(boxes<3>(lower, upper), columns), Error);
        EXPECT_THROW(finder.for_each_block(columns, [](const auto&) {}), Error);
    }
    EXPECT_TRUE(finder.pairs(Columns::ijS).empty());
}

// Counts what is allocated and released.
struct Counter {
    std::atomic<std::int64_t> bytes = 0, calls = 0;
    Allocator allocator() {
        return {[](std::size_t n, void* context) {
                    auto& self = *static_cast<Counter*>(context);
                    self.bytes += static_cast<std::int64_t>(n);
                    ++self.calls;
                    return std::malloc(n);
                },
                [](void* memory, std::size_t n, void* context) {
                    static_cast<Counter*>(context)->bytes -= static_cast<std::int64_t>(n);
                    std::free(memory);
                },
                this};
    }
};

TEST(Results, arrays_come_from_the_allocator_of_the_options) {
    Counter counter;
    const auto x = scattered(300, 1);
    PairColumns<double, 3, std::int64_t> pairs;
    Rows<double, 3> rows, near;
    {
        Finder<double, 3> finder(
            {.domain = Domain<3>::orthogonal({1, 1, 1}), .allocator = counter.allocator()});
        pairs = finder.pairs<std::int64_t>(points<3>(x, 0.2), Columns::ijSdD);
        rows = finder.take_neighbours(Columns::ijSdD);
        near = finder.nearest(4);
        // The finder has given its rows away: it makes others.
        EXPECT_EQ(finder.neighbours().offsets, rows.offsets);
    }
    EXPECT_GT(counter.calls, 8);
    const auto held = [](const auto& r) {
        return r.indices.capacity() * sizeof(r.indices[0]) +
               r.images.capacity() * sizeof(r.images[0]) +
               r.vectors.capacity() * sizeof(r.vectors[0]) +
               r.distances.capacity() * sizeof(r.distances[0]);
    };
    const std::size_t offsets = (rows.offsets.capacity() + near.offsets.capacity()) * 8;
    EXPECT_EQ(static_cast<std::size_t>(counter.bytes),
              held(pairs) + held(rows) + held(near) + offsets);
    pairs = {};
    rows = {};
    near = {};
    EXPECT_EQ(counter.bytes, 0);
}

TEST(Results, an_allocator_without_memory_is_an_error_and_the_finder_stays_usable) {
    const Allocator none{[](std::size_t, void*) -> void* { return nullptr; },
                         [](void*, std::size_t, void*) {}, nullptr};
    const auto x = scattered(50, 2);
    Finder<double, 3> finder({.allocator = none});
    try {
        finder.neighbours(points<3>(x, 0.5));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::memory);
    }
    EXPECT_GT(finder.pairs(points<3>(x, 0.5)).size(), 0u);
}

TEST(Results, large_blocks_are_used_again) {
    trim_recycled();
    constexpr std::size_t bytes = std::size_t{5} << 20;
    void* const first = allocate_recycled(bytes);
    ASSERT_NE(first, nullptr);
    release_recycled(first, bytes);
    void* const other = allocate_recycled(bytes / 2);  // too different a size
    EXPECT_NE(other, first);
    void* const second = allocate_recycled(bytes - 1000);
    EXPECT_EQ(second, first);
    release_recycled(second, bytes - 1000);
    release_recycled(other, bytes / 2);
    trim_recycled();
}

TEST(Results, arrays_move) {
    Array<int> a{1, 2, 3};
    Array<int> b = std::move(a);
    EXPECT_TRUE(a.empty());
    EXPECT_EQ(b, (std::vector<int>{1, 2, 3}));
    a = std::move(b);
    EXPECT_EQ(a.size(), 3u);
    Array<unsigned> c = a.reinterpret<unsigned>();
    EXPECT_TRUE(a.empty());
    EXPECT_EQ(c, (std::vector<unsigned>{1, 2, 3}));
}

// D and d of pair (i, j, image) are (xj - xi) + s and its length, bit by bit.
template <class T>
void expect_formula(const std::vector<T>& x, const Domain<3>& domain, std::size_t i,
                    std::size_t j, const Image<3>& image, const Vector<T, 3>& vector,
                    T distance) {
    const Vector<T, 3> s = domain.template shift<T>(image);
    Vector<T, 3> d;
    for (std::size_t a = 0; a < 3; ++a) d[a] = (x[3 * j + a] - x[3 * i + a]) + s[a];
    ASSERT_EQ(std::memcmp(&vector, &d, sizeof d), 0) << i << ' ' << j;
    ASSERT_EQ(distance, std::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]));
}

// Columns that are larger than the caches are written past them, from any address.
template <class T>
void expect_large_columns(const Domain<3>& domain) {
    const auto given = scattered(30000, 5);
    const std::vector<T> x(given.begin(), given.end());
    const auto atoms = points<3>(x, T(0.075));
    for (const int threads : {1, 3}) {
        Finder<T, 3> finder({.domain = domain, .threads = threads});
        const auto image_of = [](const auto& images, std::size_t k) {
            return images.empty() ? Image<3>{} : images[k];
        };
        const auto pairs = finder.pairs(atoms, Columns::ijSdD, {.kind = RowKind::full});
        const auto& rows = finder.neighbours(Columns::ijSdD);
        ASSERT_GT(rows.indices.size() * 4 * sizeof(T), std::size_t{16} << 20);
        ASSERT_EQ(pairs.size(), rows.indices.size());
        for (std::size_t k = 0; k < pairs.size(); ++k)
            expect_formula<T>(x, domain, pairs.i(k), pairs.j(k), image_of(pairs.images, k),
                              pairs.vectors[k], pairs.distances[k]);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e)
                expect_formula<T>(x, domain, i, rows.indices[e], image_of(rows.images, e),
                                  rows.vectors[e], rows.distances[e]);
        const auto half = finder.pairs(atoms, Columns::ijSdD);
        for (std::size_t k = 0; k < half.size(); ++k)
            expect_formula<T>(x, domain, half.i(k), half.j(k), image_of(half.images, k),
                              half.vectors[k], half.distances[k]);
    }
}

TEST(Results, large_columns_are_those_of_the_formula) {
    expect_large_columns<float>(Domain<3>::open());
    expect_large_columns<float>(Domain<3>::orthogonal({1, 1, 1}));
    expect_large_columns<double>(Domain<3>::orthogonal({1, 1.1, 1}));
}

// Images that are far away are in no table.
TEST(Results, columns_of_bodies_many_periods_away) {
    auto x = scattered(400, 6);
    scenes::Random random(7);
    for (double& c : x) c += std::floor(9 * random.uniform() - 4) * (random.uniform() < 0.2);
    const auto domain = Domain<3>::orthogonal({1, 1, 1});
    Finder<double, 3> finder({.domain = domain});
    const auto pairs = finder.pairs(points<3>(x, 0.2), Columns::ijSdD);
    int far = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const Image<3>& n = pairs.images[k];
        far += std::abs(n[0]) > 1 || std::abs(n[1]) > 1 || std::abs(n[2]) > 1;
        expect_formula(x, domain, pairs.i(k), pairs.j(k), n, pairs.vectors[k],
                       pairs.distances[k]);
    }
    EXPECT_GT(far, 100);
}

// The kernel refuses an image that is not in its table, in whichever lane it stands. The lowest
// number of 16 bits is smaller than its own negative.
template <int D>
void expect_near_images_only() {
    constexpr std::size_t n = 100;  // whole vectors and a rest
    const std::vector<Position<float, D>> positions(n);
    const NearShifts<float, D> shifts{};
    std::vector<Index> bodies(n);
    std::vector<Image<D>> images(n);
    std::vector<float> vectors(D * n + 1);
    const ColumnKernels<float, D> kernels = column_kernels<float, D>(choose_target());
    const PairRun<float, D> run{.first = positions.data(),
                                .second = positions.data(),
                                .i = bodies.data(),
                                .j = bodies.data(),
                                .step = 1,
                                .images = images.data(),
                                .count = n,
                                .readable = n};
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t a = 0; a < D; ++a)
            for (const int component : {-32768, -32767, -2, -1, 0, 1, 2, 32767}) {
                images[k][a] = static_cast<std::int16_t>(component);
                EXPECT_EQ(kernels.differences(run, shifts, vectors.data()),
                          std::abs(component) <= 1)
                    << component << " in axis " << a << " of pair " << k;
                images[k][a] = 0;
            }
}

TEST(Results, images_beyond_the_table_of_shifts_are_refused) {
    expect_near_images_only<2>();
    expect_near_images_only<3>();
}

// Systems of various sizes, domains and methods: the rows of a finder of their own.
TEST(Batch, equals_one_finder_per_system) {
    const auto x = scattered(700, 3);
    const std::vector<std::uint64_t> offsets{0, 100, 100, 101, 350, 700};
    using Box = Domain<3>;
    const std::vector<Box> domains{Box::orthogonal({1, 1, 1}), Box::open(),
                                   Box::orthogonal({0.2, 0.3, 0.2}), Box::open(),
                                   Box::triclinic({{{1, 0, 0}, {0.3, 1, 0}, {0, 0.2, 1}}})};
    for (const char* const method : {"auto", "kd_tree", "verlet(skin=0.1)"})
        for (const int threads : {1, 3}) {
            SCOPED_TRACE(method);
            Options<3> options{.method = method, .threads = threads};
            const auto all = find_batch<std::int64_t>(points<3>(x, 0.21), offsets,
                                                      std::span<const Box>(domains),
                                                      Columns::ijSdD, options, Order::sorted);
            ASSERT_EQ(all.size(), 700u);
            for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
                options.domain = domains[s];
                const std::size_t n = offsets[s + 1] - offsets[s];
                const std::span<const double> part(x.data() + 3 * offsets[s], 3 * n);
                Finder<double, 3> finder(options);
                const auto& rows = finder.neighbours(points<3>(part, 0.21), Columns::ijSdD,
                                                     RowKind::full, Order::sorted);
                for (std::size_t i = 0; i < n; ++i) {
                    const std::size_t k = offsets[s] + i;
                    ASSERT_EQ(all[k].size(), rows[i].size());
                    for (std::size_t e = 0; e < rows[i].size(); ++e) {
                        EXPECT_EQ(all[k][e], std::int64_t{rows[i][e]} +
                                                 static_cast<std::int64_t>(offsets[s]));
                        const Image<3> image =
                            rows.images.empty() ? Image<3>{} : rows.images_of(i)[e];
                        EXPECT_EQ(all.images_of(k)[e], image);
                        EXPECT_EQ(all.vectors_of(k)[e], rows.vectors_of(i)[e]);
                        EXPECT_EQ(all.distances_of(k)[e], rows.distances_of(i)[e]);
                    }
                }
            }
        }
}

// Any columns, also of moving bodies in sheared domains, and of more systems than fit a cache.
TEST(Batch, columns_are_those_of_the_formula) {
    const auto x = scattered(12000, 8);
    std::vector<double> u = scattered(12000, 9);
    for (double& c : u) c = 0.02 * (c - 0.5);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t k = 0; k <= 12000; k += 100) offsets.push_back(k);
    const auto domain = Domain<3>::sheared({1, 1, 1}, 0.3, 0.01);
    const auto atoms = points<3>(x, 0.45);
    for (const auto& bodies : {atoms, atoms.moving(u)})
        for (const Columns columns :
             {Columns::ij, Columns::ijS, Columns::ijd, Columns::ijSdD}) {
            const auto all = find_batch(bodies, offsets, domain, columns,
                                        Options<3>{.threads = 2}, Order::sorted);
            EXPECT_EQ(all.images.empty(), !has_images(columns));
            Finder<double, 3> finder({.domain = domain});
            for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
                const std::span<const double> part(x.data() + 300 * s, 300),
                    motion(u.data() + 300 * s, 300);
                auto own = points<3>(part, 0.45);
                if (bodies.swept()) own = own.moving(motion);
                const auto& rows =
                    finder.neighbours(own, columns, RowKind::full, Order::sorted);
                const std::uint64_t at = all.offsets[offsets[s]];
                const auto same = [at](const auto& a, const auto& b) {
                    return b.empty() ||
                           std::memcmp(a.data() + at, b.data(), b.size() * sizeof b[0]) == 0;
                };
                ASSERT_TRUE(same(all.images, rows.images) && same(all.vectors, rows.vectors) &&
                            same(all.distances, rows.distances));
                ASSERT_EQ(rows.indices.size(), all.offsets[offsets[s + 1]] - at);
                for (std::size_t e = 0; e < rows.indices.size(); ++e)
                    ASSERT_EQ(all.indices[at + e], rows.indices[e] + offsets[s]);
            }
        }
}

TEST(Batch, errors_name_the_system_and_the_body) {
    auto x = scattered(20, 4);
    const std::vector<std::uint64_t> offsets{0, 10, 20};
    const auto find = [&](std::span<const std::uint64_t> at) {
        return find_batch(points<3>(x, 0.3), at, Domain<3>::open());
    };
    EXPECT_EQ(find(offsets).size(), 20u);
    x[3 * 13 + 1] = std::nan("");
    try {
        find(offsets);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.element(), 13u);
        EXPECT_NE(std::string(error.what()).find("system 1"), std::string::npos);
    }
    for (const std::vector<std::uint64_t>& wrong :
         {std::vector<std::uint64_t>{}, {0, 10}, {1, 20}, {0, 15, 10, 20}})
        EXPECT_THROW(find(wrong), Error);
    // Arrays that are too short are not read beyond their end.
    const auto y = scattered(20, 4);
    const std::vector<double> radii(15, 0.1);
    EXPECT_THROW(find_batch(spheres<3>(y, radii), offsets, Domain<3>::open()), Error);
    const std::vector<std::uint32_t> groups(15, 1);
    EXPECT_THROW(find_batch(points<3>(y, 0.3).grouped(groups), offsets, Domain<3>::open()),
                 Error);
    EXPECT_THROW(
        find_batch(points<3>(y, 0.3).with_vertices(groups, 1), offsets, Domain<3>::open()),
        Error);
    const std::vector<Domain<3>> three(3, Domain<3>::open());
    EXPECT_THROW(find_batch(points<3>(x, 0.3), offsets, std::span<const Domain<3>>(three)),
                 Error);
}

}  // namespace
}  // namespace vicinal
