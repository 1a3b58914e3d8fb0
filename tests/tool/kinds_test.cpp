// Cut-offs for each pair of kinds.
#include "harness.hpp"

namespace vicinal::test {
namespace {

using Rows = Array::Rows;

// Two molecules O H H on a line.
const std::string water = "O-O:3,O-H:1,H-H:never";
const Rows bonds{{0, 1}, {0, 2}, {0, 3}, {3, 4}, {3, 5}};

class Kinds : public Tool {
  protected:
    std::string xyz() {
        return write("w.xyz",
                     "6\nplain\nO 0 0 0\nH 1 0 0\nH -1 0 0\nO 3 0 0\nH 4 0 0\nH 3 1 0\n");
    }
    void expect_bonds(const std::string& file, const std::string& cutoffs) {
        EXPECT_EQ(pairs({"pairs", file, "--cutoff", cutoffs}), bonds) << file;
    }
};

TEST_F(Kinds, from_every_format) {
    expect_bonds(xyz(), water);
    expect_bonds(write("e.extxyz",
                       "6\nProperties=id:I:1:species:S:1:pos:R:3\n1 O 0 0 0\n2 H 1 0 0\n"
                       "3 H -1 0 0\n4 O 3 0 0\n5 H 4 0 0\n6 H 3 1 0\n"),
                 water);
    const std::string head =
        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n6\nITEM: BOX BOUNDS ff ff ff\n"
        "-9 9\n-9 9\n-9 9\n";
    const std::string atoms = "1 0 0 0\n2 1 0 0\n2 -1 0 0\n1 3 0 0\n2 4 0 0\n2 3 1 0\n";
    expect_bonds(write("t.dump", head + "ITEM: ATOMS type x y z\n" + atoms),
                 "2-2:never,1-1:3,1-2:1");
    expect_bonds(write("e.dump", head + "ITEM: ATOMS x y z element type\n0 0 0 O 7\n1 0 0 H 7\n"
                                        "-1 0 0 H 7\n3 0 0 O 7\n4 0 0 H 7\n3 1 0 H 7\n"),
                 water);
    const std::string table = "kind,x,y\nO,0,0\nH,1,0\nH,-1,0\nO,3,0\nH,4,0\nH,3,1\n";
    expect_bonds(write("t.csv", table), "H-O:1, O-O:3, H-H:never");
    expect_bonds(write("n.csv", "Type,x,y\n8,0,0\n1,1,0\n1,-1,0\n8,3,0\n1,4,0\n1,3,1\n"),
                 "8-8:3,8-1:1,1-1:never");
    expect_bonds(
        write("n.npy",
              npy("<f8", "6, 3",
                  bytes<double>({0, 0, 8, 1, 0, 1, -1, 0, 1, 3, 0, 8, 4, 0, 1, 3, 1, 1}))),
        "8-8:3,8-1:1,1-1:never");
}

// Kinds that a frame does not have are no error: the flag is the same for every frame.
TEST_F(Kinds, of_which_some_are_absent) {
    const auto file = write("two.xyz", "2\n\nO 0 0 0\nH 1 0 0\n2\n\nO 0 0 0\nO 2 0 0\n");
    const auto json = this->json({"pairs", file, "--cutoff", water, "--frame", "all"});
    EXPECT_EQ(json["frames"][0]["pairs"], 1);
    EXPECT_EQ(json["frames"][1]["pairs"], 1);
}

TEST_F(Kinds, in_periodic_domains_between_two_files_and_as_columns) {
    const auto file = write("p.csv", "kind,x,y\na,0,0\nb,9,0\na,8,0\n");
    EXPECT_EQ(pairs({"pairs", file, "--cutoff", "a-b:1,a-a:1.5,b-b:never", "--domain",
                     "periodic:10,-"}),
              (Rows{{0, 1, -1, 0}, {1, 2, 0, 0}}));
    // The order of the kinds in a file has no effect on their numbers.
    const auto other = write("q.csv", "kind,x,y\nb,0,0\na,8,0\n");
    EXPECT_EQ(pairs({"pairs", file, "--with", other, "--cutoff", "a-b:0,a-a:1,b-b:never"}),
              (Rows{{0, 0}, {2, 1}}));
    EXPECT_EQ(pairs({"pairs", file, "--with", write("empty.csv", "kind,x,y\n"), "--cutoff",
                     "a-b:1,a-a:1,b-b:1"}),
              Rows{});
    run({"pairs", file, "--cutoff", "a-b:1,a-a:1.5,b-b:never", "--columns", "ijdD", "-o",
         path("a.csv")});
    EXPECT_EQ(read("a.csv"), "i,j,distance,dx,dy\n1,2,1,-1,0\n");
}

TEST_F(Kinds, verify_and_stats_understand_them) {
    const auto file = xyz();
    run({"pairs", file, "--cutoff", water, "-o", path("bonds.npy")});
    EXPECT_EQ(run({"verify", file, path("bonds.npy"), "--cutoff", water}).code, 0);
    for (const char* other :
         {"O-O:2,O-H:1,H-H:never", "O-O:3,O-H:1,H-H:9", "O-O:3,O-H:0,H-H:never"})
        EXPECT_EQ(run({"verify", file, path("bonds.npy"), "--cutoff", other}).code, 1) << other;
    const auto json = this->json({"stats", file, "--cutoff", water, "-o", path("s")});
    EXPECT_EQ(json["contacts"]["pairs"], 5);
    EXPECT_EQ(read("s.contacts.csv"), "contacts,bodies\n1,4\n3,2\n");
}

TEST_F(Kinds, errors) {
    const auto file = xyz();
    const auto refused = [&](const std::string& cutoff, const std::vector<std::string>& words) {
        expect_error(2, {"pairs", file, "--cutoff", cutoff}, words);
    };
    refused("O-O:3,O-H:1", {"no cut-off for H and H", "H-H:never"});
    refused("O-O:3,H-H:1", {"no cut-off for O and H", "O-H:R"});
    refused("O-O:3,O-H:1,H-O:1.5,H-H:1", {"H-O:1.5", "given twice", "both directions"});
    refused("O-O:3,O-H:-1,H-H:1", {"O-H:-1", "'-1'", "never"});
    refused("O-O:3,O-H:nan,H-H:1", {"'nan'", "finite"});
    refused("O-O:3,O:1,H-H:1", {"'O:1'", "O-H:1.2"});
    refused("O-O:3,,H-H:1", {"''", "two kinds"});
    refused("O-O:3,O-H-H:1", {"'O-H-H:1'", "two kinds"});
    refused("O-O=3", {"O-O=3", "O-O:2.5"});
    expect_error(1, {"pairs", file, "--cutoff", "O-O:3"},
                 {"w.xyz", "species = H", "line 4", "--cutoff, which has O"});
    expect_error(1,
                 {"pairs", write("n.csv", "x,y,type\n0,0,1\n1,1,1.5\n"), "--cutoff", "1-1:2"},
                 {"n.csv", "type = 1.5", "line 3"});
    expect_error(1, {"pairs", write("none.csv", "x,y\n0,0\n1,1\n"), "--cutoff", "1-1:2"},
                 {"none.csv", "kind", "species", "element", "type", "--cutoff"});
    expect_error(1, {"pairs", write("m.csv", "x,y,kind\n0,0,O\n1,1,7\n"), "--cutoff", "O-O:2"},
                 {"m.csv", "kind", "line 3", "all of them numbers or none"});
    expect_error(2, {"probe", file, file, "--points", "--cutoff", water}, {"queries", "kinds"});
    expect_error(2, {"bench", file, "--cutoff", water}, {"one cut-off"});
    expect_error(2, {"pairs", file, "--cutoff", water, "--radius", "1"}, {"only one of"});
}

}  // namespace
}  // namespace vicinal::test
