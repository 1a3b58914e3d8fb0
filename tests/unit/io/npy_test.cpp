// numpy's .npy files.
#include "support.hpp"

namespace vicinal::io {
namespace {

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
    expect_refused("a.npy", npy("{'descr': [('x', '<f8')]}", ""), {"header", "missing"});
    for (const char* type : {"|O", "<c16", "<f2", "|b1", "f8", "<U3", ""})
        expect_refused("a.npy", array(type, "(1,)", std::string(64, ' ')), {"type", "astype"});
}

std::string structured(const std::string& members, const std::string& shape,
                       const std::string& data) {
    return npy("{'descr': [" + members + "], 'fortran_order': False, 'shape': " + shape + "}",
               data);
}

TEST(Npy, StructuredArraysHaveNames) {
    const std::string data = "ab" + raw<float>({1, 2, 3}) + raw<double>({0.5}, true) + "pad!" +
                             "cd" + raw<float>({4, 5, 6}) + raw<double>({0.25}, true) + "pad!";
    const Table table = read("a.npy", structured("('name', '|S2'), ('pos', '<f4', (3,)), "
                                                 "(('title', 'Radius'), '>f8'), ('', '|V4')",
                                                 "(2,)", data));
    EXPECT_EQ(table.rows, 2u);
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y", "z", "radius"}));
    EXPECT_EQ(column(table, "y"), (Values{2, 5}));
    EXPECT_EQ(column(table, "radius"), (Values{0.5, 0.25}));
}

TEST(Npy, StructuredRefusals) {
    const auto refused = [](const std::string& members, const std::string& shape,
                            const std::vector<std::string>& words) {
        expect_refused("a.npy", structured(members, shape, std::string(64, ' ')), words);
    };
    refused("('x', [('a', '<f8')])", "(1,)", {"'x'", "structure"});
    refused("('x', '<f8'), ('X', '<f8')", "(1,)", {"two columns", "'x'"});
    refused("('x', '|O')", "(1,)", {"'|O'", "astype"});
    refused("('name', '|S4')", "(1,)", {"without columns"});
    refused("('x', '<f8')", "(1, 1)", {"2-dimensional structured"});
    refused("('x', '<f8', (99999,))", "(1,)", {"components"});
    refused("('x', '<f8', (4000,)), ('y', '<f8', (4000,))", "(1,)", {"4096"});
    refused("('x', '<f8'), ('y', '<f8')", "(5,)", {"5 rows", "truncated"});
    refused("('x' '<f8')", "(1,)", {"','"});
    refused("('x', '<f8') ('y', '<f8')", "(1,)", {"comma"});
}

TEST(Npy, FieldsNameTheColumns) {
    const std::string bytes = array("<f8", "(1, 3)", raw<double>({7, 1, 2}));
    const Table table = read("a.npy", bytes, with_fields({"_", "x", "y"}));
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(column(table, "x"), (Values{1}));
    expect_refused("a.npy", bytes, {"3 columns", "2"}, with_fields({"x", "y"}));
    expect_refused("a.npy", structured("('x', '<f8')", "(1,)", raw<double>({1})),
                   {"names", "--fields"}, with_fields({"x"}));
}

}  // namespace
}  // namespace vicinal::io
