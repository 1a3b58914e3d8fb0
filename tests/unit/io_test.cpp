// Readers and writers: each format, round trips, and every error message.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/pairs.hpp"
#include "io/table.hpp"
#include "io/write.hpp"

#include <vicinal/error.hpp>
#include <vicinal/finder.hpp>

namespace {

namespace fs = std::filesystem;
using namespace vicinal::io;
using Values = std::vector<double>;

// One directory per test, so that tests can run in parallel.
class Folder {
  public:
    Folder() {
        static std::atomic<int> counter = 0;
        path_ = fs::path(::testing::TempDir()) /
                ("vicinal_io_" + std::to_string(::getpid()) + "_" + std::to_string(counter++));
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    fs::path operator/(const std::string& name) const { return path_ / name; }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

  private:
    fs::path path_;
};

void put(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

std::string get(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

Table read(const std::string& name, const std::string& bytes) {
    const Folder folder;
    put(folder / name, bytes);
    return read_table(folder / name);
}

template <class Call>
std::string message(Call call) {
    try {
        call();
    } catch (const vicinal::Error& error) {
        EXPECT_EQ(error.kind(), vicinal::Error::Kind::input);
        return error.what();
    }
    return "no error";
}

// The error must name the file and hold every key word, on one line.
void expect_words(const std::string& text, const std::string& name,
                  const std::vector<std::string>& words) {
    EXPECT_NE(text.find(name), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' not in: " << text;
}

void expect_refused(const std::string& name, const std::string& bytes,
                    const std::vector<std::string>& words) {
    expect_words(message([&] { read(name, bytes); }), name, words);
}

Values column(const Table& table, const std::string& name) {
    const NamedColumn* found = table.find(name);
    EXPECT_NE(found, nullptr) << "no column " << name;
    return found ? found->values : Values{};
}

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
    const auto length = static_cast<std::uint32_t>(dictionary.size());
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        bytes += static_cast<char>(length >> (8 * i) & 0xff);
    return bytes + dictionary + data;
}

std::string array(const std::string& type, const std::string& shape, const std::string& data,
                  bool fortran = false) {
    return npy("{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                   ", 'shape': " + shape + ", }\n",
               data);
}

template <class T>
std::string raw(const std::vector<T>& values, bool reversed = false) {
    std::string bytes;
    for (const T value : values) {
        char one[sizeof(T)];
        std::memcpy(one, &value, sizeof(T));
        if (reversed) std::reverse(one, one + sizeof(T));
        bytes.append(one, sizeof(T));
    }
    return bytes;
}

// .npy

TEST(Npy, BigEndianFloatRows) {
    const auto data = raw<float>({1, 2, 3, 4, 5, 6.5}, true);
    const Table table = read("a.npy", array(">f4", "(2, 3)", data));
    EXPECT_EQ(table.rows, 2u);
    ASSERT_EQ(table.columns.size(), 3u);
    EXPECT_EQ(table.columns[0].name, "");
    EXPECT_EQ(table.columns[0].values, (Values{1, 4}));
    EXPECT_EQ(table.columns[2].values, (Values{3, 6.5}));
    EXPECT_FALSE(table.cell);
}

TEST(Npy, FortranOrder) {
    const auto data = raw<double>({1, 2, 3, 4, 5, 6});
    const Table table = read("a.npy", array("<f8", "(3, 2)", data, true));
    ASSERT_EQ(table.columns.size(), 2u);
    EXPECT_EQ(table.columns[0].values, (Values{1, 2, 3}));
    EXPECT_EQ(table.columns[1].values, (Values{4, 5, 6}));
}

TEST(Npy, EveryIntegerType) {
    const auto first = [](const std::string& type, const std::string& data) {
        return read("a.npy", array(type, "(2,)", data)).columns.at(0).values;
    };
    EXPECT_EQ(first("|i1", raw<std::int8_t>({-1, 127})), (Values{-1, 127}));
    EXPECT_EQ(first("|u1", raw<std::uint8_t>({255, 0})), (Values{255, 0}));
    EXPECT_EQ(first("<i2", raw<std::int16_t>({-300, 1})), (Values{-300, 1}));
    EXPECT_EQ(first(">u2", raw<std::uint16_t>({65535, 1}, true)), (Values{65535, 1}));
    EXPECT_EQ(first(">i4", raw<std::int32_t>({-70000, 1}, true)), (Values{-70000, 1}));
    EXPECT_EQ(first("<u4", raw<std::uint32_t>({4294967295u, 1})), (Values{4294967295.0, 1}));
    EXPECT_EQ(first("<i8", raw<std::int64_t>({-(1ll << 53), 1})), (Values{-0x1p53, 1}));
    EXPECT_EQ(first(">u8", raw<std::uint64_t>({1ull << 53, 1}, true)), (Values{0x1p53, 1}));
}

TEST(Npy, LaterVersionsAndOtherSpellings) {
    const std::string header = "{\"shape\": (2L, 1L), 'fortran_order': False, 'descr': '<f4'}";
    for (const char version : {'\2', '\3'})
        EXPECT_EQ(read("A.NPY", npy(header, raw<float>({1, 2}), version)).columns.at(0).values,
                  (Values{1, 2}));
}

TEST(Npy, NoRows) {
    const Table table = read("a.npy", array("<f8", "(0, 3)", ""));
    EXPECT_EQ(table.rows, 0u);
    EXPECT_EQ(table.columns.size(), 3u);
}

TEST(Npy, ManyChunks) {
    std::vector<float> data(300'001);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    const Table table = read("a.npy", array("<f4", "(300001,)", raw(data)));
    EXPECT_EQ(table.columns.at(0).values, Values(data.begin(), data.end()));
}

TEST(Npy, InexactIntegersAreRefused) {
    const auto large = (std::int64_t{1} << 53) + 1;
    expect_refused("a.npy", array("<i8", "(2, 2)", raw<std::int64_t>({1, 2, 3, -large})),
                   {"row 1", "column 1", "2^53", "float64"});
    expect_refused("a.npy", array("<u8", "(1,)", raw<std::uint64_t>({~0ull})), {"row 0"});
}

TEST(Npy, BadShapes) {
    const auto data = raw<double>({1, 2, 3});
    expect_refused("a.npy", array("<f8", "()", data), {"0-dimensional"});
    expect_refused("a.npy", array("<f8", "(1, 1, 3)", data), {"3-dimensional", "reshape"});
    expect_refused("a.npy", array("<f8", "(4,)", data), {"4 rows", "truncated"});
    expect_refused("a.npy", array("<f8", "(9000000000000000000, 3)", data), {"truncated"});
    expect_refused("a.npy", array("<f8", "(2305843009213693953, 1)", data), {"truncated"});
    expect_refused("a.npy", array("<f8", "(99999999999999999999,)", data), {"tuple of sizes"});
    expect_refused("a.npy", array("<f8", "(-1,)", data), {"tuple of sizes"});
    expect_refused("a.npy", array("<f8", "(0, 9000000000000000000)", data), {"transposed"});
    expect_refused("a.npy", array("<f8", "(9000000000000000000, 0)", data),
                   {"without columns"});
}

TEST(Npy, BadHeaders) {
    expect_refused("a.npy", "PK\3\4 a zip archive", {"magic", "numpy.save"});
    expect_refused("a.npy", "\x93NUM", {"too early"});
    expect_refused("a.npy", npy("{}", "", '\4'), {"version 4.0"});
    expect_refused("a.npy", std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13), {"truncated"});
    expect_refused("a.npy", npy("[1, 2]", ""), {"header", "'{'"});
    expect_refused("a.npy", npy("{'descr': '<f8', ", ""), {"header"});
    expect_refused("a.npy", npy("{'descr': '<f8'}", ""), {"header", "missing"});
    expect_refused("a.npy", npy("{'colour': '<f8'}", ""), {"'colour'"});
    expect_refused("a.npy", npy("{'descr': [('x', '<f8')]}", ""), {"structured"});
    for (const char* type : {"|O", "<c16", "<f2", "|b1", "f8", "<U3", ""})
        expect_refused("a.npy", array(type, "(1,)", std::string(64, ' ')), {"type", "astype"});
}

// .csv

TEST(Csv, Forgiving) {
    const Table table = read("a.csv",
                             "\xef\xbb\xbf# made by hand\r\n\r\n X , \"y\",Radius\r\n"
                             "1, 2.5 ,+3\r\n  # a comment\r\n-1e3,nan,\" inf\"\r\n\r\n");
    EXPECT_EQ(table.rows, 2u);
    EXPECT_EQ(column(table, "x"), (Values{1, -1000}));
    EXPECT_EQ(column(table, "y")[0], 2.5);
    EXPECT_TRUE(std::isnan(column(table, "y")[1]));
    EXPECT_EQ(column(table, "radius"), (Values{3, std::numeric_limits<double>::infinity()}));
    EXPECT_EQ(table.find("z"), nullptr);
}

TEST(Csv, HeaderOnlyHasNoRows) {
    const Table table = read("a.csv", "x,y,z");
    EXPECT_EQ(table.rows, 0u);
    EXPECT_EQ(table.columns.size(), 3u);
}

TEST(Csv, TextColumnsAreLeftOut) {
    const Table table = read("a.csv", "name,x,element\n\"Smith, J.\",1,\nDoe,2,He\n");
    EXPECT_EQ(table.rows, 2u);
    ASSERT_EQ(table.columns.size(), 1u);
    EXPECT_EQ(column(table, "x"), (Values{1, 2}));
}

TEST(Csv, LineEndsAnywhereInTheBuffer) {
    std::string text = "x,y\n";
    Values expected;
    for (int i = 0; i < 30'000; ++i) {
        text += std::to_string(i) + ",0." + std::string(static_cast<std::size_t>(i % 7), '0') +
                "1\n";
        expected.push_back(i);
    }
    EXPECT_EQ(column(read("a.csv", text), "x"), expected);
}

TEST(Csv, Refusals) {
    expect_refused("a.csv", "1,2,3\n4,5,6\n", {"line 1", "header", "x,y,z"});
    expect_refused("a.csv", "# only\n\n", {"no data", "x,y,z"});
    expect_refused("a.csv", "x,y\n1,2\n3\n", {"line 3", "1 fields", "2 columns"});
    expect_refused("a.csv", "x,y\n1,2,3\n", {"line 2", "3 fields", "2 columns"});
    expect_refused("a.csv", "x,y\n1,2\n\n3,4a\n", {"line 4", "'y'", "'4a'"});
    expect_refused("a.csv", "x,y\n1,2\n3,\n", {"line 3", "'y'", "''"});
    expect_refused("a.csv", "x,y\n1,2\n1e999,4\n", {"line 3", "'x'", "'1e999'"});
    expect_refused("a.csv", "mass,y\noops,2\n3,4\n", {"line 2", "'mass'", "'oops'", "line 3"});
    expect_refused("a.csv", "x,y\noops,2\n", {"line 2", "'x'", "'oops'", "correct the field"});
    expect_refused("a.csv", "x,X\n1,2\n", {"line 1", "'x'", "rename"});
    expect_refused("a.csv", "x,,z\n1,2,3\n", {"line 1", "column 2", "no name"});
    expect_refused("a.csv", "x;y\n1;2\n", {"no column", "commas"});
    expect_refused("a.csv", "x,\"y\n1,2\n", {"line 1", "quote"});
    expect_refused("a.csv", "x,\"y\"z\n1,2\n", {"line 1", "quote"});
}

// .xyz

TEST(Xyz, PlainFirstFrame) {
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
    std::vector<std::string> names;
    for (const NamedColumn& c : table.columns) names.push_back(c.name);
    EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "z", "radius", "velo_1", "velo_2",
                                               "velo_3", "z_1"}));
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

// LAMMPS dump

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
                   {"line 11", "1 fields"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS x x\n1 2\n3 4\n", {"'x'"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS xs ys\n1 2\n3 4\n", {"zs"});
    expect_refused("a.dump", lammps_start + "ITEM: ATOMS xs ys zs\n1 2 3\n4 5 6\n",
                   {"BOX BOUNDS"});
    expect_refused("a.dump", lammps_start + box + "ITEM: ATOMS xs ys zs\na 2 3\nb 5 6\n",
                   {"line 10", "'x'", "'a'", "correct the field"});
    expect_refused("a.dump", "ITEM: NUMBER OF ATOMS\n99999999999\nITEM: ATOMS x\n1\n",
                   {"99999999999 atoms", "truncated"});
}

// PLY

TEST(Ply, Ascii) {
    const Table table = read("a.ply",
                             "ply\r\nformat ascii 1.0\r\ncomment by hand\r\n"
                             "element face 1\r\nproperty list uchar int vertex_indices\r\n"
                             "element vertex 2\r\nproperty float x\r\nproperty float32 Y\r\n"
                             "property uint8 red\r\nend_header\r\n3 0 1 2\r\n"
                             "1 2.5 255\r\n3 4 0\r\n");
    EXPECT_EQ(table.rows, 2u);
    EXPECT_EQ(column(table, "x"), (Values{1, 3}));
    EXPECT_EQ(column(table, "y"), (Values{2.5, 4}));
    EXPECT_EQ(column(table, "red"), (Values{255, 0}));
}

// Elements of both kinds precede the vertices; the faces after them are not read.
std::string binary_ply(bool big) {
    std::string bytes = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                        "_endian 1.0\nelement camera 2\nproperty double f\nproperty short n\n"
                        "element strip 2\nproperty list uchar int16 ids\nproperty char c\n"
                        "element vertex 2\nproperty double x\nproperty int y\n"
                        "property ushort z\nproperty float radius\n"
                        "element face 9\nproperty list uchar int i\nend_header\n";
    bytes += std::string(2 * (8 + 2), 'c');
    bytes += std::string("\2aabb\1", 6) + std::string("\0\1", 2);
    for (const int i : {1, 2}) {
        bytes += raw<double>({i + 0.25}, big) + raw<std::int32_t>({-i}, big);
        bytes += raw<std::uint16_t>({static_cast<std::uint16_t>(65535 - i)}, big);
        bytes += raw<float>({0.5f}, big);
    }
    return bytes;
}

TEST(Ply, BinaryBothWays) {
    for (const bool big : {false, true}) {
        const Table table = read("a.ply", binary_ply(big));
        EXPECT_EQ(table.rows, 2u);
        EXPECT_EQ(column(table, "x"), (Values{1.25, 2.25}));
        EXPECT_EQ(column(table, "y"), (Values{-1, -2}));
        EXPECT_EQ(column(table, "z"), (Values{65534, 65533}));
        EXPECT_EQ(column(table, "radius"), (Values{0.5, 0.5}));
    }
}

TEST(Ply, Truncated) {
    const std::string bytes = binary_ply(false);
    for (std::size_t size = 1; size < bytes.size(); ++size)
        EXPECT_NE(message([&] { read("a.ply", bytes.substr(0, size)); }), "no error") << size;
}

TEST(Ply, Refusals) {
    const std::string ascii = "ply\nformat ascii 1.0\n";
    const std::string end = "end_header\n";
    expect_refused("a.ply", "solid stl\n", {"'ply'"});
    expect_refused("a.ply", ascii, {"end_header"});
    expect_refused("a.ply", "ply\n" + end, {"format"});
    expect_refused("a.ply", "ply\nformat ebcdic 1.0\n", {"line 2", "format", "ascii"});
    expect_refused("a.ply", ascii + end, {"vertex"});
    expect_refused("a.ply", ascii + "element vertex\n", {"line 3", "element"});
    expect_refused("a.ply", ascii + "property float x\n", {"line 3", "property"});
    expect_refused("a.ply", ascii + "sphere\n", {"line 3", "'sphere'"});
    expect_refused("a.ply", ascii + "element vertex 1\nproperty quad x\n",
                   {"line 4", "'quad'"});
    expect_refused("a.ply", ascii + "element v 1\nproperty list float int x\n", {"integer"});
    expect_refused("a.ply", ascii + "element vertex 1\nproperty list uchar int n\n" + end,
                   {"list", "'n'"});
    expect_refused("a.ply", ascii + "element vertex 1\n" + end + "1\n", {"no properties"});
    const std::string vertex = ascii + "element vertex 2\nproperty float x\n";
    expect_refused("a.ply", vertex + "property int x\n" + end + "1 1\n2 2\n", {"'x'"});
    expect_refused("a.ply", vertex + end + "1.25\n", {"too early"});
    expect_refused("a.ply", vertex + end + "1.25\nb\n", {"line 7", "'x'", "'b'"});
    expect_refused("a.ply",
                   ascii + "element vertex 999999999999\nproperty float x\n" + end + "1\n",
                   {"999999999999 vertices", "truncated"});
    expect_refused("a.ply",
                   "ply\nformat binary_little_endian 1.0\nelement f 1\n"
                   "property list char int i\nelement vertex 0\nproperty float x\n" +
                       end + "\xff",
                   {"'f'", "row 0", "negative"});
}

// Not regular files

TEST(ReadTable, BadFiles) {
    const Folder folder;
    const auto refused = [&](const std::string& name) {
        return message([&] { read_table(folder / name); });
    };
    expect_words(refused("missing.csv"), "missing.csv", {"No such file"});
    fs::create_directory(folder / "room.csv");
    expect_words(refused("room.csv"), "room.csv", {"directory"});
    put(folder / "empty.npy", "");
    expect_words(refused("empty.npy"), "empty.npy", {"empty"});
    put(folder / "a.txt", "x\n1\n");
    expect_words(refused("a.txt"), "a.txt", {"'.txt'", ".npy", ".csv", ".ply", ".dump"});
    fs::create_symlink("/dev/null", folder / "device.csv");
    expect_words(refused("device.csv"), "device.csv", {"regular file"});
    put(folder / "locked.csv", "x\n1\n");
    fs::permissions(folder / "locked.csv", fs::perms::none);
    if (::geteuid() != 0)
        expect_words(refused("locked.csv"), "locked.csv", {"Permission denied"});
}

// Writers

TEST(PendingFile, AppearsOnlyWhenCommitted) {
    const Folder folder;
    const fs::path file = folder / "out.txt";
    {
        PendingFile out(file);
        out.write("half");
    }
    EXPECT_EQ(folder.files(), 0u);
    put(file, "old");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    PendingFile first(file);
    PendingFile out(std::move(first));
    out.write("who");
    out.write("le");
    EXPECT_EQ(get(file), "old");
    out.commit();
    EXPECT_EQ(get(file), "whole");
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(PendingFile, FollowsLinks) {
    const Folder folder;
    fs::create_directory(folder / "room");
    fs::create_symlink("room/file", folder / "link");
    PendingFile out(folder / "link");
    out.write("text");
    out.commit();
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(get(folder / "room/file"), "text");
    fs::create_symlink("circle", folder / "circle");
    expect_words(message([&] { PendingFile(folder / "circle"); }), "circle", {"circle"});
}

TEST(PendingFile, Refusals) {
    const Folder folder;
    const auto refused = [&](const std::string& name) {
        return message([&] { PendingFile(folder / name); });
    };
    fs::create_directory(folder / "room");
    expect_words(refused("room"), "room", {"directory"});
    expect_words(refused("room/"), "room/", {"directory"});
    expect_words(refused("none/a.csv"), "none/a.csv", {"directory", "does not exist"});
    expect_words(message([] { PendingFile(""); }), "", {"empty"});
    put(folder / "fixed.csv", "x");
    fs::permissions(folder / "fixed.csv", fs::perms::owner_read);
    if (::geteuid() != 0) expect_words(refused("fixed.csv"), "fixed.csv", {"permission"});
    EXPECT_EQ(get(folder / "fixed.csv"), "x");
}

TEST(PendingFile, FullDisk) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    PendingFile small("/dev/full");
    small.write("a");
    expect_words(message([&] { small.commit(); }), "/dev/full", {"No space left"});
    PendingFile large("/dev/full");
    const std::string text(1 << 20, 'a');
    expect_words(message([&] { large.write(text); }), "/dev/full", {"No space left"});
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(PendingFile, DescriptorIsWrittenInPlace) {
    const Folder folder;
    put(folder / "log", "before ");
    std::FILE* log = std::fopen((folder / "log").c_str(), "ab");
    ASSERT_NE(log, nullptr);
    PendingFile out("/dev/fd/" + std::to_string(::fileno(log)));
    out.write("after");
    out.commit();
    std::fclose(log);
    EXPECT_EQ(get(folder / "log"), "before after");
}

TEST(Write, NpyHeader) {
    for (const std::size_t rows : {std::size_t{0}, std::size_t{7}, std::size_t{4294967295}}) {
        const std::string header = npy_header("<u4", rows, 2);
        EXPECT_EQ(header.size() % 64, 0u);
        EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
        EXPECT_EQ(header.back(), '\n');
    }
    EXPECT_NE(npy_header("<i8", 5, 0).find("'shape': (5, )"), std::string::npos);
    EXPECT_EQ(read("a.npy", npy_header("<u4", 2, 0) + raw<std::uint32_t>({8, 9})).rows, 2u);
}

TEST(Write, ShortestNumbers) {
    std::string text;
    append_number(text, 0.1);
    append_number(text += ' ', 0.1f);
    append_number(text += ' ', -1e300);
    append_number(text += ' ', 5e-324);
    EXPECT_EQ(text, "0.1 0.1 -1e+300 5e-324");
}

TEST(Write, ColumnsRoundTrip) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<std::string> names = {"x", "a, \"b\"", "#z"};
    const std::vector<Values> columns = {
        {0.1, -0.0, 1e308}, {5e-324, 0x1p53 + 2, -infinity}, {1.0 / 3, infinity, -7}};
    const Folder folder;
    for (const char* name : {"a.npy", "a.csv", "A.CSV"}) {
        write_columns(folder / name, names, columns);
        const Table table = read_table(folder / name);
        EXPECT_EQ(table.rows, 3u);
        ASSERT_EQ(table.columns.size(), 3u);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(table.columns[i].values, columns[i]);
            EXPECT_EQ(table.columns[i].name, std::string(name) == "a.npy" ? "" : names[i]);
        }
        EXPECT_TRUE(std::signbit(table.columns[0].values[1]));
    }
}

TEST(Write, ManyAndNoRows) {
    const Folder folder;
    std::vector<Values> columns(2, Values(100'000));
    for (std::size_t i = 0; i < columns[0].size(); ++i)
        columns[1][i] = std::sqrt(columns[0][i] = static_cast<double>(i));
    const std::vector<std::string> names = {"x", "y"};
    for (const char* name : {"a.npy", "a.csv"}) {
        write_columns(folder / name, names, columns);
        EXPECT_EQ(read_table(folder / name).columns.at(1).values, columns[1]);
        write_columns(folder / name, names, std::vector<Values>(2));
        EXPECT_EQ(read_table(folder / name).rows, 0u);
        EXPECT_EQ(read_table(folder / name).columns.size(), 2u);
    }
    EXPECT_EQ(folder.files(), 2u);
}

TEST(Write, ColumnsRefused) {
    const Folder folder;
    const std::vector<std::string> names = {"x", "y"};
    const auto refused = [&](const std::string& name, const std::vector<Values>& columns) {
        return message([&] { write_columns(folder / name, names, columns); });
    };
    expect_words(refused("a.ply", {{1}, {2}}), "a.ply", {".npy", ".csv", "'.ply'"});
    expect_words(refused("a.csv", {{1}, {2, 3}}), "a.csv", {"differ in length"});
    expect_words(refused("a.csv", {{1}}), "a.csv", {"name"});
    EXPECT_EQ(folder.files(), 0u);
}

using Listed = std::vector<std::array<int, 4>>;  // i, j, image

Listed listed(const std::vector<ListedPair<2>>& pairs) {
    Listed result;
    for (const auto& pair : pairs)
        result.push_back(
            {static_cast<int>(pair.i), static_cast<int>(pair.j), pair.image[0], pair.image[1]});
    return result;
}

// Three points on a line; the outer two pair across the periodic face.
TEST(Pairs, RoundTrip) {
    const std::vector<std::array<double, 2>> positions{{0.5, 1}, {1.25, 1}, {9.75, 1}};
    const Folder folder;
    for (const bool periodic : {false, true}) {
        vicinal::Finder<double, 2> finder(
            vicinal::Options<2>{.domain = periodic ? vicinal::Domain<2>::orthogonal({10, 10})
                                                   : vicinal::Domain<2>{}});
        finder.update(vicinal::points<2>(positions, 0.75));
        const Images images = periodic ? Images::read : Images::none;
        const Listed expected =
            periodic ? Listed{{0, 1, 0, 0}, {0, 2, -1, 0}} : Listed{{0, 1, 0, 0}};
        for (const char* name : {"a.npy", "a.csv"}) {
            const std::string file = folder / name;
            write_pairs(file, finder.pairs(vicinal::Order::sorted), periodic);
            EXPECT_EQ(listed(read_pairs<2>(file, 3, 3, images)), expected) << name;
        }
        const std::string prefix = folder / "rows";
        const auto files =
            write_rows(prefix, finder.neighbours(vicinal::RowKind::full), periodic);
        EXPECT_EQ(files.size(), periodic ? 3u : 2u);
        EXPECT_EQ(read_rows<2>(prefix, 3, images).size(), 2 * expected.size());
    }
}

TEST(Pairs, Refused) {
    const Folder folder;
    const std::string file = folder / "a.csv";
    const auto refused = [&](const std::string& text, Images images) {
        put(file, text);
        return message([&] { read_pairs<2>(file, 3, 4, images); });
    };
    EXPECT_EQ(refused("i,j\n2,3\n", Images::none), "no error");
    expect_words(refused("i,j\n3,0\n", Images::none), "a.csv", {"i = 3", "row 1", "0 to 2"});
    expect_words(refused("i,j\n0,4\n", Images::none), "a.csv", {"j = 4", "0 to 3"});
    expect_words(refused("i,j\n0,1.5\n", Images::none), "a.csv", {"j = 1.5"});
    expect_words(refused("i,k\n0,1\n", Images::none), "a.csv", {"no column 'j'"});
    expect_words(refused("i,j\n0,1\n", Images::read), "a.csv", {"'nx'", "image"});
    expect_words(refused("i,j,nx,ny\n0,1,0,0\n", Images::none), "a.csv", {"open", "--domain"});
}

}  // namespace
