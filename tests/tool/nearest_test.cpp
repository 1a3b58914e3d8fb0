// vicinal nearest: the nearest bodies of queries and of bodies.
#include "harness.hpp"

namespace vicinal::test {
namespace {

class NearestCommand : public Tool {
  protected:
    std::string points() { return write("points.csv", "x,y\n0,0\n1,0\n3,0\n"); }
    std::string near(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-o", path("near.csv")});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return read("near.csv");
    }
};

TEST_F(NearestCommand, of_bodies_and_of_queries) {
    EXPECT_EQ(near({"nearest", points(), "--k", "1"}), "i,j,distance\n0,1,1\n1,0,1\n2,1,2\n");
    const auto queries = write("q.csv", "x,y\n2.5,0\n");
    for (const char* method :
         {"kd_tree", "linear_kd_tree", "orthtree", "phase_kd_tree", "bvh", "row_grid"})
        EXPECT_EQ(near({"nearest", points(), queries, "--k", "2", "--method", method}),
                  "i,j,distance\n0,2,0.5\n0,1,1.5\n");
    EXPECT_EQ(near({"nearest", points(), queries, "--k", "5", "--max", "1"}),
              "i,j,distance\n0,2,0.5\n");
}

TEST_F(NearestCommand, boxes_and_images) {
    const auto boxes = write("boxes.csv", "x0,y0,x1,y1\n0,0,1,1\n3,0,4,1\n");
    const auto queries = write("q.csv", "x,y\n2.25,0.5\n0.5,0.5\n");
    EXPECT_EQ(near({"nearest", boxes, queries, "--boxes", "--k", "1", "--precision", "float"}),
              "i,j,distance\n0,1,0.75\n1,0,0\n");
    EXPECT_EQ(near({"nearest", points(), "--k", "1", "--domain", "periodic:4,-"}),
              "i,j,nx,ny,distance\n0,1,0,0,1\n1,0,0,0,1\n2,0,1,0,1\n");
}

TEST_F(NearestCommand, a_cutoff_is_refused) {
    expect_error(2, {"nearest", points(), "--k", "2", "--cutoff", "1"}, {"cut-off", "--max"});
}

TEST_F(NearestCommand, json) {
    const auto json = this->json({"nearest", points(), "--k", "2", "--max", "2"});
    EXPECT_EQ(json["pairs"], 4);
    EXPECT_EQ(json["queries_count"], 3);
    EXPECT_EQ(json["neighbours"]["max"], 2);
}

TEST_F(NearestCommand, errors) {
    expect_error(2, {"nearest", points()}, {"--k"});
    expect_error(2, {"nearest", points(), "--k", "0"}, {"at least 1"});
    expect_error(2, {"nearest", points(), "--k", "1", "--max", "-1"}, {"-1", "not negative"});
}

}  // namespace
}  // namespace vicinal::test
