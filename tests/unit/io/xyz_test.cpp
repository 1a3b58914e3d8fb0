// XYZ and extended XYZ.
#include "support.hpp"

namespace vicinal::io {
namespace {

TEST(Xyz, Plain) {
    const Table table = read("a.xyz",
                             "2\n i = 3, E = -1.5 any text\nH 0 0.5 1\n1\t2 3 4 9.9\n"
                             "1\nnext frame\nH 7 7 7\n");
    EXPECT_EQ(table.rows, 2u);
    EXPECT_EQ(table.columns.size(), 3u);
    EXPECT_EQ(column(table, "x"), (Values{0, 2}));
    EXPECT_EQ(column(table, "z"), (Values{1, 4}));
    EXPECT_FALSE(table.cell);
}

TEST(Xyz, Extended) {
    const Table table = read(
        "a.extxyz",
        "1\nenergy=-1 Lattice=\"4 0 0 1 5 0 0.5 0.25 6\" "
        "Properties=species:S:1:pos:R:3:Radius:R:1:velo:R:3:Z:I:1:fixed:L:1 pbc=\"T F T\"\n"
        "Fe 1 2 3 0.5 7 8 9 26 T\n");
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y", "z", "radius", "velo_1",
                                                      "velo_2", "velo_3", "z_1"}));
    EXPECT_EQ(column(table, "z"), (Values{3}));
    EXPECT_EQ(column(table, "z_1"), (Values{26}));
    EXPECT_EQ(column(table, "velo_2"), (Values{8}));
    ASSERT_TRUE(table.cell);
    EXPECT_EQ(table.cell->vectors[1], (std::array<double, 3>{1, 5, 0}));
    EXPECT_EQ(table.cell->vectors[2], (std::array<double, 3>{0.5, 0.25, 6}));
    EXPECT_EQ(table.cell->periodic, (std::array<bool, 3>{true, false, true}));
}

TEST(Xyz, CellWithoutFlagsIsPeriodic) {
    const Table table = read("a.xyz", "0\nLattice=\"1 0 0 0 1 0 0 0 1\"\n");
    EXPECT_EQ(table.rows, 0u);
    EXPECT_EQ(table.cell.value().periodic, (std::array<bool, 3>{true, true, true}));
    const Table bracketed =
        read("a.xyz", "0\nLattice=[[1, 0, 0], [0, 1, 0], [0, 0, 2]] pbc=[T, F, F]\n");
    EXPECT_EQ(bracketed.cell.value().vectors[2][2], 2);
    EXPECT_EQ(bracketed.cell->periodic, (std::array<bool, 3>{true, false, false}));
}

TEST(Xyz, Refusals) {
    expect_refused("a.xyz", "H 0 0 0\n", {"line 1", "number of atoms"});
    expect_refused("a.xyz", "-1\n\n", {"line 1", "number of atoms"});
    expect_refused("a.xyz", "1\n", {"too early", "line 1"});
    expect_refused("a.xyz", "9999999999999\n\nH 0 0 0\n", {"9999999999999 atoms", "truncated"});
    expect_refused("a.xyz", "2\n\nH 0.25 0.25 0.25\n", {"too early", "line 3", "truncated"});
    expect_refused("a.xyz", "1\n\nH 0 0\n", {"line 3", "3 fields", "4"});
    expect_refused("a.xyz", "1\n\nH 0 b 0\n", {"line 3", "'y'", "'b'"});
    expect_refused("a.xyz", "1\nLattice=\"1 2 3\"\nH 0 0 0\n", {"line 2", "Lattice", "nine"});
    expect_refused("a.xyz", "1\npbc=\"T T T\"\nH 0 0 0\n", {"line 2", "pbc", "Lattice"});
    expect_refused("a.xyz", "1\npbc=\"T T\"\nH 0 0 0\n", {"line 2", "pbc"});
    expect_refused("a.xyz", "1\npbc=\"F F x\"\nH 0 0 0\n", {"line 2", "pbc", "'x'"});
    const auto properties = [](const std::string& text) {
        return "1\nProperties=" + text + "\nH 0\n";
    };
    expect_refused("a.xyz", properties("pos:R"), {"line 2", "Properties"});
    expect_refused("a.xyz", properties("pos:Q:3"), {"line 2", "Properties"});
    expect_refused("a.xyz", properties("pos:R:2"), {"line 2", "pos:R:3"});
    expect_refused("a.xyz", properties("species:S:1"), {"line 2", "pos:R:3"});
    expect_refused("a.xyz", properties("pos:R:3:big:R:99999999999"), {"99999999999", "'big'"});
    expect_refused("a.xyz", properties("pos:R:3:q:R:1:Q:R:1"), {"line 2", "'q'"});
}

const std::string three_frames =
    "1\nfirst\nH 1 0 0\n2\nLattice=\"4 0 0 0 4 0 0 0 4\"\nH 2 0 0\nH 3 0 0\n\n  1\n\nH 4 0 "
    "0\n\n\n";

TEST(Xyz, Frames) {
    const Folder folder;
    for (const std::string& bytes : {three_frames, gzip(three_frames)}) {
        put(folder / "a.xyz", bytes);
        // In any order, and counted before or after.
        for (const std::vector<std::size_t>& order :
             {std::vector<std::size_t>{0, 1, 2}, {2, 0, 1}, {1, 1, 2, 0}}) {
            TableFile file(folder / "a.xyz");
            EXPECT_TRUE(file.has_frames());
            for (const std::size_t k : order) {
                const Table table = file.read(k);
                EXPECT_EQ(table.rows, k == 1 ? 2u : 1u);
                EXPECT_EQ(table.cell.has_value(), k == 1);
                EXPECT_EQ(column(table, "x")[0], k == 0 ? 1 : k == 1 ? 2 : 4);
                EXPECT_EQ(table.lines.where(0), k == 0   ? "line 3"
                                                : k == 1 ? "line 6"
                                                         : "line 11");
            }
            EXPECT_EQ(file.frames(), 3u);
            expect_words(message([&] { file.read(3); }), "a.xyz", {"no frame 4", "3 frames"});
        }
        EXPECT_EQ(TableFile(folder / "a.xyz").frames(), 3u);
    }
    put(folder / "b.csv", "x,y\n1,2\n");
    TableFile single(folder / "b.csv");
    EXPECT_FALSE(single.has_frames());
    EXPECT_EQ(single.frames(), 1u);
    expect_words(message([&] { single.read(1); }), "b.csv", {"no frame 2", "1 frame"});
}

// Errors in later frames have the line numbers of the file, and do not hide earlier frames.
TEST(Xyz, BadLaterFrames) {
    const Folder folder;
    const auto open = [&](const std::string& text) {
        put(folder / "a.xyz", text);
        return TableFile(folder / "a.xyz");
    };
    TableFile bad = open("1\n\nH 1 0 0\n1\n\nH 2 b 0\n1\n\nH 3 0 0\n");
    EXPECT_EQ(bad.frames(), 3u);
    EXPECT_EQ(column(bad.read(2), "x"), (Values{3}));
    expect_words(message([&] { bad.read(1); }), "a.xyz", {"line 6", "'y'", "'b'"});
    TableFile cut = open("1\n\nH 1 0 0\n3\n\nH 2 0 0\nH 2 0 0\n");
    EXPECT_EQ(cut.frames(), 2u);
    EXPECT_EQ(column(cut.read(0), "x"), (Values{1}));
    expect_words(message([&] { cut.read(1); }), "a.xyz", {"too early", "line 7"});
    TableFile junk = open("1\n\nH 1 0 0\nthe end\n");
    EXPECT_EQ(junk.frames(), 2u);
    expect_words(message([&] { junk.read(1); }), "a.xyz", {"line 4", "number of atoms"});
}

}  // namespace
}  // namespace vicinal::io
