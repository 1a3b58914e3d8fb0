// Tables as text.
#include <cmath>
#include <limits>

#include "support.hpp"

namespace vicinal::io {
namespace {

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
    expect_refused("a.csv", "x,y\n1,2\n3\n", {"line 3", "1 field ", "2 columns"});
    expect_refused("a.csv", "x,y\n1,2,3\n", {"line 2", "3 fields", "2 columns"});
    expect_refused("a.csv", "x,y\n1,2\n\n3,4a\n", {"line 4", "'y'", "'4a'"});
    expect_refused("a.csv", "x,y\n1,2\n3,\n", {"line 3", "'y'", "''"});
    expect_refused("a.csv", "x,y\n1,2\n1e999,4\n", {"line 3", "'x'", "'1e999'"});
    expect_refused("a.csv", "mass,y\noops,2\n3,4\n", {"line 2", "'mass'", "'oops'", "line 3"});
    expect_refused("a.csv", "x,y\noops,2\n", {"line 2", "'x'", "'oops'", "correct the field"});
    expect_refused("a.csv", "x,X\n1,2\n", {"line 1", "'x'", "rename"});
    expect_refused("a.csv", "x,,z\n1,2,3\n", {"line 1", "column 2", "no name"});
    expect_refused("a.csv", "name\nSmith\n", {"no column", "commas"});
    expect_refused("a.csv", "x,y,\n1,2,3\n", {"line 2", "3 fields", "2 columns"});
    expect_refused("a.csv", "x,\"y\n1,2\n", {"line 1", "quote"});
    expect_refused("a.csv", "x,\"y\"z\n1,2\n", {"line 1", "quote"});
}

// The same two bodies in the ways that programs write them.
TEST(Csv, AsProgramsWriteIt) {
    const struct {
        const char* program;
        const char* text;
    } files[] = {
        {"numpy.savetxt, delimiter=','", "# x,y,z\n1.5e+00,2,3\n-4,5,6\n"},
        {"numpy.savetxt", "# two bodies\n# x y z\n1.5e+00 2 3\n-4 5 6\n"},
        {"numpy.savetxt, names by commas", "# x, y, z\n1.5e+00 2 3\n-4 5 6\n"},
        {"pandas", ",x,y,z\n0,1.5,2,3\n1,-4,5,6\n"},
        {"pandas with names in the index", ",x,y,z\na,1.5,2,3\nb,-4,5,6\n"},
        {"a European spreadsheet", "x;y;z\r\n1,5;2;3\r\n-4;5;6\r\n"},
        {"tabs", "x\ty\tz\n1.5\t2\t3\n-4\t5\t6\n"},
        {"blanks", "  x    y  z\n 1.5   2  3\n-4.0 5 6\n"},
        {"R, write.csv", "\"\",\"x\",\"y\",\"z\"\n\"1\",1.5,2,3\n\"2\",-4,5,6\n"},
        {"ParaView", "\"Points:0\",\"Points:1\",\"Points:2\"\n1.5,2,3\n-4,5,6\n"},
        {"ParaView 5.11", "Points_0,Points_1,Points_2\n1.5,2,3\n-4,5,6\n"},
        {"a separator at the end", "x,y,z,\n1.5,2,3,\n-4,5,6,\n"},
        {"a text column under a comment", "# name,x,y,z\nA,1.5,2,3\nB,-4,5,6\n"},
    };
    for (const auto& [program, text] : files) {
        const Table table = read("a.csv", text);
        EXPECT_EQ(table.rows, 2u) << program;
        EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y", "z"})) << program;
        EXPECT_EQ(column(table, "x"), (Values{1.5, -4})) << program;
        EXPECT_EQ(column(table, "z"), (Values{3, 6})) << program;
    }
}

TEST(Csv, OtherEndings) {
    for (const char* const name : {"a.tsv", "a.txt", "a.dat", "A.TXT"})
        EXPECT_EQ(column(read(name, "x y\n1 2\n"), "y"), (Values{2})) << name;
}

TEST(Csv, ACommentIsNotTakenForAHeader) {
    const Table table = read("a.csv", "# made by hand\nx,y\n1,2\n");
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y"}));
    expect_refused("a.csv", "# made by hand\n1,2\n3,4\n", {"line 2", "header", "--fields"});
    // Coordinates that have names keep them beside ParaView's.
    EXPECT_EQ(names(read("a.csv", "x,y,Points:0\n1,2,3\n")),
              (std::vector<std::string>{"x", "y", "points:0"}));
    EXPECT_EQ(read("a.csv", "# x,y,z\n").rows, 0u);
}

TEST(Csv, FieldsNameTheColumns) {
    const Table table = read("a.csv", "1,2,A,3\n4,5,B,6\n", with_fields({"x", "_", "s", "y"}));
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(column(table, "x"), (Values{1, 4}));
    EXPECT_EQ(column(table, "y"), (Values{3, 6}));
    expect_refused("a.csv", "1,2\n", {"line 1", "2 fields", "3 columns"},
                   with_fields({"x", "y", "z"}));
    const Table renamed =
        read("a.csv", "pos_x,pos_y,name\n1,2,A\n", with_fields({"x", "y", "_"}));
    EXPECT_EQ(names(renamed), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(column(renamed, "x"), (Values{1}));
    expect_refused("a.csv", "x,y\n1,2\n", {"line 2", "2 fields", "3 columns"},
                   with_fields({"x", "y", "z"}));
    expect_refused("a.xyz", "0\n\n", {"names", "--fields"}, with_fields({"x", "y"}));
}

TEST(Csv, RowsKnowTheirLines) {
    const Table table = read("a.csv", "# c\nx,y\n1,2\n\n# c\n3,4\n5,6\n");
    EXPECT_EQ(table.lines.where(0), "line 3");
    EXPECT_EQ(table.lines.where(1), "line 6");
    EXPECT_EQ(table.lines.where(2), "line 7");
}

}  // namespace
}  // namespace vicinal::io
