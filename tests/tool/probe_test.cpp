// vicinal probe: queries of every shape.
#include "harness.hpp"

namespace vicinal::test {
namespace {

using Rows = Array::Rows;

class Probe : public Tool {
  protected:
    std::string points() { return write("points.csv", "x,y\n0,0\n1,0\n2,0\n"); }
    std::string boxes() { return write("boxes.csv", "x0,y0,x1,y1\n0,0,1,1\n3,0,4,1\n"); }
};

TEST_F(Probe, points) {
    const auto queries = write("q.csv", "x,y\n1,0\n0.5,0.5\n");
    EXPECT_EQ(pairs({"probe", points(), queries, "--points"}), (Rows{{0, 1}}));
    EXPECT_EQ(pairs({"probe", points(), queries, "--points", "--radius", "1"}),
              (Rows{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}}));
    EXPECT_EQ(pairs({"probe", boxes(), queries, "--points", "--boxes"}),
              (Rows{{0, 0}, {1, 0}}));
}

TEST_F(Probe, the_cutoff_is_the_reach_of_points_and_segments) {
    const auto queries = write("q.csv", "x,y\n1,0.5\n");
    EXPECT_EQ(pairs({"probe", points(), queries, "--points", "--cutoff", "0.4"}), Rows{});
    EXPECT_EQ(pairs({"probe", points(), queries, "--points", "--cutoff", "0.5"}),
              (Rows{{0, 1}}));
    EXPECT_EQ(pairs({"probe", points(), queries, "--points", "--cutoff", "1.2"}),
              (Rows{{0, 0}, {0, 1}, {0, 2}}));
    // Bodies keep their size.
    EXPECT_EQ(
        pairs({"probe", points(), queries, "--points", "--cutoff", "1", "--radius", "0.2"}),
        (Rows{{0, 0}, {0, 1}, {0, 2}}));
    EXPECT_EQ(pairs({"probe", boxes(), queries, "--points", "--cutoff", "1.9", "--boxes"}),
              (Rows{{0, 0}}));
    const auto ways = write("s.csv", "x,y,ux,uy\n-1,0.5,1.5,0\n");
    EXPECT_EQ(pairs({"probe", points(), ways, "--segments", "--cutoff", "0.5"}),
              (Rows{{0, 0}}));
    const auto balls = write("b.csv", "x,y,radius\n1,0.5,1\n");
    expect_error(2, {"probe", points(), balls, "--spheres", "--cutoff", "1"},
                 {"--cutoff", "--points"});
}

TEST_F(Probe, groups_and_masks_hold) {
    const auto bodies = write("teams.csv", "x,y,group,mask\n0,0,1,7\n0,0,2,7\n0,0,4,2\n");
    const auto queries = write("q.csv", "x,y,group,mask\n0,0,1,3\n0,0,2,4\n");
    EXPECT_EQ(pairs({"probe", bodies, queries, "--points"}), (Rows{{0, 0}, {0, 1}, {1, 2}}));
    const auto plain = write("plain.csv", "x,y\n0,0\n");
    EXPECT_EQ(pairs({"probe", bodies, plain, "--points"}), (Rows{{0, 0}, {0, 1}, {0, 2}}));
}

TEST_F(Probe, spheres) {
    const auto queries = write("q.csv", "x,y,radius\n0.5,0,0.5\n2,2,0.5\n");
    EXPECT_EQ(pairs({"probe", points(), queries, "--spheres"}), (Rows{{0, 0}, {0, 1}}));
    EXPECT_EQ(pairs({"probe", boxes(), queries, "--spheres", "--boxes"}), (Rows{{0, 0}}));
}

TEST_F(Probe, boxes_at_rest_and_moving) {
    const auto queries = write("q.csv", "x0,y0,x1,y1,ux,uy\n1,-1,2,1,0,0\n-1,5,0,6,0,-5\n");
    EXPECT_EQ(pairs({"probe", points(), queries, "--query-boxes"}), (Rows{{0, 1}, {0, 2}}));
    EXPECT_EQ(pairs({"probe", points(), queries, "--query-boxes", "--moving"}),
              (Rows{{0, 1}, {0, 2}, {1, 0}}));
    EXPECT_EQ(pairs({"probe", boxes(), queries, "--query-boxes", "--moving", "--boxes"}),
              (Rows{{0, 0}, {1, 0}}));
}

TEST_F(Probe, segments) {
    const auto queries =
        write("q.npy", npy("<f8", "2, 4", bytes<double>({-1, 0.5, 10, 0, 0.5, 5, 0, -1})));
    EXPECT_EQ(pairs({"probe", boxes(), queries, "--segments", "--boxes"}),
              (Rows{{0, 0}, {0, 1}}));
    EXPECT_EQ(pairs({"probe", points(), queries, "--segments", "--radius", "0.5"}),
              (Rows{{0, 0}, {0, 1}, {0, 2}}));
}

TEST_F(Probe, images_in_a_periodic_domain) {
    const auto queries = write("q.csv", "x,y,radius\n3.5,0,0.5\n");
    EXPECT_EQ(pairs({"probe", points(), queries, "--spheres", "--domain", "periodic:4,-"}),
              (Rows{{0, 0, 1, 0}}));
}

TEST_F(Probe, count_and_json) {
    const auto queries = write("q.csv", "x,y,radius\n0.5,0,0.5\n2,2,0.5\n");
    const auto json = this->json({"probe", points(), queries, "--spheres"});
    EXPECT_EQ(json["pairs"], 2);
    EXPECT_EQ(json["bodies"], 3);
    EXPECT_EQ(json["queries"], queries);
    EXPECT_EQ(json["queries_count"], 2);
    EXPECT_EQ(json["neighbours"]["mean"], 1.0);
    EXPECT_EQ(this->json({"probe", points(), queries, "--spheres", "--count"})["pairs"], 2);
    const Outcome text = run({"probe", points(), queries, "--spheres"});
    EXPECT_NE(text.out.find("bodies per query"), std::string::npos) << text.out;
}

TEST_F(Probe, what_the_queries_are_must_be_said) {
    const auto queries = write("q.csv", "x,y\n1,0\n");
    expect_error(2, {"probe", points(), queries}, {"--points", "--segments", "--help"});
    expect_error(2, {"probe", points(), queries, "--points", "--spheres"}, {"one of"});
    expect_error(2, {"probe", points(), queries, "--points", "--moving"}, {"--query-boxes"});
    expect_error(1, {"probe", points(), queries, "--spheres"}, {"q.csv", "'radius'", "x, y"});
    expect_error(1, {"probe", points(), write("solid.csv", "x,y,z\n1,0,0\n"), "--points"},
                 {"2-D", "3-D", "--dim 2"});
    expect_error(1, {"probe", points(), write("nan.csv", "x,y\n1,0\n1,nan\n"), "--points"},
                 {"nan.csv", "line 3"});
}

}  // namespace
}  // namespace vicinal::test
