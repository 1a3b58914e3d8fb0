// vicinal run: its output, resuming, and its errors.
#include <sys/file.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>

#include "harness.hpp"
#include "sim/simulators.hpp"

namespace vicinal::test {
namespace {

namespace fs = std::filesystem;

class Run : public Tool {
  protected:
    // A short run of few bodies with more arguments.
    nlohmann::json quick(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"run", "falling", "--n", "300", "--steps", "20"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json(arguments);
    }
    std::vector<std::string> in(const std::string& folder) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(path(folder)))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }
    std::vector<std::string> lines(const std::string& file) const {
        std::istringstream text(read(file));
        std::vector<std::string> result;
        for (std::string line; std::getline(text, line);) result.push_back(line);
        return result;
    }
    // The series without the columns of seconds, which differ between runs.
    std::vector<std::string> series(const std::string& folder) const {
        std::vector<std::string> result;
        for (const std::string& line : lines(folder + "/series.csv")) {
            std::istringstream fields(line);
            std::string kept, field;
            for (int column = 0; std::getline(fields, field, ','); ++column)
                if (column != 2 && column != 3) kept += field + ',';
            result.push_back(kept);
        }
        return result;
    }
    void expect_same_run(const std::string& a, const std::string& b) const {
        EXPECT_EQ(in(a), in(b));
        EXPECT_EQ(series(a), series(b));
        for (const std::string& name : in(a)) {
            if (!name.starts_with("bodies")) continue;
            EXPECT_EQ(read(a + '/' + name), read(b + '/' + name)) << name;
        }
    }
};

TEST_F(Run, tells_what_it_did) {
    const auto result = quick({"fill=0.2", "walls=true"});
    EXPECT_EQ(result["step"], 20);
    EXPECT_EQ(result["stopped"], false);
    EXPECT_EQ(result["bodies"], 300);
    EXPECT_EQ(result["plan"]["fill"], 0.2);
    EXPECT_EQ(result["plan"]["walls"], true);
    EXPECT_EQ(result["plan"]["n"], 300);
    EXPECT_GT(result["pairs"], 0);
    EXPECT_GT(result["kinetic"], 0);
    EXPECT_EQ(result["state"].get<std::string>().size(), 16);
    EXPECT_EQ(result["output"], nullptr);
    const Outcome text = run({"run", "falling", "--n", "300", "--steps", "20", "fill=0.2"});
    EXPECT_EQ(text.code, 0);
    for (const char* word : {"falling, 300 bodies", "20 of 20", "pairs", "state"})
        EXPECT_NE(text.out.find(word), std::string::npos) << text.out;
    EXPECT_EQ(text.err, "");
}

TEST_F(Run, help_tells_how_many_steps_each_simulation_does) {
    const std::string help = run({"run", "--help"}).out;
    for (const sim::Simulator& simulator : sim::simulators()) {
        const std::string line = simulator.name + ": " + simulator.summary + "; --steps " +
                                 std::to_string(simulator.steps) + " by default\n";
        EXPECT_NE(help.find(line), std::string::npos) << line << help;
    }
}

TEST_F(Run, the_state_does_not_depend_on_method_or_threads) {
    const auto state = quick({})["state"];
    EXPECT_EQ(quick({"--method", "kd_tree", "--threads", "3"})["state"], state);
    EXPECT_NE(quick({"seed=2"})["state"], state);
}

TEST_F(Run, writes_series_frames_and_a_checkpoint) {
    const auto result = quick({"-o", path("out"), "--every", "8"});
    EXPECT_EQ(in("out"), (std::vector<std::string>{"bodies.pvd", "bodies_000000.vtp",
                                                   "bodies_000008.vtp", "bodies_000016.vtp",
                                                   "checkpoint", "series.csv", "view.html"}));
    EXPECT_EQ(result["output"]["frames"], 3);
    EXPECT_EQ(result["output"]["page"], path("out/view.html"));
    const auto rows = lines("out/series.csv");
    ASSERT_EQ(rows.size(), 21);
    EXPECT_EQ(rows[0],
              "step,time,search_seconds,response_seconds,candidates,pairs,contacts,kinetic,"
              "potential,momentum_x,momentum_y,momentum_z,overlap,relative_overlap_max,"
              "relative_overlap_mean");
    EXPECT_TRUE(rows[1].starts_with("1,")) << rows[1];
    EXPECT_TRUE(rows[20].starts_with("20,")) << rows[20];
    EXPECT_NE(rows[20].find(',' + std::to_string(result["pairs"].get<int>()) + ','),
              std::string::npos);
    EXPECT_EQ(std::count(rows[1].begin(), rows[1].end(), ','), 14);
}

TEST_F(Run, writes_what_stands_still_once) {
    const std::vector<std::string> fluid{"run", "fluid", "--n", "50", "--steps", "4", "-o"};
    const auto go = [&](const std::string& folder, const std::string& spheres) {
        auto arguments = fluid;
        for (const std::string& word : {path(folder), spheres}) arguments.push_back(word);
        return run(arguments).out;
    };
    EXPECT_NE(go("some", "spheres=7").find("some/solids.vtp ("), std::string::npos);
    const std::string solids = read("some/solids.vtp");
    EXPECT_NE(solids.find("NumberOfPoints=\"7\""), std::string::npos) << solids.substr(0, 500);
    EXPECT_NE(solids.find("Name=\"radius\""), std::string::npos) << solids.substr(0, 500);
    EXPECT_EQ(in("some"),
              (std::vector<std::string>{"bodies.pvd", "bodies_000000.vtp", "checkpoint",
                                        "series.csv", "solids.vtp", "view.html"}));
    EXPECT_EQ(go("none", "spheres=0").find("solids.vtp"), std::string::npos);
    EXPECT_EQ(in("none"), (std::vector<std::string>{"bodies.pvd", "bodies_000000.vtp",
                                                    "checkpoint", "series.csv", "view.html"}));
}

// Long runs do not fill the disk unasked.
TEST_F(Run, has_at_most_1000_frames_by_default) {
    const auto every = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "run");
        return json(arguments)["plan"]["every"].get<int>();
    };
    EXPECT_EQ(every({"falling", "--n", "1", "--steps", "0"}), 10);
    EXPECT_EQ(every({"falling", "--n", "1", "--steps", "10000"}), 10);
    EXPECT_EQ(every({"falling", "--n", "1", "--steps", "10001"}), 11);
    const std::string scene =
        write("scene.json", R"({"simulation": "falling", "steps": 20, "n": 1})");
    EXPECT_EQ(every({scene}), 10);
    EXPECT_EQ(every({scene, "--steps", "10001"}), 11);
    const std::string frequent =
        write("often.json", R"({"simulation": "falling", "every": 5, "n": 1})");
    EXPECT_EQ(every({frequent, "--steps", "10001"}), 5);
    EXPECT_EQ(every({frequent, "--steps", "10001", "--every", "1000", "-o", path("a")}), 1000);
    // A resumed run keeps its interval.
    json({"run", "falling", "--n", "1", "--steps", "10001", "-o", path("b"), "--no-view"});
    EXPECT_EQ(every({"--resume", path("b"), "--steps", "10002", "--no-view"}), 11);
    EXPECT_EQ(std::ranges::count(in("b"), "bodies_000011.vtp"), 1);
    EXPECT_EQ(std::ranges::count(in("b"), "bodies_000010.vtp"), 0);
}

TEST_F(Run, makes_no_page_with_no_view) {
    const auto result = quick({"-o", path("out"), "--no-view"});
    EXPECT_EQ(result["output"]["frames"], 3);
    EXPECT_EQ(result["output"]["page"], nullptr);
    EXPECT_EQ(std::ranges::count(in("out"), "view.html"), 0);
}

TEST_F(Run, makes_its_folder_with_the_parents) {
    quick({"-o", path("a/b/c"), "--every", "0"});
    EXPECT_EQ(in("a/b/c"), (std::vector<std::string>{"checkpoint", "series.csv"}));
}

TEST_F(Run, a_resumed_run_writes_what_the_straight_one_does) {
    for (const std::string response : {"response=pairwise", "response=dem"}) {
        const std::string a = "a" + response, b = "b" + response;
        const auto straight = quick({"-o", path(a), "--every", "6", response});
        json({"run", "falling", "--n", "300", "--steps", "7", "-o", path(b), "--every", "6",
              response});
        write(b + "/.vicinal-1-1.tmp", "left by a process that was killed");
        write(b + "/series.csv", read(b + "/series.csv") + "8,rows after the checkpoint\n");
        const auto resumed =
            json({"run", "--resume", path(b), "--steps", "20", "--threads", "2"});
        EXPECT_EQ(resumed["state"], straight["state"]);
        EXPECT_EQ(resumed["step"], 20);
        expect_same_run(a, b);
    }
}

TEST_F(Run, a_resumed_run_says_what_steps_means) {
    json({"run", "falling", "--n", "50", "--steps", "4", "-o", path("a"), "--every", "4"});
    const auto resumed = [&](const std::string& steps) {
        const Outcome outcome = run({"run", "--resume", path("a"), "--steps", steps});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_TRUE(
        resumed("5").starts_with("resuming after step 4; --steps 5 is the total, so 1 "
                                 "step remains; it was planned for 4 steps\n"));
    EXPECT_TRUE(
        resumed("9").starts_with("resuming after step 5; --steps 9 is the total, so 4 "
                                 "steps remain; it was planned for 5 steps\n"));
    const auto result = json({"run", "--resume", path("a"), "--steps", "10"});
    EXPECT_EQ(result["resumed_at"], 9);
    EXPECT_EQ(quick({})["resumed_at"], nullptr);
    // As planned: nothing to explain.
    json({"run", "falling", "--n", "50", "--steps", "0", "-o", path("b")});
    const Outcome begun = run({"run", "--resume", path("b"), "--steps", "2"});
    EXPECT_TRUE(begun.out.starts_with("resuming after step 0; --steps 2 is the total, so 2"));
}

TEST_F(Run, one_is_singular) {
    const Outcome one =
        run({"run", "falling", "--n", "1", "--steps", "1", "-o", path("a"), "--every", "5"});
    EXPECT_NE(one.out.find("falling, 1 body\n"), std::string::npos) << one.out;
    EXPECT_NE(one.out.find("(1 frame; "), std::string::npos) << one.out;
    expect_error(2, {"run", "--resume", path("a")}, {"has completed 1 step;", "more than 1"});
    const Outcome more =
        run({"run", "falling", "--n", "20", "--steps", "1", "-o", path("b"), "--every", "1"});
    EXPECT_NE(more.out.find("falling, 20 bodies\n"), std::string::npos) << more.out;
    EXPECT_NE(more.out.find("(2 frames; "), std::string::npos) << more.out;
}

TEST_F(Run, tells_how_deep_overlaps_are) {
    const Outcome text = run({"run", "falling", "--n", "300", "--steps", "20"});
    for (const char* word : {"deepest overlap over the diameter: 0.",
                             "mean overlap of the contacts over the diameter: 0."})
        EXPECT_NE(text.out.find(word), std::string::npos) << text.out;
}

TEST_F(Run, a_finished_run_needs_more_steps_to_go_on) {
    quick({"-o", path("a")});
    const auto before = read("a/checkpoint");
    for (const std::string steps : {"20", "5"})
        expect_error(2, {"run", "--resume", path("a"), "--steps", steps},
                     {"20 steps", "--steps"});
    EXPECT_EQ(read("a/checkpoint"), before);
}

TEST_F(Run, scene_files) {
    const auto file = write("scene.json",
                            R"({"simulation": "falling", "steps": 20, "n": 300, "fill": 0.2,
                                "walls": true, "method": "kd_tree", "threads": 2})");
    const auto from_file = json({"run", file});
    EXPECT_EQ(from_file["plan"]["method"], "kd_tree");
    EXPECT_EQ(from_file["state"], quick({"fill=0.2", "walls=true"})["state"]);
    EXPECT_EQ(json({"run", file, "--steps", "3"})["step"], 3);
    EXPECT_EQ(json({"run", file, "walls=false"})["plan"]["walls"], false);
    // The plan in the output of a run is a valid scene file.
    const auto copy = write("copy.json", from_file["plan"].dump());
    EXPECT_EQ(json({"run", copy})["state"], from_file["state"]);
}

TEST_F(Run, wrong_scene_files_name_the_key) {
    const auto refused = [&](const std::string& content,
                             const std::vector<std::string>& words) {
        expect_error(1, {"run", write("s.json", content)}, words);
    };
    refused(
        R"({"simulation": "falling", "wals": true})",
        {"s.json: /wals", "did you mean 'walls'? Available: simulation, steps, ", "contact"});
    refused(R"({"simulation": "falling", "stesp": 3})", {"/stesp", "did you mean 'steps'?"});
    refused(R"({"simulation": "falling", "colour": 3})", {"unknown key; available: "});
    refused(R"({"simulation": "falling", "walls": 3})",
            {"s.json: /walls", "3", "true or false"});
    refused(R"({"simulation": "falling", "n": -3})", {"s.json: /n", "-3", "whole number"});
    refused(R"({"simulation": "falling", "n": 3.5})", {"/n", "3.5"});
    refused(R"({"simulation": "falling", "n": "many"})", {"/n", "many"});
    refused(R"({"simulation": "falling", "fill": "0.1"})", {"/fill", "a number"});
    refused(R"({"simulation": "falling", "fill": null})", {"/fill", "null"});
    refused(R"({"simulation": "falling", "response": 1})", {"/response", "string"});
    refused(R"({"simulation": "falling", "steps": true})", {"/steps", "true"});
    refused(R"({"simulation": "falling", "threads": "all"})", {"/threads"});
    refused(R"({"simulation": "falling", "n": 1, "n": 2})", {"/n", "twice"});
    refused(R"({"simulation": "flying"})", {"/simulation", "flying", "falling"});
    refused(R"({"simulation": "fluids"})", {"/simulation", "did you mean 'fluid'?"});
    refused(R"({"n": 3})", {"/simulation"});
    refused(R"({"simulation": 7})", {"/simulation"});
    refused("[1, 2]", {"s.json", "object"});
    refused(R"({"simulation": "falling", "fill": 1e999})", {"s.json", "not valid JSON"});
    refused("{", {"s.json", "not valid JSON", "line 1"});
    refused("", {"s.json", "not valid JSON"});
    refused(std::string(10'000, '['), {"s.json"});
    expect_error(1, {"run", path("none.json")}, {"none.json", "cannot be read"});
}

TEST_F(Run, wrong_command_lines) {
    const auto refused = [&](std::vector<std::string> arguments,
                             const std::vector<std::string>& words) {
        arguments.insert(arguments.begin(), "run");
        expect_error(2, arguments, words);
    };
    refused({}, {"simulation", "--resume"});
    refused({"flying"}, {"flying", "falling"});
    refused({"faling"},
            {"'faling'; did you mean 'falling'? Available: falling, shearing, fluid"});
    refused({"falling", "wals=true"}, {"'wals'; did you mean 'walls'? Available: n, "});
    refused({"falling", "colour=3"}, {"'colour'; available: n, "});
    refused({"falling", "x=3"}, {"'x'; available: n, "});
    refused({"falling", "step=3"}, {"'step'; use the flag --steps"});
    refused({"falling", "steps=3"}, {"--steps 3"});
    refused({"falling", "--method", "compact_grid(cells_per_body=8)"}, {"may miss pairs"});
    refused({"falling", "--method", "verlet(inner=compact_grid(cells_per_body=8))"},
            {"may miss pairs"});
    refused({"falling", "walls"}, {"walls", "key=value"});
    refused({"falling", "walls=maybe"}, {"walls", "maybe", "true or false"});
    refused({"falling", "n=-1"}, {"n", "-1", "whole number"});
    refused({"falling", "n=1e3"}, {"n", "1e3"});
    refused({"falling", "fill=much"}, {"fill", "much", "number"});
    refused({"falling", "fill="}, {"fill"});
    refused({"falling", "fill=0.1", "seed=2", "fill=0.2"}, {"'fill' is given twice"});
    refused({"falling", "n=5", "--n", "5"}, {"'n' is given twice", "--n"});
    refused({"falling", "fill=nan"}, {"fill", "nan"});
    refused({"falling", "response=soft"}, {"soft", "dem"});
    refused({"falling", "fill=0"}, {"fill"});
    refused({"falling", "--n", "-5"}, {"--n"});
    refused({"falling", "--steps", "x"}, {"--steps"});
    refused({"falling", "--method", "gird"}, {"gird"});
    refused({"falling", "--every", "5"}, {"--every", "-o"});
    refused({"falling", "--checkpoint", "5"}, {"--checkpoint", "-o"});
    refused({"falling", "--no-view"}, {"--no-view", "-o"});
    refused({"falling", "--resume", path("x")}, {"--resume"});
    refused({"--resume", path("x"), "--n", "5"}, {"--n"});
    refused({"--resume", path("x"), "-o", path("y")}, {"-o"});
    refused({"falling", "-o", ""}, {"empty"});
}

TEST_F(Run, wrong_folders) {
    write("file", "");
    for (const std::string place : {"file", "file/out"})
        expect_error(1, {"run", "falling", "--n", "10", "-o", path(place)}, {place, "folder"});
    quick({"-o", path("out")});
    expect_error(1, {"run", "falling", "--n", "10", "-o", path("out")},
                 {"out", "already holds a run", "--resume"});
    expect_error(1, {"run", "--resume", path("none")}, {"none/checkpoint"});
}

TEST_F(Run, wrong_checkpoints) {
    quick({"-o", path("out")});
    const std::string whole = read("out/checkpoint");
    const auto refused = [&](const std::string& content,
                             const std::vector<std::string>& words) {
        write("out/checkpoint", content);
        expect_error(1, {"run", "--resume", path("out")}, words);
    };
    refused("hello", {"out/checkpoint", "too short"});
    refused(whole.substr(0, whole.size() - 100), {"out/checkpoint", "damaged"});
    std::string damaged = whole;
    damaged[damaged.size() / 2] ^= 1;
    refused(damaged, {"out/checkpoint", "damaged"});
    write("out/checkpoint", whole);
    write("out/series.csv", "");
    expect_error(1, {"run", "--resume", path("out")}, {"series.csv", "shorter"});
}

TEST_F(Run, a_folder_in_use_is_left_alone) {
    quick({"-o", path("own")});
    const std::string series = path("own/series.csv");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> other(
        std::fopen(series.c_str(), "r+b"), std::fclose);
    ASSERT_EQ(flock(fileno(other.get()), LOCK_EX), 0);
    expect_error(1, {"run", "--resume", path("own"), "--steps", "30"},
                 {"own", "in use by another vicinal run"});
    ASSERT_EQ(flock(fileno(other.get()), LOCK_UN), 0);
    EXPECT_EQ(json({"run", "--resume", path("own"), "--steps", "30"})["step"], 30);
    fs::remove(series);
    expect_error(1, {"run", "--resume", path("own"), "--steps", "40"},
                 {"own/series.csv", "is missing"});
    expect_error(2, {"run", "falling", "--resume", path("own")}, {"keeps the simulation"});
}

TEST_F(Run, a_checkpoint_of_another_run_changes_nothing) {
    quick({"-o", path("own")});
    json({"run", "falling", "--n", "300", "--steps", "5", "-o", path("other")});
    // Even with the same settings it is another run.
    json({"run", "falling", "--n", "300", "--steps", "20", "-o", path("twin")});
    const std::string series = read("own/series.csv"), own = read("own/checkpoint");
    write("own/.vicinal-1-1.tmp", "left by a process that was killed");
    const auto before = in("own");
    for (const std::string from : {"other", "twin"}) {
        write("own/checkpoint", read(from + "/checkpoint"));
        expect_error(1, {"run", "--resume", path("own"), "--steps", "30"},
                     {"own/checkpoint", "does not belong to the series.csv"});
        EXPECT_EQ(read("own/series.csv"), series);
        EXPECT_EQ(in("own"), before);
    }
    write("own/checkpoint", own);
    EXPECT_EQ(json({"run", "--resume", path("own"), "--steps", "30"})["step"], 30);
}

TEST_F(Run, a_resumed_run_that_is_refused_changes_nothing) {
    quick({"-o", path("out")});
    write("out/series.csv", read("out/series.csv") + "21,rows after the checkpoint\n");
    const std::string series = read("out/series.csv");
    expect_error(2, {"run", "--resume", path("out"), "--steps", "20"}, {"--steps"});
    expect_error(2, {"run", "--resume", path("out"), "--steps", "30", "--method", "gird"},
                 {"gird"});
    EXPECT_EQ(read("out/series.csv"), series);
}

TEST_F(Run, a_full_disk_is_an_error) {
    check_error(
        run_within(4096, {"run", "falling", "--n", "3000", "--steps", "5", "-o", path("out")}),
        1, {"out/", "writing failed"});
    EXPECT_EQ(in("out"), std::vector<std::string>{"series.csv"});
}

}  // namespace
}  // namespace vicinal::test
