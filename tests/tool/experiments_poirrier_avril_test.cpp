// The experiments of Poirrier (2009) and Avril et al. (2010) as run by `vicinal bench`: their
// output, and properties that must hold. Times are never tested.
#include <map>

#include "harness.hpp"

namespace vicinal::test {
namespace {

class Poirrier : public Tool {
  protected:
    nlohmann::json experiment(const std::string& name) {
        return json({"bench", "--experiment", name});
    }
    nlohmann::json quick(const std::string& name) {
        return json({"bench", "--experiment", name, "--quick"});
    }
};
using Avril = Poirrier;

// With CGAL there are more claims.
void expect_claims_at_least(const nlohmann::json& table, std::size_t count) {
    EXPECT_GE(table["claims"].size(), count);
    expect_claims(table, table["claims"].size());
}

std::map<std::string, nlohmann::json> by_name(const nlohmann::json& table,
                                              const std::string& column) {
    std::map<std::string, nlohmann::json> rows;
    for (const auto& row : table["rows"]) rows[row[column]] = row;
    return rows;
}

// Pieces, volumes and candidates depend only on the scene and the rules.
TEST_F(Poirrier, table1_gives_the_published_figures) {
    const auto table = experiment("p1-table1");
    ASSERT_EQ(table["rows"].size(), 5u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        EXPECT_GT(row["pieces/N"], 5.8);
        EXPECT_LT(row["pieces/N"], 6.8);
        for (const std::string column : {"Vn/Ve", "selected"}) {
            const double ours = row[column], published = row[column + " paper"];
            EXPECT_NEAR(ours / published, 1, 0.25) << column;
        }
    }
    expect_claims(table, 2);
}

TEST_F(Poirrier, geometry_varies_the_tree) {
    const auto table = experiment("p1-geometry");
    auto rows = by_name(table, "linear_kd_tree");
    EXPECT_EQ(rows.at("bits=7")["bits"], 7);
    EXPECT_EQ(rows.at("split=off")["pieces/N"], 1);
    EXPECT_NEAR(rows.at("root=4")["root"], 4 * rows.at("root=1")["root"].get<double>(), 1e-9);
    EXPECT_EQ(rows.at("root=(-1, -1, -1, 2, 2, 2)")["root"], 3);
    // Poirrier (2009), section 3: cells of a kd-tree enclose at least as tightly as those of an
    // octree.
    for (const std::string scene : {"", "slab 64:64:1, "}) {
        EXPECT_LE(rows.at(scene + "axes=xyz")["Vn/Ve"], rows.at(scene + "octree=on")["Vn/Ve"]);
    }
    EXPECT_LE(rows.at("split=off")["Vn/Ve"], rows.at("split=off, octree=on")["Vn/Ve"]);
    expect_claims(table, 1);
    const Outcome text = run({"bench", "--experiment", "p1-geometry"});
    EXPECT_NE(text.out.find("octree=on"), std::string::npos) << text.out;
}

TEST_F(Poirrier, coherence_is_smaller_when_quick) {
    const auto table = quick("p1-coherence");
    EXPECT_NE(table["title"].get<std::string>().find("10,000 spheres"), std::string::npos);
    ASSERT_EQ(table["rows"].size(), 6u);
    for (const auto& row : table["rows"]) {
        EXPECT_EQ(row["coherent records/N"], 8) << row.dump();
        EXPECT_LT(row["records/N"], 8) << row.dump();
        EXPECT_GT(row["coherent ms"], 0) << row.dump();
    }
    expect_claims(table, 2);
}

TEST_F(Poirrier, figures_show_the_cloud_early_and_late) {
    const auto table = quick("p1-fig11-12");
    ASSERT_EQ(table["rows"].size(), 4u);
    for (const auto& row : table["rows"])
        for (const std::string column : {"quadratic", "S&P", "S&P ours", "kd-tree-1"}) {
            EXPECT_GT(row[column], 0) << row.dump();
            EXPECT_GE(row[column + " +-"], 0) << row.dump();
        }
    for (const std::size_t early : {0, 2})
        EXPECT_LT(table["rows"][early]["pairs/N"], table["rows"][early + 1]["pairs/N"]);
    expect_claims_at_least(table, 5);
}

TEST_F(Poirrier, table2_counts_the_candidates_of_each_method) {
    const auto table = quick("p1-table2");
    ASSERT_EQ(table["rows"].size(), 2u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        const double n = std::stod(row["N"].get<std::string>());
        const double pairs = row["pairs/N"].get<double>() * n;
        EXPECT_GT(row["row_grid"], 0);
        EXPECT_GT(row["kd-1 cand."], pairs);
        // Overlapping boxes: the corners of a cube about a sphere are few.
        EXPECT_GE(row["S&P cand."], pairs);
        EXPECT_LE(row["S&P cand."], 2 * pairs);
        EXPECT_GE(row["root"], 1);
        EXPECT_GT(row["bits"], 5);
    }
    expect_claims_at_least(table, 5);
    EXPECT_NE(table["claims"][0]["claim"].get<std::string>().find("fifty"), std::string::npos);
}

TEST_F(Poirrier, table3_shows_what_a_unique_list_costs) {
    const auto table = quick("p1-table3");
    ASSERT_EQ(table["rows"].size(), 2u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        EXPECT_GT(row["kd-1 cand."], row["kd-2 pairs"]);
        EXPECT_GT(row["kd-2 MB"], row["kd-1 MB"]);
        EXPECT_LT(row["kd-2 MB"], 3.2 * row["kd-1 MB"].get<double>());
        EXPECT_LE(row["owner MB"], row["kd-2 MB"]);
    }
    expect_claims_at_least(table, 4);
}

TEST_F(Poirrier, motion_costs_sweep_and_prune_time) {
    const auto table = quick("p1-motion");
    ASSERT_EQ(table["rows"].size(), 10u);
    EXPECT_EQ(table["rows"][9]["N, motion/radius"], "1000, 1");
    for (const auto& row : table["rows"])
        for (const auto& [column, value] : row.items())
            if (column.ends_with(" ms")) {
                EXPECT_GE(value, 0) << row.dump();
            }
    expect_claims(table, 3);
}

TEST_F(Poirrier, stages_add_up) {
    const auto table = quick("p1-stages");
    ASSERT_GE(table["rows"].size(), 3u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        double sum = 0;
        for (const char* stage : {"split ms", "sort ms", "sweep ms"}) {
            EXPECT_GT(row[stage], 0);
            sum += row[stage].get<double>();
        }
        EXPECT_NEAR(row["total ms"], sum, 1e-9 * sum);
    }
    expect_claims_at_least(table, 1);
}

// Three scenes, an update and three forms of overlap, from one thread to more than cores.
TEST_F(Avril, p2_has_both_parts_for_all_threads) {
    const auto table = quick("p2");
    std::map<std::string, int> rows;
    for (const auto& row : table["rows"]) {
        const std::string name = row["bodies, part, threads"];
        ++rows[name.substr(0, name.rfind(','))];
        EXPECT_GT(row["ms"], 0) << name;
        if (!row["speed-up"].is_null() && name.ends_with(" 1")) {
            EXPECT_EQ(row["speed-up"], 1) << name;
            EXPECT_TRUE(row["ms paper"].is_null()) << name << ": published for other sizes";
        }
    }
    EXPECT_EQ(rows.size(), 13u);
    EXPECT_TRUE(rows.contains("2000 cubes, boxes"));
    EXPECT_TRUE(rows.contains("350 skittles, sweep_axis"));
    EXPECT_GE(rows["1000 balls, sweep_persistent(scratch=never)"], 2);
    // Oversubscription by form, and complexity; more on 2, 4 and 8 cores.
    expect_claims_at_least(table, 4);
}

}  // namespace
}  // namespace vicinal::test
