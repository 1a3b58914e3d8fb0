// vicinal bench: its output, its errors, and the comparison that decides whether a row is
// printed. Times are never tested.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "bench/harness/contest.hpp"
#include "bench/papers/experiments.hpp"
#include "harness.hpp"
#include "tool/text.hpp"

namespace vicinal::test {
namespace {

using bench::Fingerprint;
using bench::Spellings;

Fingerprint of(const std::vector<Pair>& pairs) {
    Spellings spellings;
    for (const Pair& pair : pairs) spellings.add(pair.i, pair.j);
    return spellings.once();
}

TEST(Fingerprints, order_and_direction_make_no_difference) {
    EXPECT_EQ(of({{0, 1}, {2, 5}, {3, 4}}), of({{4, 3}, {0, 1}, {5, 2}}));
}

TEST(Fingerprints, every_other_difference_shows) {
    const auto base = of({{0, 1}, {2, 5}, {3, 4}});
    EXPECT_NE(base, of({{0, 1}, {2, 5}}));
    EXPECT_NE(base, of({{0, 1}, {2, 5}, {3, 5}}));
    EXPECT_NE(base, of({{0, 1}, {2, 4}, {3, 5}}));  // the same bodies, paired differently
    EXPECT_NE(base, of({{0, 1}, {2, 5}, {2, 5}}));
    EXPECT_NE(base, of({{0, 1}, {2, 5}, {3, 4}, {3, 4}}));
    EXPECT_NE(of({{0, 1}, {0, 1}}), of({{2, 3}, {2, 3}}));
    EXPECT_EQ(difference(base, base), "");
    const std::string text = difference(base, of({{0, 1}, {2, 5}}));
    EXPECT_NE(text.find("2 pairs"), std::string::npos) << text;
    EXPECT_NE(text.find("has 3"), std::string::npos) << text;
}

Fingerprint with_image(Index i, Index j, const Image<3>& n) {
    Spellings spellings;
    spellings.add<3>(i, j, n);
    return spellings.once();
}

TEST(Fingerprints, images_count) {
    EXPECT_EQ(with_image(1, 2, {1, 0, -1}), with_image(2, 1, {-1, 0, 1}));
    EXPECT_EQ(with_image(1, 1, {0, 1, -1}), with_image(1, 1, {0, -1, 1}));
    EXPECT_NE(with_image(1, 2, {1, 0, 0}), with_image(1, 2, {-1, 0, 0}));
    EXPECT_NE(with_image(1, 2, {1, 0, 0}), with_image(1, 2, {0, 1, 0}));
    EXPECT_EQ(with_image(1, 2, {}), of({{1, 2}}));
}

TEST(Fingerprints, rows_hold_each_pair_in_both_directions) {
    Rows<double, 2> rows;
    rows.offsets = {0, 1, 3, 4};
    rows.indices = {1, 0, 2, 1};
    EXPECT_EQ(bench::fingerprint(rows), of({{0, 1}, {1, 2}}));
    rows.indices = {1, 0, 2, 0};  // body 2 lists 0, but 1 lists 2
    EXPECT_NE(bench::fingerprint(rows), of({{0, 1}, {1, 2}}));
    rows.offsets = {0, 1, 2, 2};
    rows.indices = {1, 2};  // half rows
    EXPECT_NE(bench::fingerprint(rows), of({{0, 1}, {1, 2}}));
}

TEST(Fingerprints, differences_are_counted) {
    const std::vector<Pair> wanted{{0, 1}, {1, 2}, {3, 4}};
    EXPECT_EQ(bench::differences(wanted, {{2, 1}, {3, 4}, {0, 1}}, 1), 0u);
    EXPECT_EQ(bench::differences(wanted, {{2, 1}, {0, 1}}, 1), 1u);
    EXPECT_EQ(bench::differences(wanted, {{2, 1}, {0, 1}, {3, 5}}, 1), 2u);
    EXPECT_EQ(bench::differences(wanted, {{1, 2}, {0, 1}, {3, 4}, {3, 4}}, 1), 1u);
    EXPECT_EQ(bench::differences({{0, 1}}, {{0, 1}, {1, 0}}, 2), 0u);
    EXPECT_EQ(bench::differences({{0, 1}}, {{0, 1}}, 2), 1u);
    EXPECT_EQ(bench::differences({}, {{0, 1}, {1, 0}}, 2), 1u);
}

// Returns given results.
class Told : public bench::Contender<double, 2> {
  public:
    // One result per repeat, the last for all that follow; the warm-up returns the first.
    Told(const std::string& name, std::vector<std::vector<Pair>> answers)
        : answers_(std::move(answers)) {
        row.name = name;
    }
    bench::Sample run(const Bodies<double, 2>&) override {
        now_ = answers_[std::min(row.samples.size(), answers_.size() - 1)];
        if (now_.empty()) throw std::runtime_error("no result");
        row.pairs = now_.size();
        return {1e-3, {}};
    }
    Fingerprint found() override { return of(now_); }
    std::vector<Pair> pairs() override { return now_; }

  private:
    std::vector<std::vector<Pair>> answers_;
    std::vector<Pair> now_;
};

struct Trial {
    bench::Contest<double, 2> contest{"trial", {}, [](const std::string&) {}};

    void add(const std::string& name, std::vector<std::vector<Pair>> answers,
             bool peer = false) {
        auto contender = std::make_unique<Told>(name, std::move(answers));
        contender->row.peer = peer;
        contest.add(std::move(contender));
    }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& row : contest.rows()) result.push_back(row.name);
        return result;
    }
};

using Names = std::vector<std::string>;

TEST(Contests, a_method_that_finds_other_pairs_is_left_out) {
    const std::vector<Pair> right{{0, 1}, {1, 2}}, wrong{{0, 1}, {0, 2}}, fewer{{0, 1}};
    Trial trial;
    trial.add("first", {right});
    trial.add("same", {{{2, 1}, {0, 1}}});
    trial.add("wrong", {wrong});
    trial.add("late count", {right, fewer, right});
    trial.add("late wrong", {right, right, wrong});
    trial.contest.repeat(3, {}, 1);
    EXPECT_EQ(trial.names(), (Names{"first", "same"}));
    ASSERT_EQ(trial.contest.differing.size(), 3u);
    EXPECT_TRUE(trial.contest.differing[0].starts_with("wrong on 1 thread: left out"));
    EXPECT_TRUE(trial.contest.differing[1].starts_with("late count"));
    EXPECT_TRUE(trial.contest.differing[2].starts_with("late wrong"));
    for (const auto& row : trial.contest.rows()) EXPECT_EQ(row.samples.size(), 3u);
}

TEST(Contests, a_peer_that_finds_other_pairs_says_how_many) {
    Trial trial;
    trial.add("first", {{{0, 1}, {1, 2}}});
    trial.add("equal", {{{1, 2}, {0, 1}}}, true);
    trial.add("strict", {{{0, 1}, {0, 2}}}, true);
    trial.contest.repeat(1, {}, 1);
    const auto rows = trial.contest.rows();
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1].differs, 0u);
    EXPECT_EQ(rows[2].differs, 2u);
    EXPECT_TRUE(trial.contest.differing.empty());
}

TEST(Contests, a_peer_that_fails_ends_its_own_row_only) {
    Trial trial;
    trial.add("first", {{{0, 1}}});
    trial.add("broken", {{}}, true);
    trial.add("breaks", {{{0, 1}}, {}}, true);
    trial.contest.repeat(3, {}, 1);
    EXPECT_EQ(trial.names(), Names{"first"});
    ASSERT_EQ(trial.contest.notes.size(), 2u);
    EXPECT_EQ(trial.contest.notes[0],
              "broken on 1 thread: left out, because it failed: no result");
    EXPECT_TRUE(trial.contest.notes[1].starts_with("breaks on 1 thread"));
}

// Records the position of the first body at each run.
class Watcher : public bench::Contender<double, 2> {
  public:
    std::vector<double> seen;

    bench::Sample run(const Bodies<double, 2>& bodies) override {
        seen.push_back(bodies.position(0, 0));
        return {1e-3, {}};
    }
    Fingerprint found() override { return {}; }
    std::vector<Pair> pairs() override { return {}; }
};

// Otherwise a method that profits from small steps would be timed on bodies that do not move.
TEST(Contests, moved_bodies_are_new_to_the_timed_run) {
    io::BodyArrays<double, 2> bodies;
    bodies.layout.cutoff = 1;
    bodies.count = 1;
    bodies.position = {std::vector<double>{5}, std::vector<double>{5}};
    bench::Contest<double, 2> contest("trial", bodies, [](const std::string&) {});
    auto watcher = std::make_unique<Watcher>();
    const std::vector<double>& seen = watcher->seen;
    contest.add(std::move(watcher));
    const std::size_t warm = seen.size();
    contest.repeat(3, {.fraction = 0.25}, 1);
    ASSERT_EQ(seen.size(), warm + 6);  // untimed and timed, three repeats
    EXPECT_EQ(seen[warm + 1], 5);
    EXPECT_EQ(seen[warm + 2], 5);
    EXPECT_NE(seen[warm + 3], 5);
    EXPECT_LE(std::abs(seen[warm + 3] - 5), 0.25);
    EXPECT_EQ(seen[warm + 4], seen[warm + 3]);
    EXPECT_NE(seen[warm + 5], seen[warm + 4]);
}

TEST(Statistics, median_spread_and_growth) {
    EXPECT_EQ(bench::median({3, 1, 2}), 2);
    EXPECT_EQ(bench::median({4, 1, 2, 3}), 2.5);
    EXPECT_EQ(bench::spread({1, 2, 3, 4, 5}), 2.0 / 3);
    EXPECT_EQ(bench::spread({7}), 0);
    std::vector<bench::Row> rows(3);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k].bodies = std::uint64_t{1} << (2 * k + 2);
        rows[k].samples = {{std::pow(2.0, 3.0 * static_cast<double>(k)), {}}};
    }
    EXPECT_NEAR(*bench::growth_exponent({&rows[0], &rows[1], &rows[2]}), 1.5, 1e-12);
    EXPECT_FALSE(bench::growth_exponent({&rows[0]}));
}

TEST(Text, commas_within_brackets_do_not_split) {
    const auto split = [](std::string_view text) {
        return tool::split_outside_brackets(text, ',');
    };
    using Fields = std::vector<std::string_view>;
    EXPECT_EQ(split("auto"), Fields{"auto"});
    EXPECT_EQ(split("a,b(x=1,y=2),c"), (Fields{"a", "b(x=1,y=2)", "c"}));
    EXPECT_EQ(split("skin(of=grid(cell=1, k=2), r=3),b"),
              (Fields{"skin(of=grid(cell=1, k=2), r=3)", "b"}));
    EXPECT_EQ(split("a,,b"), (Fields{"a", "", "b"}));
}

class Bench : public Tool {
  protected:
    nlohmann::json bench(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"bench", "--repeat", "2"});
        return json(arguments);
    }
};

TEST_F(Bench, json_says_what_was_measured) {
    const auto json = bench({"--scene", "uniform", "--n", "300", "--methods",
                             "auto,compact_grid(cell=2),brute_force", "--threads", "1,2"});
    EXPECT_EQ(json["input"], "uniform");
    EXPECT_EQ(json["shape"], "points");
    EXPECT_EQ(json["precision"], "double");
    EXPECT_EQ(json["output"], "pairs");
    ASSERT_EQ(json["rows"].size(), 6u);
    const auto wanted = this->json({"scene", "uniform", "--n", "300", "-o", path("p.npy")});
    const auto found = this->json(
        {"pairs", path("p.npy"), "--cutoff", std::to_string(wanted["cutoff"].get<double>())});
    for (const auto& row : json["rows"]) {
        EXPECT_EQ(row["kind"], "method");
        EXPECT_EQ(row["bodies"], 300);
        EXPECT_EQ(row["cutoff"], wanted["cutoff"]);
        EXPECT_EQ(row["repeats"], 2);
        EXPECT_EQ(row["pairs"], found["pairs"]);
        EXPECT_GE(row["candidates"], row["pairs"]);
        EXPECT_GE(row["candidates_per_pair"], 1.0);
        for (const char* name : {"median_ms", "ns_per_body", "ns_per_pair", "ratio"})
            EXPECT_GT(row[name], 0.0) << name;
        for (const char* name : {"spread", "peak_bytes"}) EXPECT_GE(row[name], 0) << name;
        for (const char* name : {"scene_ms", "build_ms", "search_ms", "output_ms"})
            EXPECT_TRUE(row["phases"][name].is_number()) << name;
    }
    EXPECT_EQ(json["rows"][0]["ratio"], 1.0);
    EXPECT_EQ(json["rows"][1]["name"], "compact_grid(cell=2)");
    EXPECT_EQ(json["rows"][1]["threads"], 1);
    EXPECT_EQ(json["rows"][3]["name"], "auto");
    EXPECT_EQ(json["rows"][3]["threads"], 2);
    for (const char* name : {"cpu", "cores", "memory_bytes", "compiler", "build_type"})
        EXPECT_TRUE(json["machine"].contains(name)) << name;
}

TEST_F(Bench, p4_2d_hits_more_with_more_objects) {
    const auto table = json({"bench", "--experiment", "p4-2d", "--quick"});
    ASSERT_EQ(table["rows"].size(), 5u);
    double before = 0;
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        EXPECT_GT(row["hit %"], before);
        before = row["hit %"];
        for (const std::string method : {"kd_tree", "multilevel_hash", "hierarchical_hash"}) {
            EXPECT_GT(row[method + " ms"], 0);
            EXPECT_GT(row[method + " kB"], 0);
        }
    }
    // About 410 objects of mean area 2^20 on 2^26: 6.4 over each point, fewer along the border.
    EXPECT_GT(before, 90);
    EXPECT_LE(before, 100);
    expect_claims(table, 4);
}

TEST_F(Bench, p4_nns_finds_as_many_neighbours_as_the_density_says) {
    const auto table = json({"bench", "--experiment", "p4-nns", "--quick"});
    ASSERT_EQ(table["rows"].size(), 5u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        const double r = std::stod(row["r"].get<std::string>());
        const double mean = 3.14159265 * r * r * 1e6 / (1048576.0 * 1048576.0);
        EXPECT_NEAR(row["mean"], mean, 0.03 * mean + 0.01);
        EXPECT_GE(row["most"], row["mean"]);
    }
    EXPECT_LT(table["rows"].front()["most"], 5);
    EXPECT_GE(table["rows"].back()["most"], 5);
    EXPECT_GT(table["runs"], 1);
    EXPECT_GT(table["spread"], 0);
    expect_claims(table, 4);
}

TEST_F(Bench, p4_table_has_fewer_clashes_in_larger_tables) {
    const auto table = json({"bench", "--experiment", "p4-table", "--quick"});
    ASSERT_EQ(table["rows"].size(), 18u);
    for (std::size_t r = 0; r < 18; ++r) {
        const auto& row = table["rows"][r];
        SCOPED_TRACE(row.dump());
        EXPECT_GT(row["candidates"], 0);
        if (r % 6 == 0) continue;
        const auto& smaller = table["rows"][r - 1];
        EXPECT_LT(row["slot clashes"], smaller["slot clashes"]);
        EXPECT_LE(row["false candidates"], smaller["false candidates"]);
        EXPECT_GT(row["MB"], smaller["MB"]);
        EXPECT_EQ(row["cells"], smaller["cells"]);
    }
    expect_claims(table, 2);
}

// Hits and neighbours do not depend on the method.
TEST_F(Bench, p4_fluid_finds_the_same_by_every_method) {
    const auto table = json({"bench", "--experiment", "p4-fluid", "--quick"});
    std::vector<std::string> methods;
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        methods.push_back(row["method"]);
        double sum = 0;
        for (const char* column : {"static ms", "particles ms", "paths ms"}) {
            EXPECT_GT(row[column], 0) << column;
            sum += row[column].get<double>();
        }
        EXPECT_NEAR(row["frame ms"].get<double>(), sum, 1e-6 * sum);
        EXPECT_GT(row["neighbours ms"], 0);
        EXPECT_GT(row["kB"], 0);
        EXPECT_GT(row["pairs"], 0);
        EXPECT_EQ(row["pairs"], table["rows"][0]["pairs"]);
        EXPECT_GT(row["neighbours"], 0);
        EXPECT_EQ(row["neighbours"], table["rows"][0]["neighbours"]);
    }
    EXPECT_EQ(methods, (std::vector<std::string>{"uniform_hash", "multilevel_hash",
                                                 "hierarchical_hash", "kd_tree", "row_grid"}));
    // The frames' times, of which the table has the means.
    ASSERT_EQ(table["curves"].size(), methods.size());
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const auto& curve = table["curves"][m];
        EXPECT_EQ(curve["name"], methods[m]);
        EXPECT_EQ(curve["x"], (std::vector<double>{10, 20, 30, 40, 50, 60}));
        double mean = 0;
        for (const double ms : curve["y"]) mean += ms / 6;
        EXPECT_NEAR(table["rows"][m]["frame ms"].get<double>(), mean, 1e-6 * mean);
    }
    expect_claims(table, 3);
}

TEST_F(Bench, p5_sort_changes_as_many_keys_as_it_says) {
    const auto table = json({"bench", "--experiment", "p5-sort", "--quick"});
    ASSERT_EQ(table["rows"].size(), 6u);
    const double shares[] = {2, 10, 100, 2, 10, 100};
    for (std::size_t r = 0; r < 6; ++r) {
        const auto& row = table["rows"][r];
        SCOPED_TRACE(row.dump());
        EXPECT_NEAR(row["changed %"], shares[r], 0.1 * shares[r]);
        EXPECT_EQ(row["radix ms paper"], 14);
        EXPECT_GT(row["adaptive ms"], 0);
    }
    EXPECT_TRUE(table["rows"][2]["adaptive ms paper"].is_null());  // not published
    expect_claims(table, 3);
}

TEST_F(Bench, p5_cuckoo_fills_its_tables_as_published) {
    const auto table = json({"bench", "--experiment", "p5-cuckoo", "--quick"});
    ASSERT_EQ(table["rows"].size(), 3u);
    for (const auto& row : table["rows"]) {
        SCOPED_TRACE(row.dump());
        EXPECT_GE(row["records"], row["cells"]);
        EXPECT_NEAR(row["table %"], row["table % paper"], 2);
        EXPECT_GT(row["clashes/cell"], 0);
        EXPECT_LT(row["clashes/cell"], 1);
        // The first slot is free, or one or more moves follow.
        EXPECT_GE(row["moves/cell"], row["clashes/cell"]);
        EXPECT_GT(row["probes/cell"], 1);
        EXPECT_LT(row["probes/cell"], 3);
    }
    expect_claims(table, 5);
    const Outcome text = run({"bench", "--experiment", "p5-cuckoo", "--quick"});
    EXPECT_NE(text.out.find("hold"), std::string::npos) << text.out;
}

// A reason is given where a claim does not hold or cannot be compared, and only there.
TEST(Verdicts, have_reasons_where_a_claim_does_not_hold) {
    papers::ResultTable table;
    table.title = "a table";
    table.columns = {"N"};
    table.claims = {{.text = "first", .holds = true, .measured = "3", .why = "no reason"},
                    {.text = "second",
                     .holds = false,
                     .measured = "4 times",
                     .published = "5 times",
                     .why = "it is slow"},
                    {.text = "third",
                     .holds = false,
                     .measured = "6",
                     .why = "not given",
                     .comparable = false}};
    const auto claims = to_json(table)["claims"];
    const std::string text = to_text(table);
    const auto expect = [&](std::size_t k, const std::string& verdict, const std::string& why) {
        EXPECT_EQ(claims[k]["verdict"], verdict);
        EXPECT_EQ(claims[k]["why"], why);
        EXPECT_NE(text.find(table.claims[k].text + ": " + verdict), std::string::npos) << text;
    };
    expect(0, "holds", "");
    expect(1, "does not hold", "it is slow");
    expect(2, "not comparable", "not given");
    EXPECT_EQ(claims[1]["published"], "5 times");
    EXPECT_NE(text.find("(4 times); published: 5 times; it is slow\n"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("no reason"), std::string::npos) << text;
    EXPECT_EQ(text.find("Times:"), std::string::npos) << text;
}

// Every form of the result reports a busy host.
TEST(OtherLoad, marks_a_result_as_unreliable) {
    bench::Result result;
    bench::Row row;
    row.name = "auto";
    row.samples = {{}};
    result.rows = {row};
    for (const auto& [cores, busy] :
         {std::pair<std::optional<double>, bool>{{}, false}, {0.05, false}, {0.97, true}}) {
        result.other_cores = cores;
        EXPECT_EQ(
            to_text(result).find("BUSY: other processes used 0.97 cores") != std::string::npos,
            busy);
        EXPECT_EQ(to_json(result)["machine"]["busy"], busy);
    }
    const std::string csv = to_csv(result);
    EXPECT_NE(csv.find(",other_cores,machine\n"), std::string::npos) << csv;
    EXPECT_NE(csv.find(",0.97,"), std::string::npos) << csv;
}

TEST(OtherLoad, sees_another_process) {
    const bench::OtherLoad load;
    const pid_t other = fork();
    if (other == 0)
        for (;;) sched_yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const auto cores = load.cores();
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    if (!cores) GTEST_SKIP() << "not supported by the system";
    EXPECT_GE(*cores, 0.2);
}

TEST_F(Bench, csv_has_a_line_for_each_row) {
    const Outcome outcome =
        run({"bench", "--scene", "lattice", "--n", "100", "--methods", "auto,brute_force",
             "--threads", "1", "--repeat", "1", "-o", path("rows.csv")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("brute_force"), std::string::npos) << outcome.out;
    std::istringstream text(read("rows.csv"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].starts_with("input,shape,cutoff,dim,precision,"));
    EXPECT_TRUE(lines[1].starts_with("lattice,points,"));
    EXPECT_NE(lines[2].find(",brute_force,method,1,1,"), std::string::npos) << lines[2];
}

TEST_F(Bench, every_output_and_domain_finds_the_same) {
    for (const char* domain : {"open", "periodic:1,1,1"}) {
        nlohmann::json pairs;
        for (const char* output :
             {"pairs", "columns", "rows", "ordered-rows", "row-columns", "stream", "count"}) {
            const auto json = bench({"--scene", "uniform", "--n", "200", "--output", output,
                                     "--domain", domain, "--methods", "auto,brute_force"});
            ASSERT_EQ(json["rows"].size(), 2u) << output << domain;
            if (pairs.is_null()) pairs = json["rows"][0]["pairs"];
            EXPECT_EQ(json["rows"][0]["pairs"], pairs) << output << domain;
            EXPECT_EQ(json["domain"], domain);
        }
    }
}

TEST_F(Bench, moving_bodies_are_the_same_for_all_rows) {
    for (const char* scene : {"uniform", "polydisperse", "sheets"}) {
        const auto json = bench({"--scene", scene, "--n", "300", "--moving", "0.3", "--methods",
                                 "auto,brute_force", "--precision", "float"});
        ASSERT_EQ(json["rows"].size(), 2u) << scene;
        EXPECT_EQ(json["moving"], 0.3);
    }
    const auto moved = bench({"--scene", "uniform", "--n", "300", "--moving", "0.3"});
    const auto still = bench({"--scene", "uniform", "--n", "300"});
    EXPECT_NE(moved["rows"][0]["pairs"], still["rows"][0]["pairs"]);
    const auto some = bench({"--scene", "uniform", "--n", "300", "--moving", "0.3", "--movers",
                             "0.1", "--methods", "auto,verlet,sweep_persistent"});
    ASSERT_EQ(some["rows"].size(), 3u);
    EXPECT_EQ(some["movers"], 0.1);
    EXPECT_NE(some["rows"][0]["pairs"], still["rows"][0]["pairs"]);
    EXPECT_NE(some["rows"][0]["pairs"], moved["rows"][0]["pairs"]);
}

// Spheres can be measured as spheres, as their boxes and as their centres.
TEST_F(Bench, spheres_in_every_guise) {
    json({"scene", "polydisperse", "--n", "300", "-o", path("s.csv")});
    std::istringstream text(read("s.csv"));
    std::string boxes = "x0,y0,z0,x1,y1,z1\n", line;
    std::getline(text, line);
    while (std::getline(text, line)) {
        double v[4];
        std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3);
        char row[200];
        std::snprintf(row, sizeof row, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", v[0] - v[3],
                      v[1] - v[3], v[2] - v[3], v[0] + v[3], v[1] + v[3], v[2] + v[3]);
        boxes += row;
    }
    write("b.csv", boxes);
    const auto check = [&](const std::vector<std::string>& flags,
                           std::vector<std::string> same) {
        std::vector<std::string> arguments{"--scene", "polydisperse", "--n", "300"};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        same.insert(same.begin(), "pairs");
        EXPECT_EQ(bench(arguments)["rows"][0]["pairs"], json(same)["pairs"]);
    };
    check({}, {path("s.csv"), "--radius", "column"});
    check({"--radius", "column"}, {path("s.csv"), "--radius", "column"});
    check({"--boxes"}, {path("b.csv"), "--boxes"});
    check({"--cutoff", "0.1"}, {path("s.csv"), "--cutoff", "0.1"});
    check({"--radius", "0.04"}, {path("s.csv"), "--radius", "0.04"});
}

TEST_F(Bench, files_and_parameters) {
    const auto file = random_points("p.npy", 100);
    const auto json = bench({file, "--cutoff", "0.2", "--precision", "float"});
    EXPECT_EQ(json["input"], file);
    EXPECT_EQ(json["rows"][0]["pairs"],
              this->json({"pairs", file, "--cutoff", "0.2"})["pairs"]);
    const auto flat = bench({"--scene", "uniform", "--n", "100", "dim=2", "neighbours=3"});
    EXPECT_EQ(flat["dim"], 2);
    EXPECT_EQ(flat["input"], "uniform dim=2 neighbours=3");
}

TEST_F(Bench, peers_are_named_or_their_absence_is) {
    if (peers::list().empty()) {
        expect_error(1, {"bench", "--scene", "uniform", "--n", "50", "--peers", "all"},
                     {"scripts/bench.sh"});
        return;
    }
    for (const std::string shape : {"--cutoff=0.2", "--radius=column", "--boxes"}) {
        const auto json = bench({"--scene", "polydisperse", "--n", "200", "--peers", "all",
                                 "--precision", "float", shape});
        ASSERT_GT(json["rows"].size(), 1u);
        for (std::size_t k = 1; k < json["rows"].size(); ++k) {
            EXPECT_EQ(json["rows"][k]["kind"], "peer");
            EXPECT_EQ(json["rows"][k]["differs"], 0) << json["rows"][k]["name"];
        }
    }
    expect_error(2, {"bench", "--scene", "uniform", "--n", "50", "--peers", "nobody"},
                 {"nobody", peers::list()[0].name});
}

TEST_F(Bench, bad_usage) {
    const auto refused = [&](std::vector<std::string> arguments,
                             const std::vector<std::string>& words) {
        arguments.insert(arguments.begin(), "bench");
        expect_error(2, arguments, words);
    };
    refused({}, {"FILE", "--scene"});
    refused({"a.npy", "b.npy", "--cutoff", "1"}, {"one FILE"});
    refused({"--experiment", "p9-table1"}, {"p9-table1", "p1-table1"});
    refused({"a.npy", "--quick"}, {"--quick", "--experiment"});
    refused({"a.npy", "--full"}, {"--full", "--experiment"});
    refused({"a.npy", "--experiment", "p1-table1"}, {"--experiment", "FILE"});
    refused({"a.npy", "--cutoff", "1", "--n", "5"}, {"--n", "--scene"});
    refused({"a.npy", "--cutoff", "1", "--scaling"}, {"--scaling", "--scene"});
    const auto scene = [&](std::vector<std::string> more,
                           const std::vector<std::string>& words) {
        more.insert(more.begin(), {"--scene", "uniform"});
        refused(more, words);
    };
    scene({"--n", "5", "--scaling"}, {"--scaling", "--n"});
    scene({"--methods", "auto,,brute_force"}, {"--methods", "empty"});
    scene({"--methods", "auto,nothing"}, {"nothing", "brute_force"});
    scene({"--threads", "1,two"}, {"--threads", "1,two"});
    scene({"--threads", "-1"}, {"--threads"});
    scene({"--repeat", "0"}, {"--repeat"});
    scene({"--moving", "-1"}, {"--moving"});
    scene({"--movers", "0.1"}, {"--movers", "--moving"});
    scene({"--moving", "1", "--movers", "0"}, {"--movers"});
    scene({"--output", "all"}, {"pairs", "rows", "count"});
    scene({"-o", path("rows.npy")}, {".csv"});
    scene({"--boxes", "--n", "5"}, {"uniform", "--boxes"});
    scene({"--boxes", "--cutoff", "1"}, {"only one"});
    scene({"nonsense"}, {"nonsense", "key=number"});
    expect_error(1, {"bench", "--scene", "uniform", "--n", "5", "--radius", "column"},
                 {"uniform", "radius"});
    expect_error(1, {"bench", "--scene", "uniform", "-o", path("none/rows.csv")}, {"none"});
    const auto same = write("same.csv", "x,y\n0,0\n");
    refused({same, "--cutoff", "1", "-o", same}, {"overwrite"});
}

}  // namespace
}  // namespace vicinal::test
