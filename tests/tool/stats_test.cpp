// vicinal stats: closed forms of gases and lattices, a plain double loop, sum rules, files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <sstream>

#include "harness.hpp"
#include "tool/pair_statistics.hpp"

namespace vicinal::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Counts = std::vector<std::uint64_t>;

double ball(double r, int dim) {
    return dim == 2 ? std::numbers::pi * r * r : 4 * std::numbers::pi / 3 * r * r * r;
}

class Stats : public Tool {
  protected:
    Json stats(const std::string& file, std::vector<std::string> more) {
        more.insert(more.begin(), {"stats", file});
        return json(more);
    }
    std::string points(const std::string& name, const std::vector<double>& values,
                       int dim = 3) const {
        const std::size_t n = values.size() / static_cast<std::size_t>(dim);
        return write(name,
                     npy("<f8", std::to_string(n) + ", " + std::to_string(dim), bytes(values)));
    }
    // Sites of a lattice: `cells` copies of each basis site along every axis, in units of
    // the cell.
    std::string crystal(const std::vector<std::array<double, 3>>& basis, int cells) const {
        std::vector<double> values;
        for (int x = 0; x < cells; ++x)
            for (int y = 0; y < cells; ++y)
                for (int z = 0; z < cells; ++z)
                    for (const auto& site : basis)
                        values.insert(values.end(), {x + site[0], y + site[1], z + site[2]});
        return points("crystal.npy", values);
    }
};

// The shells of a lattice: the number of neighbours at each distance.
using Shells = std::map<double, std::uint64_t>;

// Every pair is in the bin of its shell and the coordination numbers are those of the lattice.
void expect_shells(const Json& result, const Shells& shells) {
    const auto edges = result["radial"]["edges"].get<std::vector<double>>();
    const auto pairs = result["radial"]["pairs"].get<Counts>();
    const auto bodies = result["bodies"].get<std::uint64_t>();
    Counts expected(pairs.size());
    std::uint64_t neighbours = 0;
    for (const auto& [distance, number] : shells) {
        const auto above = std::upper_bound(edges.begin(), edges.end(), distance);
        expected[static_cast<std::size_t>(above - edges.begin()) - 1] += number * bodies / 2;
        neighbours += number;
    }
    EXPECT_EQ(pairs, expected);
    ASSERT_EQ(result["coordination"]["counts"].size(), 1);
    EXPECT_EQ(result["coordination"]["counts"][0]["neighbours"], neighbours);
    EXPECT_EQ(result["coordination"]["counts"][0]["bodies"], bodies);
    // g(r) times density and shell volume gives the coordination number back.
    const auto g = result["radial"]["g"].get<std::vector<double>>();
    const int dim = result["dim"];
    double sum = 0;
    for (std::size_t k = 0; k < g.size(); ++k)
        sum += g[k] * result["radial"]["density"].get<double>() *
               (ball(edges[k + 1], dim) - ball(edges[k], dim));
    EXPECT_NEAR(sum, static_cast<double>(neighbours), 1e-9);
}

const double sqrt2 = std::sqrt(2.0), sqrt3 = std::sqrt(3.0), sqrt5 = std::sqrt(5.0);

// The cut-off is up to two and a half periods: bodies meet several images of each other and of
// themselves, and g(r) does not depend on the size of the box.
TEST_F(Stats, simple_cubic_lattice_in_boxes_of_any_size) {
    const Shells shells{{1, 6}, {sqrt2, 12}, {sqrt3, 8},
                        {2, 6}, {sqrt5, 24}, {std::sqrt(6.0), 24}};
    std::vector<double> first;
    for (const int cells : {1, 2, 3}) {
        const std::string file = crystal({{0.25, 0.5, 0.75}}, cells);
        const std::string l = std::to_string(cells);
        const std::string box = l + ',' + l + ',' + l;
        // A shear by a whole spacing leaves the lattice as it is.
        for (const std::string& domain : {"periodic:" + box, "sheared:" + box + ":1"}) {
            const auto result =
                stats(file, {"--cutoff", "2.5", "--bins", "50", "--domain", domain});
            expect_shells(result, shells);
            const auto g = result["radial"]["g"].get<std::vector<double>>();
            if (first.empty()) first = g;
            for (std::size_t k = 0; k < g.size(); ++k) EXPECT_NEAR(g[k], first[k], 1e-9);
        }
    }
}

TEST_F(Stats, face_centred_cubic_lattice_by_cubes_and_by_its_triclinic_cell) {
    const Shells shells{{sqrt2 / 2, 12}, {1, 6}, {std::sqrt(1.5), 24}, {sqrt2, 12}};
    const std::vector<std::string> settings{"--cutoff", "1.5", "--bins", "64", "--domain"};
    const auto with = [&](const std::string& domain) {
        auto words = settings;
        words.push_back(domain);
        return words;
    };
    expect_shells(stats(crystal({{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}, 2),
                        with("periodic:2,2,2")),
                  shells);
    expect_shells(
        stats(points("one.npy", {7, -3, 0.1}), with("triclinic:0,0.5,0.5,0.5,0,0.5,0.5,0.5,0")),
        shells);
}

TEST_F(Stats, plane_lattices) {
    const auto one = points("one.npy", {0.3, 0.4}, 2);
    expect_shells(stats(one, {"--cutoff", "2.3", "--domain", "periodic:1,1"}),
                  {{1, 4}, {sqrt2, 4}, {2, 4}, {sqrt5, 8}});
    // In binary, half of the square root of 3 is a little more or less, and so are distances.
    const auto hexagonal = stats(one, {"--cutoff", "2.7", "--bins", "9", "--domain",
                                       "triclinic:1,0,0.5," + fmt::format("{}", sqrt3 / 2)});
    expect_shells(hexagonal, {{1.01, 6}, {sqrt3, 6}, {2.01, 6}, {std::sqrt(7.0), 12}});
}

// The number of pairs of independent bodies in a shell has the mean N (N - 1) / 2 times the
// share of the shell in the volume. Pairs are independent of each other two by two, so the
// variance is at most the mean. Images of a body itself are not random: they are counted.
void expect_gas(const Json& result, const Counts& own_images) {
    const auto edges = result["radial"]["edges"].get<std::vector<double>>();
    const auto pairs = result["radial"]["pairs"].get<Counts>();
    const auto g = result["radial"]["g"].get<std::vector<double>>();
    const double n = result["bodies"].get<double>(), volume = result["radial"]["volume"];
    const int dim = result["dim"];
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const double shell = ball(edges[k + 1], dim) - ball(edges[k], dim);
        const double expected = n * (n - 1) / 2 * shell / volume;
        const auto own = own_images.empty() ? 0.0 : static_cast<double>(own_images[k]);
        ASSERT_NEAR(static_cast<double>(pairs[k]) - own, expected, 5 * std::sqrt(expected) + 5)
            << "bin " << k;
        ASSERT_NEAR(g[k], static_cast<double>(pairs[k]) / (n * n / 2 * shell / volume),
                    1e-9 * (1 + g[k]));
    }
    const auto total = std::accumulate(pairs.begin(), pairs.end(), std::uint64_t{0});
    EXPECT_EQ(result["pairs"], total);
    EXPECT_NEAR(result["radial"]["neighbour_density"],
                2.0 * static_cast<double>(total) / n / ball(edges.back(), dim), 1e-9 * n);
}

TEST_F(Stats, an_ideal_gas_has_g_of_1) {
    const auto in_space = random_points("space.npy", 5000, 3, 7);
    const auto in_plane = random_points("plane.npy", 3000, 2, 8);
    for (const char* domain :
         {"periodic:1,1,1", "sheared:1,1,1:0.37", "triclinic:1,0,0,0.3,1,0,-0.6,0.2,1"}) {
        const auto result = stats(in_space, {"--cutoff", "0.3", "--domain", domain});
        EXPECT_NEAR(result["radial"]["volume"], 1, 1e-12);
        expect_gas(result, {});
    }
    expect_gas(stats(in_plane, {"--cutoff", "0.4", "--domain", "periodic:1,1"}), {});
    // Half the box and more, float too.
    expect_gas(stats(random_points("few.npy", 700, 3, 9),
                     {"--cutoff", "0.95", "--domain", "periodic:1,1,1", "--bins", "40",
                      "--precision", "float"}),
               {});
}

TEST_F(Stats, own_images_are_peaks_on_top_of_the_gas) {
    const auto gas = random_points("gas.npy", 300, 3, 10);
    Counts own(30);
    own[20] = 300 * 3;  // r = 1: six images, each pair once
    own[28] = 300 * 6;  // r = 1.414
    expect_gas(stats(gas, {"--cutoff", "1.5", "--domain", "periodic:1,1,1", "--bins", "30"}),
               own);
}

// Along an open axis, density is that of the extent of the bodies, and pairs across the border
// are missing: the share of the volume that stays inside when moved by r, averaged over all
// directions, is 1 - r/2 for one axis and 1 - 3r/2 + 2r2/pi - r3/(4 pi) for three.
TEST_F(Stats, open_axes_lower_g_as_the_docs_say) {
    const auto gas = random_points("gas.npy", 5000, 3, 11);
    const auto inside = [&](const char* domain, auto share) {
        const auto result = stats(gas, {"--cutoff", "0.4", "--bins", "8", "--domain", domain});
        const auto edges = result["radial"]["edges"].get<std::vector<double>>();
        const auto pairs = result["radial"]["pairs"].get<Counts>();
        const auto g = result["radial"]["g"].get<std::vector<double>>();
        EXPECT_NEAR(result["radial"]["volume"], 1, 2e-3);
        EXPECT_LT(result["radial"]["volume"], 1);
        for (std::size_t k = 0; k < g.size(); ++k) {
            const double r = (edges[k] + edges[k + 1]) / 2;
            EXPECT_NEAR(g[k], share(r), 0.01 + 5 / std::sqrt(static_cast<double>(pairs[k])))
                << domain << ' ' << r;
        }
        EXPECT_NE(result["radial"]["normalisation"].get<std::string>().find("open border"),
                  std::string::npos);
    };
    inside("open", [](double r) {
        return 1 - 1.5 * r + 2 / std::numbers::pi * r * r - r * r * r / (4 * std::numbers::pi);
    });
    inside("periodic:1,1,-", [](double r) { return 1 - r / 2; });
    inside("triclinic:1,0,0,0,1,0,0,0,7:ab", [](double r) { return 1 - r / 2; });
}

// --- a plain double loop ---

template <class T, int D>
struct Plain {
    Counts bins, degrees;

    // Every image up to `reach` periods away; the shear offset is reduced already.
    Plain(const std::vector<double>& values, const std::array<std::array<double, D>, D>& h,
          int reach, T cutoff, const std::vector<double>& edges)
        : bins(edges.size() - 1), degrees(values.size() / D) {
        for (std::size_t i = 0; i < degrees.size(); ++i)
            for (std::size_t j = i; j < degrees.size(); ++j)
                each_image(reach, [&](const std::array<int, 3>& n) {
                    if (i == j && n <= std::array<int, 3>{}) return;
                    std::array<T, D> d;
                    for (std::size_t a = 0; a < D; ++a) {
                        T s = static_cast<T>(n[0]) * static_cast<T>(h[0][a]) +
                              static_cast<T>(n[1]) * static_cast<T>(h[1][a]);
                        if constexpr (D == 3)
                            s = s + static_cast<T>(n[2]) * static_cast<T>(h[2][a]);
                        d[a] = (static_cast<T>(values[j * D + a]) -
                                static_cast<T>(values[i * D + a])) +
                               s;
                    }
                    T square = d[0] * d[0] + d[1] * d[1];
                    if constexpr (D == 3) square = square + d[2] * d[2];
                    if (!(square <= cutoff * cutoff)) return;
                    ++degrees[i];
                    ++degrees[j];
                    const double r = static_cast<double>(std::sqrt(square));
                    const auto above = std::upper_bound(edges.begin(), edges.end() - 1, r);
                    ++bins[static_cast<std::size_t>(above - edges.begin()) - 1];
                });
    }

    template <class F>
    static void each_image(int reach, const F& f) {
        const int depth = D == 3 ? reach : 0;
        for (int x = -reach; x <= reach; ++x)
            for (int y = -reach; y <= reach; ++y)
                for (int z = -depth; z <= depth; ++z) f({x, y, z});
    }
};

// Multiples of 1/64, so that many distances are equal to an edge of a bin, and to the cut-off.
std::vector<double> coarse_points(int count, int dim, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> values;
    for (int k = 0; k < count * dim; ++k)
        values.push_back(static_cast<double>(random() % 256) / 64 - 1);
    return values;
}

template <class T, int D>
void expect_plain(const Json& result, const std::vector<double>& values, int reach) {
    std::array<std::array<double, D>, D> h{};
    if (!result["lattice"].is_null()) h = result["lattice"];
    const auto edges = result["radial"]["edges"].get<std::vector<double>>();
    const Plain<T, D> plain(values, h, reach, static_cast<T>(edges.back()), edges);
    EXPECT_EQ(result["radial"]["pairs"], Json(plain.bins));
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const std::uint64_t degree : plain.degrees) ++counts[degree];
    std::map<std::uint64_t, std::uint64_t> found;
    for (const auto& count : result["coordination"]["counts"])
        found[count["neighbours"]] = count["bodies"];
    EXPECT_EQ(found, counts);
    const auto ends =
        std::accumulate(plain.degrees.begin(), plain.degrees.end(), std::uint64_t{0});
    EXPECT_EQ(result["pairs"].get<std::uint64_t>() * 2, ends);
    EXPECT_EQ(result["coordination"]["mean"],
              static_cast<double>(ends) / static_cast<double>(plain.degrees.size()));
}

TEST_F(Stats, histograms_are_those_of_a_double_loop) {
    const auto space = coarse_points(150, 3, 12), plane = coarse_points(150, 2, 13);
    const auto in_space = points("space.npy", space), in_plane = points("plane.npy", plane, 2);
    const auto both = [&](const std::string& domain, const std::string& flat,
                          const char* cutoff, int reach) {
        for (const std::string threads : {"1", "3"}) {
            const std::vector<std::string> words{"--cutoff",  cutoff,  "--bins",  "12",
                                                 "--threads", threads, "--domain"};
            auto with = [&](const std::string& d, const char* precision) {
                auto all = words;
                all.insert(all.end(), {d, "--precision", precision});
                return all;
            };
            expect_plain<double, 3>(stats(in_space, with(domain, "double")), space, reach);
            expect_plain<float, 3>(stats(in_space, with(domain, "float")), space, reach);
            expect_plain<double, 2>(stats(in_plane, with(flat, "double")), plane, reach);
            expect_plain<float, 2>(stats(in_plane, with(flat, "float")), plane, reach);
        }
    };
    both("open", "open", "1.5", 0);
    both("periodic:3,4,5", "periodic:3,4", "1.5", 3);
    both("periodic:1.1,1.3,1.7", "periodic:1.1,1.3", "1.5", 6);
    both("sheared:2,1.9,3:4.6", "sheared:2,1.9:4.6", "1.1", 6);
    both("triclinic:3,0.1,0,1.1,2.9,0,-0.7,0.4,2.5", "triclinic:3,0.1,1.1,2.9", "1.5", 6);
}

// An edge belongs to the bin above it, the next smaller number to the one below, whichever way
// a division rounds.
TEST(Bins, have_exactly_the_edges_that_are_written) {
    for (const double cutoff : {0.07, 0.1, 0.7, 1.0, 1.1, 3.3, 1e-9, 12345.678})
        for (const std::size_t bins : {1, 3, 7, 10, 49, 100, 1000}) {
            const std::vector<double> edges = tool::bin_edges(cutoff, bins);
            ASSERT_EQ(edges.size(), bins + 1);
            ASSERT_EQ(edges[0], 0);
            ASSERT_EQ(edges[bins], cutoff);
            ASSERT_EQ(tool::bin_of(cutoff, edges), bins - 1) << "the last bin is closed";
            for (std::size_t k = 0; k < bins; ++k) {
                ASSERT_EQ(tool::bin_of(edges[k], edges), k) << cutoff << ' ' << bins;
                ASSERT_EQ(tool::bin_of(std::nextafter(edges[k + 1], 0), edges), k)
                    << cutoff << ' ' << bins;
            }
        }
}

TEST_F(Stats, every_method_gives_the_same_numbers) {
    const auto file = random_points("points.npy", 400);
    const std::vector<std::string> words{"--cutoff", "0.3", "--domain", "periodic:1,1,-"};
    const auto first = stats(file, words);
    for (const char* method : {"brute_force", "kd_tree", "compact_grid", "verlet"}) {
        auto more = words;
        more.insert(more.end(), {"--method", method});
        const auto other = stats(file, more);
        for (const char* key : {"radial", "coordination"}) EXPECT_EQ(other[key], first[key]);
    }
}

// --- contacts ---

TEST_F(Stats, contacts_and_overlaps_are_the_pairs_of_the_bodies) {
    const auto spheres =
        write("spheres.csv", "x,y,z,radius\n0,0,0,1\n2,0,0,1\n4,0,0,1\n0,3,0,2\n50,0,0,1\n");
    const auto contacts = stats(spheres, {"--radius", "column"});
    // 0-1, 1-2, 0-3 touch; 1-3 are sqrt(13) apart.
    EXPECT_EQ(contacts["contacts"]["counts"],
              Json::parse(R"([{"contacts": 0, "bodies": 1}, {"contacts": 1, "bodies": 2},
                              {"contacts": 2, "bodies": 2}])"));
    EXPECT_EQ(contacts["contacts"]["mean"], 2 * 3 / 5.0);
    EXPECT_EQ(contacts["radial"], nullptr);
    EXPECT_EQ(contacts["coordination"], nullptr);
    const auto both = stats(spheres, {"--radius", "column", "--cutoff", "4", "--bins", "4"});
    EXPECT_EQ(both["contacts"], contacts["contacts"]);
    EXPECT_EQ(both["radial"]["pairs"], Json({0, 0, 2, 3}));  // 2, 2, 3, sqrt(13), 4
    EXPECT_EQ(both["pairs"], 5);
    const auto boxes =
        write("boxes.csv", "x0,y0,x1,y1\n0,0,1,1\n1,1,2,2\n0.5,0.5,3,3\n9,9,9,9\n");
    const auto overlaps = stats(boxes, {"--boxes"});
    EXPECT_EQ(overlaps["contacts"]["pairs"], 3);
    EXPECT_EQ(overlaps["radial"], nullptr);
}

TEST_F(Stats, text_says_what_there_is_and_what_not) {
    const auto boxes = write("boxes.csv", "x0,y0,x1,y1\n0,0,1,1\n1,1,2,2\n");
    const auto spheres = write("spheres.csv", "x,y,z,radius\n0,0,0,1\n2,0,0,1\n");
    const auto says = [&](const std::vector<std::string>& words, const std::string& text) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text << '\n' << outcome.out;
    };
    says({"stats", boxes, "--boxes"},
         "overlaps    1 per body, at most 1; 0 of 2 bodies have none");
    says({"stats", boxes, "--boxes"},
         "none, because boxes have no distance where they overlap");
    says({"stats", spheres, "--radius", "column"}, "give --cutoff R");
    says({"stats", spheres, "--radius", "column", "--cutoff", "3"},
         "not defined, because the bodies enclose no volume; give --dim 2");
    says({"stats", random_points("p.npy", 50), "--cutoff", "0.5"},
         "too small near its open border");
    says({"stats", path("p.npy"), "--cutoff", "0.5", "--domain", "periodic:1,1,2"},
         "over the density of the periodic cell of volume 2");
    says({"stats", path("p.npy"), "--cutoff", "0.5", "--domain", "periodic:1,1,2"}, "r from");
}

// --- files ---

TEST_F(Stats, files_hold_the_same_numbers) {
    const auto file = random_points("<b>&.npy", 300);
    const auto result =
        stats(file, {"--cutoff", "0.3", "--bins", "7", "--radius", "0.1", "-o", path("out")});
    EXPECT_EQ(files(), (std::vector<std::string>{"<b>&.npy", "out.contacts.csv", "out.gr.csv",
                                                 "out.html", "out.neighbours.csv"}));
    std::istringstream gr(read("out.gr.csv"));
    std::string line;
    std::getline(gr, line);
    EXPECT_EQ(line, "r_from,r_to,pairs,g,neighbours");
    double up_to = 0;
    for (std::size_t k = 0; k < 7; ++k) {
        double from = 0, to = 0, pairs = 0, g = 0, neighbours = 0;
        ASSERT_TRUE(std::getline(gr, line));
        ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf", &from, &to, &pairs, &g,
                              &neighbours),
                  5);
        EXPECT_EQ(from, result["radial"]["edges"][k]);
        EXPECT_EQ(to, result["radial"]["edges"][k + 1]);
        EXPECT_EQ(pairs, result["radial"]["pairs"][k]);
        EXPECT_EQ(g, result["radial"]["g"][k]);
        up_to += 2 * pairs / 300;
        EXPECT_NEAR(neighbours, up_to, 1e-12);
    }
    EXPECT_FALSE(std::getline(gr, line));
    for (const std::string name : {"neighbours", "contacts"}) {
        const auto& counts = result[name == "contacts" ? name : "coordination"]["counts"];
        std::string expected = name + ",bodies\n";
        for (const auto& count : counts)
            expected += count[name].dump() + ',' + count["bodies"].dump() + '\n';
        EXPECT_EQ(read("out." + name + ".csv"), expected);
    }
}

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
    return count;
}

TEST_F(Stats, the_page_needs_nothing_else) {
    const auto file = random_points("<b>&.npy", 300);
    const auto result =
        stats(file, {"--cutoff", "0.3", "--bins", "7", "--radius", "0.1", "-o", path("out")});
    const std::string page = read("out.html");
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(occurrences(page, "<svg "), 3);  // g(r), neighbours, contacts
    for (const char* word : {"http:", "https:", "src=", "href=", "<script", "@import", "url("})
        EXPECT_EQ(occurrences(page, word), 0) << word;
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_EQ(occurrences(page, "<b>"), 0) << "the name of the file is not escaped";
    EXPECT_NE(page.find("&lt;b&gt;&amp;.npy"), std::string::npos);
    for (const char* bad : {"nan", "inf\""}) EXPECT_EQ(occurrences(page, bad), 0) << bad;
    // A bar for every number of neighbours from 0 on, a row for every one that occurs.
    const std::size_t bars = result["coordination"]["max"].get<std::size_t>() +
                             result["contacts"]["max"].get<std::size_t>() + 2;
    EXPECT_EQ(occurrences(page, "class=\"bar\""), bars);
    EXPECT_EQ(
        occurrences(page, "<tr><th scope=\"row\">"),
        7 + result["coordination"]["counts"].size() + result["contacts"]["counts"].size());
}

TEST_F(Stats, few_bodies_and_no_volume) {
    const auto none = write("none.csv", "x,y,z\n"), one = write("one.csv", "x,y,z\n1,2,3\n");
    const auto flat = write("flat.csv", "x,y,z\n0,0,5\n1,0,5\n0,1,5\n");
    for (const std::string& file : {none, one, flat}) {
        const auto result = stats(file, {"--cutoff", "1", "-o", path("out")});
        EXPECT_EQ(result["radial"]["g"], nullptr);
        EXPECT_EQ(result["radial"]["density"], nullptr);
    }
    EXPECT_EQ(stats(flat, {"--cutoff", "1"})["pairs"], 2);
    EXPECT_TRUE(stats(flat, {"--cutoff", "1", "--dim", "2"})["radial"]["g"].is_array());
    const auto alone = stats(one, {"--cutoff", "0.9", "--domain", "periodic:1,1,1"});
    EXPECT_EQ(alone["pairs"], 0);
    EXPECT_EQ(alone["radial"]["g"], Json(std::vector<double>(100, 0.0)));
    EXPECT_EQ(stats(flat, {"--cutoff", "9", "--bins", "1"})["radial"]["pairs"], Json({3}));
}

TEST_F(Stats, wrong_command_lines) {
    const auto file = random_points("points.npy", 20);
    const auto refused = [&](int code, std::vector<std::string> more,
                             const std::vector<std::string>& words) {
        more.insert(more.begin(), {"stats", file});
        expect_error(code, more, words);
    };
    refused(2, {}, {"--cutoff R, --radius R|column and --boxes"});
    refused(2, {"--boxes", "--cutoff", "1"}, {"boxes have no g(r)", "leave out --cutoff"});
    refused(2, {"--cutoff", "0"}, {"--cutoff 0"});
    refused(2, {"--cutoff", "-1"}, {"--cutoff '-1'"});
    refused(2, {"--cutoff", "1", "--bins", "0"}, {"--bins 0", "1 to 10000"});
    refused(2, {"--cutoff", "1", "--bins", "10001"}, {"--bins 10001"});
    refused(2, {"--cutoff", "1", "-o", path("x.csv")}, {"x.csv", "leave out .csv"});
    refused(2, {"--cutoff", "1", "--swept"}, {"unknown flag --swept"});
    refused(1, {"--cutoff", "1", "-o", path("none/x")}, {"none"});
    refused(1, {"--cutoff", "1e-120"}, {"another unit of length"});
    refused(1, {"--cutoff", "1", "--max-pairs", "3"}, {"raise --max-pairs"});
    fs::create_directory(path("out.gr.csv"));
    refused(1, {"--cutoff", "1", "-o", path("out")}, {"out.gr.csv"});
}

}  // namespace
}  // namespace vicinal::test
