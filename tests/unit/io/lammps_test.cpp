// LAMMPS dumps.
#include "support.hpp"

namespace vicinal::io {
namespace {

const std::string lammps_start = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\n";

TEST(Lammps, OrthogonalInFileOrder) {
    const Table table = read("a.dump", lammps_start +
                                           "ITEM: BOX BOUNDS pp ff pp\n-1 1\n0 3\n0 4\n"
                                           "ITEM: ATOMS id element x y z c_Q[1]\n"
                                           "7 He 0.5 1 2 9\n3 Ne 1.5 2 3 8\n"
                                           "ITEM: TIMESTEP\n1\n");
    EXPECT_EQ(table.rows, 2u);
    EXPECT_EQ(column(table, "id"), (Values{7, 3}));
    EXPECT_EQ(column(table, "x"), (Values{0.5, 1.5}));
    EXPECT_EQ(column(table, "c_q[1]"), (Values{9, 8}));
    EXPECT_EQ(table.find("element"), nullptr);
    ASSERT_TRUE(table.cell);
    EXPECT_EQ(table.cell->vectors[0], (std::array<double, 3>{2, 0, 0}));
    EXPECT_EQ(table.cell->periodic, (std::array<bool, 3>{true, false, true}));
}

// Cell with lo = (1, 2, 3), lengths (10, 8, 6), xy = 2, xz = -1, yz = 0.5; LAMMPS writes its
// bounding box.
TEST(Lammps, TriclinicScaled) {
    const Table table = read("a.lammpstrj", lammps_start +
                                                "ITEM: BOX BOUNDS xy xz yz pp pp fs\n0 13 2\n"
                                                "2 10.5 -1\n3 9 0.5\n"
                                                "ITEM: ATOMS element xs ys zs\n"
                                                "H 0 0 0\nH 0.5 0.25 1\n");
    ASSERT_TRUE(table.cell);
    EXPECT_EQ(table.cell->vectors[0], (std::array<double, 3>{10, 0, 0}));
    EXPECT_EQ(table.cell->vectors[1], (std::array<double, 3>{2, 8, 0}));
    EXPECT_EQ(table.cell->vectors[2], (std::array<double, 3>{-1, 0.5, 6}));
    EXPECT_EQ(table.cell->periodic, (std::array<bool, 3>{true, true, false}));
    EXPECT_EQ(column(table, "x"), (Values{1, 1 + 5 + 0.5 - 1}));
    EXPECT_EQ(column(table, "y"), (Values{2, 2 + 2 + 0.5}));
    EXPECT_EQ(column(table, "z"), (Values{3, 9}));
}

TEST(Lammps, GeneralTriclinic) {
    const Table table = read("a.dump", lammps_start +
                                           "ITEM: BOX BOUNDS abc origin pp ff pp\n4 0 0 -2\n"
                                           "1 5 0 -3\n0.5 0.25 6 -4\n"
                                           "ITEM: ATOMS xsu ysu zsu\n0 0 0\n1 1 1\n");
    EXPECT_EQ(table.cell.value().vectors[2], (std::array<double, 3>{0.5, 0.25, 6}));
    EXPECT_EQ(column(table, "x"), (Values{-2, 3.5}));
    EXPECT_EQ(column(table, "z"), (Values{-4, 2}));
}

TEST(Lammps, UnwrappedAndOldHeader) {
    const std::string box = "ITEM: BOX BOUNDS\n0 1\n0 1\n0 1\n";
    const Table table =
        read("a.dump", "ITEM: UNITS\nlj\n" + lammps_start + box +
                           "ITEM: ATOMS xu yu zu xs ys zs\n5 6 7 0 0 0\n8 9 10 0 0 0\n");
    EXPECT_EQ(table.cell.value().periodic, (std::array<bool, 3>{true, true, true}));
    EXPECT_EQ(column(table, "x"), (Values{5, 8}));
    EXPECT_EQ(column(table, "xs"), (Values{0, 0}));
    const Table both = read("a.dump", lammps_start + box + "ITEM: ATOMS xu x\n5 6\n7 8\n");
    EXPECT_EQ(column(both, "x"), (Values{6, 8}));
    EXPECT_EQ(column(both, "xu"), (Values{5, 7}));
}

TEST(Lammps, Refusals) {
    const std::string box = "ITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n";
    expect_refused("a.dump", "LAMMPS data file\n", {"line 1", "ITEM: TIMESTEP"});
    expect_refused("a.dump", lammps_start, {"ITEM: ATOMS", "truncated"});
    expect_refused("a.dump", "ITEM: NUMBER OF ATOMS\nmany\n", {"line 2", "number of atoms"});
    expect_refused("a.dump", "ITEM: NUMBER OF ATOMS\n", {"too early"});
    expect_refused("a.dump", "ITEM: ATOMS x y z\n0 0 0\n", {"line 1", "NUMBER OF ATOMS"});
    expect_refused("a.dump", lammps_start + "ITEM: BOX BOUNDS pp\n0 1\n", {"line 5", "flags"});
    expect_refused("a.dump", lammps_start + "ITEM: BOX BOUNDS\n0\n", {"line 6", "2 numbers"});
    expect_refused("a.dump", lammps_start + "ITEM: BOX BOUNDS xy xz yz\n0 1\n", {"3 numbers"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS\n1\n2\n", {"no columns"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS x\n1\n", {"truncated"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS x y\n1 2\n3\n",
                   {"line 11", "1 field "});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS x x\n1 2\n3 4\n", {"'x'"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS xs ys\n1 2\n3 4\n", {"zs"});
    expect_refused("a.dump", lammps_start + "ITEM: ATOMS xs ys zs\n1 2 3\n4 5 6\n",
                   {"BOX BOUNDS"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS xs ys zs\na 2 3\nb 5 6\n",
                   {"line 10", "'x'", "'a'", "correct the field"});
    expect_refused("a.dump", "ITEM: NUMBER OF ATOMS\n99999999999\nITEM: ATOMS x\n1\n",
                   {"99999999999 atoms", "truncated"});
}

TEST(Lammps, Frames) {
    const auto frame = [](int step, int atoms, const std::string& box,
                          const std::string& rest) {
        return "ITEM: TIMESTEP\n" + std::to_string(step) + "\nITEM: NUMBER OF ATOMS\n" +
               std::to_string(atoms) + "\nITEM: BOX BOUNDS pp pp ff\n0 " + box +
               "\n0 1\n0 1\n" + "ITEM: ATOMS id x y z\n" + rest;
    };
    const Folder folder;
    put(folder / "a.lammpstrj", "ITEM: UNITS\nlj\n" + frame(0, 1, "2", "5 0.5 0 0\n") +
                                    frame(100, 2, "3", "5 0.75 0 0\n6 0.25 0 0\n") +
                                    frame(200, 1, "4", "6 a 0 0\n"));
    TableFile file(folder / "a.lammpstrj");
    EXPECT_EQ(file.frames(), 3u);
    const Table second = file.read(1);
    EXPECT_EQ(column(second, "id"), (Values{5, 6}));
    EXPECT_EQ(second.cell.value().vectors[0][0], 3);
    EXPECT_EQ(second.cell->periodic, (std::array<bool, 3>{true, true, false}));
    EXPECT_EQ(second.lines.where(1), "line 23");
    EXPECT_EQ(column(file.read(0), "x"), (Values{0.5}));
    expect_words(message([&] { file.read(2); }), "a.lammpstrj", {"line 33", "'x'", "'a'"});
}

}  // namespace
}  // namespace vicinal::io
