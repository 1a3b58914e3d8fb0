// vicinal verify: correct lists and all kinds of wrong lists.
#include <algorithm>

#include "harness.hpp"

namespace vicinal::test {
namespace {

class Verify : public Tool {
  protected:
    std::string line() { return write("line.csv", "x,y,z\n0,0,0\n1,0,0\n2,0,0\n9,9,9\n"); }

    Outcome check(const std::string& list, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"verify", line(), write("list.csv", list),
                                           "--cutoff", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    void expect_counts(const Outcome& outcome, int missing, int extra, int repeated) {
        const auto json = outcome.json();
        EXPECT_EQ(json["missing"]["count"], missing) << outcome.out;
        EXPECT_EQ(json["extra"]["count"], extra) << outcome.out;
        EXPECT_EQ(json["repeated"]["count"], repeated) << outcome.out;
        const bool good = missing + extra + repeated == 0;
        EXPECT_EQ(json["ok"], good);
        EXPECT_EQ(outcome.code, good ? 0 : 1);
        EXPECT_EQ(outcome.err, "");
    }
};

TEST_F(Verify, a_right_list) {
    const Outcome outcome = check("i,j\n0,1\n1,2\n");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("is right"), std::string::npos) << outcome.out;
    expect_counts(check("i,j\n0,1\n1,2\n", {"--json"}), 0, 0, 0);
}

TEST_F(Verify, either_order) {
    expect_counts(check("i,j\n2,1\n1,0\n", {"--json"}), 0, 0, 0);
}

TEST_F(Verify, a_missing_pair) {
    const Outcome outcome = check("i,j\n1,2\n");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("(0, 1) at distance 1, reach 1"), std::string::npos)
        << outcome.out;
    const Outcome json = check("i,j\n1,2\n", {"--json"});
    expect_counts(json, 1, 0, 0);
    EXPECT_EQ(json.json()["missing"]["first"][0]["i"], 0);
    EXPECT_EQ(json.json()["missing"]["first"][0]["j"], 1);
}

TEST_F(Verify, an_extra_pair) {
    expect_counts(check("i,j\n0,1\n1,2\n0,3\n", {"--json"}), 0, 1, 0);
    expect_counts(check("i,j\n0,1\n1,2\n3,3\n", {"--json"}), 0, 1, 0);
}

TEST_F(Verify, a_repeated_pair) {
    expect_counts(check("i,j\n0,1\n1,2\n0,1\n", {"--json"}), 0, 0, 1);
    expect_counts(check("i,j\n0,1\n1,2\n1,0\n", {"--json"}), 0, 0, 1);
}

TEST_F(Verify, all_at_once) {
    expect_counts(check("i,j\n0,1\n0,1\n0,3\n2,3\n", {"--json"}), 1, 2, 1);
}

TEST_F(Verify, full_lists) {
    expect_counts(check("i,j\n0,1\n1,0\n1,2\n2,1\n", {"--full", "--json"}), 0, 0, 0);
    expect_counts(check("i,j\n0,1\n1,0\n1,2\n", {"--full", "--json"}), 1, 0, 0);
    expect_counts(check("i,j\n0,1\n1,2\n", {"--full", "--json"}), 2, 0, 0);
    expect_counts(check("i,j\n0,1\n1,0\n1,2\n2,1\n", {"--json"}), 0, 0, 2);
}

TEST_F(Verify, a_sample_of_the_bodies) {
    for (const char* seed : {"1", "2", "3", "4", "5"}) {
        const std::vector<std::string> all{"--sample", "3", "--seed", seed, "--json"};
        const auto good = check("i,j\n0,1\n2,1\n", all);
        expect_counts(good, 0, 0, 0);
        EXPECT_EQ(good.json()["exact"], false);
        EXPECT_EQ(good.json()["bodies_checked"], 3);
        // A sample of three of four bodies includes at least one body of the wrong pair.
        expect_counts(check("i,j\n2,1\n", all), 1, 0, 0);
        expect_counts(check("i,j\n0,1\n2,1\n1,2\n", all), 0, 0, 1);
        expect_counts(check("i,j\n0,1\n2,1\n0,2\n", all), 0, 1, 0);
    }
    EXPECT_EQ(check("i,j\n0,1\n2,1\n", {"--sample", "0", "--json"}).json()["exact"], true);
}

TEST_F(Verify, repeats_are_found_outside_the_sample) {
    for (const char* seed : {"1", "2", "3", "4", "5"}) {
        const std::vector<std::string> one{"--sample", "1", "--seed", seed, "--json"};
        expect_counts(check("i,j\n0,1\n1,2\n1,0\n0,1\n", one), 0, 0, 2);
        const auto outcome = check("i,j\n0,1\n1,2\n2,1\n", one);
        expect_counts(outcome, 0, 0, 1);
        EXPECT_EQ(outcome.json()["repeated"]["first"][0]["i"], 1);
        EXPECT_EQ(outcome.json()["repeated"]["first"][0]["j"], 2);
        std::vector<std::string> full = one;
        full.push_back("--full");
        expect_counts(check("i,j\n0,1\n1,0\n1,2\n2,1\n", full), 0, 0, 0);
        expect_counts(check("i,j\n0,1\n1,0\n1,2\n2,1\n2,1\n", full), 0, 0, 1);
    }
    // A wrong pair that is listed twice is wrong once and repeated once.
    expect_counts(check("i,j\n0,1\n1,2\n0,3\n3,0\n", {"--json"}), 0, 1, 1);
}

TEST_F(Verify, lists_of_other_programs) {
    const auto good = [&](const std::string& type, const std::string& data) {
        const auto list = write("list.npy", npy(type, "2, 2", data));
        return run({"verify", line(), list, "--cutoff", "1"}).code;
    };
    EXPECT_EQ(good("<i8", bytes<std::int64_t>({1, 0, 1, 2})), 0);
    EXPECT_EQ(good("<i4", bytes<std::int32_t>({1, 0, 1, 2})), 0);
    EXPECT_EQ(good("<u8", bytes<std::uint64_t>({1, 0, 1, 2})), 0);
    EXPECT_EQ(good("<u2", bytes<std::uint16_t>({1, 0, 1, 2})), 0);
    EXPECT_EQ(good("<u4", bytes<std::uint32_t>({1, 0, 1, 3})), 1);
}

TEST_F(Verify, images_belong_to_the_pair) {
    const std::vector<std::string> domain{"--domain", "periodic:3,-,-", "--json"};
    const std::string head = "i,j,nx,ny,nz\n0,1,0,0,0\n1,2,0,0,0\n";
    expect_counts(check(head + "0,2,-1,0,0\n", domain), 0, 0, 0);
    expect_counts(check(head + "2,0,1,0,0\n", domain), 0, 0, 0);
    expect_counts(check(head + "0,2,1,0,0\n", domain), 1, 1, 0);
    Outcome without = check("i,j\n0,1\n1,2\n", {"--domain", "periodic:3,-,-"});
    check_error(without, 1, {"list.csv", "'nx'", "periodic", "image"});
}

TEST_F(Verify, what_pairs_writes) {
    const auto file = random_points("points.npy", 300);
    const std::vector<std::vector<std::string>> jobs{
        {"--cutoff", "0.2"},
        {"--radius", "0.1", "--precision", "float"},
        {"--cutoff", "0.3", "--domain", "periodic:1,1,1"},
        {"--cutoff", "1.3", "--domain", "periodic:1,-,1"},
        {"--cutoff", "0.2", "--domain", "sheared:1,1,-:0.3", "--precision", "float"},
        {"--cutoff", "0.2", "--domain", "triclinic:1,0,0,0.9,1,0,-0.7,2.3,1"},
        {"--cutoff", "0.2", "--with", random_points("others.npy", 200, 3, 7)},
    };
    for (const auto& job : jobs) {
        std::vector<std::string> find{"pairs", file, "-o", path("list.npy"), "--json"};
        find.insert(find.end(), job.begin(), job.end());
        const Outcome found = run(find);
        ASSERT_EQ(found.code, 0) << found.err;
        std::vector<std::string> verify{"verify", file, path("list.npy"), "--json"};
        verify.insert(verify.end(), job.begin(), job.end());
        const Outcome verdict = run(verify);
        expect_counts(verdict, 0, 0, 0);
        EXPECT_GT(found.json()["pairs"], 100);
        EXPECT_EQ(verdict.json()["pairs_checked"], found.json()["pairs"]);
    }
}

TEST_F(Verify, rows_of_pairs) {
    const auto file = random_points("points.npy", 200);
    const std::string domain = "periodic:1,1,-";
    run({"pairs", file, "--cutoff", "0.3", "--rows", "--domain", domain, "-o", path("out")});
    expect_counts(run({"verify", file, path("out"), "--cutoff", "0.3", "--rows", "--domain",
                       domain, "--json"}),
                  0, 0, 0);
}

TEST_F(Verify, two_files) {
    const auto other = write("other.csv", "x,y,z\n0,0,0.5\n9,9,9.5\n");
    const auto check_with = [&](const std::string& list) {
        return run({"verify", line(), write("list.csv", list), "--cutoff", "0.5", "--with",
                    other, "--json"});
    };
    expect_counts(check_with("i,j\n0,0\n3,1\n"), 0, 0, 0);
    expect_counts(check_with("i,j\n0,0\n"), 1, 0, 0);
    check_error(check_with("i,j\n0,0\n1,3\n"), 1, {"list.csv", "j = 3", "line 3", "0 to 1"});
    expect_error(
        2, {"verify", line(), path("list.csv"), "--cutoff", "0.5", "--with", other, "--full"},
        {"--full"});
}

TEST_F(Verify, groups_exclusions_and_swept_bodies) {
    const auto file =
        write("swept.csv", "x,y,ux,uy,group\n0,0,4,0,1\n4,0.5,-4,0,1\n0,0.1,0,0,0\n");
    const auto list = write("list.csv", "i,j\n0,1\n");
    EXPECT_EQ(run({"verify", file, list, "--cutoff", "0.5", "--swept"}).code, 0);
    EXPECT_EQ(run({"verify", file, list, "--cutoff", "0.5"}).code, 1);
    EXPECT_EQ(run({"verify", file, list, "--cutoff", "0.5", "--swept", "--exclude", list}).code,
              1);
}

TEST_F(Verify, vertices) {
    const auto vertices = write("v.csv", "v0\n1\n2\n2\n3\n");
    const auto list = write("list.csv", "i,j\n0,1\n");
    EXPECT_EQ(run({"verify", line(), list, "--cutoff", "1", "--vertices", vertices}).code, 0);
    EXPECT_EQ(run({"verify", line(), list, "--cutoff", "1"}).code, 1);
    expect_error(2, {"verify", line(), list, "--cutoff", "1", "--with-vertices", vertices},
                 {"--with"});
}

TEST_F(Verify, bad_lists_are_errors) {
    check_error(check("i,j\n0,1\n1,4\n"), 1, {"list.csv", "j = 4", "line 3", "0 to 3"});
    check_error(check("i,j\n0,1\n1,-1\n"), 1, {"list.csv", "j = -1", "line 3"});
    check_error(check("i,j\n0,1\n1,1.5\n"), 1, {"list.csv", "1.5", "line 3", "whole number"});
    check_error(check("i,k\n0,1\n"), 1, {"list.csv", "'j'"});
    const auto wide = write("wide.npy", npy("<i8", "1, 3", bytes<std::int64_t>({0, 1, 2})));
    expect_error(1, {"verify", line(), wide, "--cutoff", "1"}, {"wide.npy", "3 columns", "2"});
    expect_error(1, {"verify", line(), path("none.npy"), "--cutoff", "1"}, {"none.npy"});
}

}  // namespace
}  // namespace vicinal::test
