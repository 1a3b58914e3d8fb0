// Meshes: OBJ, STL, the faces of PLY, and their boxes.
#include "io/mesh.hpp"
#include "io/bodies.hpp"
#include "support.hpp"

namespace vicinal::io {
namespace {

using Faces = std::vector<std::vector<std::uint32_t>>;

Faces faces(const Table& table) {
    Faces result;
    const Elements& elements = table.elements.value();
    for (std::size_t e = 0; e < elements.count(); ++e)
        result.emplace_back(
            elements.vertices.begin() + static_cast<std::ptrdiff_t>(elements.offsets[e]),
            elements.vertices.begin() + static_cast<std::ptrdiff_t>(elements.offsets[e + 1]));
    return result;
}

Table read_mesh(const std::string& name, const std::string& bytes) {
    return read(name, bytes, with_elements());
}

void expect_mesh_refused(const std::string& name, const std::string& bytes,
                         const std::vector<std::string>& words) {
    expect_refused(name, bytes, words, with_elements());
}

const std::string obj_vertices =
    "# Blender\nmtllib a.mtl\nv 0 0 0\nv 1 0 0 1\nv 0 1 0\nv 0 0 1\n";

TEST(Obj, VerticesAndFaces) {
    const std::string text = obj_vertices +
                             "vt 0 0\nvn 0 0 1\ng part\nf 1 2 3\nf 1/1 2/1/1 4//1\n"
                             "f -4 -3 -2 \\\n  -1\ns off\n";
    const Table table = read_mesh("a.obj", text);
    EXPECT_EQ(table.rows, 4u);
    EXPECT_EQ(column(table, "x"), (Values{0, 1, 0, 0}));
    EXPECT_EQ(column(table, "z"), (Values{0, 0, 0, 1}));
    EXPECT_EQ(faces(table), (Faces{{0, 1, 2}, {0, 1, 3}, {0, 1, 2, 3}}));
    EXPECT_EQ(table.elements->lines.where(1), "line 11");
    EXPECT_FALSE(read("a.obj", text).elements);
}

TEST(Obj, Refusals) {
    expect_mesh_refused("a.obj", "# nothing\n", {"'v x y z'"});
    expect_mesh_refused("a.obj", "v 1 2\n", {"line 1", "three numbers"});
    expect_mesh_refused("a.obj", "v 1 2 b\n", {"line 1", "three numbers"});
    expect_mesh_refused("a.obj", obj_vertices + "f 1 2 x\n", {"line 7", "'x'"});
    expect_mesh_refused("a.obj", obj_vertices + "f 0 1 2\n", {"line 7", "'0'", "from 1"});
    expect_mesh_refused("a.obj", obj_vertices + "f\n", {"face 0", "no vertices"});
    expect_mesh_refused("a.obj", obj_vertices + "f 1 2 3\nf 1 2 5\n",
                        {"face 1", "line 8", "vertex 4", "there are 4"});
    expect_mesh_refused("a.obj", obj_vertices + "f -5 1 2\n", {"face 0", "vertex -1"});
    expect_mesh_refused("a.obj", obj_vertices + "f 1.5 1 2\n", {"face 0", "not a number"});
}

const std::string stl_text =
    "solid made by hand\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n"
    "   vertex 0 1 0\n  endloop\n endfacet\nfacet normal 0 0 1\nouter loop\nVERTEX 1 0 0\n"
    "vertex 1e0 1 0\nvertex -0.0 1 0\nendloop\nendfacet\nendsolid made by hand\n";

std::string binary_stl(const std::vector<float>& corners, std::string title = "binary") {
    title.resize(80, ' ');
    std::string bytes =
        title + raw<std::uint32_t>({static_cast<std::uint32_t>(corners.size() / 9)});
    for (std::size_t at = 0; at + 9 <= corners.size(); at += 9)
        bytes +=
            raw<float>({0, 0, 1}) +
            raw(std::vector<float>(corners.begin() + static_cast<std::ptrdiff_t>(at),
                                   corners.begin() + static_cast<std::ptrdiff_t>(at + 9))) +
            "ab";
    return bytes;
}

// Vertices with the same coordinates become one; -0 is 0.
TEST(Stl, TextAndBinary) {
    const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0,    1, 0,
                                        1, 0, 0, 1, 1, 0, -0.f, 1, 0};
    for (const std::string& bytes :
         {stl_text, binary_stl(corners), binary_stl(corners, "solid, but binary")}) {
        const Table table = read_mesh("a.stl", bytes);
        EXPECT_EQ(table.rows, 4u);
        EXPECT_EQ(column(table, "x"), (Values{0, 1, 0, 1}));
        EXPECT_EQ(column(table, "y"), (Values{0, 0, 1, 1}));
        EXPECT_EQ(faces(table), (Faces{{0, 1, 2}, {1, 3, 2}}));
    }
}

TEST(Stl, Refusals) {
    const std::string binary = binary_stl(std::vector<float>(18));
    for (std::size_t size = 1; size < binary.size(); ++size)
        expect_mesh_refused("a.stl", binary.substr(0, size), {"truncated"});
    expect_mesh_refused("a.stl", stl_text.substr(0, stl_text.size() - 30), {"too early"});
    expect_mesh_refused("a.stl", "solid\nfacet\nvertex 1 2\n", {"line 3", "three numbers"});
    expect_mesh_refused("a.stl", "solid\nfacet\nvertex 1 2 x\n", {"line 3", "three numbers"});
    expect_mesh_refused("a.stl", "solid\nfacet\nvertex 1 2 3\nendfacet\nendsolid\n",
                        {"line 4", "1 corner ", "3"});
}

const std::string ply_start =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
    "property float y\nproperty float z\n";
const std::string ply_faces = ply_start +
                              "element face 2\nproperty list uchar int vertex_index\n"
                              "property int group\nend_header\n0 0 0\n1 0 0\n0 1 0\n";

TEST(Ply, Faces) {
    const Table table = read_mesh("a.ply", ply_faces + "3 0 1 2 5\n4 2 1 0 1 6\n");
    EXPECT_EQ(table.rows, 3u);
    EXPECT_EQ(faces(table), (Faces{{0, 1, 2}, {2, 1, 0, 1}}));
    EXPECT_EQ(table.elements->columns.at(0).name, "group");
    EXPECT_EQ(table.elements->columns[0].values, (Values{5, 6}));
    EXPECT_EQ(table.elements->lines.where(1), "line 15");
    EXPECT_EQ(
        read_mesh("a.ply", ply_start + "end_header\n0 0 0\n1 0 0\n0 1 0\n").elements->count(),
        0u);
}

TEST(Ply, BinaryFacesBothWays) {
    for (const bool big : {false, true}) {
        // Faces first, with a second list and a number.
        std::string bytes =
            std::string("ply\nformat binary_") + (big ? "big" : "little") +
            "_endian 1.0\nelement face 2\nproperty list uchar uint vertex_indices\n"
            "property list int float texcoord\nproperty short mask\n"
            "element vertex 3\nproperty double x\nend_header\n";
        for (const std::uint32_t k : {0u, 1u})
            bytes += "\3" + raw<std::uint32_t>({k, 1, 2}, big) + raw<std::int32_t>({2}, big) +
                     raw<float>({0.5f, 0.5f}, big) +
                     raw<std::int16_t>({static_cast<std::int16_t>(k + 8)}, big);
        bytes += raw<double>({1, 2, 3}, big);
        const Table table = read_mesh("a.ply", bytes);
        EXPECT_EQ(faces(table), (Faces{{0, 1, 2}, {1, 1, 2}}));
        EXPECT_EQ(table.elements->columns.at(0).values, (Values{8, 9}));
        EXPECT_EQ(column(table, "x"), (Values{1, 2, 3}));
        for (std::size_t size = 1; size < bytes.size(); ++size)
            EXPECT_NE(message([&] { read_mesh("a.ply", bytes.substr(0, size)); }), "no error");
    }
}

TEST(Ply, BadFaces) {
    expect_mesh_refused("a.ply", ply_faces + "3 0 1 2 5\n3 0 1\n", {"line 15", "too few"});
    expect_mesh_refused("a.ply", ply_faces + "3 0 1 2 5\n3 0 1 a 5\n", {"line 15", "'a'"});
    expect_mesh_refused("a.ply", ply_faces + "3 0 1 2 5\n", {"too early"});
    expect_mesh_refused("a.ply", ply_faces + "3 0 1 2 5\n3 0 1 3 5\n",
                        {"face 1", "line 15", "vertex 3", "there are 3"});
    expect_mesh_refused("a.ply", ply_faces + "3 0 1 -2 5\n0 1\n", {"face 0", "vertex -2"});
    expect_mesh_refused("a.ply", ply_faces + "0 5\n0 5\n", {"face 0", "no vertices"});
    expect_mesh_refused("a.ply", ply_faces + "-1 5\n0 5\n", {"face 0", "negative"});
    expect_mesh_refused("a.ply",
                        ply_start +
                            "element face 1\nproperty int n\nend_header\n0 0 0\n1 0 0\n"
                            "0 1 0\n1\n",
                        {"'vertex_indices'"});
    expect_mesh_refused("a.ply",
                        ply_start +
                            "element face 99999999999\nproperty list uchar int "
                            "vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
                        {"99999999999 faces", "truncated"});
}

Layout box_layout(bool skip_adjacent = false) {
    Layout layout;
    layout.shape = Shape::boxes;
    layout.skip_adjacent = skip_adjacent;
    layout.flag = "--boxes";
    return layout;
}

TEST(Mesh, BoxesOfFaces) {
    BodyFile file("a.obj", box_layout(),
                  read_mesh("a.obj", "v 0 5 1\nv 2 -1 1\nv 1 0 3\nv 9 9 9\nf 1 2 3\nf 3 4\n"));
    EXPECT_EQ(file.rows(), 2u);
    EXPECT_EQ(file.dim(), 3);
    const auto arrays = file.take<double, 3>();
    EXPECT_EQ(arrays.position[0], (Values{0, 1}));
    EXPECT_EQ(arrays.upper[0], (Values{2, 9}));
    EXPECT_EQ(arrays.position[1], (Values{-1, 0}));
    EXPECT_EQ(arrays.upper[1], (Values{5, 9}));
    EXPECT_EQ(arrays.position[2], (Values{1, 3}));
    EXPECT_EQ(arrays.upper[2], (Values{3, 9}));
    EXPECT_EQ(arrays.vertices.per_body, 0u);
    EXPECT_EQ(file.origin().where(1), "line 6 of the file");
}

TEST(Mesh, BoxesRefused) {
    const auto refused = [](const Layout& layout, Table table) {
        return message([&] { BodyFile("a.obj", layout, std::move(table)); });
    };
    expect_words(refused(box_layout(), read_mesh("a.obj", "v 0 0 0\n")), "a.obj", {"no faces"});
    expect_words(refused(box_layout(), read_mesh("a.obj", "v 0 0 0\nv 0 nan 0\nf 1 2\n")),
                 "a.obj", {"y = nan", "vertex 1", "line 2", "finite"});
    expect_words(refused(box_layout(true), read("a.csv", "x0,y0,x1,y1\n0,0,1,1\n")), "a.obj",
                 {"--skip-adjacent", "--vertices"});
}

// Which elements share a vertex, by what the library is given.
std::vector<std::pair<int, int>> adjacent(const Elements& elements) {
    const Adjacency found = adjacency(elements);
    std::vector<std::pair<int, int>> result;
    const std::size_t width = found.vertices.per_body;
    for (std::size_t i = 0; i < elements.count(); ++i)
        for (std::size_t j = i + 1; j < elements.count(); ++j) {
            bool shared = false;
            for (std::size_t a = 0; a < width * width; ++a)
                shared = shared || found.vertices.numbers[i * width + a / width] ==
                                       found.vertices.numbers[j * width + a % width];
            for (const Pair pair : found.excluded)
                shared = shared || (pair.i == i && pair.j == j);
            if (shared) result.emplace_back(static_cast<int>(i), static_cast<int>(j));
        }
    return result;
}

TEST(Mesh, AdjacentFaces) {
    const auto elements = [](const Faces& all) {
        Elements result;
        for (const auto& face : all) {
            result.vertices.insert(result.vertices.end(), face.begin(), face.end());
            result.offsets.push_back(result.vertices.size());
        }
        return result;
    };
    using Pairs = std::vector<std::pair<int, int>>;
    EXPECT_EQ(adjacent(elements({{0, 1, 2}, {2, 3, 4}, {5, 6, 7}, {7, 1, 8, 9}})),
              (Pairs{{0, 1}, {0, 3}, {2, 3}}));
    // More corners than the library's bodies have vertices: a cap with twelve of them.
    const std::vector<std::uint32_t> cap{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    EXPECT_EQ(adjacent(elements({{0, 1, 20}, cap, {10, 11, 21}, {22, 23, 24}, {9, 22, 25}})),
              (Pairs{{0, 1}, {1, 2}, {1, 4}, {3, 4}}));
    EXPECT_EQ(adjacent(elements({cap, {11, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 11}})),
              (Pairs{{0, 1}}));
}

TEST(Ids, OfBodies) {
    Layout layout;
    layout.ids = true;
    layout.flag = "points";
    const auto ids = [&](const std::string& text) {
        return BodyFile("a.csv", layout, read("a.csv", text)).take<double, 2>().ids;
    };
    const BodyIds good = ids("x,y,id\n0,0,7\n0,0,-3\n0,0,9007199254740991\n");
    EXPECT_TRUE(good.given());
    EXPECT_EQ(good.count(), 3u);
    EXPECT_EQ(good[1], -3);
    EXPECT_EQ(good.index_of(9007199254740991), 2u);
    EXPECT_EQ(good.index_of(0), std::nullopt);
    const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
        expect_words(message([&] { ids(text); }), "a.csv", words);
    };
    refused("x,y\n0,0\n", {"no column 'id'", "--ids"});
    refused("x,y,id\n0,0,1\n\n0,0,1.5\n", {"id = 1.5", "line 4"});
    refused("x,y,id\n0,0,9007199254740993\n", {"2^53", "line 2"});
    refused("x,y,id\n0,0,1\n0,0,2\n0,0,1\n", {"id = 1", "line 4", "differ"});
}

}  // namespace
}  // namespace vicinal::io
