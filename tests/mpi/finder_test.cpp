// The finder over ranks: its pairs together are those of one search of all bodies. Started by
// mpirun with several numbers of ranks; all ranks run all tests, and rank 0 compares.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <numeric>

#include "agreement/cases.hpp"
#include "support/bodies.hpp"
#include "support/compare.hpp"

#include <vicinal/mpi.hpp>
#include <vicinal/vicinal.hpp>

namespace vicinal::test {
namespace {

int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
int ranks() {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

// The values of all ranks, on rank 0.
template <class V>
std::vector<V> gathered(const std::vector<V>& mine) {
    const int bytes = static_cast<int>(mine.size() * sizeof(V));
    std::vector<int> counts(static_cast<std::size_t>(ranks())), at(counts.size());
    MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    int total = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        at[r] = total;
        total += counts[r];
    }
    std::vector<V> all(static_cast<std::size_t>(total) / sizeof(V));
    MPI_Gatherv(mine.data(), bytes, MPI_BYTE, all.data(), counts.data(), at.data(), MPI_BYTE, 0,
                MPI_COMM_WORLD);
    return all;
}

// Some bodies of all, as a rank would hold them; ids are indices in all, scaled beyond 32 bits.
constexpr std::uint64_t id_scale = 0x100000001;

template <Real T, int D>
struct Share {
    OwnedBodies<T, D> bodies;
    std::vector<std::uint64_t> ids;
    std::vector<mpi::IdPair> excluded;
};

// How the bodies are distributed.
enum class Deal { by_turns, by_place, all_on_last };

template <Real T, int D>
Share<T, D> share_of(const OwnedBodies<T, D>& all, Deal deal) {
    Share<T, D> share;
    OwnedBodies<T, D>& mine = share.bodies;
    mine.kind = all.kind;
    mine.cutoff = all.cutoff;
    mine.cutoffs = all.cutoffs;
    mine.vertices_per_body = all.vertices_per_body;
    const auto owner = [&](std::size_t i) {
        if (deal == Deal::by_turns) return static_cast<int>(i) % ranks();
        if (deal == Deal::all_on_last) return ranks() - 1;
        const auto x = static_cast<double>(all.position[i * D]);
        return static_cast<int>(std::abs(std::fmod(std::floor(x * 3), 1e9))) % ranks();
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (owner(i) != rank()) continue;
        const auto take = [&](const auto& from, auto& to, std::size_t each) {
            if (!from.empty())
                to.insert(to.end(), from.begin() + i * each, from.begin() + (i + 1) * each);
        };
        take(all.position, mine.position, D);
        take(all.upper, mine.upper, D);
        take(all.displacement, mine.displacement, D);
        take(all.radius, mine.radius, 1);
        take(all.group, mine.group, 1);
        take(all.mask, mine.mask, 1);
        take(all.species, mine.species, 1);
        take(all.vertices, mine.vertices, all.vertices_per_body);
        share.ids.push_back(i * id_scale);
    }
    for (const Pair pair : all.excluded)  // given by the owner of either, by turns
        if (owner((pair.i + pair.j) % 2 == 0 ? pair.i : pair.j) == rank())
            share.excluded.push_back({pair.i * id_scale, pair.j * id_scale});
    return share;
}

template <Real T, int D>
reference::PlainPair<D> of_whole(const mpi::Finder<T, D>& finder, Index i, Index j,
                                 const Image<D>& image) {
    reference::PlainPair<D> pair{static_cast<Index>(finder.id(i) / id_scale),
                                 static_cast<Index>(finder.id(j) / id_scale),
                                 {}};
    for (std::size_t a = 0; a < D; ++a) pair.n[a] = image[a];
    return pair.i <= pair.j ? pair : reference::reversed<D>(pair);
}

// All pairs, on rank 0.
template <Real T, int D>
Found<D> found_by_ranks(mpi::Finder<T, D>& finder) {
    Found<D> mine;
    const PairColumns<T, D> found = finder.pairs();
    for (std::size_t k = 0; k < found.size(); ++k)
        mine.push_back(of_whole<T, D>(finder, found.i(k), found.j(k),
                                      found.images.empty() ? Image<D>{} : found.images[k]));
    return sorted<D>(gathered(mine));
}

template <Real T, int D>
void expect_same(mpi::Finder<T, D>& finder, const OwnedBodies<T, D>& all,
                 const Domain<D>& domain, Deal deal) {
    const Share<T, D> share = share_of(all, deal);
    finder.update(share.bodies.view(), share.ids, domain, share.excluded);
    const Found<D> found = found_by_ranks(finder);
    const std::uint64_t count = finder.count();
    if (rank() != 0) return;
    vicinal::Finder<T, D> serial({.domain = domain, .threads = 1});
    const Found<D> expected = listed(serial.pairs(all.view(), Order::sorted));
    EXPECT_EQ(difference<D>(expected, found), "");
    EXPECT_EQ(count, expected.size());
}

// Rows of own bodies, on rank 0 as a list of pairs in both directions.
template <Real T, int D>
void expect_same_rows(mpi::Finder<T, D>& finder, const OwnedBodies<T, D>& all,
                      const Domain<D>& domain, Deal deal) {
    const Share<T, D> share = share_of(all, deal);
    finder.update(share.bodies.view(), share.ids, domain, share.excluded);
    const bool measured = all.kind.shape != Shape::boxes;
    const Columns columns = measured ? Columns::ijSdD : Columns::ijS;
    const Rows<T, D>& rows = finder.neighbours(columns, Order::sorted);
    ASSERT_EQ(rows.size(), finder.own());
    struct Line {
        reference::PlainPair<D> pair;
        Vector<T, D> vector;
        T distance;
    };
    std::vector<Line> mine;
    for (Index i = 0; i < rows.size(); ++i)
        for (std::size_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
            Line line{{static_cast<Index>(finder.id(i) / id_scale),
                       static_cast<Index>(finder.id(rows.indices[e]) / id_scale),
                       {}},
                      {},
                      0};
            if (!rows.images.empty())
                for (std::size_t a = 0; a < D; ++a) line.pair.n[a] = rows.images[e][a];
            if (measured) line.vector = rows.vectors[e];
            if (measured) line.distance = rows.distances[e];
            if (e > rows.offsets[i]) {
                EXPECT_LT(mine.back().pair, line.pair) << "not sorted";
            }
            mine.push_back(line);
        }
    std::vector<Line> found = gathered(mine);
    if (rank() != 0) return;
    std::ranges::sort(found, {}, &Line::pair);
    vicinal::Finder<T, D> serial({.domain = domain, .threads = 1});
    const Rows<T, D>& expected =
        serial.neighbours(all.view(), columns, RowKind::full, Order::sorted);
    Found<D> pairs;
    for (const Line& line : found) pairs.push_back(line.pair);
    EXPECT_EQ(difference<D>(rows_of(expected), pairs), "");
    if (!measured || found.size() != expected.indices.size()) return;
    for (std::size_t e = 0; e < found.size(); ++e) {
        EXPECT_EQ(found[e].vector, expected.vectors[e]);
        EXPECT_EQ(found[e].distance, expected.distances[e]);
    }
}

template <class Flavour>
class Ranks : public ::testing::Test {};
template <Real T, int D>
struct Flavour {
    using Scalar = T;
    static constexpr int dim = D;
};
using Flavours = ::testing::Types<Flavour<float, 3>, Flavour<double, 2>>;
TYPED_TEST_SUITE(Ranks, Flavours);

TYPED_TEST(Ranks, report_the_pairs_of_all_bodies) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    const auto& scenes = scenes::list();
    const std::vector<std::size_t> sizes{std::size(shape_cases), std::size(domain_names),
                                         scenes.size(), filter_cases, 3};
    // Not three values at a time: each case already runs for several numbers of ranks.
    for (const CaseIndices& c : run_light() ? chosen_cases(sizes) : cover(sizes, 2)) {
        const ShapeCase& shape = shape_cases[c[0]];
        const std::string& scene = scenes[c[2]].name;
        const auto deal = static_cast<Deal>(c[4]);
        SCOPED_TRACE(std::string(shape.name) + " " + domain_names[c[1]] + " " + scene +
                     " filter " + std::to_string(c[3]) + " deal " + std::to_string(c[4]));
        std::map<std::string, double> parameters{{"dim", D}};
        if (scene == "giant") parameters["ratio"] = 10;
        auto bodies = make_bodies<T, D>(scenes::make(scene, 100, 5, parameters), shape, 3);
        add_filter(bodies, static_cast<FilterCase>(c[3]), bodies.size(), 4);
        const auto domain =
            make_domain<D>(domain_names[c[1]], periods_for(bodies), shape.swept);
        mpi::Finder<T, D> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1});
        expect_same(finder, bodies, domain, deal);
    }
}

TYPED_TEST(Ranks, few_bodies) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    std::array<double, D> period;
    period.fill(1);
    for (const std::size_t n : {0, 1, 5})
        for (const char* name : {"open", "periodic", "sheared"})
            for (const Deal deal : {Deal::by_turns, Deal::all_on_last}) {
                auto bodies = make_bodies<T, D>(scenes::make("uniform", n, 5, {{"dim", D}}),
                                                shape_cases[0], 3);
                bodies.cutoff = T(0.6);
                const auto domain = make_domain<D>(name, period, false);
                mpi::Finder<T, D> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1});
                expect_same(finder, bodies, domain, deal);
            }
}

// Ties: bodies on the faces of a period that is not exact in binary.
TYPED_TEST(Ranks, ties_on_faces) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    OwnedBodies<T, D> bodies;
    bodies.kind = shape_cases[0];
    bodies.cutoff = static_cast<T>(0.7) / 4;
    for (int i = 0; i < (D == 2 ? 81 : 729); ++i)
        for (int a = 0, rest = i; a < D; ++a, rest /= 9)
            bodies.position.push_back(static_cast<T>(rest % 9 - 2) * (static_cast<T>(0.7) / 4));
    std::array<double, D> period;
    period.fill(0.7);
    for (const char* name : {"periodic", "slab", "sheared", "triclinic"}) {
        const auto domain = make_domain<D>(name, period, false);
        mpi::Finder<T, D> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1});
        expect_same(finder, bodies, domain, Deal::by_turns);
    }
}

// Bodies drift far out of the regions of the first step, and the shear passes its reduction.
TYPED_TEST(Ranks, steps) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    std::array<double, D> period;
    period.fill(1);
    auto bodies =
        make_bodies<T, D>(scenes::make("uniform", 150, 5, {{"dim", D}}), shape_cases[6], 3);
    mpi::Finder<T, D> finder(MPI_COMM_WORLD,
                             {.domain = Domain<D>::sheared(period, 0), .threads = 1});
    for (int step = 0; step < 50; ++step) {
        for (std::size_t c = 0; c < bodies.position.size(); ++c)
            bodies.position[c] += bodies.displacement[c];
        const auto domain = Domain<D>::sheared(period, 0.07 * step, 0.07);
        expect_same(finder, bodies, domain, static_cast<Deal>(step % 3));
    }
}

// While bodies move less than half a skin, the copies stay; their values and the pairs do not.
TYPED_TEST(Ranks, plan_stands_within_the_skin) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    std::array<double, D> period;
    period.fill(1);
    constexpr double skin = 0.1, speed = 0.004;  // per step
    for (const std::size_t shape : {0, 1, 4, 6})
        for (const char* name : {"open", "periodic", "sheared"}) {
            SCOPED_TRACE(std::string(shape_cases[shape].name) + " " + name);
            auto bodies = make_bodies<T, D>(scenes::make("uniform", 150, 5, {{"dim", D}}),
                                            shape_cases[shape], 3);
            add_filter(bodies, FilterCase{1}, bodies.size(), 4);
            const auto domain = make_domain<D>(name, period, bodies.kind.swept);
            mpi::Finder<T, D> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1}, skin);
            std::uint64_t changed = 0;  // steps with other copies than the step before
            std::vector<std::uint64_t> last;
            for (int step = 0; step < 30; ++step) {
                expect_same(finder, bodies, domain, Deal::by_turns);
                std::vector<std::uint64_t> held;
                for (std::size_t k = finder.own(); k < finder.size(); ++k)
                    held.push_back(finder.id(static_cast<Index>(k)));
                if (step > 0 && held != last) ++changed;
                last = held;
                if (step % 4 == 1) expect_same_rows(finder, bodies, domain, Deal::by_turns);
                for (std::size_t i = 0; i < bodies.size(); ++i)
                    for (std::size_t a = 0; a < D; ++a) {
                        const T u = static_cast<T>(speed * std::sin(double(i * D + a)));
                        bodies.position[i * D + a] += u;
                        if (!bodies.upper.empty()) bodies.upper[i * D + a] += u;
                    }
            }
            // About 13 steps lead over half a skin.
            const std::vector<std::uint64_t> all = gathered<std::uint64_t>({changed});
            if (rank() == 0) {
                EXPECT_LE(*std::ranges::max_element(all), 4u);
            }
        }
}

TEST(Outputs, agree) {
    const auto scene = scenes::make("uniform", 300, 5);
    const auto bodies = make_bodies<double, 3>(scene, shape_cases[0], 3);
    const auto domain = Domain<3>::orthogonal({1, 1, 1});
    mpi::Finder<double, 3> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 2});
    const auto share = share_of(bodies, Deal::by_turns);
    finder.update(share.bodies.view(), share.ids);
    EXPECT_EQ(finder.own(), share.ids.size());
    for (Index k = 0; k < finder.size(); ++k)
        EXPECT_EQ(finder.owner(k), static_cast<int>(finder.id(k) / id_scale) % ranks());
    const auto columns = finder.pairs(Columns::ijSdD, Order::sorted);
    Found<3> expected, streamed;
    for (std::size_t k = 0; k < columns.size(); ++k)
        expected.push_back(
            {columns.i(k),
             columns.j(k),
             {columns.images[k][0], columns.images[k][1], columns.images[k][2]}});
    EXPECT_TRUE(std::ranges::is_sorted(expected));
    EXPECT_EQ(columns.distances.size(), columns.size());
    EXPECT_EQ(columns.vectors.size(), columns.size());
    std::mutex mutex;
    finder.for_each_block([&](const Block<3>& block) {
        const std::lock_guard lock(mutex);
        append(streamed, block);
    });
    EXPECT_EQ(difference<3>(expected, sorted<3>(streamed)), "");
}

TYPED_TEST(Ranks, deliver_each_pair_to_both_owners) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    for (const char* scene : {"uniform", "clusters", "polydisperse"})
        for (const std::size_t shape : {0, 4, 6})
            for (const char* name : {"open", "periodic", "sheared", "skewed"}) {
                SCOPED_TRACE(std::string(scene) + " " + shape_cases[shape].name + " " + name);
                const auto bodies = make_bodies<T, D>(scenes::make(scene, 100, 5, {{"dim", D}}),
                                                      shape_cases[shape], 3);
                const auto domain =
                    make_domain<D>(name, periods_for(bodies), bodies.kind.swept);
                mpi::Finder<T, D> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1});
                for (const Deal deal : {Deal::by_turns, Deal::by_place, Deal::all_on_last})
                    expect_same_rows(finder, bodies, domain, deal);
            }
}

// Sums along rows of values that have travelled to the copies are those of one search, bit by
// bit; and what copies send back is counted by their owners.
TEST(Values, travel_to_copies_and_back) {
    const auto bodies =
        make_bodies<double, 3>(scenes::make("clusters", 300, 5), shape_cases[0], 3);
    const auto domain = Domain<3>::orthogonal({1, 1, 1});
    const auto value_of = [](std::uint64_t id) { return std::sin(static_cast<double>(id)); };
    mpi::Finder<double, 3> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1});
    const auto share = share_of(bodies, Deal::by_turns);
    finder.update(share.bodies.view(), share.ids);
    const auto& rows = finder.neighbours(Columns::ijSd, Order::sorted);
    std::vector<double> values, sums;
    for (const std::uint64_t id : share.ids) values.push_back(value_of(id));
    finder.forward(values);
    ASSERT_EQ(values.size(), finder.size());
    for (Index k = 0; k < finder.size(); ++k) EXPECT_EQ(values[k], value_of(finder.id(k)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double sum = 0;
        for (std::size_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e)
            sum += values[rows.indices[e]] * rows.distances[e];
        sums.push_back(sum);
    }
    struct Sum {
        std::uint64_t id;
        double value;
    };
    std::vector<Sum> mine;
    for (std::size_t i = 0; i < sums.size(); ++i) mine.push_back({share.ids[i], sums[i]});
    std::vector<Sum> found = gathered(mine);
    std::ranges::sort(found, {}, &Sum::id);
    if (rank() == 0) {
        vicinal::Finder<double, 3> serial({.domain = domain, .threads = 1});
        const auto& expected =
            serial.neighbours(bodies.view(), Columns::ijSd, RowKind::full, Order::sorted);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            double sum = 0;
            for (std::size_t e = expected.offsets[i]; e < expected.offsets[i + 1]; ++e)
                sum += value_of(expected.indices[e] * id_scale) * expected.distances[e];
            EXPECT_EQ(found[i].value, sum);
        }
    }
    // Each copy sends 1 and its id.
    struct Back {
        int copies;
        std::uint64_t ids;
    };
    std::vector<Back> back(finder.size(), {0, 0});
    for (Index k = static_cast<Index>(finder.own()); k < finder.size(); ++k)
        back[k] = {1, finder.id(k)};
    int copies = static_cast<int>(finder.size() - finder.own()), all_copies = 0, all_back = 0;
    finder.reverse(back, [](Back& sum, const Back& value) {
        sum.copies += value.copies;
        sum.ids += value.ids;
    });
    ASSERT_EQ(back.size(), finder.own());
    int returned = 0;
    for (std::size_t k = 0; k < back.size(); ++k) {
        returned += back[k].copies;
        EXPECT_EQ(back[k].ids, share.ids[k] * static_cast<std::uint64_t>(back[k].copies));
    }
    MPI_Allreduce(&copies, &all_copies, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&returned, &all_back, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all_back, all_copies);
    EXPECT_EQ(all_copies > 0, ranks() > 1);
}

// Moving bodies that go to the ranks of their regions, with all their arrays.
TYPED_TEST(Ranks, bodies_migrate) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dim;
    std::array<double, D> period;
    period.fill(1);
    auto all =
        make_bodies<T, D>(scenes::make("clusters", 200, 5, {{"dim", D}}), shape_cases[6], 3);
    Share<T, D> share = share_of(all, Deal::by_turns);
    OwnedBodies<T, D>& mine = share.bodies;
    // Of body k, k % 4 values.
    mpi::Migration::Lists<std::uint64_t> lists{{0}, {}};
    for (const std::uint64_t id : share.ids) {
        lists.values.insert(lists.values.end(), id / id_scale % 4, id);
        lists.offsets.push_back(lists.values.size());
    }
    const auto domain = Domain<D>::orthogonal(period);
    mpi::Finder<T, D> finder(MPI_COMM_WORLD, {.domain = domain, .threads = 1});
    vicinal::Finder<T, D> serial({.domain = domain, .threads = 1});
    std::size_t copies_before = 0;
    for (int step = 0; step < 50; ++step) {
        for (OwnedBodies<T, D>* bodies : {&all, &mine})
            for (std::size_t c = 0; c < bodies->position.size(); ++c)
                bodies->position[c] += bodies->displacement[c];
        finder.update(mine.view(), share.ids);
        const Found<D> found = found_by_ranks(finder);
        if (rank() == 0) {
            EXPECT_EQ(difference<D>(listed(serial.pairs(all.view(), Order::sorted)), found),
                      "");
        }
        if (step == 0) copies_before = finder.size() - finder.own();
        if (step % 5 != 0) continue;
        const mpi::Migration migration = finder.rebalance(step % 10 == 0 ? 1 : 1.5);
        mine.position = migration.move(std::span<const T>(mine.position), D);
        mine.displacement = migration.move(std::span<const T>(mine.displacement), D);
        mine.radius = migration.move(std::span<const T>(mine.radius));
        share.ids = migration.move(std::span<const std::uint64_t>(share.ids));
        lists = migration.move(std::span<const std::uint64_t>(lists.offsets),
                               std::span<const std::uint64_t>(lists.values));
        EXPECT_EQ(share.ids.size(), migration.size());
        if (step == 0) {  // most neighbours are on the same rank now
            finder.update(mine.view(), share.ids);
            const std::vector<std::size_t> before = gathered<std::size_t>({copies_before});
            const std::vector<std::size_t> after =
                gathered<std::size_t>({finder.size() - finder.own()});
            if (rank() == 0 && ranks() > 1) {
                EXPECT_LT(std::accumulate(after.begin(), after.end(), std::size_t{0}),
                          std::accumulate(before.begin(), before.end(), std::size_t{0}));
            }
        }
        ASSERT_EQ(lists.offsets.size(), share.ids.size() + 1);
        for (std::size_t k = 0; k < share.ids.size(); ++k) {
            EXPECT_EQ(lists.offsets[k + 1] - lists.offsets[k], share.ids[k] / id_scale % 4);
            for (std::size_t e = lists.offsets[k]; e < lists.offsets[k + 1]; ++e)
                EXPECT_EQ(lists.values[e], share.ids[k]);
        }
    }
}

// The same error on all ranks.
template <class F>
std::string error_of(const F& f, Error::Kind kind) {
    std::string message = "no error";
    try {
        f();
    } catch (const Error& error) {
        message = error.what();
        EXPECT_EQ(error.kind(), kind);
    }
    std::array<char, 400> line{};
    message.copy(line.data(), line.size() - 1);
    const std::vector<std::array<char, 400>> all = gathered<std::array<char, 400>>({line});
    for (const auto& other : all)
        EXPECT_EQ(std::string(other.data()), std::string(line.data()));
    return message;
}

TEST(Errors, reach_all_ranks) {
    using Finder = mpi::Finder<double, 3>;
    Finder finder(MPI_COMM_WORLD);
    const int last = ranks() - 1;
    std::vector<double> x{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    const std::vector<std::uint64_t> ids{2 * static_cast<std::uint64_t>(rank()) + 100,
                                         2 * static_cast<std::uint64_t>(rank()) + 101};
    const auto bodies = points<3>(x, 0.5);
    const std::string of_last = "rank " + std::to_string(last) + ": ";
    const auto expect = [&](const std::string& message, const std::vector<std::string>& words) {
        for (const std::string& word : words)
            EXPECT_NE(message.find(word), std::string::npos) << message;
    };
    expect(error_of([&] { finder.count(); }, Error::Kind::input), {"call update() first"});
    x[4] = rank() == last ? std::nan("") : 0.5;
    expect(error_of([&] { finder.update(bodies, ids); }, Error::Kind::input),
           {of_last, "y of body 1", "(id " + std::to_string(2 * last + 101) + ")"});
    x[4] = 0.5;
    expect(
        error_of([&] { finder.update(bodies, std::span(ids).first(rank() == last ? 1 : 2)); },
                 Error::Kind::input),
        {of_last, "1 ids for 2 bodies"});
    const std::vector<Pair> pairs{{0, 1}};
    expect(error_of([&] { finder.update(bodies.excluding(pairs), ids); }, Error::Kind::input),
           {"rank 0: ", "by id"});
    const std::vector<mpi::IdPair> absent{{5, 6}};
    expect(error_of([&] { finder.update(bodies, ids, absent); }, Error::Kind::input),
           {"rank 0: ", "5 and 6"});
    if (last > 0) {
        const auto other = points<3>(x, rank() == last ? 0.4 : 0.5);
        expect(error_of([&] { finder.update(other, ids); }, Error::Kind::input),
               {of_last, "differ from those of rank 0"});
        const auto domain =
            rank() == last ? Domain<3>::orthogonal({1, 1, 1}) : Domain<3>::open();
        expect(error_of([&] { finder.update(bodies, ids, domain); }, Error::Kind::input),
               {of_last, "domain"});
    }
    EXPECT_THROW(Finder(MPI_COMM_WORLD, {}, -1.0), Error);
    if (last > 0) {  // one rank alone has no pair
        Finder limited(MPI_COMM_WORLD, {.max_pairs = rank() == last ? 0u : no_limit});
        limited.update(bodies, ids);
        expect(error_of([&] { limited.count(); }, Error::Kind::limit), {of_last, "max_pairs"});
    }
    // After an error the finder works as a new one.
    finder.update(bodies, ids);
    const std::uint64_t n = 2 * static_cast<std::uint64_t>(ranks());
    const std::uint64_t near = n / 2;  // two places, all bodies of each coincide
    EXPECT_EQ(finder.count(), near * (near - 1));
}

TEST(Errors, of_a_consumer_go_on_on_their_rank) {
    mpi::Finder<double, 3> finder(MPI_COMM_WORLD, {.threads = 1});
    const std::vector<double> x{0, 0, 0, 0, 0, 0};
    const std::vector<std::uint64_t> ids{2 * static_cast<std::uint64_t>(rank()),
                                         2 * static_cast<std::uint64_t>(rank()) + 1};
    finder.update(points<3>(x, 1), ids);
    // All pairs are at one place, so one rank reports all of them.
    int foreign = 0, ours = 0;
    try {
        finder.for_each_block([](const Block<3>&) { throw std::domain_error("mine"); });
    } catch (const std::domain_error&) {
        foreign = 1;
    } catch (const Error& error) {
        ours = 1;
        EXPECT_NE(std::string(error.what()).find("mine"), std::string::npos);
    }
    int all_foreign = 0, all_ours = 0;
    MPI_Allreduce(&foreign, &all_foreign, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&ours, &all_ours, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all_foreign, 1);
    EXPECT_EQ(all_ours, ranks() - 1);
}

// Destroyed after MPI_Finalize, by main().
std::unique_ptr<mpi::Finder<float, 2>> survivor;

TEST(Lifetime, finder_survives_the_end_of_mpi) {
    survivor = std::make_unique<mpi::Finder<float, 2>>(MPI_COMM_WORLD);
    mpi::Finder<float, 2> moved(MPI_COMM_WORLD);
    *survivor = std::move(moved);
    EXPECT_THROW((mpi::Finder<float, 2>(MPI_COMM_NULL)), Error);
}

}  // namespace
}  // namespace vicinal::test

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    ::testing::InitGoogleTest(&argc, argv);
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (vicinal::test::rank() != 0)
        delete listeners.Release(listeners.default_result_printer());
    int failed = RUN_ALL_TESTS(), any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    vicinal::test::survivor.reset();
    return any;
}
