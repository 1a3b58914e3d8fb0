// PLY: points and faces.
#include "support.hpp"

namespace vicinal::io {
namespace {

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

}  // namespace
}  // namespace vicinal::io
