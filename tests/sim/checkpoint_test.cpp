// A resumed run is identical to an uninterrupted one. Files that are not checkpoints, or are
// damaged, are rejected.
#include "sim/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <numeric>
#include <set>
#include <sstream>

#include "scenes/random.hpp"
#include "sim/falling.hpp"
#include "sim/fluid.hpp"
#include "sim/simulators.hpp"
#include "sim/vector.hpp"
#include "support.hpp"

#include <vicinal/error.hpp>

namespace vicinal::test {
namespace {

namespace fs = std::filesystem;

// Each simulator with its defaults, both responses of falling and both rules of shearing, with
// few bodies.
struct Case {
    std::string simulator;
    std::string key, value;  // one setting

    std::unique_ptr<sim::Simulation> make(const sim::How& how = {}) const {
        const sim::Simulator& found = sim::find_simulator(simulator);
        auto settings = found.settings;
        for (sim::Setting& setting : settings) {
            if (setting.name == "n") setting.value = std::uint64_t{500};
            if (setting.name == key) setting.value = value;
        }
        return found.make(settings, how);
    }
};

std::vector<Case> cases() {
    std::vector<Case> result;
    for (const sim::Simulator& simulator : sim::simulators())
        result.push_back({simulator.name, "", ""});
    result.push_back({"falling", "response", "dem"});
    result.push_back({"shearing", "rule", "rms"});
    return result;
}

// The same array has the same name in the files of every simulator.
TEST(Fields, have_the_same_names_in_every_simulator) {
    auto all = cases();
    all.push_back({"fluid", "model", "sph"});
    for (const Case& one : all) {
        const auto simulation = one.make();
        const auto fields = simulation->fields();
        ASSERT_GE(fields.size(), 3);
        EXPECT_EQ(fields[0].name, "position");
        EXPECT_EQ(fields[1].name, "velocity");
        EXPECT_EQ(fields[2].name, "radius");
        const std::set<std::string> others{"angular_velocity", "contacts", "density",
                                           "neighbours", "overlap"};
        for (std::size_t k = 3; k < fields.size(); ++k)
            EXPECT_TRUE(others.contains(fields[k].name))
                << one.simulator << ": " << fields[k].name;
        simulation->step();
        for (const auto& own : simulation->statistics().own) {
            EXPECT_EQ(own.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
                      std::string::npos)
                << own.name;
            EXPECT_FALSE(own.meaning.empty()) << own.name;
        }
    }
}

// The vector from body i to body j.
sim::Vector between(const std::vector<double>& values, std::size_t i, std::size_t j) {
    return {values[3 * j] - values[3 * i], values[3 * j + 1] - values[3 * i + 1],
            values[3 * j + 2] - values[3 * i + 2]};
}

// Both are counts, or depths up to rounding. A test in which all bodies had the same would show
// nothing.
void expect_each(const std::vector<double>& written, const std::vector<double>& expected,
                 double rounding) {
    ASSERT_EQ(written.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(written[i], expected[i], rounding) << "body " << i;
    EXPECT_GT(std::set<double>(expected.begin(), expected.end()).size(), 2);
}

// Springs act at the positions after the step, with the velocities before it: a pair that parts
// fast enough has no force and is no contact.
TEST(Fields, contacts_and_overlaps_of_dem_are_those_of_a_double_loop) {
    const sim::FallingSettings settings{
        .n = 300, .spread = 0.4, .response = "dem", .dt = 1e-3, .damping = 0.5};
    const std::size_t n = settings.n;
    const auto simulation = sim::make_falling(settings, {});
    scenes::Random random(3);
    auto x = get(*simulation, "position"), v = get(*simulation, "velocity");
    for (double& coordinate : x) coordinate = random.uniform(0.2, 0.6);
    for (double& component : v) component = random.uniform(-3, 3);
    put(*simulation, {{"position", x}, {"velocity", v}});
    simulation->step();

    x = get(*simulation, "position");
    const auto radius = get(*simulation, "radius");
    std::vector<double> contacts(n), overlap(n);
    std::size_t parting_pairs = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const sim::Vector d = between(x, i, j);
            const double distance = sim::length(d), depth = radius[i] + radius[j] - distance;
            if (i == j || depth < 0) continue;
            const double speed = sim::dot(between(v, i, j), d) / distance;  // apart
            const double frequency = std::numbers::pi / (settings.contact * settings.dt);
            const bool pressed = frequency * depth > 2 * settings.damping * speed;
            contacts[i] += pressed;
            parting_pairs += !pressed;
            overlap[i] = std::max(overlap[i], depth);
        }
    EXPECT_GT(parting_pairs, 0);
    expect_each(get(*simulation, "contacts"), contacts, 0);
    expect_each(get(*simulation, "overlap"), overlap, 1e-14);
}

// Particles collide at the positions before the step.
TEST(Fields, contacts_and_overlaps_of_the_fluid_are_those_of_a_double_loop) {
    const sim::FluidSettings settings{.n = 500, .spheres = 3};
    const std::size_t n = settings.n;
    const auto simulation = sim::make_fluid(settings, {});
    scenes::Random random(3);
    auto x = get(*simulation, "position");
    for (double& coordinate : x) coordinate = random.uniform(1, 1.2);
    put(*simulation, {{"position", x}});
    simulation->step();

    std::vector<double> contacts(n), overlap(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const double depth = settings.size - sim::length(between(x, i, j));
            if (i == j || depth < 0) continue;
            contacts[i] += 1;
            overlap[i] = std::max(overlap[i], depth);
        }
    expect_each(get(*simulation, "contacts"), contacts, 0);
    expect_each(get(*simulation, "overlap"), overlap, 1e-14);
}

// As above, within the support of the kernel: 2.4 spacings.
TEST(Fields, neighbours_of_the_fluid_are_those_of_a_double_loop) {
    const sim::FluidSettings settings{
        .model = "sph", .n = 500, .spheres = 0, .block_length = 0.1, .block_width = 0.1};
    const std::size_t n = settings.n;
    const double support = 2.4 * settings.size;
    const auto simulation = sim::make_fluid(settings, {});
    const auto x = get(*simulation, "position");
    simulation->step();

    std::vector<double> neighbours(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            neighbours[i] += i != j && sim::length(between(x, i, j)) <= support;
    expect_each(get(*simulation, "neighbours"), neighbours, 0);
}

// The contacts of the bodies agree with the statistics of the step.
TEST(Fields, contacts_of_each_body_are_those_of_the_step) {
    std::uint64_t found = 0;
    for (const Case& one : cases()) {
        if (one.simulator == "fluid") continue;  // its contacts are with the solids, too
        const auto simulation = one.make();
        run(*simulation, 5);
        const sim::StepStatistics& figures = simulation->statistics();
        const auto contacts = get(*simulation, "contacts");
        EXPECT_EQ(std::accumulate(contacts.begin(), contacts.end(), 0.0),
                  2 * static_cast<double>(figures.contacts))
            << one.simulator;
        found += figures.contacts;
    }
    EXPECT_GT(found, 0);
}

class Checkpoints : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "vicinal-sim-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file() const { return (folder_ / "checkpoint").string(); }
    std::string read() const {
        std::ifstream in(file(), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    void write(const std::string& content) const {
        std::ofstream(file(), std::ios::binary) << content;
    }
    void expect_refused(const std::string& content, const std::string& word) const {
        write(content);
        try {
            const sim::Checkpoint checkpoint(file());
            ADD_FAILURE() << "accepted: " << word;
        } catch (const Error& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find(word), std::string::npos) << message;
            EXPECT_NE(message.find(file()), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }

    fs::path folder_;
};

TEST_F(Checkpoints, a_resumed_run_is_the_straight_run) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.simulator + " " + one.value);
        const auto straight = one.make();
        run(*straight, 30);
        const std::uint64_t half_way = sim::state_hash(*straight);
        sim::write_checkpoint(file(), "half way", *straight);
        run(*straight, 30);

        const auto resumed = one.make({"sweep_axis", 2});
        const sim::Checkpoint checkpoint(file());
        EXPECT_EQ(checkpoint.about(), "half way");
        checkpoint.restore(*resumed);
        EXPECT_EQ(sim::state_hash(*resumed), half_way);
        run(*resumed, 30);
        EXPECT_EQ(sim::state_hash(*resumed), sim::state_hash(*straight));
        EXPECT_EQ(resumed->time(), straight->time());
        EXPECT_NE(sim::state_hash(*straight), half_way);
    }
}

TEST_F(Checkpoints, any_damage_is_noticed) {
    const auto simulation = cases().back().make();
    run(*simulation, 5);
    sim::write_checkpoint(file(), "about", *simulation);
    const std::string whole = read();
    for (std::size_t k = 0; k < 200; ++k) {
        std::string damaged = whole;
        damaged[whole.size() * k / 200] ^= static_cast<char>(1 << (k % 8));
        expect_refused(damaged, k < 1 ? "not a checkpoint" : "");
    }
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{10}, std::size_t{40}, whole.size() / 2, whole.size() - 1})
        expect_refused(whole.substr(0, size), "");
    expect_refused(whole + '\0', "damaged");
    expect_refused(whole.substr(0, whole.size() / 2) + std::string(whole.size() / 2, '\0'),
                   "damaged");
}

TEST_F(Checkpoints, what_is_no_checkpoint_is_refused) {
    expect_refused("", "too short");
    expect_refused("x,y,z\n1,2,3\n4,5,6\n7,8,9\n7,8,9\n7,8,9\n", "not a checkpoint");
    expect_refused("vicinal checkpoint 2\n" + std::string(100, 'x'), "version");
    fs::remove(file());
    EXPECT_THROW(sim::Checkpoint{file()}, Error);
}

TEST_F(Checkpoints, another_simulation_does_not_take_it) {
    const auto pairwise = Case{"falling", "", ""}.make();
    sim::write_checkpoint(file(), "", *pairwise);
    const auto dem = Case{"falling", "response", "dem"}.make();
    try {
        sim::Checkpoint(file()).restore(*dem);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("checkpoint"), std::string::npos);
    }
}

TEST_F(Checkpoints, the_hash_tells_states_apart) {
    const auto simulation = cases().front().make();
    const std::uint64_t before = sim::state_hash(*simulation);
    EXPECT_EQ(sim::state_hash(*simulation), before);
    auto x = get(*simulation, "position");
    x[5] = std::nextafter(x[5], 10);
    put(*simulation, {{"position", x}});
    EXPECT_NE(sim::state_hash(*simulation), before);
}

}  // namespace
}  // namespace vicinal::test
