// The C interface: every call against the plain loop, errors, hooks and memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "reference/plain.hpp"
#include "support/bodies.hpp"
#include "support/columns.hpp"
#include "support/compare.hpp"

#include <vicinal.h>
#include <vicinal/vicinal.hpp>

namespace vicinal::test {
namespace {

using FinderPointer = std::unique_ptr<vicinal_finder, decltype(&vicinal_free)>;
using ResultPointer = std::unique_ptr<vicinal_result, decltype(&vicinal_release)>;

void ok(vicinal_status status) {
    ASSERT_EQ(status, VICINAL_OK) << vicinal_message();
}
void fails(vicinal_status status, vicinal_status expected, const std::string& words,
           std::int64_t element = -1) {
    EXPECT_EQ(status, expected) << vicinal_message();
    EXPECT_NE(std::string(vicinal_message()).find(words), std::string::npos)
        << vicinal_message();
    EXPECT_EQ(vicinal_element(), element);
}

template <Real T>
constexpr int scalar = std::is_same_v<T, float> ? VICINAL_FLOAT : VICINAL_DOUBLE;

template <Real T, int D>
vicinal_options options_for(const vicinal_domain* domain = nullptr) {
    vicinal_options o{};
    o.size = sizeof o;
    o.dimension = D;
    o.scalar = scalar<T>;
    o.domain = domain;
    return o;
}

FinderPointer make_finder(const vicinal_options& options) {
    vicinal_finder* finder = nullptr;
    EXPECT_EQ(vicinal_new(&options, &finder), VICINAL_OK) << vicinal_message();
    return {finder, vicinal_free};
}

template <int D>
vicinal_domain c_domain(const Domain<D>& domain) {
    vicinal_domain d{};
    d.size = sizeof d;
    if (domain.is_open()) return d;
    d.kind = VICINAL_TRICLINIC;
    for (std::size_t a = 0; a < D; ++a) {
        d.open_axes[a] = domain.periodic()[a] ? 0 : 1;
        for (std::size_t c = 0; c < D; ++c) d.vectors[a][c] = domain.lattice()[a][c];
    }
    return d;
}

template <Real T, int D>
vicinal_bodies c_bodies(const OwnedBodies<T, D>& owned) {
    vicinal_bodies b{};
    b.size = sizeof b;
    b.dimension = D;
    b.scalar = scalar<T>;
    b.shape = owned.kind.shape == Shape::points    ? VICINAL_POINTS
              : owned.kind.shape == Shape::spheres ? VICINAL_SPHERES
                                                   : VICINAL_BOXES;
    b.rule = owned.kind.rule == ReachRule::sum   ? VICINAL_SUM
             : owned.kind.rule == ReachRule::max ? VICINAL_MAX
                                                 : VICINAL_MIN;
    b.count = owned.size();
    b.cutoff = static_cast<double>(owned.cutoff);
    const auto given = [](const auto& v) { return v.empty() ? nullptr : v.data(); };
    b.radius.data = given(owned.radius);
    b.position.data = given(owned.position);
    b.upper.data = given(owned.upper);
    b.displacement.data = given(owned.displacement);
    b.group.data = given(owned.group);
    b.mask.data = given(owned.mask);
    b.kind.data = given(owned.species);
    b.cutoffs = given(owned.cutoffs);
    b.kinds = static_cast<std::uint64_t>(std::sqrt(double(owned.cutoffs.size())));
    b.excluded = owned.excluded.empty() ? nullptr : &owned.excluded[0].i;
    b.excluded_count = owned.excluded.size();
    b.vertices = given(owned.vertices);
    b.vertices_per_body = owned.vertices_per_body;
    return b;
}

vicinal_form form_of_columns(const char* columns) {
    vicinal_form f{};
    f.size = sizeof f;
    f.columns = columns;
    return f;
}

template <class V>
V at(const void* data, std::uint64_t k) {
    return static_cast<const V*>(data)[k];
}
std::int64_t index_at(const vicinal_result& r, std::uint64_t k) {
    return r.index == VICINAL_UINT32  ? at<std::uint32_t>(r.indices, k)
           : r.index == VICINAL_INT32 ? at<std::int32_t>(r.indices, k)
                                      : at<std::int64_t>(r.indices, k);
}

// The pairs or the entries of the rows, with their columns.
template <Real T, int D>
Flat<T, D> flat_result(const vicinal_result& r) {
    EXPECT_EQ(r.size, sizeof r);
    EXPECT_EQ(r.dimension, D);
    EXPECT_EQ(r.scalar, scalar<T>);
    const auto image = [&](std::uint64_t k) -> const Image<D>* {
        return r.images == nullptr ? nullptr : reinterpret_cast<const Image<D>*>(r.images) + k;
    };
    Flat<T, D> result;
    if (r.offsets == nullptr) {
        const bool by_pair = r.layout == VICINAL_N_BY_2;
        for (std::uint64_t k = 0; k < r.count; ++k)
            result.add(index_at(r, by_pair ? 2 * k : k),
                       index_at(r, by_pair ? 2 * k + 1 : r.count + k), image(k));
    } else {
        EXPECT_EQ(r.offsets[r.rows], r.count);
        for (std::uint64_t i = 0; i < r.rows; ++i)
            for (std::uint64_t e = r.offsets[i]; e < r.offsets[i + 1]; ++e)
                result.add(r.bodies == nullptr ? static_cast<std::int64_t>(i)
                                               : at<std::uint32_t>(r.bodies, i),
                           index_at(r, e), image(e));
    }
    for (std::uint64_t k = 0; k < r.count && r.vectors != nullptr; ++k)
        result.vectors.push_back(at<Vector<T, D>>(r.vectors, k));
    for (std::uint64_t k = 0; k < r.count && r.distances != nullptr; ++k)
        result.distances.push_back(at<T>(r.distances, k));
    return result;
}

template <class Call>
ResultPointer result_of(const Call& call) {
    vicinal_result* result = nullptr;
    EXPECT_EQ(call(&result), VICINAL_OK) << vicinal_message();
    EXPECT_NE(result, nullptr);
    return {result, vicinal_release};
}

// Each call on one set of bodies and one of others, in one domain.
template <Real T, int D>
struct Agreement {
    OwnedBodies<T, D> owned, other;
    Domain<D> domain;
    vicinal_bodies bodies, others;
    vicinal_domain c_box;
    FinderPointer finder{nullptr, vicinal_free};
    const char* columns;

    Agreement(OwnedBodies<T, D> first, OwnedBodies<T, D> second, const Domain<D>& box)
        : owned(std::move(first)), other(std::move(second)), domain(box) {
        bodies = c_bodies(owned);
        others = c_bodies(other);
        c_box = c_domain(domain);
        finder = make_finder(options_for<T, D>(&c_box));
        columns = owned.kind.shape == Shape::boxes ? "ijS" : "ijSdD";
    }

    void compare(const std::string& what, const Bodies<T, D>& a, const Bodies<T, D>& b,
                 const Found<D>& expected, const ResultPointer& result, bool in_order = false) {
        ASSERT_NE(result, nullptr);
        compare_columns<T, D>(what, {a, b, domain}, expected, flat_result<T, D>(*result),
                              in_order);
    }

    void one_set() {
        const auto view = owned.view();
        const Found<D> expected = reference::plain_pairs(view, domain);
        ASSERT_FALSE(expected.empty());
        for (const int index : {VICINAL_UINT32, VICINAL_INT32, VICINAL_INT64}) {
            vicinal_form form = form_of_columns(columns);
            form.index = index;
            form.order = VICINAL_SORTED;
            form.layout = index == VICINAL_INT64 ? VICINAL_TWO_BY_N : VICINAL_N_BY_2;
            compare("pairs", view, view, expected, result_of([&](auto to) {
                        return vicinal_pairs(finder.get(), &bodies, &form, to);
                    }),
                    true);
        }
        vicinal_form form = form_of_columns(columns);
        form.kind = VICINAL_FULL;
        compare("full pairs", view, view, both_ways<D>(expected), result_of([&](auto to) {
                    return vicinal_pairs(finder.get(), &bodies, &form, to);
                }));
        form.kind = VICINAL_DEFAULT_KIND;
        form.row_order = VICINAL_SPATIAL;
        compare("rows", view, view, both_ways<D>(expected), result_of([&](auto to) {
                    return vicinal_neighbours(finder.get(), &bodies, &form, to);
                }));
        form.kind = VICINAL_HALF;
        compare("half rows", view, view, expected, result_of([&](auto to) {
                    return vicinal_neighbours(finder.get(), nullptr, &form, to);
                }));
        std::uint64_t count = 0;
        ok(vicinal_count(finder.get(), nullptr, &count));
        EXPECT_EQ(count, expected.size());
        streams(view, expected);
    }

    struct Collected {
        std::mutex mutex;
        Flat<T, D> flat;
    };
    static int collect(const vicinal_block* block, void* context) {
        auto& to = *static_cast<Collected*>(context);
        const std::lock_guard lock(to.mutex);
        for (std::uint64_t k = 0; k < block->count; ++k) {
            to.flat.add(block->pairs[2 * k], block->pairs[2 * k + 1],
                        block->images == nullptr
                            ? nullptr
                            : reinterpret_cast<const Image<D>*>(block->images) + k);
            if (block->vectors != nullptr)
                to.flat.vectors.push_back(at<Vector<T, D>>(block->vectors, k));
            if (block->distances != nullptr)
                to.flat.distances.push_back(at<T>(block->distances, k));
        }
        return 0;
    }
    void streams(const Bodies<T, D>& view, const Found<D>& expected) {
        Collected collected;
        const vicinal_form form = form_of_columns(columns);
        ok(vicinal_stream(finder.get(), &bodies, &form, collect, &collected));
        // Blocks come in any order; sort pairs together with their columns by comparing sets.
        compare_columns<T, D>("stream", {view, view, domain}, expected, collected.flat);
    }

    void two_sets() {
        const auto view = owned.view(), their = other.view();
        ok(vicinal_update(finder.get(), &bodies, &c_box));
        const vicinal_form form = form_of_columns(columns);
        const Found<D> with = reference::plain_pairs(their, view, domain),
                       hits = reference::plain_probe(view, their, domain);
        ASSERT_FALSE(with.empty());
        compare("pairs_with", their, view, with, result_of([&](auto to) {
                    return vicinal_pairs_with(finder.get(), &others, &form, to);
                }));
        compare("rows_with", their, view, with, result_of([&](auto to) {
                    return vicinal_rows_with(finder.get(), &others, &form, to);
                }));
        compare("probe", their, view, hits, result_of([&](auto to) {
                    return vicinal_probe(finder.get(), &others, &form, to);
                }));
        compare("probe_rows", their, view, hits, result_of([&](auto to) {
                    return vicinal_probe_rows(finder.get(), &others, &form, to);
                }));
    }
};

template <Real T, int D>
OwnedBodies<T, D> cloud(const ShapeCase& kind, std::size_t n, std::uint64_t seed) {
    return make_bodies<T, D>(scenes::make("uniform", n, seed, {{"dim", D}}), kind, seed);
}

template <class Flavour>
class CInterface : public testing::Test {};
template <Real T, int D>
struct FlavourOf {
    using Scalar = T;
    static constexpr int dimension = D;
};
using Flavours = testing::Types<FlavourOf<float, 2>, FlavourOf<float, 3>, FlavourOf<double, 2>,
                                FlavourOf<double, 3>>;
TYPED_TEST_SUITE(CInterface, Flavours);

TYPED_TEST(CInterface, agrees_with_the_plain_loop) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dimension;
    std::size_t turn = 0;
    for (const ShapeCase& kind : shape_cases)
        for (const char* name : {"open", "slab", "left_handed"}) {
            SCOPED_TRACE(std::string(kind.name) + " " + name);
            auto owned = cloud<T, D>(kind, 150, 3), other = cloud<T, D>(kind, 40, 4);
            other.cutoff = owned.cutoff;
            const auto filter = static_cast<FilterCase>(turn++ % filter_cases);
            const auto domain = make_domain<D>(name, periods_for(owned), kind.swept);
            Agreement<T, D> filtered(owned, other, domain), plain(owned, other, domain);
            add_filter(filtered.owned, filter, filtered.owned.size(), turn);
            filtered.bodies = c_bodies(filtered.owned);
            filtered.one_set();
            plain.two_sets();
        }
}

TYPED_TEST(CInterface, finds_nearest_neighbours) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dimension;
    const auto owned = cloud<T, D>(shape_cases[0], 120, 5),
               other = cloud<T, D>(shape_cases[0], 20, 6);
    Agreement<T, D> c(owned, other, make_domain<D>("triclinic", periods_for(owned), false));
    const auto view = c.owned.view(), their = c.other.view();
    Options<D> options;
    options.domain = c.domain;
    Finder<T, D> finder(options);
    finder.update(view);
    ok(vicinal_update(c.finder.get(), &c.bodies, nullptr));
    const auto same = [&](const Rows<T, D>& expected, const vicinal_bodies* queries,
                          double within) {
        const ResultPointer found = result_of([&](auto to) {
            return vicinal_nearest(c.finder.get(), queries, 7, within, nullptr, to);
        });
        const Flat<T, D> a = flat(expected), b = flat_result<T, D>(*found);
        EXPECT_EQ(a.pairs.size(), found->count);
        EXPECT_EQ(a.pairs, b.pairs);
        EXPECT_EQ(a.distances, b.distances);
    };
    same(finder.nearest(7), nullptr, INFINITY);
    same(finder.nearest(their, 7), &c.others, INFINITY);
    const T near = owned.cutoff / 4;
    same(finder.nearest(their, 7, near), &c.others, static_cast<double>(near));
    EXPECT_LT(finder.nearest(their, 7, near).indices.size(), 7 * their.size());
}

// A batch is each system by itself; changes replayed are the current pairs.
TYPED_TEST(CInterface, searches_batches_and_tells_changes) {
    using T = typename TypeParam::Scalar;
    constexpr int D = TypeParam::dimension;
    auto owned = cloud<T, D>(shape_cases[0], 200, 7);
    const auto domain = make_domain<D>("periodic", periods_for(owned), false);
    Agreement<T, D> c(owned, owned, domain);
    const std::uint64_t offsets[] = {0, 80, 80, 200};
    const vicinal_form form = form_of_columns("ijSdD");
    const ResultPointer found = result_of([&](auto to) {
        const auto options = options_for<T, D>();
        return vicinal_batch(&options, &c.bodies, offsets, 3, &c.c_box, 1, &form, to);
    });
    Found<D> expected;
    for (const auto& pair : both_ways<D>(reference::plain_pairs(c.owned.view(), domain)))
        if ((pair.i < 80) == (pair.j < 80)) expected.push_back(pair);
    c.compare("batch", c.owned.view(), c.owned.view(), expected, found);

    std::vector<Index> order(c.owned.size());
    ok(vicinal_update(c.finder.get(), &c.bodies, nullptr));
    ok(vicinal_order(c.finder.get(), order.data(), order.size()));
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);

    Found<D> current;
    for (int step = 0; step < 3; ++step) {
        for (std::size_t k = 0; k < c.owned.position.size(); k += 3)
            c.owned.position[k] += owned.cutoff * T(0.7) * static_cast<T>(step);
        ok(vicinal_update(c.finder.get(), &c.bodies, nullptr));
        vicinal_change_list* changes = nullptr;
        ok(vicinal_changes(c.finder.get(), &changes));
        const auto keys = [](const vicinal_keys& list) {
            Flat<T, D> result;
            for (std::uint64_t k = 0; k < list.count; ++k)
                result.add(list.pairs[2 * k], list.pairs[2 * k + 1],
                           reinterpret_cast<const Image<D>*>(list.images) + k);
            return result.pairs;
        };
        const Found<D> ended = keys(changes->ended), renamed = keys(changes->renamed_from);
        std::erase_if(current, [&](const auto& pair) {
            return std::count(ended.begin(), ended.end(), pair) +
                       std::count(renamed.begin(), renamed.end(), pair) >
                   0;
        });
        for (const auto& added : {keys(changes->began), keys(changes->renamed_to)})
            current.insert(current.end(), added.begin(), added.end());
        vicinal_release_changes(changes);
        EXPECT_EQ(
            difference<D>(reference::plain_pairs(c.owned.view(), domain), sorted<D>(current)),
            "");
    }
}

struct Errors : testing::Test {
    std::vector<double> xyz = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    vicinal_options options = options_for<double, 3>();
    vicinal_bodies bodies{};
    vicinal_finder* finder = nullptr;
    void SetUp() override {
        bodies.size = sizeof bodies;
        bodies.dimension = 3;
        bodies.scalar = VICINAL_DOUBLE;
        bodies.count = 3;
        bodies.cutoff = 1;
        bodies.position.data = xyz.data();
        ok(vicinal_new(&options, &finder));
    }
    void TearDown() override { vicinal_free(finder); }
    vicinal_status pairs(const vicinal_form* form = nullptr) {
        vicinal_result* result = nullptr;
        const vicinal_status status = vicinal_pairs(finder, &bodies, form, &result);
        EXPECT_EQ(status == VICINAL_OK, result != nullptr);
        vicinal_release(result);
        return status;
    }
};

TEST_F(Errors, a_struct_of_a_wrong_size) {
    for (const std::size_t size : {std::size_t{0}, sizeof bodies - 8, sizeof bodies + 8}) {
        bodies.size = size;
        fails(pairs(), VICINAL_INPUT, "vicinal_bodies: its size is");
    }
    bodies.size = sizeof bodies;
    vicinal_form form{};
    fails(pairs(&form), VICINAL_INPUT, "vicinal_form: its size is 0");
    vicinal_domain domain{};
    domain.size = sizeof domain + 1;
    fails(vicinal_update(finder, &bodies, &domain), VICINAL_INPUT, "vicinal_domain: its size");
    options.size = 1;
    vicinal_finder* other = finder;
    fails(vicinal_new(&options, &other), VICINAL_INPUT, "vicinal_options: its size is 1");
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(pairs(), VICINAL_OK);
}

TEST_F(Errors, null_pointers) {
    vicinal_result* result = nullptr;
    const char* json = nullptr;
    fails(vicinal_pairs(nullptr, &bodies, nullptr, &result), VICINAL_INPUT, "finder is a null");
    fails(vicinal_pairs(finder, &bodies, nullptr, nullptr), VICINAL_INPUT, "result is a null");
    fails(vicinal_update(finder, nullptr, nullptr), VICINAL_INPUT, "vicinal_bodies is a null");
    fails(vicinal_count(finder, &bodies, nullptr), VICINAL_INPUT, "count is a null");
    fails(vicinal_stream(finder, &bodies, nullptr, nullptr, nullptr), VICINAL_INPUT,
          "consumer");
    fails(vicinal_new(&options, nullptr), VICINAL_INPUT, "finder is a null");
    fails(vicinal_batch(&options, &bodies, nullptr, 1, nullptr, 0, nullptr, &result),
          VICINAL_INPUT, "null pointer");
    fails(vicinal_report(nullptr, &json), VICINAL_INPUT, "finder is a null");
    bodies.position.data = nullptr;
    EXPECT_EQ(pairs(), VICINAL_INPUT);
    vicinal_release(nullptr);
    vicinal_release_changes(nullptr);
    vicinal_free(nullptr);
}

TEST_F(Errors, values_out_of_range) {
    const auto refused = [&](auto& field, auto value, const char* words) {
        const auto before = field;
        field = value;
        fails(pairs(), VICINAL_INPUT, words);
        field = before;
    };
    refused(bodies.dimension, 4, "dimension is 4");
    refused(bodies.dimension, 2, "are 2-D double, but the options are 3-D double");
    refused(bodies.scalar, 0, "scalar is 0");
    refused(bodies.scalar, VICINAL_FLOAT, "3-D float");
    refused(bodies.shape, 3, "no shape 3");
    refused(bodies.kinds, 2, "`cutoffs`");
    bodies.shape = VICINAL_SPHERES;
    refused(bodies.rule, -1, "no rule -1");
    bodies.shape = VICINAL_POINTS;
    vicinal_form form{};
    form.size = sizeof form;
    form.order = 2;
    fails(pairs(&form), VICINAL_INPUT, "order is 2");
    form.order = 0;
    form.columns = "ijx";
    EXPECT_NE(pairs(&form), VICINAL_OK);
    vicinal_domain domain{};
    domain.size = sizeof domain;
    domain.kind = 9;
    fails(vicinal_update(finder, &bodies, &domain), VICINAL_INPUT, "no kind 9");
    xyz[4] = std::numeric_limits<double>::quiet_NaN();
    fails(pairs(), VICINAL_INPUT, "body 1", 1);
    xyz[4] = 0;
    EXPECT_EQ(pairs(), VICINAL_OK);
}

TEST_F(Errors, of_options_and_limits) {
    vicinal_finder* other = nullptr;
    options.method = "no_such_method";
    fails(vicinal_new(&options, &other), VICINAL_OPTION, "no_such_method");
    options.method = nullptr;
    options.scalar = 7;
    fails(vicinal_new(&options, &other), VICINAL_INPUT, "scalar is 7");
    options.scalar = VICINAL_DOUBLE;
    options.max_pairs = 1;
    const FinderPointer limited = make_finder(options);
    vicinal_result* result = nullptr;
    fails(vicinal_pairs(limited.get(), &bodies, nullptr, &result), VICINAL_LIMIT, "max_pairs");
    std::uint32_t order[2];
    ok(vicinal_update(finder, &bodies, nullptr));
    fails(vicinal_order(finder, order, 2), VICINAL_INPUT, "there are 3 bodies");
}

int always(void* asked) {
    ++*static_cast<std::atomic<int>*>(asked);
    return 1;
}
int stop(const vicinal_block*, void*) {
    return 1;
}

TEST_F(Errors, of_the_hook_and_the_consumer) {
    std::atomic<int> asked = 0;
    options.cancelled = always;
    options.cancelled_context = &asked;
    const FinderPointer cancelled = make_finder(options);
    const auto many = cloud<double, 3>(shape_cases[0], 50000, 1);
    const vicinal_bodies b = c_bodies(many);
    std::uint64_t count = 0;
    vicinal_status status = VICINAL_OK;
    for (int k = 0; k < 100 && status == VICINAL_OK; ++k)
        status = vicinal_count(cancelled.get(), &b, &count);
    EXPECT_EQ(status, VICINAL_CANCELLED);
    EXPECT_GE(asked, 1);
    fails(vicinal_stream(finder, &bodies, nullptr, stop, nullptr), VICINAL_CANCELLED,
          "the consumer");
    EXPECT_EQ(pairs(), VICINAL_OK);
}

std::atomic<long> in_use = 0, allocations = 0;
void* counted_allocate(std::size_t bytes, void*) {
    in_use += static_cast<long>(bytes);
    ++allocations;
    return std::malloc(bytes);
}
void counted_release(void* memory, std::size_t bytes, void*) {
    in_use -= static_cast<long>(bytes);
    std::free(memory);
}

TEST_F(Errors, memory_of_results) {
    options.allocate = counted_allocate;
    options.release = counted_release;
    vicinal_finder* own = nullptr;
    ok(vicinal_new(&options, &own));
    vicinal_result* result = nullptr;
    ok(vicinal_pairs(own, &bodies, nullptr, &result));
    vicinal_free(own);  // the result lives longer than its finder
    EXPECT_GT(allocations, 0);
    EXPECT_GE(in_use, 16);
    ASSERT_EQ(result->count, 2);
    EXPECT_EQ(at<std::uint32_t>(result->indices, 3) + at<std::uint32_t>(result->indices, 1), 3);
    vicinal_release(result);
    EXPECT_EQ(in_use, 0);
    vicinal_trim();
}

// Strides of any sign: every view of the same numbers gives the same pairs.
TEST(CInterfaceLayouts, strides) {
    const auto owned = cloud<double, 3>(shape_cases[0], 100, 9);
    const std::size_t n = owned.size();
    std::vector<double> axes(3 * n), backwards(3 * n), padded(5 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t a = 0; a < 3; ++a) {
            const double x = owned.position[3 * i + a];
            axes[a * n + i] = backwards[3 * (n - 1 - i) + a] = padded[5 * i + 4 - 2 * a] = x;
        }
    const auto number = static_cast<std::ptrdiff_t>(sizeof(double));
    const std::vector<vicinal_vectors> views = {
        {axes.data(), number, number * static_cast<std::ptrdiff_t>(n)},
        {&backwards[3 * (n - 1)], -3 * number, number},
        {&padded[4], 5 * number, -2 * number},
        {owned.position.data(), 0, 0},
    };
    const Found<3> expected = reference::plain_pairs(owned.view(), Domain<3>::open());
    const FinderPointer finder = make_finder(options_for<double, 3>());
    for (const vicinal_vectors& view : views) {
        vicinal_bodies b = c_bodies(owned);
        b.position = view;
        const ResultPointer found =
            result_of([&](auto to) { return vicinal_pairs(finder.get(), &b, nullptr, to); });
        EXPECT_EQ(difference<3>(expected, sorted<3>(flat_result<double, 3>(*found).pairs)), "");
    }
}

TEST(CInterfaceTexts, are_json_and_versions) {
    EXPECT_EQ(std::string(vicinal_version()).find("0.1"), 0);
    const char* json = nullptr;
    ok(vicinal_methods(&json));
    EXPECT_EQ(std::string(json).rfind("[{\"name\": \"", 0), 0) << json;
    for (const MethodInfo& method : methods())
        EXPECT_NE(std::string(json).find("{\"name\": \"" + method.name + "\""),
                  std::string::npos);
    const FinderPointer finder = make_finder(options_for<double, 3>());
    ok(vicinal_report(finder.get(), &json));
    for (const char* key : {"method", "why", "pairs", "seconds", "lattice", "statistics"})
        EXPECT_NE(std::string(json).find("\"" + std::string(key) + "\": "), std::string::npos)
            << json;
}

}  // namespace
}  // namespace vicinal::test
