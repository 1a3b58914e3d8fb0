#include "scenes/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "scenes/arithmetic.hpp"
#include "scenes/random.hpp"

namespace vicinal::scenes {
namespace {

using Values = std::map<std::string, double>;

Workload make_in(const std::string& name, int dim, std::uint64_t n, std::uint64_t seed = 1,
                 Values values = {}) {
    values["dim"] = dim;
    return make(name, n, seed, values);
}

// FNV-1a over the bytes, lowest first, so that the hash is independent of endianness.
class Hash {
  public:
    void add(std::uint64_t word) {
        for (int shift = 0; shift < 64; shift += 8)
            value_ = (value_ ^ (word >> shift & 0xff)) * 0x100000001b3U;
    }
    void add(const std::vector<double>& numbers) {
        for (const double x : numbers) add(std::bit_cast<std::uint64_t>(x));
    }
    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

std::uint64_t hash(const Workload& workload) {
    Hash result;
    result.add(static_cast<std::uint64_t>(workload.shape));
    result.add(static_cast<std::uint64_t>(workload.dim));
    result.add(std::vector<double>{workload.cutoff});
    result.add(workload.position);
    result.add(workload.upper);
    result.add(workload.radius);
    return result.value();
}

bool finite(const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

void expect_sound(const Workload& workload, std::uint64_t n) {
    const std::size_t numbers = n * static_cast<std::size_t>(workload.dim);
    ASSERT_EQ(workload.size(), n);
    ASSERT_EQ(workload.position.size(), numbers);
    ASSERT_EQ(workload.upper.size(), workload.shape == Shape::boxes ? numbers : 0);
    ASSERT_EQ(workload.radius.size(), workload.shape == Shape::spheres ? n : 0);
    EXPECT_TRUE(std::isfinite(workload.cutoff) && workload.cutoff >= 0);
    EXPECT_TRUE(finite(workload.position) && finite(workload.upper) && finite(workload.radius));
    for (std::size_t k = 0; k < workload.upper.size(); ++k)
        EXPECT_LE(workload.position[k], workload.upper[k]);
    for (const double radius : workload.radius) EXPECT_GE(radius, 0);
}

double square_distance(const Workload& w, std::size_t i, std::size_t j) {
    const auto dim = static_cast<std::size_t>(w.dim);
    double sum = 0;
    for (std::size_t a = 0; a < dim; ++a) {
        const double d = w.position[j * dim + a] - w.position[i * dim + a];
        sum += d * d;
    }
    return sum;
}

std::string message(const std::string& name, const Values& values, std::uint64_t n = 10) {
    try {
        make(name, n, 1, values);
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
    return "";
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const SceneInfo& info : list()) result.push_back(info.name);
    return result;
}

// Properties of every scene, in both dimensions.
class EveryScene : public testing::TestWithParam<std::tuple<std::string, int>> {
  protected:
    std::string name() const { return std::get<0>(GetParam()); }
    int dim() const { return std::get<1>(GetParam()); }
};

TEST_P(EveryScene, HasExactlyTheBodiesAskedFor) {
    for (const std::uint64_t n : {0, 1, 2, 3, 7, 33, 1000})
        expect_sound(make_in(name(), dim(), n), n);
}

TEST_P(EveryScene, DependsOnTheSeedAlone) {
    const std::uint64_t once = hash(make_in(name(), dim(), 1000, 5));
    EXPECT_EQ(once, hash(make_in(name(), dim(), 1000, 5)));
    EXPECT_NE(once, hash(make_in(name(), dim(), 1000, 6)));
}

TEST_P(EveryScene, StaysSoundAtTheEndsOfItsParameters) {
    const auto info = std::ranges::find(list(), name(), &SceneInfo::name);
    for (const Parameter& parameter : info->parameters)
        for (const double value : {parameter.minimum, parameter.maximum}) {
            if (parameter.name == "dim" || (parameter.name == "axis" && value == 2)) continue;
            SCOPED_TRACE(parameter.name + " = " + std::to_string(value));
            expect_sound(make_in(name(), dim(), 100, 1, {{parameter.name, value}}), 100);
        }
}

TEST_P(EveryScene, KeepsItsShapeInFloat) {
    const Workload workload = make_in(name(), dim(), 1000);
    const Arrays<float> arrays(workload);
    ASSERT_EQ(arrays.position.size(), workload.position.size());
    for (std::size_t k = 0; k < arrays.upper.size(); ++k)
        EXPECT_LE(arrays.position[k], arrays.upper[k]);
    const auto seen = [&](auto bodies) {
        EXPECT_EQ(bodies.shape, workload.shape);
        EXPECT_EQ(bodies.size(), workload.size());
        EXPECT_EQ(bodies.position(999, 1), arrays.position[999 * dim() + 1]);
    };
    if (dim() == 2) seen(arrays.bodies<2>());
    if (dim() == 3) seen(arrays.bodies<3>());
    EXPECT_THROW(dim() == 2 ? void(arrays.bodies<3>()) : void(arrays.bodies<2>()), Error);
}

// A scene that changes makes every published number incomparable: change these with care.
const std::map<std::string, std::array<std::uint64_t, 2>> golden = {
    {"uniform", {0x1ec79fa48ca8331fU, 0xf482256b5a243b86U}},
    {"lattice", {0x62daac1a105b944cU, 0x9517395551333c8cU}},
    {"clusters", {0x6490f2df33870ee1U, 0x3d7b8cb92cb13741U}},
    {"shell", {0x4bd52a4f6f3144d8U, 0xb0b084ba48c87c46U}},
    {"equal_spheres", {0xafd503f2bb3c895fU, 0x485ad2595e2e941fU}},
    {"polydisperse", {0x8b36ce07d540bda7U, 0x6bfbe0f1eec43ab2U}},
    {"three_sizes", {0xd040aa94e595702fU, 0x9890425dc26aba7fU}},
    {"giant", {0x66ab194b3f60e13fU, 0x4851e6d3eb2d2befU}},
    {"sheets", {0x1b24e1f419094636U, 0xe524a5d7f6b9b24dU}},
    {"coincident", {0x379225da6d38d207U, 0xa7a44ee31f4aebb6U}},
    {"line", {0xe0ef5a248efd6369U, 0x0590f7998413736eU}},
    {"plane", {0xd765ecbbeb526a73U, 0xe95c5c1842b40d2cU}},
    {"outlier", {0x23e81838d5de2d49U, 0x194cb1b1e61ff886U}},
    {"offset", {0x3b41c396ff479b1eU, 0x2fb070b1d0ccdc76U}},
    {"grid_aligned", {0x2dfa0aefa98ed76aU, 0x3f559d330404543fU}},
    {"negative", {0xcee8db2d7286f7d8U, 0x02d45a24d104e0b2U}},
};

TEST_P(EveryScene, IsTheSameAsEver) {
    const std::uint64_t found = hash(make_in(name(), dim(), 1000, 1));
    ASSERT_TRUE(golden.contains(name())) << "hash of the new scene: 0x" << std::hex << found;
    EXPECT_EQ(found, golden.at(name())[static_cast<std::size_t>(dim() - 2)])
        << "now 0x" << std::hex << found;
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene,
                         testing::Combine(testing::ValuesIn(names()), testing::Values(2, 3)),
                         [](const auto& each) {
                             return std::get<0>(each.param) + "_" +
                                    std::to_string(std::get<1>(each.param)) + "d";
                         });

TEST(Random, FollowsItsAuthors) {
    // splitmix64 of seed 0 starts with e220a8397b1dcdaf, 6e789e6aa1b965f4, ...
    Random random(0);
    EXPECT_EQ(random.next(), std::rotl(0x6e789e6aa1b965f4U * 5, 7) * 9);
}

TEST(Random, HasTheMomentsItClaims) {
    Random random(1);
    double mean = 0, square = 0, uniform = 0;
    std::array<int, 7> counts{};
    for (int i = 0; i < 70'000; ++i) {
        const double g = random.normal();
        mean += g / 70'000;
        square += g * g / 70'000;
        uniform += random.uniform() / 70'000;
        ++counts[random.below(7)];
    }
    EXPECT_NEAR(mean, 0, 0.02);
    EXPECT_NEAR(square, 1, 0.02);
    EXPECT_NEAR(uniform, 0.5, 0.005);
    for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

TEST(Arithmetic, FindsRoots) {
    for (const double x : {1e-300, 1e-9, 0.3, 1.0, 2.0, 7.999, 8.0, 27.0, 1e6, 1e300})
        EXPECT_NEAR(cube_root(x) / std::cbrt(x), 1, 1e-15) << x;
    EXPECT_EQ(cube_root(0), 0);
    for (const int dim : {2, 3}) {
        EXPECT_EQ(edge_of_lattice(0, dim), 1U);
        EXPECT_EQ(edge_of_lattice(1, dim), 1U);
        for (const std::uint64_t m : {2U, 3U, 10U, 215U, 1000U, 1625U}) {
            const std::uint64_t sites = dim == 2 ? m * m : m * m * m;
            EXPECT_EQ(edge_of_lattice(sites - 1, dim), m);
            EXPECT_EQ(edge_of_lattice(sites, dim), m);
            EXPECT_EQ(edge_of_lattice(sites + 1, dim), m + 1);
        }
    }
}

// Only bodies at least the cut-off away from the border have all neighbours.
TEST(Uniform, HasTheNeighboursAskedFor) {
    for (const int dim : {2, 3}) {
        const Workload w = make_in("uniform", dim, 4000);
        double neighbours = 0, inner = 0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double* x = &w.position[i * static_cast<std::size_t>(dim)];
            if (std::any_of(x, x + dim,
                            [&](double v) { return v < w.cutoff || v > 1 - w.cutoff; }))
                continue;
            ++inner;
            for (std::size_t j = 0; j < w.size(); ++j)
                if (j != i && square_distance(w, i, j) <= w.cutoff * w.cutoff) ++neighbours;
        }
        EXPECT_NEAR(neighbours / inner, 30, 1) << dim << "-D";
    }
}

TEST(Lattice, IsRegularWithoutJitter) {
    const Workload w = make("lattice", 1000, 1, {{"jitter", 0}});
    double nearest = 1;
    for (std::size_t i = 1; i < w.size(); ++i)
        nearest = std::min(nearest, square_distance(w, 0, i));
    EXPECT_NEAR(nearest, 0.01, 1e-12);
}

TEST(Shell, LiesOnTheSphere) {
    for (const int dim : {2, 3}) {
        Workload w = make_in("shell", dim, 1000);
        w.position.insert(w.position.end(), static_cast<std::size_t>(dim), 0.5);
        for (std::size_t i = 0; i < 1000; ++i)
            EXPECT_NEAR(square_distance(w, i, 1000), 0.25, 1e-12);
    }
}

TEST(Spheres, FillWhatIsAskedFor) {
    for (const std::string name : {"equal_spheres", "polydisperse", "three_sizes"}) {
        const Workload w = make(name, 1000, 1, {{"fill", 0.2}});
        double volume = 0;
        for (const double r : w.radius) volume += 4 * std::numbers::pi / 3 * r * r * r;
        EXPECT_NEAR(volume, 0.2, 1e-12) << name;
    }
}

TEST(Spheres, HaveTheSizesTheyClaim) {
    const auto ratio = [](const Workload& w) {
        const auto [smallest, largest] = std::ranges::minmax(w.radius);
        return largest / smallest;
    };
    EXPECT_GT(ratio(make("polydisperse", 10'000, 1)), 30);
    EXPECT_DOUBLE_EQ(ratio(make("equal_spheres", 1000, 1)), 1);
    EXPECT_DOUBLE_EQ(ratio(make("three_sizes", 1000, 1)), 64);
    EXPECT_DOUBLE_EQ(ratio(make("giant", 1000, 1)), 1000);
    const Workload w = make("three_sizes", 10'000, 1);
    const double small = std::ranges::min(w.radius);
    EXPECT_EQ(std::ranges::count_if(w.radius, [&](double r) { return r > 60 * small; }), 10);
    EXPECT_EQ(std::ranges::count_if(w.radius, [&](double r) { return r > 6 * small; }), 510);
}

// The eight triangles that fill two by two squares around a vertex share it bit for bit.
TEST(Sheets, NeighboursTouchExactly) {
    const Workload w = make("sheets", 8, 1, {{"cloths", 1}});
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j)
            for (std::size_t a = 0; a < 2; ++a)
                EXPECT_LE(w.position[j * 3 + a], w.upper[i * 3 + a]);
}

TEST(Degenerate, IsWhatItClaims) {
    const Workload coincident = make("coincident", 100, 1);
    const Workload line = make("line", 100, 1, {{"axis", 3}});
    const Workload plane = make("plane", 100, 1, {{"axis", 2}});
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(square_distance(coincident, 0, i), 0);
        EXPECT_EQ(line.position[i * 3], line.position[i * 3 + 2]);
        EXPECT_EQ(plane.position[i * 3 + 2], plane.position[2]);
    }
    for (const double x : make("negative", 100, 1).position) EXPECT_LT(x, -1);
    for (const double x : make("offset", 100, 1).position) EXPECT_NEAR(x, 1e6 + 0.5, 0.5);
    for (const double x : make("grid_aligned", 100, 1).position)
        EXPECT_EQ(x / 0.25, std::floor(x / 0.25));
    EXPECT_EQ(std::ranges::count(make("outlier", 100, 1, {{"where", 1e30}}).position, 1e30), 3);
}

TEST(Degenerate, ComesInEveryShape) {
    for (const std::string name :
         {"coincident", "line", "plane", "outlier", "offset", "grid_aligned", "negative"})
        for (const int shape : {0, 1, 2}) {
            const Workload w = make(name, 100, 1, {{"shape", shape}});
            EXPECT_EQ(static_cast<int>(w.shape), shape);
            expect_sound(w, 100);
        }
}

TEST(Make, NamesWhatThereIs) {
    EXPECT_EQ(message("unifrom", {})
                  .find("unknown scene 'unifrom'; did you mean 'uniform'? "
                        "Available: uniform, lattice, clusters, "),
              0U);
    EXPECT_EQ(message("galaxy", {}).find("unknown scene 'galaxy'; available: uniform, "), 0U);
    EXPECT_EQ(message("uniform", {{"neighbors", 3}}),
              "scene 'uniform' has no parameter 'neighbors'; did you mean 'neighbours'? "
              "Available: dim, neighbours");
    EXPECT_EQ(message("giant", {{"cutoff", 3}}),
              "scene 'giant' has no parameter 'cutoff'; available: dim, fill, ratio");
}

TEST(Make, NamesTheRange) {
    EXPECT_EQ(message("uniform", {{"dim", 4}}),
              "scene 'uniform': dim = 4 is not a whole number from 2 to 3 (dimensions)");
    EXPECT_NE(message("uniform", {{"dim", 2.5}}), "");
    EXPECT_NE(message("uniform", {{"neighbours", std::nan("")}}), "");
    EXPECT_NE(message("uniform", {{"neighbours", -1}}), "");
    EXPECT_NE(message("plane", {{"dim", 2}, {"axis", 2}}), "");
    EXPECT_NE(message("uniform", {}, std::numeric_limits<std::uint64_t>::max()), "");
}

TEST(Make, ThrowsOptionErrors) {
    try {
        make("nothing", 1, 1);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::option);
    }
}

}  // namespace
}  // namespace vicinal::scenes
