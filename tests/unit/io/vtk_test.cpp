// VTK's XML files: every way to store an array.
#include <numeric>

#include "io/vtp.hpp"
#include "support.hpp"

namespace vicinal::io {
namespace {

std::string base64(const std::string& bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            result += k <= count ? letters[bits >> (18 - 6 * k) & 63] : '=';
    }
    return result;
}

std::string zlib(const std::string& bytes) {
    std::uint32_t a = 1, b = 0;
    for (const char c : bytes) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    return "\x78\x9c" + deflated(bytes) + raw<std::uint32_t>({b << 16 | a}, true);
}

struct Style {
    std::string format;  // ascii, binary or appended
    bool raw_appended = false, compressed = false, wide = false, big = false;
};

// Writes a file with a style; each array is added once.
class Writer {
  public:
    explicit Writer(Style style) : style_(std::move(style)) {}

    template <class T>
    std::string array(const std::string& type, const std::string& name, int components,
                      const std::vector<T>& values) {
        std::string tag = "<DataArray type=\"" + type + "\" Name=\"" + name +
                          "\" NumberOfComponents=\"" + std::to_string(components) +
                          "\" format=\"" + style_.format + "\"";
        if (style_.format == "ascii") {
            tag += ">\n";
            for (const T value : values) tag += std::to_string(value) + " ";
            return tag + "\n</DataArray>\n";
        }
        const std::string data = encode(raw(values, style_.big));
        if (style_.format == "binary") return tag + ">\n  " + data + "\n</DataArray>\n";
        tag += " offset=\"" + std::to_string(appended_.size()) + "\"/>\n";
        appended_ += data;
        return tag;
    }

    std::string file(const std::string& type, const std::string& pieces) const {
        std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type +
                           "\" version=\"1.0\" byte_order=\"" +
                           (style_.big ? "BigEndian" : "LittleEndian") + "\"" +
                           (style_.wide ? " header_type=\"UInt64\"" : "") +
                           (style_.compressed ? " compressor=\"vtkZLibDataCompressor\"" : "") +
                           ">\n<" + type + ">\n" + pieces + "</" + type + ">\n";
        if (style_.format == "appended")
            text += std::string("<AppendedData encoding=\"") +
                    (style_.raw_appended ? "raw" : "base64") + "\">\n   _" + appended_ +
                    "\n</AppendedData>\n";
        return text + "</VTKFile>\n";
    }

  private:
    std::string sizes(const std::vector<std::uint64_t>& values) const {
        if (style_.wide) return raw(values, style_.big);
        return raw(std::vector<std::uint32_t>(values.begin(), values.end()), style_.big);
    }

    // Blocks of ten bytes, so that there are several. Sizes and data are encoded separately.
    std::string encode(const std::string& bytes) const {
        std::string header = sizes({bytes.size()}), data = bytes;
        if (style_.compressed) {
            constexpr std::size_t block = 10;
            std::vector<std::uint64_t> numbers{(bytes.size() + block - 1) / block, block,
                                               bytes.size() % block};
            data.clear();
            for (std::size_t at = 0; at < bytes.size(); at += block) {
                const std::string one = zlib(bytes.substr(at, block));
                numbers.push_back(one.size());
                data += one;
            }
            header = sizes(numbers);
        }
        const bool text = style_.format == "binary" || !style_.raw_appended;
        return text ? base64(header) + base64(data) : header + data;
    }

    Style style_;
    std::string appended_;
};

std::vector<Style> styles() {
    std::vector<Style> result{{"ascii"}};
    for (const std::string form : {"binary", "base64", "raw"})
        for (const bool compressed : {false, true})
            for (const bool wide : {false, true})
                for (const bool big : {false, true})
                    result.push_back({form == "binary" ? form : "appended", form == "raw",
                                      compressed, wide, big});
    return result;
}

std::string points(Writer& writer) {
    return "<Piece NumberOfPoints=\"4\" NumberOfVerts=\"1\" "
           "NumberOfPolys=\"2\">\n<PointData>\n" +
           writer.array<double>("Float64", "Radius", 1, {0.5, 0.25, 1, 2}) +
           writer.array<std::int64_t>("Int64", "id", 1, {7, 8, -9, 1ll << 52}) +
           writer.array<float>("Float32", "velocity", 3,
                               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) +
           "<Array type=\"String\" Name=\"label\" format=\"ascii\">97 0</Array>\n"
           "</PointData>\n<Points>\n" +
           writer.array<float>("Float32", "Points", 3,
                               {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1.5f}) +
           "</Points>\n";
}

std::string cells(Writer& writer) {
    return "<CellData>\n" + writer.array<std::uint8_t>("UInt8", "group", 1, {1, 2, 255}) +
           "</CellData>\n<Verts>\n" +
           writer.array<std::int32_t>("Int32", "connectivity", 1, {3}) +
           writer.array<std::int32_t>("Int32", "offsets", 1, {1}) +
           "</Verts>\n<Lines/>\n<Polys>\n" +
           writer.array<std::int64_t>("Int64", "connectivity", 1, {0, 1, 2, 0, 1, 2, 3}) +
           writer.array<std::int64_t>("Int64", "offsets", 1, {3, 7}) + "</Polys>\n</Piece>\n";
}

TEST(Vtk, EveryEncoding) {
    for (const Style& style : styles()) {
        SCOPED_TRACE(style.format + (style.raw_appended ? " raw" : "") +
                     (style.compressed ? " compressed" : "") + (style.wide ? " 64" : " 32") +
                     (style.big ? " big" : ""));
        Writer writer(style);
        const std::string piece = points(writer) + cells(writer);
        const Table table = read("a.vtp", writer.file("PolyData", piece), with_elements());
        EXPECT_EQ(table.rows, 4u);
        EXPECT_EQ(names(table),
                  (std::vector<std::string>{"x", "y", "z", "radius", "id", "velocity_1",
                                            "velocity_2", "velocity_3"}));
        EXPECT_EQ(column(table, "x"), (Values{0, 1, 0, 0}));
        EXPECT_EQ(column(table, "z"), (Values{0, 0, 0, -1.5}));
        EXPECT_EQ(column(table, "radius"), (Values{0.5, 0.25, 1, 2}));
        EXPECT_EQ(column(table, "id"), (Values{7, 8, -9, 0x1p52}));
        EXPECT_EQ(column(table, "velocity_2"), (Values{1, 4, 7, 10}));
        ASSERT_TRUE(table.elements);
        EXPECT_EQ(table.elements->offsets, (std::vector<std::uint64_t>{0, 1, 4, 8}));
        EXPECT_EQ(table.elements->vertices,
                  (std::vector<std::uint32_t>{3, 0, 1, 2, 0, 1, 2, 3}));
        EXPECT_EQ(table.elements->columns.at(0).values, (Values{1, 2, 255}));
    }
}

TEST(Vtk, PiecesAreJoined) {
    Writer writer({"binary"});
    const auto piece = [&](float x, bool with_mass) {
        return "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\"><PointData>" +
               writer.array<double>("Float64", "radius", 1, {x}) +
               (with_mass ? writer.array<double>("Float64", "mass", 1, {1}) : "") +
               "</PointData><Points>" + writer.array<float>("Float32", "p", 3, {x, 0, 0}) +
               "</Points><Cells>" +
               writer.array<std::int64_t>("Int64", "connectivity", 1, {0}) +
               writer.array<std::int64_t>("Int64", "offsets", 1, {1}) +
               writer.array<std::uint8_t>("UInt8", "types", 1, {1}) + "</Cells></Piece>";
    };
    const std::string empty = "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"/>";
    const std::string text =
        writer.file("UnstructuredGrid", empty + piece(1, true) + piece(2, false) + empty);
    const Table table = read("a.vtu", text, with_elements());
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y", "z", "radius"}));
    EXPECT_EQ(column(table, "x"), (Values{1, 2}));
    EXPECT_EQ(column(table, "radius"), (Values{1, 2}));
    EXPECT_EQ(table.elements->vertices, (std::vector<std::uint32_t>{0, 1}));
}

// The frames of the project's own simulations.
TEST(Vtk, OwnFilesAreReadAgain) {
    const Folder folder;
    const std::vector<double> positions{1, 2, 3, 4, 5, 6}, radii{0.5, 0.25};
    const PointArray arrays[] = {{"radius", 1, radii}, {"velocity", 3, positions}};
    write_vtp(folder / "a.vtp", positions, arrays);
    const Table table = read_table(folder / "a.vtp");
    EXPECT_EQ(column(table, "y"), (Values{2, 5}));
    EXPECT_EQ(column(table, "radius"), radii);
    EXPECT_EQ(column(table, "velocity_3"), (Values{3, 6}));
    write_vtp(folder / "b.vtp", {}, {});
    EXPECT_EQ(read_table(folder / "b.vtp").rows, 0u);
    const std::string bytes = get(folder / "a.vtp");
    // From the last data on, nothing is needed.
    const std::size_t needed = bytes.find("_") + 1;
    for (std::size_t size = 0; size < needed + 60; ++size)
        EXPECT_NE(message([&] { read("a.vtp", bytes.substr(0, size + 1)); }), "no error")
            << size;
}

TEST(Vtk, Refusals) {
    Writer writer({"ascii"});
    const std::string piece = points(writer);
    const auto refused = [&](const std::string& from, const std::string& to,
                             const std::vector<std::string>& words) {
        std::string text = writer.file("PolyData", piece + "</Piece>");
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        expect_refused("a.vtp", text.replace(at, from.size(), to), words);
    };
    expect_refused("a.vtp", "x,y\n1,2\n", {"XML"});
    expect_refused("a.vtp", "<html></html>", {"VTKFile"});
    expect_refused("a.vtp", writer.file("ImageData", ""), {"'ImageData'", ".vtp", ".vtu"});
    expect_refused("a.vtp", writer.file("PolyData", ""), {"Piece"});
    refused("</Points>", "", {"byte", "truncated"});
    refused("\"4\"", "\"five\"", {"NumberOfPoints", "'five'"});
    refused("\"4\"", "\"5\"", {"values", "expected"});
    refused("\"4\"", "\"9223372036854775808\"", {"points", "at most"});
    refused("\"Float32\" Name=\"Points\"", "\"Text\" Name=\"Points\"", {"'Points'", "'Text'"});
    refused("Name=\"Points\" NumberOfComponents=\"3\"", "Name=\"Points\"",
            {"three components"});
    refused("-1.500000", "word", {"'Points'", "'word'"});
    refused("Name=\"velocity\" NumberOfComponents=\"3\"",
            "Name=\"velocity\" NumberOfComponents=\"99999\"", {"'velocity'", "99999"});
    refused("byte_order", "compressor=\"vtkLZ4DataCompressor\" byte_order", {"LZ4", "zlib"});
    refused("Name=\"velocity\" NumberOfComponents=\"3\" format=\"ascii\"",
            "Name=\"velocity\" NumberOfComponents=\"3\" format=\"appended\" offset=\"99\"",
            {"'velocity'", "beyond"});
    refused("format=\"ascii\"", "format=\"binary\"", {"'Radius'", "base64"});
}

// Integers that a double cannot hold: an error where they matter, else left out.
TEST(Vtk, LargeIntegers) {
    for (const std::string name : {"group", "id"}) {
        Writer writer({"binary"});
        const std::string text = writer.file(
            "PolyData", "<Piece NumberOfPoints=\"1\"><PointData>" +
                            writer.array<std::int64_t>("Int64", name, 1, {(1ll << 53) + 1}) +
                            "</PointData><Points>" +
                            writer.array<float>("Float32", "Points", 3, {1, 2, 3}) +
                            "</Points></Piece>");
        if (name == "group")
            expect_refused("a.vtp", text, {"'group'", "2^53"});
        else
            EXPECT_EQ(names(read("a.vtp", text)), (std::vector<std::string>{"x", "y", "z"}));
    }
}

TEST(Vtk, BadCells) {
    Writer writer({"ascii"});
    const std::string start = points(writer);
    const auto refused = [&](const std::vector<int>& corners, const std::vector<int>& offsets,
                             const std::vector<std::string>& words) {
        const std::string text = writer.file(
            "PolyData", start + "<Polys>" + writer.array("Int32", "connectivity", 1, corners) +
                            writer.array("Int32", "offsets", 1, offsets) + "</Polys></Piece>");
        expect_refused("a.vtp", text, words, with_elements());
    };
    refused({0, 1, 2}, {4}, {"offsets", "Polys"});
    refused({0, 1, 2}, {2, 1}, {"offsets", "Polys"});
    refused({0, 1, 2}, {-1}, {"offsets", "Polys"});
    refused({0, 1, 4}, {3}, {"cell 0", "vertex 4", "there are 4"});
    refused({0, 1, 2}, {3, 3}, {"cell 1", "no vertices"});
    expect_refused("a.vtp",
                   writer.file("PolyData", start + "<Polys>" +
                                               writer.array<int>("Int32", "offsets", 1, {1}) +
                                               "</Polys></Piece>"),
                   {"Polys", "'connectivity'"}, with_elements());
}

// Sizes in binary data that are wrong.
TEST(Vtk, BadBlocks) {
    for (const Style& style : styles()) {
        if (style.format == "ascii" || style.big || style.wide) continue;
        Writer writer(style);
        const std::string text = writer.file(
            "PolyData", "<Piece NumberOfPoints=\"2\"><Points>" +
                            writer.array<float>("Float32", "Points", 3, {1, 2, 3, 4, 5, 6}) +
                            "</Points></Piece>");
        const std::string four = raw<std::uint32_t>({style.compressed ? 3u : 24u});
        const bool plain = style.raw_appended;
        // The first size becomes huge; in base64 its first characters change.
        std::string lies = text;
        const std::string begin = plain ? four : base64(four).substr(0, 4);
        const std::size_t at = text.rfind(plain ? "_" : begin) + (plain ? 1 : 0);
        lies.replace(at, begin.size(), plain ? "\xff\xff\xff\x7f" : "////");
        expect_refused("a.vtp", lies, {"'Points'"});
        // Damaged within the data.
        std::string damaged = text;
        const std::size_t in = text.rfind(plain ? "_" : begin) + 40;
        damaged[in] = damaged[in] == 'A' ? 'B' : 'A';
        if (style.compressed) expect_refused("a.vtp", damaged, {"'Points'"});
    }
}

}  // namespace
}  // namespace vicinal::io
