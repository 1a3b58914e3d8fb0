// The experiments of Lara (2005) as run by `vicinal bench`: their output, and properties that
// must hold.

#include "harness.hpp"

namespace vicinal::test {
namespace {

class Lara : public Tool {
  protected:
    nlohmann::json quick(const std::string& name) {
        return json({"bench", "--experiment", name, "--quick"});
    }
};

constexpr const char* structures[] = {"fixed_grid", "variable_grid", "orthtree",
                                      "kd_tree",    "phase_kd_tree", "row_grid"};

// Rows of both forms: printed, then ours.
void expect_forms(const nlohmann::json& table, std::size_t rows) {
    ASSERT_EQ(table["rows"].size(), 2 * rows);
    for (std::size_t r = 0; r < 2 * rows; ++r) {
        const auto& row = table["rows"][r];
        SCOPED_TRACE(row.dump());
        EXPECT_GT(row["step/r"], 0);
        for (const std::string method : structures) {
            if (r % 2 == 0 && method == "row_grid") {
                EXPECT_TRUE(row[method + " ms"].is_null());
                continue;
            }
            EXPECT_GT(row[method + " ms"], 0);
            // Every collision was a tested pair.
            EXPECT_GT(row[method + " tested"], row["collisions"]);
        }
    }
}

void expect_races(const nlohmann::json& table) {
    expect_forms(table, 4);
    for (const std::size_t r : {0u, 4u}) {
        const std::string cell = r == 0 ? "cube" : "layer";
        EXPECT_EQ(table["rows"][r]["cell, fill, n, form"], cell + ", 0.1, 300, printed");
        EXPECT_EQ(table["rows"][r + 1]["cell, fill, n, form"], cell + ", 0.1, 300, ours");
        // Smaller spheres collide less often.
        EXPECT_LT(table["rows"][r + 3]["collisions"], table["rows"][r + 1]["collisions"]);
    }
}

TEST_F(Lara, uniform_races_all_structures) {
    const auto table = quick("p3-uniform");
    expect_races(table);
    // A step is no longer than a radius.
    for (const auto& row : table["rows"]) EXPECT_LE(row["step/r"], 1.001) << row.dump();
    // In the cube, printed grids have the same cells all along z.
    EXPECT_GT(table["rows"][0]["fixed_grid tested"], table["rows"][1]["fixed_grid tested"]);
    expect_claims(table, 4);
}

TEST_F(Lara, nonuniform_races_all_structures) {
    const auto table = quick("p3-nonuniform");
    expect_races(table);
    expect_claims(table, 6);
}

TEST_F(Lara, orders_of_cells_test_the_same_pairs) {
    const auto table = quick("p3-orders");
    ASSERT_EQ(table["rows"].size(), 16u);
    for (const auto& row : table["rows"]) {
        for (const char* order : {"row", "morton", "hilbert"}) EXPECT_GT(row[order], 0);
        EXPECT_GT(row["tested"], 0);
    }
    EXPECT_EQ(table["rows"][1]["cell, fill, grid"], "cube, 0.1, fixed_grid axes=3");
    expect_claims(table, 1);
}

TEST_F(Lara, collisions_are_counted_over_the_run) {
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

TEST_F(Lara, table41_stands_beside_the_published_one) {
    const auto table = quick("p3-table4.1");
    ASSERT_EQ(table["rows"].size(), 18u);
    EXPECT_EQ(table["rows"][9]["cell, fill"], "layer, 0.5");
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        EXPECT_LE(row["step/r"], 1.001);
        for (const char* way : {"fixed(5)", "variable(3)", "fixed(3)", "3 axes fixed/var."})
            EXPECT_GT(row[way], 0);
        const double fixed = row["fixed(5)"], variable = row["variable(3)"];
        EXPECT_NEAR(row["fixed/var."], fixed / variable, 1e-9 * fixed / variable);
        for (const char* missed : {"missed(5) %", "missed(3) %"}) {
            EXPECT_GE(row[missed], 0);
            EXPECT_LE(row[missed], 100);
        }
    }
    // 370.90 s and 333.46 s for 2000 steps.
    EXPECT_NEAR(table["rows"][2]["fixed(5) paper"], 185.45, 1e-9);
    EXPECT_NEAR(table["rows"][2]["variable(3) paper"], 166.73, 1e-9);
    expect_claims(table, 6);
}

TEST_F(Lara, longer_steps_have_more_collisions) {
    const auto table = quick("p3-timestep");
    expect_forms(table, 5);
    for (std::size_t r = 2; r < 10; ++r)
        EXPECT_GT(table["rows"][r]["step/r"], table["rows"][r - 2]["step/r"]);
    EXPECT_GT(table["rows"][9]["collisions"], table["rows"][1]["collisions"]);
    expect_claims(table, 2);
}

TEST_F(Lara, larger_leaves_test_more) {
    const auto table = quick("p3-leaf");
    ASSERT_EQ(table["rows"].size(), 12u);
    for (const std::string tree : {"orthtree", "kd_tree", "phase_kd_tree"}) {
        double before[2] = {};  // printed, ours
        for (std::size_t r = 0; r < 12; ++r) {
            const auto& row = table["rows"][r];
            EXPECT_GT(row[tree + " ms"], 0);
            EXPECT_GE(row[tree + " tested"], before[r % 2]) << tree << row.dump();
            before[r % 2] = row[tree + " tested"];
        }
    }
    EXPECT_EQ(table["rows"][4]["leaf, form"], "5, printed");
    expect_claims(table, 2);
}

}  // namespace
}  // namespace vicinal::test
