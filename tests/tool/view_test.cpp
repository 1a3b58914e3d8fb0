// vicinal view: what it writes and its errors. tests/page/view_test.mjs opens the pages.
#include <algorithm>

#include "harness.hpp"

namespace vicinal::test {
namespace {

class View : public Tool {
  protected:
    nlohmann::json view(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "view");
        arguments.insert(arguments.end(), {"-o", path("page.html")});
        return json(arguments);
    }
    // A trajectory of this many frames.
    std::string frames(std::size_t count) const {
        std::string text;
        for (std::size_t k = 0; k < count; ++k)
            text += "2\n\nA 0 0 0\nA 1 2 " + std::to_string(k) + "\n";
        return write("frames.xyz", text);
    }
};

TEST_F(View, tells_what_the_page_holds) {
    const std::string bodies = write("bodies.csv", "x,y,z\n0,0,0\n1,2,3\n4,0,4\n");
    const std::string pairs = write("pairs.csv", "i,j\n0,1\n1,2\n");
    const auto result = view({bodies, pairs, "--bits", "4"});
    EXPECT_EQ(result["bodies"], 3);
    EXPECT_EQ(result["frames"], 1);
    EXPECT_EQ(result["pairs"], 2);
    EXPECT_DOUBLE_EQ(result["error"], 4.0 / 15 / 2);
    const std::string page = read("page.html");
    EXPECT_EQ(result["bytes"], page.size());
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(page.ends_with("</body></html>\n"));
    const Outcome text = run({"view", bodies, "-o", path("text.html")});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("text.html ("), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("1 frame)"), std::string::npos) << text.out;
}

TEST_F(View, shows_some_of_the_frames) {
    const std::string file = frames(40);
    EXPECT_EQ(view({file})["frames"], 40);
    const auto third = view({file, "--every", "3"});
    EXPECT_EQ(third["frames"], 14);
    EXPECT_EQ(third["every"], 3);
    // A page with all frames is larger than one with half of them.
    const std::uint64_t all = view({file})["bytes"],
                        half = view({file, "--every", "2"})["bytes"], limit = (all + half) / 2;
    const auto thinned = view({file, "--max-bytes", std::to_string(limit)});
    EXPECT_EQ(thinned["every"], 2);
    EXPECT_EQ(thinned["frames"], 20);
    EXPECT_LE(thinned["bytes"], limit);
    expect_error(1, {"view", file, "-o", path("small.html"), "--max-bytes", "1000"},
                 {"one frame", "--max-bytes"});
    EXPECT_EQ(std::ranges::count(files(), "small.html"), 0);
}

TEST_F(View, a_run_writes_the_same_page) {
    json({"run", "fluid", "--n", "50", "--steps", "4", "--every", "2", "spheres=7", "-o",
          path("fluid")});
    view({path("fluid")});
    EXPECT_EQ(read("fluid/view.html"), read("page.html"));
    // Frames that cannot be read do not spoil the run.
    json({"run", "falling", "--n", "50", "--steps", "4", "--every", "2", "-o", path("fall")});
    write("fall/bodies_000002.vtp", "nothing");
    const auto resumed = json({"run", "--resume", path("fall"), "--steps", "6"});
    EXPECT_EQ(resumed["step"], 6);
    EXPECT_EQ(resumed["output"]["page"], nullptr);
}

// Numbers at both ends of what a double holds.
TEST_F(View, ranges_of_any_size) {
    for (const std::string column : {"mass", "radius"})
        for (const std::string largest : {"5e-324", "1e-320", "1e300"}) {
            view({write("a.csv", "x,y," + column + "\n0,0,0\n1,1," + largest + "\n")});
            const std::string page = read("page.html"), name = "{\"name\":\"" + column;
            const std::size_t begin = page.find(name);
            ASSERT_NE(begin, std::string::npos);
            const auto header =
                nlohmann::json::parse(page.substr(begin, page.find('}', begin) + 1 - begin));
            EXPECT_GT(header["quantum"], 0) << header;
            EXPECT_EQ(header["high"], nlohmann::json::parse(largest)) << header;
        }
    view({write("a.csv", "x,y\n0,0\n5e-324,0\n")});
    // The square of a component would overflow, the magnitude does not.
    view({write("a.csv", "x,y,vx,vy\n0,0,5e200,0\n1,1,1,1\n")});
    EXPECT_NE(read("page.html").find("\"high\":5e+200"), std::string::npos);
}

// The triangles are those of the first frame.
TEST_F(View, frames_of_a_mesh_have_the_same_points) {
    write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n");
    write("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 2 3\nf 1 2 4\n");
    write("bodies.pvd",
          "<Collection><DataSet timestep=\"0\" file=\"a.obj\"/>"
          "<DataSet timestep=\"1\" file=\"b.obj\"/></Collection>");
    EXPECT_EQ(view({path("")})["frames"], 2);
    const std::string out = path("other.html"), three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n",
                      face = "f 1 2 3\n";
    write("b.obj", three + face);
    expect_error(1, {"view", path(""), "-o", out}, {"b.obj", "3 points", "first frame 4"});
    write("b.obj", three + "v 0 0 1\nv 1 1 1\n" + face);
    expect_error(1, {"view", path(""), "-o", out}, {"b.obj", "5 points", "first frame 4"});
    EXPECT_EQ(std::ranges::count(files(), "other.html"), 0);
}

TEST_F(View, wrong_command_lines) {
    const std::string file = write("a.csv", "x,y\n0,0\n");
    const std::string out = path("page.html");
    expect_error(2, {"view", file}, {"--output"});
    expect_error(2, {"view", "-o", out}, {"DIR|FILE"});
    expect_error(2, {"view", file, "-o", out, "--bits", "3"}, {"--bits"});
    expect_error(2, {"view", file, "-o", out, "--bits", "17"}, {"--bits"});
    expect_error(2, {"view", file, "-o", out, "--every", "0"}, {"--every"});
    expect_error(2, {"view", file, "-o", out, "--boxes", "--radius", "1"},
                 {"--boxes", "--radius"});
    expect_error(2, {"view", file, "-o", file}, {"overwrite"});
    for (const std::string other : {"page.txt", "page", "html", "-"})
        expect_error(2, {"view", file, "-o", path(other)}, {other, ".html"});
    EXPECT_EQ(run({"view", file, "-o", path("PAGE.HTML")}).code, 0);
    expect_error(2, {"view", path(""), "-o", out, "--format", "csv"}, {"--format", "folder"});
}

TEST_F(View, wrong_files) {
    const std::string out = path("page.html");
    expect_error(1, {"view", path("none.csv"), "-o", out}, {"none.csv"});
    expect_error(1, {"view", path(""), "-o", out}, {"bodies.pvd", "vicinal run"});
    write("bodies.pvd", "<Collection><DataSet timestep=\"0\"/></Collection>");
    expect_error(1, {"view", path(""), "-o", out}, {"bodies.pvd", "timestep"});
    write("bodies.pvd", "<Collection/>");
    expect_error(1, {"view", path(""), "-o", out}, {"no frames"});
    expect_error(1, {"view", write("nan.csv", "x,y,z\n0,0,0\n1,nan,2\n"), "-o", out},
                 {"nan.csv", "y of line 3", "nan"});
    expect_error(1, {"view", write("flat.csv", "x\n0\n"), "-o", out}, {"flat.csv", "'y'"});
    expect_error(1, {"view", write("wide.csv", "x,y\n-1e308,0\n1e308,0\n"), "-o", out},
                 {"coordinates", "largest double"});
    for (const std::string column : {"mass", "radius"})
        expect_error(1,
                     {"view", write("wide.csv", "x,y," + column + "\n0,0,-1e308\n1,1,1e308\n"),
                      "-o", out},
                     {"'" + column + "'", "largest double"});
    for (const std::string value : {"nan", "inf"})
        expect_error(
            1, {"view", write("nan.csv", "x,y,mass\n0,0," + value + "\n1,1,1\n"), "-o", out},
            {"nan.csv", "mass of line 2", value});
    const std::string file = write("a.csv", "x,y\n0,0\n1,1\n");
    expect_error(1, {"view", file, write("p.csv", "i,j\n0,2\n"), "-o", out},
                 {"p.csv", "j = 2"});
    expect_error(1, {"view", file, "--radius", "column", "-o", out}, {"radius"});
    EXPECT_EQ(std::ranges::count(files(), "page.html"), 0);
}

}  // namespace
}  // namespace vicinal::test
