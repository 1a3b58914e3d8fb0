// numpy's .npz files: reading and writing.
#include <cstdlib>

#include "io/npz.hpp"
#include "support.hpp"

namespace vicinal::io {
namespace {

struct Member {
    std::string name, bytes;
};

// An archive as zip programs write it: sizes in the headers, 32 bits.
std::string zip(const std::vector<Member>& members, bool compressed = false) {
    const auto number = [](std::size_t value) {
        return raw<std::uint32_t>({static_cast<std::uint32_t>(value)});
    };
    const auto half = [](std::size_t value) {
        return raw<std::uint16_t>({static_cast<std::uint16_t>(value)});
    };
    std::string archive, directory;
    for (const Member& member : members) {
        const std::string name = member.name + ".npy";
        const std::string data = compressed ? deflated(member.bytes) : member.bytes;
        const std::string common = half(20) + half(0) + half(compressed ? 8 : 0) + number(0) +
                                   number(crc32(0, member.bytes.data(), member.bytes.size())) +
                                   number(data.size()) + number(member.bytes.size()) +
                                   half(name.size());
        directory += "PK\1\2" + half(20) + common + half(0) + half(0) + half(0) + half(0) +
                     number(0) + number(archive.size()) + name;
        archive += "PK\3\4" + common + half(0) + name + data;
    }
    const std::string end = "PK\5\6" + number(0) + half(members.size()) + half(members.size()) +
                            number(directory.size()) + number(archive.size()) + half(0);
    return archive + directory + end;
}

Member values(const std::string& name, const std::vector<double>& data,
              const std::string& shape) {
    return {name, array("<f8", shape, raw(data))};
}

const Member positions = values("positions", {1, 2, 3, 4, 5, 6}, "(2, 3)");

TEST(Npz, ArraysByName) {
    for (const bool compressed : {false, true}) {
        const Table table =
            read("a.npz", zip({values("Radii", {0.5, 0.25}, "(2,)"),
                               positions,
                               values("forces", {1, 2, 3, 4}, "(2, 2)"),
                               values("cell", {1, 1, 1}, "(3,)"),
                               {"label", array("<U2", "()", std::string(8, 'a'))}},
                              compressed));
        EXPECT_EQ(table.rows, 2u);
        EXPECT_EQ(names(table),
                  (std::vector<std::string>{"radius", "x", "y", "z", "forces_1", "forces_2"}));
        EXPECT_EQ(column(table, "y"), (Values{2, 5}));
        EXPECT_EQ(column(table, "radius"), (Values{0.5, 0.25}));
    }
}

TEST(Npz, WellKnownNames) {
    const Table boxes = read(
        "a.npz", zip({values("lower", {0, 1}, "(1, 2)"), values("upper", {2, 3}, "(1, 2)"),
                      values("displacement", {4, 5}, "(1, 2)"), values("ids", {6}, "(1,)")}));
    EXPECT_EQ(names(boxes),
              (std::vector<std::string>{"x0", "y0", "x1", "y1", "ux", "uy", "id"}));
    const Table pairs =
        read("a.npz", zip({values("i", {0}, "(1,)"), values("j", {1}, "(1,)"),
                           values("S", {0, 0, 1}, "(1, 3)"), values("d", {2}, "(1,)"),
                           values("D", {3, 4, 5}, "(1, 3)")}));
    EXPECT_EQ(names(pairs),
              (std::vector<std::string>{"i", "j", "nx", "ny", "nz", "d", "d_1", "d_2", "d_3"}));
}

TEST(Npz, OneArrayNeedsNoName) {
    EXPECT_EQ(names(read("a.npz", zip({values("anything", {1, 2}, "(1, 2)")}))),
              (std::vector<std::string>{"", ""}));
    EXPECT_EQ(names(read("a.npz", zip({values("anything", {1, 2}, "(1, 2)")}),
                         with_fields({"x", "y"}))),
              (std::vector<std::string>{"x", "y"}));
}

TEST(Npz, APartIsChosenAfterAColon) {
    const Folder folder;
    put(folder / "a.npz", zip({values("a", {1, 2}, "(1, 2)"), values("b", {3, 4}, "(1, 2)")}));
    const auto part = [&](const std::string& name) {
        return read_table((folder / "a.npz").string() + ":" + name);
    };
    EXPECT_EQ(part("b").columns.at(0).values, (Values{3}));
    expect_words(message([&] { part("c"); }), "a.npz", {"'c'", "a, b"});
    expect_words(message([&] { read_table(folder / "a.npz"); }), "a.npz", {"a, b", "a.npz:a"});
    // A file may have such a name itself.
    put(folder / "a.npz:b", "x,y\n1,2\n");
    EXPECT_EQ(names(part("b")), (std::vector<std::string>{"x", "y"}));
}

TEST(Npz, Refusals) {
    const std::string good = zip({positions, values("radius", {1, 2}, "(2,)")});
    for (std::size_t size = 1; size < good.size(); ++size)
        EXPECT_NE(message([&] { read("a.npz", good.substr(0, size)); }), "no error") << size;
    expect_refused("a.npz", "x,y\n1,2\n", {"magic", "numpy.savez"});
    expect_refused("a.npz", zip({}), {"no array"});
    expect_refused("a.npz", zip({positions, values("radius", {1, 2, 3}, "(3,)")}),
                   {"'radius'", "3 rows", "'positions'", "2"});
    expect_refused("a.npz", zip({positions, values("x", {1, 2}, "(2,)")}),
                   {"two arrays", "'x'", "a.npz:positions"});
    expect_refused("a.npz", zip({positions, {"radius", "no array"}}), {"a.npz:radius"});
    std::string wrong = good;
    wrong[wrong.find("NUMPY") + 80] ^= 1;
    expect_refused("a.npz", wrong, {"'positions'", "checksum"});
    std::string encrypted = good;
    encrypted[encrypted.find("PK\1\2") + 8] = 1;
    expect_refused("a.npz", encrypted, {"encrypted"});
    // The declared size is too large, or too small.
    for (const char by : {'\1', '\377'}) {
        std::string lies = zip({positions}, true);
        lies[lies.find("PK\1\2") + 24] = static_cast<char>(lies[lies.find("PK\1\2") + 24] + by);
        expect_refused("a.npz", lies, {"damaged", "declared"});
    }
}

// Arrays of several types, more than a buffer of them.
std::string write_archive(const fs::path& file, NpzWriter::Compression compression) {
    PendingFile out(file);
    NpzWriter npz(out, compression);
    std::vector<std::uint32_t> i(100'000);
    for (std::size_t k = 0; k < i.size(); ++k) i[k] = static_cast<std::uint32_t>(k * k);
    npz.add<std::uint32_t>("i", "<u4", i);
    npz.begin("S", "<i2", i.size(), 3);
    for (std::size_t k = 0; k < i.size(); ++k) {
        const std::int16_t image[3] = {static_cast<std::int16_t>(k % 3 - 1), 0, 7};
        npz.write(image, sizeof image);
    }
    npz.add<double>("d", "<f8", std::vector<double>(i.size(), 0.25));
    npz.add<double>("nothing", "<f8", {});
    npz.finish();
    out.commit();
    return file.string();
}

TEST(Npz, WriterRoundTrip) {
    const Folder folder;
    for (const auto compression :
         {NpzWriter::Compression::none, NpzWriter::Compression::deflate}) {
        const std::string file = write_archive(folder / "a.npz", compression);
        const Table table = read_table(file);
        EXPECT_EQ(table.rows, 100'000u);
        EXPECT_EQ(names(table), (std::vector<std::string>{"i", "nx", "ny", "nz", "d"}));
        EXPECT_EQ(column(table, "i")[99'999], 99'999.0 * 99'999 - 2 * 4294967296.0);
        EXPECT_EQ(column(table, "nx")[1], 0);
        EXPECT_EQ(column(table, "nx")[2], 1);
        EXPECT_EQ(column(table, "nz"), Values(100'000, 7));
        EXPECT_EQ(column(table, "d"), Values(100'000, 0.25));
        EXPECT_EQ(read_table(file + ":nothing").rows, 0u);
    }
    EXPECT_LT(fs::file_size(folder / "a.npz"), 600'000u);
}

// Debian's own Python first: that is where the package python3-numpy goes.
TEST(Npz, NumpyReadsWhatIsWritten) {
    const Folder folder;
    const std::string python = fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
    if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0)
        GTEST_SKIP() << "no numpy here";
    for (const auto compression :
         {NpzWriter::Compression::none, NpzWriter::Compression::deflate}) {
        const std::string file = write_archive(folder / "a.npz", compression);
        put(folder / "check.py",
            "import numpy as np, zipfile, sys\n"
            "assert zipfile.ZipFile(sys.argv[1]).testzip() is None\n"
            "a = np.load(sys.argv[1])\n"
            "k = np.arange(100000, dtype=np.uint64)\n"
            "assert a.files == ['i', 'S', 'd', 'nothing']\n"
            "assert a['i'].dtype == np.uint32 and (a['i'] == (k * k).astype(np.uint32)).all()\n"
            "assert a['S'].dtype == np.int16 and a['S'].shape == (100000, 3)\n"
            "assert (a['S'][:, 0] == np.arange(100000) % 3 - 1).all() and (a['S'][:, 2] == "
            "7).all()\n"
            "assert (a['d'] == 0.25).all() and a['nothing'].shape == (0,)\n");
        EXPECT_EQ(
            std::system((python + " " + (folder / "check.py").string() + " " + file).c_str()),
            0);
    }
}

}  // namespace
}  // namespace vicinal::io
