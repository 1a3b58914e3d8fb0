// vicinal pairs: shapes, formats, domains and outputs.
#include <cmath>

#include "common/text.hpp"
#include "harness.hpp"

namespace vicinal::test {
namespace {

using Rows = Array::Rows;

class Pairs : public Tool {
  protected:
    // Three points in a row with a spacing of 1, and one far away.
    std::string line() { return write("line.csv", "x,y,z\n0,0,0\n1,0,0\n2,0,0\n9,9,9\n"); }
};

TEST_F(Pairs, summary_names_what_was_found_and_how) {
    const Outcome outcome = run({"pairs", line(), "--cutoff", "1"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* word :
         {"bodies      4 in 3-D, double", "domain      open", "pairs       2 ", "method",
          "candidates", "per pair", "time", "search", "neighbours per body"})
        EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
}

// Counts are printed with separators, never with an exponent.
TEST(ReadableNumber, groups_whole_numbers) {
    EXPECT_EQ(common::readable_number(1e6), "1,000,000");
    EXPECT_EQ(common::readable_number(0), "0");
    EXPECT_EQ(common::readable_number(6.3712), "6.371");
    EXPECT_EQ(common::readable_number(-2), "-2");
    EXPECT_EQ(common::readable_number(std::nan("")), "-");
}

TEST_F(Pairs, json_is_one_object_with_every_field) {
    const auto json = this->json({"pairs", line(), "--cutoff", "1", "-o", path("out.npy")});
    for (const char* field :
         {"file", "bodies", "pairs", "method", "why", "simd", "threads", "precision", "dim",
          "domain", "lattice", "ghosts", "candidates", "candidates_per_pair", "bytes",
          "seconds", "neighbours", "output"})
        EXPECT_TRUE(json.contains(field)) << field;
    for (const char* field : {"scene", "build", "search", "output", "total", "read", "write"})
        EXPECT_TRUE(json["seconds"].contains(field)) << field;
    EXPECT_EQ(json["bodies"], 4);
    EXPECT_EQ(json["pairs"], 2);
    EXPECT_EQ(json["dim"], 3);
    EXPECT_EQ(json["lattice"], nullptr);
    EXPECT_EQ(json["output"], path("out.npy"));
    EXPECT_EQ(json["neighbours"]["mean"], 1.0);
    EXPECT_EQ(json["neighbours"]["max"], 2);
    std::uint64_t bodies = 0;
    for (const auto& bin : json["neighbours"]["histogram"])
        bodies += bin["bodies"].get<std::uint64_t>();
    EXPECT_EQ(bodies, 4u);
}

TEST_F(Pairs, touching_counts) {
    EXPECT_EQ(pairs({"pairs", line(), "--cutoff", "1"}), (Rows{{0, 1}, {1, 2}}));
    EXPECT_EQ(pairs({"pairs", line(), "--cutoff", "0.999999"}), Rows{});
    EXPECT_EQ(pairs({"pairs", line(), "--radius", "0.5"}), (Rows{{0, 1}, {1, 2}}));
}

TEST_F(Pairs, npy_is_two_columns_of_uint32) {
    run({"pairs", line(), "--cutoff", "1", "--sorted", "-o", path("out.npy")});
    const Array array = read_npy("out.npy");
    EXPECT_EQ(array.type, "<u4");
    EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 2}));
    const std::string text = read("out.npy");
    EXPECT_EQ(text.substr(text.size() - 16), bytes<std::uint32_t>({0, 1, 1, 2}));
}

TEST_F(Pairs, no_pairs_make_an_empty_array) {
    run({"pairs", line(), "--cutoff", "0.5", "-o", path("out.npy")});
    EXPECT_EQ(read_npy("out.npy").shape, (std::vector<std::size_t>{0, 2}));
}

TEST_F(Pairs, csv_output) {
    run({"pairs", line(), "--cutoff", "1", "--sorted", "-o", path("out.csv")});
    EXPECT_EQ(read("out.csv"), "i,j\n0,1\n1,2\n");
    run({"pairs", line(), "--cutoff", "1", "--sorted", "--domain", "periodic:3,-,-", "-o",
         path("out.csv")});
    EXPECT_EQ(read("out.csv"), "i,j,nx,ny,nz\n0,1,0,0,0\n0,2,-1,0,0\n1,2,0,0,0\n");
}

TEST_F(Pairs, periodic_npy_holds_images_as_int64) {
    run({"pairs", line(), "--cutoff", "1", "--sorted", "--domain", "periodic:3,30,30", "-o",
         path("out.npy")});
    const Array array = read_npy("out.npy");
    EXPECT_EQ(array.type, "<i8");
    EXPECT_EQ(array.rows(), (Rows{{0, 1, 0, 0, 0}, {0, 2, -1, 0, 0}, {1, 2, 0, 0, 0}}));
}

TEST_F(Pairs, a_body_may_meet_itself_across_a_face) {
    const auto file = write("one.csv", "x,y\n0.5,0.5\n");
    EXPECT_EQ(pairs({"pairs", file, "--cutoff", "1", "--domain", "periodic:1,-"}),
              (Rows{{0, 0, 1, 0}}));
}

TEST_F(Pairs, rows_hold_both_directions) {
    const auto json = this->json(
        {"pairs", line(), "--cutoff", "1", "--rows", "--sorted", "-o", path("out.npy")});
    EXPECT_EQ(json["pairs"], 2);
    EXPECT_EQ(json["output"].size(), 2u);
    EXPECT_EQ(read_npy("out.offsets.npy").type, "<u8");
    EXPECT_EQ(read_npy("out.offsets.npy").values, (std::vector<std::int64_t>{0, 1, 3, 4, 4}));
    EXPECT_EQ(read_npy("out.indices.npy").type, "<u4");
    EXPECT_EQ(read_npy("out.indices.npy").values, (std::vector<std::int64_t>{1, 0, 2, 1}));
    EXPECT_EQ(files(),
              (std::vector<std::string>{"line.csv", "out.indices.npy", "out.offsets.npy"}));
}

TEST_F(Pairs, rows_in_a_periodic_domain_have_images) {
    json({"pairs", line(), "--cutoff", "1", "--rows", "--sorted", "--domain", "periodic:3,-,-",
          "-o", path("out")});
    EXPECT_EQ(read_npy("out.indices.npy").values,
              (std::vector<std::int64_t>{1, 2, 0, 2, 0, 1}));
    const Array images = read_npy("out.images.npy");
    EXPECT_EQ(images.type, "<i2");
    EXPECT_EQ(images.rows(),
              (Rows{{0, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}}));
}

TEST_F(Pairs, count_keeps_no_pairs) {
    const auto json = this->json({"pairs", line(), "--cutoff", "1", "--count"});
    EXPECT_EQ(json["pairs"], 2);
    EXPECT_EQ(json["neighbours"]["mean"], 1.0);
    EXPECT_FALSE(json["neighbours"].contains("histogram"));
    EXPECT_EQ(json["output"], nullptr);
}

TEST_F(Pairs, two_files) {
    const auto other = write("other.csv", "x,y,z\n0,0,0.5\n9,9,9.5\n");
    EXPECT_EQ(pairs({"pairs", line(), "--cutoff", "0.5", "--with", other}),
              (Rows{{0, 0}, {3, 1}}));
    const auto json = this->json({"pairs", line(), "--cutoff", "0.5", "--with", other});
    EXPECT_EQ(json["with"], other);
    EXPECT_EQ(json["with_count"], 2);
    const auto counted =
        this->json({"pairs", line(), "--cutoff", "0.5", "--with", other, "--count"});
    EXPECT_EQ(counted["pairs"], json["pairs"]);
    EXPECT_EQ(json["neighbours"]["mean"], 0.5);
}

TEST_F(Pairs, radii_from_a_column_by_every_rule) {
    const auto file = write("balls.csv", "radius,y,x\n1,0,0\n0.5,0,1.25\n0.25,0,2\n");
    const auto with = [&](const char* rule) {
        return pairs({"pairs", file, "--radius", "column", "--rule", rule});
    };
    EXPECT_EQ(with("sum"), (Rows{{0, 1}, {1, 2}}));
    EXPECT_EQ(with("max"), Rows{});
    EXPECT_EQ(with("min"), Rows{});
    EXPECT_EQ(pairs({"pairs", file, "--radius", "column"}), (Rows{{0, 1}, {1, 2}}));
    EXPECT_EQ(pairs({"pairs", file, "--radius", "1.25", "--rule", "max"}),
              (Rows{{0, 1}, {1, 2}}));
}

TEST_F(Pairs, boxes_that_touch) {
    const auto file =
        write("boxes.csv", "x0,y0,z0,x1,y1,z1\n0,0,0,1,1,1\n1,1,1,2,2,2\n2.5,0,0,3,1,1\n");
    EXPECT_EQ(pairs({"pairs", file, "--boxes"}), (Rows{{0, 1}}));
    EXPECT_EQ(pairs({"pairs", file, "--boxes", "--dim", "2"}), (Rows{{0, 1}}));
}

TEST_F(Pairs, swept_bodies_meet_on_the_way) {
    const auto file = write("swept.csv", "x,y,ux,uy\n0,0,4,0\n4,0.5,-4,0\n0,3,0,0\n");
    EXPECT_EQ(pairs({"pairs", file, "--cutoff", "0.5"}), Rows{});
    EXPECT_EQ(pairs({"pairs", file, "--cutoff", "0.5", "--swept"}), (Rows{{0, 1}}));
    const auto flat =
        write("swept.npy", npy("<f4", "2, 4", bytes<float>({0, 0, 4, 0, 4, 0.5, -4, 0})));
    EXPECT_EQ(pairs({"pairs", flat, "--cutoff", "0.5", "--swept"}), (Rows{{0, 1}}));
    const auto boxes = write("boxes.npy", npy("<f8", "2, 6",
                                              bytes<double>({0, 0, 1, 1, 4, 0,  //
                                                             5, 0, 6, 1, 0, 0})));
    EXPECT_EQ(pairs({"pairs", boxes, "--boxes", "--swept"}), (Rows{{0, 1}}));
}

TEST_F(Pairs, groups_and_masks) {
    const auto file =
        write("grouped.csv", "x,y,group,mask\n0,0,1,2\n0,0,2,1\n0,0,2,2\n0,0,1,3\n");
    EXPECT_EQ(pairs({"pairs", file, "--cutoff", "1"}), (Rows{{0, 1}, {1, 3}}));
    const auto only = write("group.csv", "x,y,group\n0,0,1\n0,0,2\n0,0,0\n");
    EXPECT_EQ(pairs({"pairs", only, "--cutoff", "1"}), (Rows{{0, 1}}));
    expect_error(1, {"pairs", write("bad.csv", "x,y,group\n0,0,1\n0,0,-1\n"), "--cutoff", "1"},
                 {"bad.csv", "group", "-1", "line 3"});
}

TEST_F(Pairs, excluded_pairs_never_count) {
    const auto exclude = write("bonds.csv", "i,j\n1,0\n");
    EXPECT_EQ(pairs({"pairs", line(), "--cutoff", "1", "--exclude", exclude}), (Rows{{1, 2}}));
    expect_error(
        1, {"pairs", line(), "--cutoff", "1", "--exclude", write("bad.csv", "i,j\n0,1\n0,4\n")},
        {"bad.csv", "j = 4", "line 3"});
}

TEST_F(Pairs, bodies_with_a_vertex_in_common_never_pair) {
    const auto csv = write("v.csv", "id,v0,v1\na,7,8\nb,9,7\nc,4,4294967295\nd,7,7\n");
    const auto array = write(
        "v.npy", npy("<i8", "4, 2", bytes<std::int64_t>({7, 8, 9, 7, 4, 4294967295, 7, 7})));
    for (const auto& vertices : {csv, array})
        EXPECT_EQ(pairs({"pairs", line(), "--cutoff", "1", "--vertices", vertices}),
                  (Rows{{1, 2}}));
    const auto other = write("other.csv", "x,y,z\n0,0,0.5\n0,0,0\n");
    const auto ends = write("ends.csv", "v0\n8\n5\n");
    EXPECT_EQ(pairs({"pairs", line(), "--cutoff", "0.5", "--with", other, "--vertices", csv,
                     "--with-vertices", ends}),
              (Rows{{0, 1}}));
}

TEST_F(Pairs, bad_vertices) {
    const auto refuse = [&](const std::string& text, const std::vector<std::string>& words) {
        expect_error(
            1, {"pairs", line(), "--cutoff", "1", "--vertices", write("bad.csv", text)}, words);
    };
    refuse("v0\n1\n2\n3\n", {"bad.csv", "3 rows", "4 bodies"});
    refuse("v0,v1\n1,2\n1,-3\n1,2\n1,2\n", {"bad.csv", "v1 = -3", "line 3"});
    refuse("v0\n1\n2\n3\n4294967296\n", {"bad.csv", "4294967296", "line 5"});
    refuse("v0\n1\n2.5\n3\n4\n", {"bad.csv", "2.5", "line 3"});
    refuse("v0,v1\n1,a\n1,b\n1,c\n1,d\n", {"bad.csv", "'v1'", "'a'"});
    refuse("v0,v2\n1,1\n1,1\n1,1\n1,1\n", {"bad.csv", "'v2'", "no 'v1'"});
    refuse("a,b\n1,1\n", {"bad.csv", "'v0'"});
    refuse("v0,v1,v2,v3,v4,v5,v6,v7,v8\n", {"bad.csv", "9 columns", "1 to 8"});
    const auto good = write("v.csv", "v0\n1\n2\n3\n4\n");
    expect_error(2, {"pairs", line(), "--cutoff", "1", "--with", line(), "--vertices", good},
                 {"--with-vertices"});
    expect_error(2, {"pairs", line(), "--cutoff", "1", "--with-vertices", good},
                 {"--vertices"});
    expect_error(2, {"pairs", line(), "--cutoff", "1", "--vertices", good, "-o", good},
                 {"v.csv"});
}

TEST_F(Pairs, two_dimensions_by_columns_or_by_flag) {
    const auto flat = write("flat.csv", "x,y\n0,0\n1,0\n");
    EXPECT_EQ(json({"pairs", flat, "--cutoff", "1"})["dim"], 2);
    const auto solid = write("solid.csv", "x,y,z\n0,0,0\n1,0,50\n");
    EXPECT_EQ(pairs({"pairs", solid, "--cutoff", "1"}), Rows{});
    EXPECT_EQ(pairs({"pairs", solid, "--cutoff", "1", "--dim", "2"}), (Rows{{0, 1}}));
    const auto array = random_points("flat.npy", 10, 2);
    EXPECT_EQ(json({"pairs", array, "--cutoff", "1"})["dim"], 2);
}

TEST_F(Pairs, every_spelling_of_a_domain) {
    const auto count = [&](const std::string& file, const std::string& domain) {
        return json({"pairs", file, "--cutoff", "0.5", "--domain", domain})["pairs"].get<int>();
    };
    const auto file = write("two.csv", "x,y,z\n0,0,0\n9.5,2.5,0\n");
    EXPECT_EQ(count(file, "open"), 0);
    EXPECT_EQ(count(file, "periodic:10,2.5,10"), 1);
    EXPECT_EQ(count(file, "periodic:-,2.5,-"), 0);
    EXPECT_EQ(count(file, "periodic:-5,-1,0:5,1.5,1"), 1);
    EXPECT_EQ(count(file, "periodic:0,0,-:10,2.5,-"), 1);
    EXPECT_EQ(count(file, "sheared:10,8,10:2.5"), 1);
    EXPECT_EQ(count(file, "sheared:10,8,-:18.5:0"), 1);
    EXPECT_EQ(count(file, "sheared:10,8,10:2"), 0);
    EXPECT_EQ(count(file, "triclinic:10,2.5,0,0,8,0,0,0,10"), 1);
    EXPECT_EQ(count(file, "triclinic:10,2.5,0,0,8,0,0,0,0:ab"), 1);
    EXPECT_EQ(count(file, "triclinic:10,2.5,0,0,8,0,0,0,10:a"), 1);
    EXPECT_EQ(count(file, "triclinic:10,2.5,0,0,8,0,0,0,10:cb"), 0);
    const auto flat = write("flat.csv", "x,y\n0,0\n9.5,2.5\n");
    EXPECT_EQ(count(flat, "periodic:10,2.5"), 1);
    EXPECT_EQ(count(flat, "sheared:10,8:2.5:0.5"), 1);
    EXPECT_EQ(count(flat, "triclinic:10,2.5,0,8"), 1);
    EXPECT_EQ(count(flat, "triclinic:10,2.5,0,8:b"), 0);
}

TEST_F(Pairs, a_file_brings_its_own_cell) {
    const auto file =
        write("cell.xyz",
              "2\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3 "
              "pbc=\"T F F\"\nH 0 0 0\nH 9.5 0 0\n");
    const auto json = this->json({"pairs", file, "--cutoff", "0.5"});
    EXPECT_EQ(json["pairs"], 1);
    EXPECT_EQ(json["domain"], "periodic:10,-,-");
    EXPECT_EQ(json["lattice"][0][0], 10.0);
    EXPECT_EQ(this->json({"pairs", file, "--cutoff", "0.5", "--domain", "open"})["pairs"], 0);
    const auto flat = this->json({"pairs", file, "--cutoff", "0.5", "--dim", "2"});
    EXPECT_EQ(flat["domain"], "periodic:10,-");
    EXPECT_EQ(flat["pairs"], 1);
    const std::string text = run({"pairs", file, "--cutoff", "0.5"}).out;
    EXPECT_NE(text.find("periodic:10,-,- (from " + file + ")"), std::string::npos) << text;
}

// The printed domain is a valid --domain: every subset of the axes of every cell.
TEST_F(Pairs, the_cell_of_a_file_is_spelt_like_a_domain) {
    for (const char* vectors :
         {"5 0 0 0 4 0 0 0 3", "5 0 0 1 4 0 0.5 -1 3", "0 5 0 0 0 4 3 0 0"})
        for (int axes = 0; axes < 8; ++axes) {
            const auto pbc = [&](int bit) { return (axes >> bit & 1) != 0 ? "T" : "F"; };
            std::string content = std::string("3\nLattice=\"") + vectors +
                                  "\" Properties=species:S:1:pos:R:3 pbc=\"" + pbc(0) + " " +
                                  pbc(1) + " " + pbc(2) + "\"\n";
            content += "H 0 0 0\nH 4.5 0.5 0.25\nH 0.25 3.75 2.75\n";
            const auto file = write("cell.xyz", content);
            const std::vector<std::string> find{"pairs", file, "--cutoff", "1.5"};
            const std::string domain = json(find)["domain"];
            const auto found = pairs(find);
            EXPECT_EQ(found, pairs({"pairs", file, "--cutoff", "1.5", "--domain", domain}))
                << domain;
            const auto plain =
                write("plain.csv", "x,y,z\n0,0,0\n4.5,0.5,0.25\n0.25,3.75,2.75\n");
            EXPECT_EQ(found, pairs({"pairs", plain, "--cutoff", "1.5", "--domain", domain}))
                << domain;
            EXPECT_EQ(domain == "open", axes == 0) << domain;
        }
}

TEST_F(Pairs, the_cells_of_two_files) {
    const auto cell = [&](const char* name, const std::string& head) {
        return write(name, "1\n" + head + "Properties=species:S:1:pos:R:3\nH " +
                               (name[0] == 'a' ? "0 0 0\n" : "9.5 0 0\n"));
    };
    const std::string ten = "Lattice=\"10 0 0 0 10 0 0 0 10\" pbc=\"T T F\" ",
                      taller = "Lattice=\"10 0 0 0 10 0 0 0 99\" pbc=\"T T F\" ",
                      slab = "Lattice=\"10 0 0 0 10 0 0 0 10\" pbc=\"F T F\" ",
                      eleven = "Lattice=\"11 0 0 0 10 0 0 0 10\" pbc=\"T T F\" ";
    const auto a = cell("a.xyz", ten), a_bare = cell("a_bare.xyz", "");
    const auto b = cell("b.xyz", taller), b_bare = cell("b_bare.xyz", "");
    // If one file has a cell, or both have the same, every command uses it.
    for (const auto& [first, second] :
         {std::pair{a, b_bare}, std::pair{a_bare, b}, std::pair{a, b}}) {
        const auto found = json({"pairs", first, "--cutoff", "0.5", "--with", second});
        EXPECT_EQ(found["domain"], "periodic:10,10,-");
        EXPECT_EQ(found["pairs"], 1);
        const auto probed = json({"probe", first, second, "--points", "--radius", "0.5"});
        EXPECT_EQ(probed["domain"], "periodic:10,10,-");
        EXPECT_EQ(probed["pairs"], 1);
        const auto list = write("list.csv", "i,j,nx,ny,nz\n0,0,-1,0,0\n");
        EXPECT_EQ(run({"verify", first, list, "--cutoff", "0.5", "--with", second}).code, 0);
    }
    EXPECT_EQ(json({"pairs", a_bare, "--cutoff", "0.5", "--with", b_bare})["domain"], "open");
    for (const std::string& head : {slab, eleven}) {
        const auto other = cell("b_other.xyz", head);
        const std::vector<std::string> words{
            "a.xyz", "b_other.xyz", "periodic:10,10,-",
            head == slab ? "periodic:-,10,-" : "periodic:11,10,-", "--domain"};
        expect_error(1, {"pairs", a, "--cutoff", "0.5", "--with", other}, words);
        expect_error(1, {"probe", a, other, "--points"}, words);
        const auto list = write("list.csv", "i,j,nx,ny,nz\n");
        expect_error(1, {"verify", a, list, "--cutoff", "0.5", "--with", other}, words);
        EXPECT_EQ(json({"pairs", a, "--cutoff", "0.5", "--with", other, "--domain",
                        "periodic:10,-,-"})["pairs"],
                  1);
    }
}

TEST_F(Pairs, precision_decides_what_is_equal) {
    const auto file = write("near.csv", "x,y\n0,0\n1.00000001,0\n");
    EXPECT_EQ(json({"pairs", file, "--cutoff", "1"})["pairs"], 0);
    EXPECT_EQ(json({"pairs", file, "--cutoff", "1", "--precision", "float"})["pairs"], 1);
    expect_error(1,
                 {"pairs", write("far.csv", "x,y\n0,0\n0,1e200\n"), "--cutoff", "1",
                  "--precision", "float"},
                 {"far.csv", "y = 1e+200", "line 3", "--precision double"});
}

TEST_F(Pairs, every_method_and_thread_count_gives_the_same_file) {
    const auto file = random_points("points.npy", 500);
    const auto wanted = pairs({"pairs", file, "--cutoff", "0.2", "--method", "brute_force"});
    EXPECT_GT(wanted.size(), 1000u);
    const auto methods = json({"methods"});
    for (const auto& method : methods["methods"])
        for (const char* threads : {"1", "2"})
            EXPECT_EQ(pairs({"pairs", file, "--cutoff", "0.2", "--threads", threads, "--method",
                             method["name"].get<std::string>()}),
                      wanted)
                << method["name"] << threads;
}

TEST_F(Pairs, nothing_and_one) {
    const auto none = write("none.npy", npy("<f8", "0, 3", ""));
    EXPECT_EQ(json({"pairs", none, "--cutoff", "1"})["pairs"], 0);
    EXPECT_EQ(pairs({"pairs", none, "--radius", "1"}), Rows{});
    const auto one = write("one.npy", npy("<f8", "1, 3", bytes<double>({1, 2, 3})));
    const auto json = this->json({"pairs", one, "--radius", "1"});
    EXPECT_EQ(json["pairs"], 0);
    EXPECT_EQ(json["neighbours"]["mean"], 0.0);
}

TEST_F(Pairs, output_replaces_an_older_file) {
    write("out.csv", "something else entirely, and longer than the pairs\n");
    run({"pairs", line(), "--cutoff", "1", "--sorted", "-o", path("out.csv")});
    EXPECT_EQ(read("out.csv"), "i,j\n0,1\n1,2\n");
    EXPECT_EQ(files(), (std::vector<std::string>{"line.csv", "out.csv"}));
}

}  // namespace
}  // namespace vicinal::test
