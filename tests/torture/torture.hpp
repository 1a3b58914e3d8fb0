// Shared by the torture tests: compares every method of the registry, in every dimension and
// precision, with the plain double loop, pair by pair and in every form of output.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "scenes/random.hpp"
#include "support/bodies.hpp"
#include "support/compare.hpp"
#include "support/environment.hpp"

namespace vicinal::test {

template <Real Scalar, int Dimension>
struct Flavour {
    using T = Scalar;
    static constexpr int D = Dimension;
};
#ifdef VICINAL_TEST_LIGHT
using Flavours = ::testing::Types<Flavour<float, 3>, Flavour<double, 2>>;
#else
using Flavours = ::testing::Types<Flavour<float, 2>, Flavour<float, 3>, Flavour<double, 2>,
                                  Flavour<double, 3>>;
#endif

struct FlavourNames {
    template <class F>
    static std::string GetName(int) {
        return std::string(sizeof(typename F::T) == 4 ? "float" : "double") +
               (F::D == 2 ? "_2d" : "_3d");
    }
};

// T and D of a typed test.
#define VICINAL_FLAVOUR                               \
    using T [[maybe_unused]] = typename TypeParam::T; \
    [[maybe_unused]] constexpr int D = TypeParam::D

inline std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const MethodInfo& method : methods()) names.push_back(method.name);
    return names;
}

// A different number at each call, which begins at another value in each test.
inline std::size_t next_turn() {
    static const ::testing::TestInfo* test = nullptr;
    static std::size_t turn = 0;
    const auto* const now = ::testing::UnitTest::GetInstance()->current_test_info();
    if (now != test) {
        test = now;
        turn = std::hash<std::string>{}(std::string(now->test_suite_name()) + now->name());
    }
    return turn++;
}

// Every method with its defaults, and one in `of` of the methods with one option at either end
// of the allowed range, except options that may miss or repeat pairs. An option that is itself
// a method is a different one at each turn, because the outer method hardly depends on it.
inline std::vector<std::string> method_extremes(std::size_t turn, std::size_t of = 1) {
    std::vector<std::string> chosen = method_names();
    std::size_t extremes = 0;
    for (const MethodInfo& method : methods())
        for (const OptionInfo& option : method.options) {
            std::vector<std::string> values = option.choices;
            if (values.empty() || option.minimum < option.maximum)
                for (const double end : {option.minimum, option.maximum})
                    values.push_back(std::to_string(end));
            if (option.kind == OptionInfo::Kind::method)
                values = {values[turn % values.size()]};
            for (const std::string& value : values)
                if ((option.kind != OptionInfo::Kind::approximate ||
                     value == option.default_value) &&
                    (option.name != "unique" || value != "none") &&
                    (turn + extremes++) % of == 0)
                    chosen.push_back(method.name + "(" + option.name + "=" + value + ")");
        }
    return chosen;
}

template <int D>
Options<D> with_method(const std::string& method, int threads = 1,
                       const Domain<D>& domain = Domain<D>::open()) {
    Options<D> options;
    options.method = method;
    options.threads = threads;
    options.domain = domain;
    return options;
}

template <Real T, int D>
Found<D> streamed(Finder<T, D>& finder) {
    std::mutex mutex;
    Found<D> found;
    finder.for_each_block([&](const Block<D>& block) {
        const std::lock_guard lock(mutex);
        append(found, block);
    });
    return sorted<D>(found);
}

template <Real T, int D>
void expect_pairs(Finder<T, D>& finder, const Found<D>& expected) {
    EXPECT_EQ(difference<D>(expected, sorted<D>(listed(finder.pairs()))), "") << "any order";
    EXPECT_EQ(finder.count(), expected.size());
}

// All forms of output of a finder after update().
template <Real T, int D>
void expect_answers(Finder<T, D>& finder, const Found<D>& expected) {
    expect_pairs(finder, expected);
    EXPECT_EQ(difference<D>(expected, listed(finder.pairs(Order::sorted))), "") << "sorted";
    EXPECT_EQ(difference<D>(expected, sorted<D>(rows_of(finder.neighbours(RowKind::half)))), "")
        << "half";
    EXPECT_EQ(difference<D>(both_ways<D>(expected),
                            rows_of(finder.neighbours(RowKind::full, Order::sorted))),
              "")
        << "full";
    EXPECT_EQ(difference<D>(expected, streamed(finder)), "") << "streamed";
    EXPECT_EQ(finder.report().pairs, expected.size());
}

// Queries have no kinds.
template <Real T, int D>
Bodies<T, D> as_queries(Bodies<T, D> bodies) {
    bodies.kind = {};
    bodies.cutoffs = {};
    return bodies;
}

// The bodies as their own second set and as their own queries.
template <Real T, int D>
void expect_queries(const std::string& method, const Bodies<T, D>& bodies,
                    const Domain<D>& domain, const Found<D>& two_sets, const Found<D>& probe) {
    Finder<T, D> finder(with_method<D>(method, 1, domain));
    finder.update(bodies);
    EXPECT_EQ(difference<D>(two_sets, listed(finder.pairs_with(bodies, Order::sorted))), "")
        << "two sets";
    EXPECT_EQ(difference<D>(probe, listed(finder.probe(as_queries(bodies), Order::sorted))), "")
        << "probe";
}

// Every method finds what the double loop finds. Small scenes are also tested with extreme
// options of the methods, and against themselves as a second set and as queries. Calls are
// many, so the extremes take turns, and so do the methods whose other outputs are tested: those
// are made from the pairs, by code that does not depend on the method. Only row_grid finds rows
// directly.
template <Real T, int D>
void expect_same(const Bodies<T, D>& bodies, const Domain<D>& domain = Domain<D>::open()) {
    const std::size_t turn = next_turn();
    const bool few = bodies.size() <= 64;
    const Found<D> expected = reference::plain_pairs(bodies, domain);
    bool uses_method = true;  // false for direct images: one test is enough for all methods
    const auto methods = few ? method_extremes(turn, run_all() ? 3 : 11) : method_names();
    for (std::size_t m = 0; m < methods.size() && uses_method; ++m) {
        SCOPED_TRACE(methods[m]);
        Finder<T, D> finder(with_method<D>(methods[m], 1, domain));
        finder.update(bodies);
        uses_method = !finder.report().why.starts_with("method unused");
        if (!uses_method || m == turn % methods.size() || methods[m] == "row_grid")
            expect_answers(finder, expected);
        else
            expect_pairs(finder, expected);
    }
    if (!few) return;
    const Found<D> two_sets = reference::plain_pairs(bodies, bodies, domain);
    const Found<D> probe = reference::plain_probe(bodies, as_queries(bodies), domain);
    for (const std::string& method : method_names()) {
        SCOPED_TRACE(method);
        expect_queries(method, bodies, domain, two_sets, probe);
        if (!uses_method) break;
    }
}

// Bodies of every shape at the same positions and of about the same size: points with the
// cut-off `reach` pair like spheres of half that radius.
template <Real T, int D>
OwnedBodies<T, D> shaped(const std::vector<T>& positions, T reach, const ShapeCase& kind) {
    scenes::Random random(5);
    OwnedBodies<T, D> bodies;
    bodies.kind = kind;
    bodies.cutoff = reach;
    bodies.position = positions;
    for (std::size_t c = 0; c < positions.size(); ++c) {
        if (kind.shape == Shape::boxes) bodies.upper.push_back(positions[c] + reach / 2);
        const double u = random.uniform(-1, 1);
        if (kind.swept)  // some at rest, some along an axis
            bodies.displacement.push_back(std::abs(u) < 0.3 ? T{0}
                                                            : static_cast<T>(u) * 2 * reach);
    }
    if (kind.shape == Shape::spheres) bodies.radius.assign(positions.size() / D, reach / 2);
    return bodies;
}

template <Real T, int D>
void expect_same_in_all_shapes(const std::vector<T>& positions, std::type_identity_t<T> reach,
                               const Domain<D>& domain = Domain<D>::open()) {
    for (const ShapeCase& kind : shape_cases) {
        if (run_light() && kind.rule != ReachRule::sum) continue;
        SCOPED_TRACE(kind.name);
        const auto bodies = shaped<T, D>(positions, reach, kind);
        expect_same(bodies.view(), domain);
    }
}

// n uniform random positions in the cube from low to high.
template <Real T, int D>
std::vector<T> scattered(std::size_t n, double low, double high, std::uint64_t seed = 1) {
    scenes::Random random(seed);
    std::vector<T> positions;
    for (std::size_t c = 0; c < n * D; ++c)
        positions.push_back(static_cast<T>(random.uniform(low, high)));
    return positions;
}

// Every combination of the values, one per axis.
template <Real T, int D>
std::vector<T> combinations(const std::vector<T>& values) {
    std::vector<T> positions;
    std::array<std::size_t, D> digit{};
    for (;;) {
        for (std::size_t a = 0; a < D; ++a) positions.push_back(values[digit[a]]);
        std::size_t a = 0;
        while (a < D && ++digit[a] == values.size()) digit[a++] = 0;
        if (a == D) return positions;
    }
}

template <int D>
std::array<double, D> lengths(double length) {
    std::array<double, D> all;
    all.fill(length);
    return all;
}

template <int D>
Domain<D> cube(double length) {
    return Domain<D>::orthogonal(lengths<D>(length));
}

// Expects an Error of this kind, for this element, with a message of one line that contains all
// the words.
inline void expect_error(Error::Kind kind, const std::vector<std::string>& words,
                         const std::function<void()>& call,
                         std::optional<std::uint64_t> element = {}) {
    try {
        call();
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_EQ(error.kind(), kind) << message;
        EXPECT_EQ(error.element(), element) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        for (const std::string& word : words)
            EXPECT_NE(message.find(word), std::string::npos)
                << "'" << word << "' is not in: " << message;
        return;
    }
    ADD_FAILURE() << "no error; expected one about '" << (words.empty() ? "" : words[0]) << "'";
}

}  // namespace vicinal::test
