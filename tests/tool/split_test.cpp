// vicinal split, and vicinal pairs --part: together the parts have the pairs of the whole file.
#include <algorithm>

#include "harness.hpp"

namespace vicinal::test {
namespace {

using Rows = Array::Rows;

class Split : public Tool {
  protected:
    // The pairs of all parts, sorted.
    Rows pairs_of_parts(std::vector<std::string> arguments, std::size_t parts) {
        std::filesystem::remove_all(path("parts"));
        arguments.insert(arguments.begin(), "split");
        arguments.insert(arguments.end(),
                         {"--parts", std::to_string(parts), "-o", path("parts")});
        json(arguments);
        Rows all;
        for (std::size_t p = 0; p < parts; ++p) {
            const auto summary = json({"pairs", "--part", path("parts/" + std::to_string(p)),
                                       "-o", path("part.npy")});
            const Rows rows = read_npy("part.npy").rows();
            EXPECT_EQ(summary["pairs"], rows.size());
            all.insert(all.end(), rows.begin(), rows.end());
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    Rows pairs_of_file(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "pairs");
        arguments.insert(arguments.end(), {"--sorted", "-o", path("all.npy")});
        json(arguments);
        return read_npy("all.npy").rows();
    }
    void expect_same(const std::vector<std::string>& arguments) {
        const Rows expected = pairs_of_file(arguments);
        EXPECT_GT(expected.size(), 0u);
        for (const std::size_t parts : {1, 3, 8})
            EXPECT_EQ(pairs_of_parts(arguments, parts), expected) << parts << " parts";
    }
    std::string scene(const std::string& name) {
        const std::string file = path(name + ".npy");
        json({"scene", name, "--n", "500", "-o", file});
        return file;
    }
};

TEST_F(Split, parts_have_the_pairs_of_the_file) {
    expect_same({scene("uniform"), "--cutoff", "0.1"});
    expect_same({scene("uniform"), "--cutoff", "0.1", "--domain", "periodic:1,1,1",
                 "--precision", "float"});
    expect_same({scene("polydisperse"), "--radius", "column", "--rule", "max", "--domain",
                 "sheared:1,1,1:0.3"});
    expect_same({scene("sheets"), "--boxes"});
    expect_same({scene("uniform"), "--radius", "0.05"});
}

TEST_F(Split, filters_go_with_the_bodies) {
    const std::string file = scene("uniform");
    json({"pairs", file, "--cutoff", "0.05", "-o", path("near.csv")});
    std::string vertices = "v0,v1\n", grouped = "x,y,z,group,mask\n";
    for (int i = 0; i < 500; ++i) {
        const std::string a = std::to_string(i * 7 % 31), b = std::to_string(i * 3 % 29 + 40);
        vertices += a + "," + b + "\n";
        grouped += std::to_string(i * 37 % 500) + "," + std::to_string(i * 91 % 500) + "," +
                   std::to_string(i * 13 % 500) + "," + std::to_string(1 << i % 3) + ",3\n";
    }
    expect_same({file, "--cutoff", "0.1", "--exclude", path("near.csv")});
    expect_same({file, "--cutoff", "0.2", "--vertices", write("vertices.csv", vertices)});
    expect_same({write("grouped.csv", grouped), "--cutoff", "60"});
}

TEST_F(Split, few_bodies_and_more_parts) {
    expect_same({write("two.csv", "x,y,z\n0,0,0\n1,0,0\n"), "--cutoff", "1"});
    EXPECT_EQ(pairs_of_parts({write("one.csv", "x,y,z\n0,0,0\n"), "--cutoff", "1"}, 3), Rows{});
}

TEST_F(Split, part_counts_what_it_reports) {
    const std::string file = scene("uniform");
    const std::size_t expected = pairs_of_file({file, "--cutoff", "0.2"}).size();
    json({"split", file, "--cutoff", "0.2", "--parts", "4", "-o", path("parts")});
    std::size_t counted = 0;
    for (const char* part : {"parts/0", "parts/1", "parts/2", "parts/3"})
        counted += json({"pairs", "--part", path(part), "--count"})["pairs"].get<std::size_t>();
    EXPECT_EQ(counted, expected);
}

TEST_F(Split, errors_name_the_remedy) {
    const std::string file = scene("uniform"), parts = path("parts");
    expect_error(2, {"split", file, "--parts", "2", "-o", parts}, {"--cutoff"});
    expect_error(2, {"split", file, "--cutoff", "1", "--parts", "0", "-o", parts},
                 {"0 parts", "from 1"});
    expect_error(2,
                 {"split", file, "--cutoff", "1", "--parts", "2", "-o", parts, "--with", file},
                 {"leave out --with"});
    json({"split", file, "--cutoff", "0.1", "--parts", "2", "-o", parts});
    expect_error(1, {"split", file, "--cutoff", "1", "--parts", "2", "-o", parts},
                 {"not an empty folder"});
    expect_error(1, {"pairs", "--part", parts}, {"part.json", "vicinal split"});
    expect_error(2, {"pairs", "--part", path("parts/0"), "--cutoff", "1"}, {"with --part"});
    expect_error(2, {"pairs", "--part", path("parts/0"), "--domain", "open"}, {"--domain"});
    expect_error(2, {"pairs", file, "--part", path("parts/0")}, {"FILE", "--part"});
    expect_error(2, {"pairs", "--cutoff", "1"}, {"FILE is required"});
}

}  // namespace
}  // namespace vicinal::test
