// Files of bodies: frames, ids, meshes, standard input and output.
#include "harness.hpp"

namespace vicinal::test {
namespace {

using Names = std::vector<std::string>;

class Files : public Tool {
  protected:
    // Two points at this distance.
    static std::string frame(double distance) {
        return "2\n\nH 0 0 0\nH " + std::to_string(distance) + " 0 0\n";
    }
    // In the first, third, ... frame the two points are near each other.
    std::string trajectory(const std::string& name, int frames) {
        std::string text;
        for (int k = 0; k < frames; ++k) text += frame(k % 2 == 0 ? 1 : 5);
        return write(name, text);
    }
    std::string pairs_csv(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--sorted", "-o", path("out.csv")});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.code == 0 ? read("out.csv") : "";
    }
};

TEST_F(Files, standard_input_and_output) {
    const std::string points = "x,y\n0,0\n1,0\n5,0\n";
    const std::vector<std::string> command{"pairs",    "-",  "--cutoff", "1",
                                           "--sorted", "-o", "-"};
    const Outcome csv = run_on(points, command);
    EXPECT_EQ(csv.code, 0) << csv.err;
    EXPECT_EQ(csv.out, "i,j\n0,1\n");
    EXPECT_NE(csv.err.find("3 in 2-D, double (standard input)"), std::string::npos) << csv.err;
    auto as_json = command;
    as_json.push_back("--json");
    const Outcome json = run_on(points, as_json);
    EXPECT_EQ(json.out, csv.out);
    EXPECT_EQ(nlohmann::json::parse(json.err)["pairs"], 1);
    auto as_npy = command;
    as_npy.insert(as_npy.end(), {"--output-format", "npy"});
    const Outcome binary = run_on(points, as_npy);
    EXPECT_EQ(binary.out.substr(binary.out.size() - 8), bytes<std::uint32_t>({0, 1}));
    // Formats are told by their contents, or named.
    EXPECT_EQ(run_on(npy("<f8", "2, 2", bytes<double>({0, 0, 1, 0})), command).out, csv.out);
    EXPECT_EQ(run_on(frame(1), command).out, csv.out);
    auto nameless = command;
    nameless.insert(nameless.end(), {"--format", "csv", "--fields", "X,Y"});
    EXPECT_EQ(run_on("0 0\n1 0\n", nameless).out, csv.out);
    check_error(run_on("0 0\n1 0\n", command), 1, {"standard input", "--format"});
    check_error(run_on("", command), 1, {"standard input", "empty"});
    check_error(run_on("x,y\n0,0\n1,b\n", command), 1, {"standard input", "line 3", "'b'"});
    check_error(run_on("x,y\n0,0\n1,nan\n", command), 1, {"standard input", "line 3", "nan"});
}

TEST_F(Files, commands_in_a_pipe) {
    const Outcome scene = run({"scene", "uniform", "--n", "500", "-o", "-"});
    EXPECT_EQ(scene.code, 0);
    EXPECT_TRUE(scene.out.starts_with("x,y,z\n")) << scene.out.substr(0, 50);
    EXPECT_NE(scene.err.find("500"), std::string::npos);
    const auto points = write("points.csv", scene.out);
    const Outcome pairs = run_on(scene.out, {"pairs", "-", "--cutoff", "0.2", "-o", "-"});
    EXPECT_EQ(pairs.code, 0) << pairs.err;
    const Outcome checked = run_on(pairs.out, {"verify", points, "-", "--cutoff", "0.2"});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
    EXPECT_NE(checked.out.find("the list is right"), std::string::npos);
    EXPECT_GT(pairs.out.size(), 1000u);
}

TEST_F(Files, frames) {
    const auto file = trajectory("t.xyz", 3);
    const auto summary = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"pairs", file, "--cutoff", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_NE(summary({}).find("frame       1 of 3 (the first; --frame"), std::string::npos);
    EXPECT_NE(summary({"--frame", "first"}).find("frame       1 of 3\n"), std::string::npos);
    EXPECT_NE(summary({"--frame", "last"}).find("frame       3 of 3\n"), std::string::npos);
    EXPECT_EQ(pairs_csv({"pairs", file, "--cutoff", "1"}), "i,j\n0,1\n");
    EXPECT_EQ(pairs_csv({"pairs", file, "--cutoff", "1", "--frame", "2"}), "i,j\n");
    EXPECT_EQ(pairs_csv({"pairs", file, "--cutoff", "1", "--frame", "last"}), "i,j\n0,1\n");
    const auto json = this->json({"pairs", file, "--cutoff", "1", "--frame", "2"});
    EXPECT_EQ(json["frame"], 2);
    EXPECT_EQ(json["frames"], 3);
    const auto table = write("a.csv", "x,y\n0,0\n");
    EXPECT_EQ(this->json({"pairs", table, "--cutoff", "1"})["frame"], nullptr);
    expect_error(1, {"pairs", file, "--cutoff", "1", "--frame", "4"},
                 {"no frame 4", "3 frames"});
    expect_error(1, {"pairs", table, "--cutoff", "1", "--frame", "2"},
                 {"no frame 2", "1 frame"});
    for (const char* const wrong : {"0", "-1", "1.5", "none", ""})
        expect_error(2, {"pairs", file, "--cutoff", "1", "--frame", wrong}, {"first, last"});
}

// One file for each frame, and names that sort by it.
TEST_F(Files, all_frames) {
    const auto file = trajectory("t.xyz", 10);
    const Outcome outcome =
        run({"pairs", file, "--cutoff", "1", "--frame", "all", "-o", path("p.csv")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (int k = 1; k <= 10; ++k) {
        const std::string name = std::string("p.") + (k < 10 ? "0" : "") + std::to_string(k);
        EXPECT_EQ(read(name + ".csv"), k % 2 == 1 ? "i,j\n0,1\n" : "i,j\n") << name;
        EXPECT_NE(outcome.out.find(name), std::string::npos);
    }
    EXPECT_EQ(files().size(), 11u);
    const auto json = this->json({"pairs", file, "--cutoff", "1", "--frame", "all"});
    ASSERT_EQ(json["frames"].size(), 10u);
    EXPECT_EQ(json["frames"][3]["frame"], 4);
    EXPECT_EQ(json["frames"][3]["frames"], 10);
    EXPECT_EQ(json["frames"][2]["pairs"], 1);
    EXPECT_EQ(json["frames"][3]["pairs"], 0);
    run({"nearest", file, "--k", "1", "--frame", "all", "-o", path("n.csv")});
    EXPECT_EQ(read("n.04.csv"), "i,j,distance\n0,1,5\n1,0,5\n");
    run({"pairs", trajectory("two.xyz", 2), "--cutoff", "1", "--frame", "all", "--rows", "-o",
         path("rows")});
    EXPECT_EQ(read_npy("rows.1.offsets.npy").values, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(read_npy("rows.2.offsets.npy").values, (std::vector<std::int64_t>{0, 0, 0}));
    expect_error(2, {"pairs", file, "--cutoff", "1", "--frame", "all", "-o", "-"},
                 {"--frame all"});
    expect_error(2, {"verify", file, path("p.01.csv"), "--cutoff", "1", "--frame", "all"},
                 {"'all'", "first, last"});
}

TEST_F(Files, frames_of_two_files) {
    const auto file = write("t.xyz", frame(1) + frame(5));
    const auto with = [&](const std::string& other, const char* which) {
        return pairs_csv({"pairs", file, "--cutoff", "1", "--with", other, "--frame", which});
    };
    const auto moving = write("m.xyz", "1\n\nH 1.5 0 0\n1\n\nH 5.5 0 0\n");
    const auto fixed = write("f.csv", "x,y,z\n5,0,0\n");
    EXPECT_EQ(with(moving, "1"), "i,j\n1,0\n");
    EXPECT_EQ(with(moving, "2"), "i,j\n1,0\n");
    EXPECT_EQ(with(fixed, "1"), "i,j\n");
    EXPECT_EQ(with(fixed, "2"), "i,j\n1,0\n");
    const auto longer = write("long.xyz", frame(1) + frame(1) + frame(1));
    expect_error(1, {"pairs", longer, "--cutoff", "1", "--with", moving, "--frame", "3"},
                 {"m.xyz", "no frame 3", "2 frames"});
}

TEST_F(Files, later_frames_in_verify_and_in_errors) {
    const auto file = write("t.xyz", frame(1) + frame(5) + "1\n\nH nan 0 0\n");
    const auto none = write("none.csv", "i,j\n");
    EXPECT_EQ(run({"verify", file, none, "--cutoff", "1", "--frame", "2"}).code, 0);
    EXPECT_EQ(run({"verify", file, none, "--cutoff", "1"}).code, 1);
    expect_error(1, {"pairs", file, "--cutoff", "1", "--frame", "last"},
                 {"t.xyz", "nan", "line 11 of the file"});
    // Only frames before the fault are written.
    const Outcome outcome =
        run({"pairs", file, "--cutoff", "1", "--frame", "all", "-o", path("p.csv")});
    check_error(outcome, 1, {"t.xyz", "line 11 of the file"});
    EXPECT_EQ(files(), (Names{"none.csv", "p.1.csv", "p.2.csv", "t.xyz"}));
}

TEST_F(Files, ids) {
    const auto dump = write("a.dump",
                            "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n3\n"
                            "ITEM: BOX BOUNDS ff ff ff\n0 9\n0 9\n0 9\n"
                            "ITEM: ATOMS id x y z\n30 0 0 0\n10 1 0 0\n20 2 0 0\n");
    const std::vector<std::string> search{"pairs", dump, "--cutoff", "1", "--ids"};
    // The order is still that of the indices.
    EXPECT_EQ(pairs_csv(search), "i,j\n30,10\n10,20\n");
    EXPECT_EQ(run({"verify", dump, path("out.csv"), "--cutoff", "1", "--ids"}).code, 0);
    EXPECT_EQ(pairs(search), (Array::Rows{{30, 10}, {10, 20}}));
    EXPECT_EQ(read_npy("result.npy").type, "<i8");
    const auto bonds = write("bonds.csv", "i,j\n10,30\n");
    auto filtered = search;
    filtered.insert(filtered.end(), {"--exclude", bonds});
    EXPECT_EQ(pairs_csv(filtered), "i,j\n10,20\n");
    const auto other = write("b.csv", "x,y,z,id\n2,0,0,7\n");
    auto two = search;
    two.insert(two.end(), {"--with", other});
    EXPECT_EQ(pairs_csv(two), "i,j\n10,7\n20,7\n");
    EXPECT_EQ(pairs_csv({"probe", dump, other, "--radius", "0.5", "--points", "--ids"}),
              "i,j\n7,20\n");
    run({"nearest", dump, other, "--k", "2", "--ids", "-o", path("n.csv")});
    EXPECT_EQ(read("n.csv"), "i,j,distance\n7,20,0\n7,10,1\n");
    const auto bare = write("bare.csv", "x,y,z\n0,0,0\n");
    expect_error(1, {"pairs", bare, "--cutoff", "1", "--ids"}, {"no column 'id'", "--ids"});
    expect_error(1, {"verify", dump, write("l.csv", "i,j\n30,11\n"), "--cutoff", "1", "--ids"},
                 {"l.csv", "j = 11", "line 2"});
    expect_error(2, {"pairs", dump, "--cutoff", "1", "--ids", "--rows", "-o", path("r")},
                 {"--rows", "--ids"});
}

// Four triangles in a row: each touches the next ones, and shares vertices with its neighbours.
TEST_F(Files, faces_of_a_mesh) {
    const auto mesh = write("strip.obj",
                            "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 2 0 0\nv 2 1 0\n"
                            "f 1 2 3\nf 2 4 3\nf 3 4 5\nf 4 6 5\n");
    EXPECT_EQ(pairs({"pairs", mesh, "--boxes"}),
              (Array::Rows{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
    const std::vector<std::string> apart{"pairs", mesh, "--boxes", "--skip-adjacent"};
    EXPECT_EQ(pairs(apart), (Array::Rows{{0, 3}}));
    EXPECT_EQ(run({"verify", mesh, path("result.npy"), "--boxes", "--skip-adjacent"}).code, 0);
    EXPECT_EQ(run({"verify", mesh, path("result.npy"), "--boxes"}).code, 1);
    auto excluding = apart;
    excluding.insert(excluding.end(), {"--exclude", write("e.csv", "i,j\n0,3\n")});
    EXPECT_EQ(pairs(excluding), Array::Rows{});
    EXPECT_EQ(json({"pairs", mesh, "--cutoff", "1"})["bodies"], 6);
    expect_error(2, {"pairs", mesh, "--cutoff", "1", "--skip-adjacent"}, {"--boxes"});
    expect_error(2, {"pairs", mesh, "--boxes", "--skip-adjacent", "--with", mesh}, {"--with"});
    expect_error(1, {"pairs", write("p.obj", "v 0 0 0\n"), "--boxes"}, {"p.obj", "no faces"});
    expect_error(1, {"pairs", random_points("b.npy", 9, 6), "--boxes", "--skip-adjacent"},
                 {"b.npy", "--vertices"});
}

// A polygon with more corners than the library takes: the cap of a cylinder.
TEST_F(Files, polygons_with_many_corners) {
    std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
    for (int k = 0; k < 12; ++k) text += "v " + std::to_string(k) + " 2 0\n";
    text += "f 1 2 3\nf 4 5 6 7 8 9 10 11 12 13 14 15\nf 15 14 3\nf 13 2 1\nf 1 2 3 4\n";
    const auto mesh = write("cap.obj", text);
    EXPECT_EQ(pairs({"pairs", mesh, "--boxes", "--skip-adjacent"}), (Array::Rows{{2, 3}}));
    EXPECT_EQ(
        pairs({"pairs", mesh, "--boxes"}),
        (Array::Rows{{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}));
}

#ifdef VICINAL_IO_VTK
TEST_F(Files, frames_of_simulations_are_read_again) {
    json({"run", "falling", "--n", "300", "--steps", "2", "--every", "2", "-o", path("fall")});
    const auto last = path("fall/bodies_000002.vtp");
    const auto by_column = json({"pairs", last, "--radius", "column"});
    EXPECT_EQ(by_column["bodies"], 300);
    EXPECT_EQ(json({"pairs", last, "--radius", "column:Radius"})["pairs"], by_column["pairs"]);
    expect_error(1, {"pairs", last, "--radius", "column:size"}, {"'size'", "radius"});
}
#endif

TEST_F(Files, columns_by_other_names) {
    const auto file = write("a.csv", "x,y,Size\n0,0,0.5\n1,0,0.5\n");
    EXPECT_EQ(pairs({"pairs", file, "--radius", "column:Size"}), (Array::Rows{{0, 1}}));
    expect_error(2, {"pairs", file, "--radius", "column:"}, {"column:", "name"});
    // A column that has a role of its own keeps it.
    const auto roles =
        write("roles.csv", "id,x,y,group,mask\n1,0,0,1,1\n2,2,0,2,2\n3,4,0,2,2\n");
    EXPECT_EQ(pairs_csv({"pairs", roles, "--radius", "column:id", "--ids"}), "i,j\n2,3\n");
    EXPECT_EQ(pairs({"pairs", roles, "--radius", "column:group"}), (Array::Rows{{1, 2}}));
    EXPECT_EQ(pairs({"pairs", roles, "--radius", "column:x"}), (Array::Rows{{1, 2}}));
    const auto other = write("other.csv", "pos_x,pos_y\n0,0\n1,0\n");
    expect_error(1, {"pairs", other, "--cutoff", "1"}, {"'x'", "pos_x", "--fields"});
    EXPECT_EQ(pairs({"pairs", other, "--cutoff", "1", "--fields", "x,y"}),
              (Array::Rows{{0, 1}}));
    const auto bare = write("b.csv", "7,0,0\n8,1,0\n");
    EXPECT_EQ(pairs({"pairs", bare, "--cutoff", "1", "--fields", "_,x,y"}),
              (Array::Rows{{0, 1}}));
    EXPECT_EQ(pairs_csv({"pairs", bare, "--cutoff", "1", "--fields", "id,x,y", "--ids"}),
              "i,j\n7,8\n");
    expect_error(2, {"pairs", bare, "--cutoff", "1", "--fields", "x,,y"}, {"empty", "_"});
    expect_error(2, {"pairs", bare, "--cutoff", "1", "--fields", "x,X,y"}, {"'x' twice"});
    expect_error(1, {"pairs", bare, "--cutoff", "1"}, {"b.csv", "line 1", "--fields"});
}

TEST_F(Files, nearest_writes_whole_numbers) {
    std::string text = "x,y\n";
    for (int k = 0; k <= 100'000; ++k) text += std::to_string(3 * k) + ",0\n";
    const auto file = write("line.csv", text + "300001,0\n");
    run({"nearest", file, "--k", "1", "-o", path("n.csv")});
    EXPECT_NE(read("n.csv").find("\n100000,100001,1\n"), std::string::npos);
    run({"nearest", file, "--k", "1", "-o", path("n.npy")});
    EXPECT_NE(read("n.npy").find("[('i', '<i8'), ('j', '<i8'), ('distance', '<f8')]"),
              std::string::npos);
}

TEST_F(Files, bad_combinations) {
    const auto file = write("a.csv", "x,y\n0,0\n");
    expect_error(2, {"pairs", "-", "--cutoff", "1", "--with", "-"}, {"standard input"});
    expect_error(2, {"verify", "-", "-", "--cutoff", "1"}, {"standard input"});
    expect_error(2, {"pairs", file, "--cutoff", "1", "--rows", "-o", "-"},
                 {"--rows", "prefix"});
    expect_error(2, {"pairs", file, "--cutoff", "1", "--output-format", "csv"}, {"-o"});
    expect_error(2, {"pairs", file, "--cutoff", "1", "-o", path("out.txt")},
                 {".csv, .npy or .npz"});
    expect_error(2, {"pairs", file, "--cutoff", "1", "--format", "word"}, {"'word'", "lammps"});
    expect_error(1, {"pairs", file, "--cutoff", "1", "--format", "xyz"}, {"line 1", "atoms"});
    EXPECT_EQ(
        run({"pairs", file, "--cutoff", "1", "-o", path("out.txt"), "--output-format", "csv"})
            .code,
        0);
    EXPECT_EQ(read("out.txt"), "i,j\n");
}

}  // namespace
}  // namespace vicinal::test
