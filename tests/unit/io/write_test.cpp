// Writers, and files of pairs.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "support.hpp"

#include "io/npz.hpp"
#include "io/pairs.hpp"
#include "io/write.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::io {
namespace {

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

// The columns as write_table takes them.
std::vector<OutputColumn> outputs(const std::vector<std::string>& names,
                                  const std::vector<Values>& columns) {
    std::vector<OutputColumn> result;
    for (std::size_t i = 0; i < columns.size(); ++i) result.push_back({names[i], columns[i]});
    return result;
}

TEST(Write, ColumnsRoundTrip) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<std::string> titles = {"x", "a, \"b\"", "#z"};
    const std::vector<Values> columns = {
        {0.1, -0.0, 1e308}, {5e-324, 0x1p53 + 2, -infinity}, {1.0 / 3, infinity, -7}};
    const Folder folder;
    for (const char* name : {"a.npy", "a.csv", "A.CSV"}) {
        write_table(std::string(folder / name), outputs(titles, columns));
        const Table table = read_table(folder / name);
        EXPECT_EQ(table.rows, 3u);
        ASSERT_EQ(table.columns.size(), 3u);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(table.columns[i].values, columns[i]);
            EXPECT_EQ(table.columns[i].name, std::string(name) == "a.npy" ? "" : titles[i]);
        }
        EXPECT_TRUE(std::signbit(table.columns[0].values[1]));
    }
}

// Whole numbers stay whole: 100000 is not 1e+05, and .npy holds integers.
TEST(Write, ColumnsOfSeveralTypes) {
    const Folder folder;
    const std::vector<std::int64_t> i{100'000, -5};
    const std::vector<std::uint32_t> j{4294967295u, 7};
    const std::vector<std::int16_t> n{-1, 1};
    const Values d{0.5, 1e300};
    const std::vector<OutputColumn> columns{{"i", i}, {"j", j}, {"nx", n}, {"d", d}};
    write_table(std::string(folder / "a.csv"), columns);
    EXPECT_EQ(get(folder / "a.csv"), "i,j,nx,d\n100000,4294967295,-1,0.5\n-5,7,1,1e+300\n");
    write_table(std::string(folder / "a.npy"), columns);
    EXPECT_NE(get(folder / "a.npy")
                  .find("[('i', '<i8'), ('j', '<u4'), ('nx', '<i2'), "
                        "('d', '<f8')]"),
              std::string::npos);
    const Table table = read_table(folder / "a.npy");
    EXPECT_EQ(names(table), (std::vector<std::string>{"i", "j", "nx", "d"}));
    EXPECT_EQ(column(table, "j"), (Values{4294967295.0, 7}));
    EXPECT_EQ(column(table, "d"), d);
}

TEST(Write, ManyAndNoRows) {
    const Folder folder;
    std::vector<Values> columns(2, Values(100'000));
    for (std::size_t i = 0; i < columns[0].size(); ++i)
        columns[1][i] = std::sqrt(columns[0][i] = static_cast<double>(i));
    for (const char* name : {"a.npy", "a.csv"}) {
        const std::string file = folder / name;
        write_table(file, outputs({"x", "y"}, columns));
        EXPECT_EQ(read_table(file).columns.at(1).values, columns[1]);
        write_table(file, outputs({"x", "y"}, std::vector<Values>(2)));
        EXPECT_EQ(read_table(file).rows, 0u);
        EXPECT_EQ(read_table(file).columns.size(), 2u);
    }
    EXPECT_EQ(folder.files(), 2u);
}

TEST(Write, ColumnsRefused) {
    const Folder folder;
    const auto refused = [&](const std::string& name, const std::vector<Values>& columns) {
        return message(
            [&] { write_table(std::string(folder / name), outputs({"x", "y"}, columns)); });
    };
    expect_words(refused("a.ply", {{1}, {2}}), "a.ply", {".npy", ".csv"});
    expect_words(refused("a.csv", {{1}, {2, 3}}), "a.csv", {"differ in length"});
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
                                                   : vicinal::Domain<2>::open()});
        finder.update(vicinal::points<2>(positions, 0.75));
        const Images images = periodic ? Images::read : Images::none;
        const Listed expected =
            periodic ? Listed{{0, 1, 0, 0}, {0, 2, -1, 0}} : Listed{{0, 1, 0, 0}};
        const Columns columns = periodic ? Columns::ijS : Columns::ij;
        for (const char* name : {"a.npy", "a.csv", "a.npz"}) {
            const std::string file = folder / name;
            const auto pairs = finder.pairs(columns, {.order = vicinal::Order::sorted});
            const BodyIds indices(3), ids(std::vector<std::int64_t>{70, -8, 5'000'000'000});
            write_pairs(Output(file), pairs, columns, {indices, indices});
            EXPECT_EQ(listed(read_pairs<2>(file, 3, 3, images)), expected) << name;
            write_pairs(Output(file), pairs, columns, {ids, indices});
            EXPECT_EQ(read_table(file).columns[0].values[0], 70) << name;
            EXPECT_EQ(read_table(file).columns[1].values[0], 1) << name;
            EXPECT_EQ(listed(read_pairs<2>(file, ids, indices, images)), expected) << name;
            write_pairs(Output(file), pairs, columns, {ids, ids});
            EXPECT_EQ(listed(read_pairs<2>(file, ids, ids, images)), expected) << name;
        }
        const std::string prefix = folder / "rows";
        const auto files =
            write_rows(prefix, finder.neighbours(vicinal::RowKind::full), columns);
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
    expect_words(refused("i,j\n3,0\n", Images::none), "a.csv", {"i = 3", "line 2", "0 to 2"});
    expect_words(refused("i,j\n0,4\n", Images::none), "a.csv", {"j = 4", "0 to 3"});
    expect_words(refused("i,j\n0,1.5\n", Images::none), "a.csv", {"j = 1.5"});
    put(file, "i,j\n8,9\n9,7\n");
    const BodyIds ids(std::vector<std::int64_t>{8, 9});
    expect_words(message([&] { read_pairs<2>(file, ids, ids, Images::none); }), "a.csv",
                 {"j = 7", "line 3", "id of a body"});
    expect_words(refused("i,k\n0,1\n", Images::none), "a.csv", {"no column 'j'"});
    expect_words(refused("i,j\n0,1\n", Images::read), "a.csv", {"'nx'", "image"});
    expect_words(refused("i,j,nx,ny\n0,1,0,0\n", Images::none), "a.csv", {"open", "--domain"});
}

}  // namespace
}  // namespace vicinal::io
