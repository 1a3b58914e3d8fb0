// Falling spheres: the state does not depend on method and threads; closed-form solutions for
// one or two bodies; impenetrable floor and walls; piles that come to rest.
#include "sim/falling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "support.hpp"

#include <vicinal/error.hpp>
#include <vicinal/methods.hpp>

namespace vicinal::test {
namespace {

using sim::FallingSettings;

FallingSettings small_pile(const std::string& response) {
    FallingSettings s{.n = 200, .spread = 0.3, .response = response, .walls = true};
    if (response == "dem") {  // dense, so that all spheres are soon in contact
        s.fill = 0.2;
        s.gravity = 10;
        s.dt = 1e-3;
    }
    return s;
}

std::uint64_t hash_after(int steps, const FallingSettings& settings, const sim::How& how) {
    const auto simulation = sim::make_falling(settings, how);
    run(*simulation, steps);
    EXPECT_GT(simulation->statistics().contacts, 0);
    return sim::state_hash(*simulation);
}

class Falling : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(response, Falling, ::testing::Values("pairwise", "dem"),
                         [](const auto& test) { return std::string(test.param); });

// A different hash means different physics. Only + - * / and sqrt are used, so the hashes hold
// on every platform.
TEST_P(Falling, golden_state) {
    const std::uint64_t golden =
        std::string(GetParam()) == "dem" ? 17774000631556147191u : 3262630848258691171u;
    EXPECT_EQ(hash_after(200, small_pile(GetParam()), {}), golden);
}

TEST_P(Falling, every_method_and_thread_count_gives_the_same_state) {
    const auto settings = small_pile(GetParam());
    const std::uint64_t expected = hash_after(200, settings, {"brute_force", 1});
    for (const MethodInfo& method : methods())
        for (const int threads : {1, 2, 5})
            EXPECT_EQ(hash_after(200, settings, {method.name, threads}), expected)
                << method.name << " on " << threads;
}

// Enough bodies for parallel loops.
TEST_P(Falling, many_bodies_give_the_same_state_on_every_thread_count) {
    auto settings = small_pile(GetParam());
    settings.n = 20'000;
    int steps = 40;
    if (settings.response == "dem") {
        settings.gravity = 50;
        settings.dt = 5e-4;
        settings.contact = 5;
        steps = 80;
    }
    const std::uint64_t expected = hash_after(steps, settings, {"row_grid", 1});
    for (const int threads : {2, 5})
        EXPECT_EQ(hash_after(steps, settings, {"row_grid", threads}), expected) << threads;
}

TEST_P(Falling, another_seed_gives_another_state) {
    auto settings = small_pile(GetParam());
    const std::uint64_t one = hash_after(200, settings, {});
    settings.seed = 2;
    EXPECT_NE(hash_after(200, settings, {}), one);
}

TEST_P(Falling, no_bodies_and_one_body) {
    for (const std::uint64_t n : {0u, 1u}) {
        auto settings = small_pile(GetParam());
        settings.n = n;
        const auto simulation = sim::make_falling(settings, {});
        run(*simulation, 10);
        EXPECT_EQ(simulation->bodies(), n);
        EXPECT_EQ(simulation->statistics().pairs, 0);
    }
}

TEST_P(Falling, the_spheres_fill_what_they_should) {
    auto settings = small_pile(GetParam());
    settings.fill = 0.15;
    double volume = 0;
    for (const double r : get(*sim::make_falling(settings, {}), "radius"))
        volume += 4 * std::numbers::pi / 3 * r * r * r;
    EXPECT_NEAR(volume, 0.15, 1e-12);
}

TEST_P(Falling, a_sphere_falls_freely) {
    const auto simulation = sim::make_falling(
        {.n = 1, .fill = 0.1, .response = GetParam(), .gravity = 2, .dt = 0.01}, {});
    put(*simulation, {{"position", {0.5, 0.5, 100}}, {"velocity", {3, 0, 0}}});
    run(*simulation, 100);
    const auto x = get(*simulation, "position");
    EXPECT_NEAR(x[0], 0.5 + 3, 1e-12);
    EXPECT_NEAR(x[2], 100 - 2 * 1.0 / 2, 0.011);  // to first order in dt
    EXPECT_NEAR(get(*simulation, "velocity")[2], -2, 1e-12);
    EXPECT_NEAR(simulation->time(), 1, 1e-12);
    const double mass = 0.1;  // density 1
    EXPECT_NEAR(simulation->statistics().kinetic, mass / 2 * (3 * 3 + 2 * 2), 1e-10);
    EXPECT_NEAR(simulation->statistics().momentum[2], -2 * mass, 1e-13);
}

// A pile on springs comes to rest: its kinetic energy is small compared with the work to lift
// it by a radius. With pairwise response, spheres keep the velocity that gravity adds in a
// step, but do not move.
TEST_P(Falling, a_pile_comes_to_rest_within_floor_and_walls) {
    auto settings = small_pile(GetParam());
    const bool dem = settings.response == "dem";
    settings.n = 60;
    settings.fill = 0.2;
    settings.gravity = 1;
    settings.dt = dem ? 0 : 0.03;
    settings.damping = 0.5;
    const auto simulation = sim::make_falling(settings, {.method = "auto", .threads = 1});
    const auto radius = get(*simulation, "radius");
    const double smallest = *std::min_element(radius.begin(), radius.end());
    // Springs are compressed; pairwise spheres are not.
    const double give = dem ? 0.2 * smallest : 0;
    const int steps = dem ? 24'000 : 2'000;
    double before = 0;
    for (int k = 0; k < steps; ++k) {
        simulation->step();
        if (k == steps / 2) before = simulation->statistics().potential;
        if (k % 100 != 0) continue;
        const auto x = get(*simulation, "position");
        for (std::size_t i = 0; i < radius.size(); ++i) {
            ASSERT_GE(x[3 * i + 2], radius[i] - give) << i << " is in the floor at " << k;
            for (std::size_t a = 0; a < 2; ++a) {
                ASSERT_GE(x[3 * i + a], radius[i] - give) << i;
                ASSERT_LE(x[3 * i + a], 1 - radius[i] + give) << i;
            }
        }
    }
    const auto& figures = simulation->statistics();
    const double mass = settings.fill, kick = settings.gravity * settings.dt;
    EXPECT_LT(figures.kinetic,
              dem ? 1e-5 * mass * settings.gravity * smallest : 4 * (mass / 2 * kick * kick));
    EXPECT_NEAR(figures.potential, before, 0.01 * before);
    EXPECT_LT(figures.potential, 0.5 * mass * settings.gravity * 0.6) << "it has not fallen";
    EXPECT_GT(figures.contacts, 50);
}

TEST_P(Falling, settings_that_make_no_sense_are_errors) {
    const auto refused = [](const FallingSettings& settings, const std::string& word) {
        try {
            sim::make_falling(settings, {});
            ADD_FAILURE() << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    const std::string r = GetParam();
    refused({.fill = 0, .response = r}, "fill = 0 is not a number from 1e-9 to ");
    refused({.fill = 3, .response = r}, "fill = 3 is not a number from 1e-9 to ");
    refused({.fill = std::nan(""), .response = r}, "fill = nan");
    refused({.fill = INFINITY, .response = r}, "fill = inf");
    refused({.spread = 0.95, .response = r}, "spread = 0.95 is not a number from 0 to 0.9");
    refused({.response = r, .gravity = -1}, "gravity = -1 is not a number from 0 to 1e9");
    refused({.response = r, .dt = std::nan("")}, "dt");
    refused({.response = r, .gravity = 0}, "dt");
    refused({.response = r, .friction = -1}, "friction");
    refused({.response = r, .restitution = 1.1}, "restitution");
    refused({.response = r, .damping = 2}, "damping");
    refused({.response = r, .contact = 1}, "contact");
    refused({.response = "soft"}, "soft");
}

// The error message names the largest fill that works.
TEST_P(Falling, a_fill_that_is_too_large_is_refused) {
    for (const double spread : {0.0, 0.3})
        for (const std::uint64_t n : {0, 1, 2, 200, 1000, 1001}) {
            FallingSettings settings{
                .n = n, .fill = 0.8, .spread = spread, .response = GetParam()};
            std::string message;
            try {
                sim::make_falling(settings, {});
            } catch (const Error& error) {
                message = error.what();
            }
            const std::string before = "fill = 0.8 is not a number from 1e-9 to ";
            ASSERT_NE(message.find(before), std::string::npos) << message;
            const double largest =
                std::stod(message.substr(message.find(before) + before.size()));
            settings.fill = largest;
            const auto simulation = sim::make_falling(settings, {});
            simulation->step();
            if (settings.response == "dem") {
                EXPECT_EQ(simulation->statistics().pairs, 0);
            }
            settings.fill = largest + 0.001;
            EXPECT_THROW(sim::make_falling(settings, {}), Error);
            EXPECT_GT(largest, spread > 0 ? 0.03 : 0.12) << n;
            EXPECT_LT(largest, settings.response == "dem" && n > 0 ? 0.524 : 0.741) << n;
        }
}

// Two spheres of different masses on one line, far above the floor.
struct TwoBodies {
    double radius[2] = {0.3, 0.2}, speed[2] = {2, -1}, mass[2];
    std::unique_ptr<sim::Simulation> simulation;

    explicit TwoBodies(FallingSettings settings) {
        settings.n = 2;
        settings.fill = 0.01;
        settings.gravity = 0;
        simulation = sim::make_falling(settings, {});
        put(*simulation, {{"position", {0, 0, 50, 0.5001, 0, 50}},
                          {"velocity", {speed[0], 0, 0, speed[1], 0, 0}},
                          {"radius", {radius[0], radius[1]}}});
        for (int i = 0; i < 2; ++i)
            mass[i] = 4 * std::numbers::pi / 3 * radius[i] * radius[i] * radius[i];
    }
    double momentum() const { return mass[0] * speed[0] + mass[1] * speed[1]; }
    // The speed of body i after a collision of restitution e.
    double after(int i, double e) const {
        const double common = momentum() / (mass[0] + mass[1]);
        return common + e * (common - speed[i]);
    }
    void expect_after(double e, double tolerance) const {
        const auto v = get(*simulation, "velocity");
        EXPECT_NEAR(v[0], after(0, e), tolerance);
        EXPECT_NEAR(v[3], after(1, e), tolerance);
        EXPECT_NEAR(simulation->statistics().momentum[0], momentum(), 1e-14);
        for (const std::size_t k : {1, 2, 4, 5}) EXPECT_EQ(v[k], 0);
    }
};

TEST(FallingPairwise, two_bodies_collide_as_in_the_textbook) {
    for (const double e : {0.0, 0.5, 1.0}) {
        TwoBodies two({.dt = 1e-2, .restitution = e});
        two.simulation->step();
        EXPECT_EQ(two.simulation->statistics().contacts, 1);
        two.expect_after(e, 1e-14);
        const auto x = get(*two.simulation, "position");
        EXPECT_NEAR(x[3] - x[0], 0.5, 1e-15) << "they touch after they were pushed apart";
        const double centre =
            (two.mass[0] * x[0] + two.mass[1] * x[3]) / (two.mass[0] + two.mass[1]);
        EXPECT_NEAR(
            centre,
            (two.mass[1] * 0.5001 + two.momentum() * 1e-2) / (two.mass[0] + two.mass[1]),
            1e-15);
    }
}

TEST(FallingPairwise, spheres_in_one_place_are_parted) {
    TwoBodies two({.dt = 1e-9});
    put(*two.simulation,
        {{"position", {0, 0, 50, 0, 0, 50}}, {"velocity", {0, 0, 0, 0, 0, 0}}});
    two.simulation->step();
    const auto x = get(*two.simulation, "position");
    EXPECT_NEAR(x[5] - x[2], 0.5, 1e-14);
}

// A spring, a dashpot, and a contact that ends when the force vanishes (Schwager & Pöschel
// 2007).
TEST(FallingDem, two_bodies_rebound_as_the_damped_oscillator) {
    constexpr double dt = 1e-5, contact = 2000;
    for (const double damping : {0.0, 0.2, 0.5}) {
        TwoBodies two({.response = "dem", .dt = dt, .damping = damping, .contact = contact});
        double deepest = 0;
        int touching = 0;
        for (int k = 0; k < 2 * contact + 100; ++k) {
            two.simulation->step();
            touching += static_cast<int>(two.simulation->statistics().contacts);
            deepest = std::max(deepest, two.simulation->statistics().overlap);
        }
        const double swing = std::sqrt(1 - damping * damping);
        const double end = std::numbers::pi -
                           std::atan2(2 * damping * swing, swing * swing - damping * damping);
        two.expect_after(std::exp(-damping / swing * end), 0.003);
        EXPECT_NEAR(touching, contact / std::numbers::pi * end / swing, 3);
        if (damping > 0) continue;
        EXPECT_NEAR(deepest, 3 * contact * dt / std::numbers::pi, 1e-5);
    }
}

// A sphere slides at the Coulomb limit until it rolls with 5/7 of its speed, for any friction.
TEST(FallingDem, a_sliding_sphere_ends_up_rolling) {
    for (const double friction : {0.1, 0.5}) {
        const auto simulation = sim::make_falling(
            {.n = 1, .fill = 0.1, .response = "dem", .dt = 1e-3, .friction = friction}, {});
        const double r = get(*simulation, "radius")[0];
        const double sunk = 1.0 * std::pow(20 * 1e-3 / std::numbers::pi, 2);  // m g = k overlap
        put(*simulation, {{"position", {0.5, 0.5, r - sunk}}, {"velocity", {1, 0, 0}}});
        run(*simulation, 100);
        EXPECT_NEAR(get(*simulation, "velocity")[0], 1 - friction * 0.1, 1e-3) << "it slides";
        run(*simulation, 9'900);
        const auto v = get(*simulation, "velocity"),
                   spin = get(*simulation, "angular_velocity");
        EXPECT_NEAR(v[0], 5.0 / 7, 2e-3);
        EXPECT_NEAR(spin[1] * r, v[0], 1e-3) << "it rolls";
        EXPECT_NEAR(get(*simulation, "position")[2], r - sunk, 1e-6);
    }
}

TEST(FallingDem, a_bouncing_ball_keeps_its_energy) {
    const auto simulation = sim::make_falling(
        {.n = 1, .fill = 0.1, .response = "dem", .dt = 1e-4, .damping = 0, .contact = 200}, {});
    put(*simulation, {{"position", {0.5, 0.5, 1}}});
    simulation->step();
    const auto energy = [&] {
        return simulation->statistics().kinetic + simulation->statistics().potential;
    };
    const double before = energy();
    for (int k = 0; k < 50'000; ++k) {
        simulation->step();
        ASSERT_NEAR(energy(), before, 0.01 * before) << k;
    }
}

// The error message gives the largest valid step: with it, the centre of a sphere that falls
// from the top just reaches the floor, apart from the effect of its weight.
TEST(FallingDem, a_step_in_which_spheres_go_through_the_floor_is_refused) {
    FallingSettings settings{
        .n = 1, .fill = 0.1, .response = "dem", .dt = 0.5, .damping = 0, .contact = 30};
    std::string message;
    try {
        sim::make_falling(settings, {});
    } catch (const Error& error) {
        message = error.what();
    }
    ASSERT_NE(message.find("with dt = 0.5 and contact = 30 "), std::string::npos) << message;
    settings.dt = std::stod(message.substr(message.rfind(' ')));
    const auto simulation = sim::make_falling(settings, {});
    const double r = get(*simulation, "radius")[0];
    put(*simulation, {{"position", {0.5, 0.5, 1 + r}}});
    double lowest = 1;
    for (int k = 0; k < 200; ++k) {
        simulation->step();
        lowest = std::min(lowest, get(*simulation, "position")[2]);
    }
    EXPECT_NEAR(lowest, 0, 0.2 * r);
    settings.dt *= 1.02;
    EXPECT_THROW(sim::make_falling(settings, {}), Error);
    settings.response = "pairwise";
    EXPECT_NO_THROW(sim::make_falling(settings, {}));
}

// The share of spheres in a box with the given corners, by points on a grid. A point in two
// overlapping spheres counts twice.
double packing(const sim::Simulation& simulation, const std::array<double, 3>& low,
               const std::array<double, 3>& high) {
    const auto x = get(simulation, "position"), radius = get(simulation, "radius");
    constexpr int edge = 60;
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < radius.size(); ++i) {
        std::array<int, 3> begin, end;  // of the points that may be in the sphere
        const auto at = [&](std::size_t a, int k) {
            return low[a] + (high[a] - low[a]) * (k + 0.5) / edge;
        };
        for (std::size_t a = 0; a < 3; ++a) {
            const double step = (high[a] - low[a]) / edge;
            begin[a] =
                std::max(0, static_cast<int>((x[3 * i + a] - radius[i] - low[a]) / step) - 1);
            end[a] = std::min(edge,
                              static_cast<int>((x[3 * i + a] + radius[i] - low[a]) / step) + 2);
        }
        for (int p = begin[0]; p < end[0]; ++p)
            for (int q = begin[1]; q < end[1]; ++q)
                for (int r = begin[2]; r < end[2]; ++r) {
                    const double dx = at(0, p) - x[3 * i], dy = at(1, q) - x[3 * i + 1],
                                 dz = at(2, r) - x[3 * i + 2];
                    covered += dx * dx + dy * dy + dz * dz <= radius[i] * radius[i];
                }
    }
    return static_cast<double>(covered) / (edge * edge * edge);
}

double own(const sim::Simulation& simulation, const std::string& name) {
    for (const auto& figure : simulation.statistics().own)
        if (figure.name == name) return figure.value;
    ADD_FAILURE() << "no figure " << name;
    return 0;
}

// The demonstration of the README and of scripts/run.sh with fewer spheres. Random packings of
// spheres with friction have a volume fraction of 0.55 to 0.64; walls make it smaller.
TEST(FallingDem, the_demonstration_piles_up_without_passing_through) {
#ifdef VICINAL_TEST_LIGHT
    constexpr std::uint64_t n = 300;
#else
    constexpr std::uint64_t n = 2000;
#endif
    const auto simulation =
        sim::make_falling({.n = n, .fill = 0.3, .response = "dem", .walls = true}, {});
    const double r = get(*simulation, "radius")[0];
    double deepest = 0;
    for (int k = 0; k < 8000; ++k) {
        simulation->step();
        deepest = std::max(deepest, own(*simulation, "relative_overlap_max"));
    }
    EXPECT_LT(deepest, 0.05) << "of the diameter";
    EXPECT_GT(deepest, 0.001);
    const auto& figures = simulation->statistics();
    const double mass = 0.3, gravity = 1;
    EXPECT_LT(figures.kinetic, 1e-3 * figures.potential) << "it rests";
    // The height follows from the potential energy of a uniform pile.
    const double height = 2 * figures.potential / (mass * gravity);
    const double all = packing(*simulation, {0, 0, 0}, {1, 1, height});
    const double inner =
        packing(*simulation, {2 * r, 2 * r, 2 * r}, {1 - 2 * r, 1 - 2 * r, height - 4 * r});
    EXPECT_GT(all, 0.50);
    EXPECT_LT(all, 0.65);
    EXPECT_GT(inner, 0.55);
    EXPECT_LT(inner, 0.65);
}

// The response of the paper does let spheres pass through each other, and says so.
TEST(FallingPairwise, overlaps_are_told_relative_to_the_diameter) {
    const auto simulation = sim::make_falling({.n = 2000, .walls = true}, {});
    run(*simulation, 200);
    const auto& figures = simulation->statistics();
    const double diameter = 2 * get(*simulation, "radius")[0];
    EXPECT_NEAR(own(*simulation, "relative_overlap_max"), figures.overlap / diameter, 1e-12);
    EXPECT_GT(own(*simulation, "relative_overlap_max"), 0.5);
    EXPECT_GT(own(*simulation, "relative_overlap_mean"), 0.1);
    EXPECT_LT(own(*simulation, "relative_overlap_mean"),
              own(*simulation, "relative_overlap_max"));
    const double height = 2 * figures.potential / 0.1;
    EXPECT_GT(packing(*simulation, {0, 0, 0}, {1, 1, height}), 0.65);
    // Two spheres of the radii 0.3 and 0.2, by hand: 0.5001 apart, approaching by 0.03.
    TwoBodies two({.dt = 1e-2});
    two.simulation->step();
    for (const char* name : {"relative_overlap_max", "relative_overlap_mean"})
        EXPECT_NEAR(own(*two.simulation, name), (0.5 - 0.4701) / 0.5, 1e-12);
}

TEST(FallingDem, starts_without_overlap) {
    for (const double fill : {0.01, 0.3}) {
        const auto simulation =
            sim::make_falling({.n = 3000, .fill = fill, .spread = 0.1, .response = "dem"}, {});
        simulation->step();
        EXPECT_EQ(simulation->statistics().pairs, 0);
    }
}

}  // namespace
}  // namespace vicinal::test
