// What is read: files, pipes, compressed files, and how their format is found.
#include <sys/stat.h>

#include <thread>

#include "support.hpp"

namespace vicinal::io {
namespace {

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
    put(folder / "a.xls", "x\n1\n");
    expect_words(refused("a.xls"), "a.xls",
                 {"'.xls'", ".npy", ".csv", ".ply", ".dump", "--format"});
    fs::create_symlink("/dev/null", folder / "device.csv");
    expect_words(refused("device.csv"), "device.csv", {"regular file"});
    put(folder / "locked.csv", "x\n1\n");
    fs::permissions(folder / "locked.csv", fs::perms::none);
    if (::geteuid() != 0)
        expect_words(refused("locked.csv"), "locked.csv", {"Permission denied"});
}

// Every format, told by its contents alone.
TEST(ReadTable, FormatByContents) {
    const auto rows = [](const std::string& bytes) { return read("dump.melt", bytes).rows; };
    EXPECT_EQ(rows(array("<f8", "(2, 1)", raw<double>({1, 2}))), 2u);
    EXPECT_EQ(rows("x,y\n1,2\n3,4\n"), 2u);
    EXPECT_EQ(rows("# x y z\n1 2 3\n"), 1u);
    EXPECT_EQ(rows("\"i\";\"j\"\n1;2\n"), 1u);
    EXPECT_EQ(rows("2\n\nH 1 2 3\nH 1 2 3\n"), 2u);
    EXPECT_EQ(rows("ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x\n1\n"), 1u);
    EXPECT_EQ(
        rows("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n"), 1u);
    EXPECT_EQ(rows(gzip("x,y\n1,2\n3,4\n")), 2u);
    expect_refused("dump.melt", "1,2\n3,4\n", {"'.melt'", "--format"});
    ReadOptions options;
    options.format = "csv";
    EXPECT_EQ(read("dump.melt", "time,x\n1,2\n", options).rows, 1u);
    EXPECT_EQ(read("a.xyz", "time,x\n1,2\n", options).rows, 1u);
}

TEST(Gzip, EveryTextFormatAndNpy) {
    EXPECT_EQ(column(read("a.csv.gz", gzip("x,y\n1,2\n")), "y"), (Values{2}));
    EXPECT_EQ(column(read("A.XYZ.GZ", gzip("1\n\nH 1 2 3\n")), "z"), (Values{3}));
    const std::string npy_bytes = array("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}));
    EXPECT_EQ(read("a.npy.gz", gzip(npy_bytes)).columns.at(1).values, (Values{2, 4}));
    // The contents decide, not the name.
    EXPECT_EQ(column(read("a.csv", gzip("x,y\n1,2\n")), "y"), (Values{2}));
    EXPECT_EQ(column(read("a.csv.gz", "x,y\n1,2\n"), "y"), (Values{2}));
}

TEST(Gzip, SeveralStreamsAndManyBuffers) {
    std::string text = "x,y\n";
    Values expected;
    for (int i = 0; i < 50'000; ++i) {
        text += std::to_string(i) + ",0.125\n";
        expected.push_back(i);
    }
    const std::size_t half = text.size() / 2;
    EXPECT_EQ(
        column(read("a.csv.gz", gzip(text.substr(0, half)) + gzip(text.substr(half))), "x"),
        expected);
}

TEST(Gzip, Refusals) {
    const std::string whole = gzip("x,y\n1,2\n");
    for (std::size_t size = 3; size < whole.size(); ++size)
        expect_refused("a.csv.gz", whole.substr(0, size), {"truncated"});
    std::string wrong = whole;
    wrong[wrong.size() - 6] = static_cast<char>(wrong[wrong.size() - 6] ^ 1);
    expect_refused("a.csv.gz", wrong, {"damaged"});
    expect_refused("a.csv.gz", whole + "garbage", {"damaged"});
    expect_refused("a.csv.gz", gzip(""), {"no data"});
    // Sizes are not known before the end: a header that lies must not cost memory.
    expect_refused("a.npy.gz", gzip(array("<f8", "(100000000000, 3)", raw<double>({1, 2, 3}))),
                   {"too early", "truncated"});
    expect_refused("a.npy.gz", gzip(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13)),
                   {"too early"});
    expect_refused("a.xyz.gz", gzip("99999999999\n\nH 1 2 3\n"), {"too early", "line 3"});
    expect_refused("a.ply.gz",
                   gzip("ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
                        "property double x\nend_header\n12345678"),
                   {"too early"});
}

TEST(ReadTable, Pipe) {
    const Folder folder;
    const fs::path pipe = folder / "a.xyz";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { put(pipe, "1\n\nH 1 2 3\n1\n\nH 4 5 6\n"); });
    TableFile file(pipe);
    writer.join();
    EXPECT_EQ(file.frames(), 2u);
    EXPECT_EQ(column(file.read(1), "x"), (Values{4}));
    EXPECT_EQ(column(file.read(0), "x"), (Values{1}));
}

}  // namespace
}  // namespace vicinal::io
