// The experiments of P3 as run by `vicinal bench`: their output, and properties that must hold.

#include "harness.hpp"

namespace vicinal::test {
namespace {

class P3 : public Tool {
  protected:
    nlohmann::json quick(const std::string& name) {
        return json({"bench", "--experiment", name, "--quick"});
    }
};

constexpr const char* structures[] = {"fixed_grid", "variable_grid", "orthtree",
                                      "kd_tree",    "phase_kd_tree", "row_grid"};

void expect_races(const nlohmann::json& table) {
    ASSERT_EQ(table["rows"].size(), 2u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        for (const std::string method : structures) {
            EXPECT_GT(row[method + " ms"], 0);
            // Every collision was a tested pair.
            EXPECT_GT(row[method + " tested"], row["collisions"]);
        }
    }
    EXPECT_EQ(table["rows"][0]["fill, n"], "0.1, 300");
    // Smaller spheres collide less often.
    EXPECT_LT(table["rows"][1]["collisions"], table["rows"][0]["collisions"]);
}

TEST_F(P3, uniform_races_all_structures) {
    const auto table = quick("p3-uniform");
    expect_races(table);
    expect_claims(table, 2);
}

TEST_F(P3, nonuniform_races_all_structures) {
    const auto table = quick("p3-nonuniform");
    expect_races(table);
    expect_claims(table, 3);
}

TEST_F(P3, collisions_are_counted_over_the_run) {
    const auto table = quick("p3-collisions");
    ASSERT_EQ(table["rows"].size(), 10u);
    EXPECT_EQ(table["rows"][9]["steps"], "180 to 200");
    for (const auto& row : table["rows"]) {
        // By kinetic theory, 300 spheres of radius 0.043 and speed 1 collide about 12 times per
        // unit of time, two in each collision: about 1.8 collisions per step of 0.001.
        EXPECT_GT(row["uniform"], 0.4) << row.dump();
        EXPECT_LT(row["uniform"], 12) << row.dump();
        EXPECT_GT(row["non-uniform"], 0) << row.dump();
    }
    expect_claims(table, 2);
}

TEST_F(P3, table41_stands_beside_the_published_one) {
    const auto table = quick("p3-table4.1");
    ASSERT_EQ(table["rows"].size(), 9u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        for (const char* way : {"fixed(5)", "variable(3)", "fixed(3)"}) EXPECT_GT(row[way], 0);
        const double fixed = row["fixed(5)"], variable = row["variable(3)"];
        EXPECT_NEAR(row["fixed/var."], fixed / variable, 1e-9 * fixed / variable);
        for (const char* missed : {"missed(5) %", "missed(3) %"}) {
            EXPECT_GE(row[missed], 0);
            EXPECT_LE(row[missed], 100);
        }
    }
    // 370.90 s and 333.46 s for 2000 steps.
    EXPECT_NEAR(table["rows"][2]["fixed(5) P3"], 185.45, 1e-9);
    EXPECT_NEAR(table["rows"][2]["variable(3) P3"], 166.73, 1e-9);
    expect_claims(table, 2);
}

TEST_F(P3, longer_steps_have_more_collisions) {
    const auto table = quick("p3-timestep");
    ASSERT_EQ(table["rows"].size(), 5u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        EXPECT_GE(row["searches"], 1);
        for (const char* method : structures) EXPECT_GT(row[method], 0);
    }
    EXPECT_GT(table["rows"][4]["collisions"], table["rows"][0]["collisions"]);
    expect_claims(table, 1);
}

TEST_F(P3, larger_leaves_test_more) {
    const auto table = quick("p3-leaf");
    ASSERT_EQ(table["rows"].size(), 6u);
    for (const std::string tree : {"orthtree", "kd_tree", "phase_kd_tree"}) {
        double before = 0;
        for (const auto& row : table["rows"]) {
            EXPECT_GT(row[tree + " ms"], 0);
            EXPECT_GE(row[tree + " tested"], before) << tree << row.dump();
            before = row[tree + " tested"];
        }
    }
    expect_claims(table, 1);
}

}  // namespace
}  // namespace vicinal::test
