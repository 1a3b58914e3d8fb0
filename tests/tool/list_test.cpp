// vicinal methods, scenes, scene, --help and --version.
#include "harness.hpp"

namespace vicinal::test {
namespace {

class List : public Tool {};

TEST_F(List, methods) {
    const auto json = this->json({"methods"});
    ASSERT_FALSE(json["methods"].empty());
    for (const auto& method : json["methods"]) {
        EXPECT_TRUE(method["name"].is_string());
        EXPECT_TRUE(method["summary"].is_string());
        ASSERT_TRUE(method["options"].is_array());
        for (const auto& option : method["options"])
            EXPECT_TRUE(option.contains("name") && option.contains("default"));
    }
    const Outcome text = run({"methods"});
    EXPECT_EQ(text.code, 0);
    EXPECT_NE(text.out.find("brute_force"), std::string::npos);
}

TEST_F(List, scenes) {
    const auto json = this->json({"scenes"});
    ASSERT_FALSE(json["scenes"].empty());
    EXPECT_TRUE(json["scenes"][0]["parameters"].is_array());
    EXPECT_NE(run({"scenes"}).out.find("uniform"), std::string::npos);
}

// Every scene can be written, and the printed command finds its pairs.
TEST_F(List, the_next_command_works) {
    const auto scenes = json({"scenes"});
    for (const auto& scene : scenes["scenes"]) {
        const auto name = scene["name"].get<std::string>();
        for (const char* ending : {".npy", ".csv"}) {
            const auto file = path(name + ending);
            const auto made = json({"scene", name, "--n", "100", "-o", file});
            EXPECT_EQ(made["output"], file);
            std::vector<std::string> words;
            std::istringstream next(made["next"].get<std::string>());
            for (std::string word; next >> word;) words.push_back(word);
            ASSERT_GT(words.size(), 2u);
            EXPECT_EQ(words[0], "vicinal");
            const auto found = json({words.begin() + 1, words.end()});
            EXPECT_EQ(found["bodies"], made["bodies"]) << name;
            EXPECT_EQ(found["dim"], made["dim"]) << name;
        }
    }
}

TEST_F(List, scenes_have_seeds_and_parameters) {
    const auto make = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"scene", "uniform", "--n", "50", "-o", path("scene.csv")});
        const Outcome outcome = run(more);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_NE(outcome.out.find("vicinal pairs"), std::string::npos) << outcome.out;
        return read("scene.csv");
    };
    EXPECT_EQ(make({}), make({}));
    EXPECT_NE(make({}), make({"--seed", "9"}));
    EXPECT_EQ(make({"dim=2"}).substr(0, 4), "x,y\n");
    EXPECT_EQ(make({}).substr(0, 6), "x,y,z\n");
}

TEST_F(List, wrong_scenes) {
    const std::string file = path("scene.npy");
    expect_error(2, {"scene", "unifrom", "-o", file}, {"unifrom", "uniform"});
    expect_error(2, {"scene", "uniform", "colour=3", "-o", file}, {"colour", "neighbours"});
    expect_error(2, {"scene", "uniform", "dim", "-o", file}, {"'dim'", "key=number"});
    expect_error(2, {"scene", "uniform", "dim=two", "-o", file}, {"dim=two"});
    expect_error(2, {"scene", "uniform", "dim=7", "-o", file}, {"dim", "7"});
    expect_error(2, {"scene", "uniform", "--n", "-1", "-o", file}, {"-1"});
    expect_error(2, {"scene", "uniform"}, {"--output", "required"});
    expect_error(2, {"scene", "uniform", "-o", path("scene.txt")}, {".npy", ".csv"});
    expect_error(1, {"scene", "uniform", "--n", "9", "-o", path("no/scene.npy")}, {"no"});
}

TEST_F(List, help_and_version) {
    const Outcome bare = run({}), help = run({"--help"});
    EXPECT_EQ(bare.code, 0);
    EXPECT_EQ(bare.out, help.out);
    EXPECT_EQ(help.code, 0);
    for (const char* command : {"pairs", "probe", "verify", "methods", "scenes", "scene"}) {
        EXPECT_NE(help.out.find(command), std::string::npos);
        const Outcome more = run({command, "--help"});
        EXPECT_EQ(more.code, 0);
        EXPECT_NE(more.out.find("Usage: vicinal " + std::string(command)), std::string::npos)
            << more.out;
        EXPECT_EQ(more.err, "");
    }
    const Outcome version = run({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with("vicinal 0.")) << version.out;
}

}  // namespace
}  // namespace vicinal::test
