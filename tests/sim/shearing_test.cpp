// Hard spheres in a sheared cell: conservation, closed forms, no overlaps, sameness.
#include "sim/shearing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "sim/vector.hpp"
#include "support.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::sim {
namespace {

using Vectors = std::vector<Vector>;

Vectors field(const Simulation& simulation, const std::string& name) {
    const std::vector<double> values = test::get(simulation, name);
    Vectors positions(values.size() / 3);
    for (std::size_t k = 0; k < values.size(); ++k) positions[k / 3][k % 3] = values[k];
    return positions;
}

std::vector<double> numbers(const Vectors& positions) {
    std::vector<double> values;
    for (const Vector& place : positions)
        values.insert(values.end(), place.begin(), place.end());
    return values;
}

// The shift of y on crossing the cell in x.
class Offset : public StateVisitor {
  public:
    explicit Offset(Simulation& simulation) { simulation.visit(*this); }
    double value_now = std::nan("");

  private:
    void bytes(std::string_view name, void* data, std::size_t size) override {
        if (name == "offset") std::memcpy(&value_now, data, size);
    }
};

double radius(const Simulation& simulation) {
    return test::get(simulation, "radius")[0];
}

double own(const Simulation& simulation, const std::string& name) {
    for (const auto& figure : simulation.statistics().own)
        if (figure.name == name) return figure.value;
    ADD_FAILURE() << "no figure " << name;
    return 0;
}

// The deepest overlap of all pairs in all relevant images.
double deepest_overlap(Simulation& simulation, const ShearingSettings& settings) {
    const Vectors x = field(simulation, "position");
    const double offset = Offset(simulation).value_now, r = radius(simulation);
    double deepest = -1;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = i; j < x.size(); ++j)
            for (int a = -1; a <= 1; ++a)
                for (int b = -2; b <= 2; ++b)
                    for (int c = -1; c <= 1; ++c) {
                        if (i == j && a == 0 && b == 0 && c == 0) continue;
                        const Vector shift{a * settings.size_x,
                                           a * offset + b * settings.size_y, c * 1.0};
                        deepest = std::max(deepest, 2 * r - length((x[j] - x[i]) + shift));
                    }
    return deepest;
}

// The difference of two positions modulo periods.
double apart(const Vector& a, const Vector& b, const ShearingSettings& settings,
             double offset) {
    Vector d = a - b;
    const double across = std::round(d[0] / settings.size_x);
    d -= Vector{across * settings.size_x, across * offset, 0};
    d[1] -= std::round(d[1] / settings.size_y) * settings.size_y;
    d[2] -= std::round(d[2]);
    return length(d);
}

// Explicitly given bodies of radius 0.05 in a cell of edge 1.
struct GivenBodies {
    ShearingSettings settings;
    Vectors x, v;

    explicit GivenBodies(Vectors positions, Vectors velocities)
        : x(std::move(positions)), v(std::move(velocities)) {
        const double r = 0.05;
        settings.n = x.size();
        settings.fill = static_cast<double>(x.size()) * 4 / 3 * std::numbers::pi * r * r * r;
        settings.shear = 0;
        settings.restitution = 1;
        settings.dt = 1;
    }

    std::unique_ptr<Simulation> make(double offset = 0) const {
        auto simulation = make_shearing(settings, {.threads = 1});
        test::put(*simulation,
                  {{"position", numbers(x)}, {"velocity", numbers(v)}, {"offset", {offset}}});
        return simulation;
    }
};

// The closed-form positions of two spheres of radius 0.05 after time 1; the image of the second
// is at `shift` and moves with `drift`.
void expect_two_body(const GivenBodies& given, const Vector& shift, const Vector& drift,
                     double offset) {
    const double reach = 0.1, e = given.settings.restitution;
    const Vector d = (given.x[1] + shift) - given.x[0], w = (given.v[1] + drift) - given.v[0];
    const double b = dot(d, w), ww = dot(w, w);
    const double t = (-b - std::sqrt(b * b - ww * (dot(d, d) - reach * reach))) / ww;
    ASSERT_GT(t, 0);
    ASSERT_LT(t, 1);
    const Vector normal = (1 / reach) * (d + t * w);
    const Vector impulse = (-0.5 * (1 + e) * dot(w, normal)) * normal;
    const Vector v0 = given.v[0] - impulse, v1 = given.v[1] + impulse;

    auto simulation = given.make(offset);
    simulation->step();
    EXPECT_EQ(simulation->statistics().contacts, 1u);
    const Vectors x = field(*simulation, "position");
    const double later =
        offset + given.settings.shear;  // the cell's edge is 1, and so is the step
    EXPECT_LT(apart(x[0], given.x[0] + t * given.v[0] + (1 - t) * v0, given.settings, later),
              1e-13);
    EXPECT_LT(apart(x[1], given.x[1] + t * given.v[1] + (1 - t) * v1, given.settings, later),
              1e-13);
    // Crossing in x changes v_y by the shear.
    const Vectors v = field(*simulation, "velocity");
    const auto crossed = [&](std::size_t i, const Vector& after) {
        return std::floor(given.x[i][0] + t * given.v[i][0] + (1 - t) * after[0]);
    };
    const Vector faces{0, given.settings.shear, 0};
    EXPECT_LT(length(v[0] - (v0 - crossed(0, v0) * faces)), 1e-13);
    EXPECT_LT(length(v[1] - (v1 - crossed(1, v1) * faces)), 1e-13);
}

TEST(shearing, two_bodies_meet_as_in_closed_form) {
    expect_two_body(
        GivenBodies({{0.3, 0.5, 0.5}, {0.6, 0.53, 0.48}}, {{0.4, 0, 0}, {-0.1, 0, 0.03}}), {},
        {}, 0);
    GivenBodies inelastic({{0.3, 0.5, 0.5}, {0.6, 0.53, 0.48}}, {{0.4, 0, 0}, {-0.1, 0, 0.03}});
    inelastic.settings.restitution = 0.3;
    expect_two_body(inelastic, {}, {}, 0);
}

TEST(shearing, two_bodies_meet_through_a_periodic_face) {
    expect_two_body(
        GivenBodies({{0.5, 0.9, 0.5}, {0.5, 0.13, 0.48}}, {{0, 0.5, 0}, {0.02, -0.1, 0}}),
        {0, 1, 0}, {}, 0);
    expect_two_body(
        GivenBodies({{0.5, 0.5, 0.1}, {0.52, 0.48, 0.8}}, {{0, 0, -0.5}, {0, 0, 0.1}}),
        {0, 0, -1}, {}, 0);
}

TEST(shearing, two_bodies_meet_through_the_sheared_face) {
    const double offset = 0.3;
    GivenBodies given({{0.9, 0.7, 0.5}, {0.1, 0.33, 0.51}}, {{0.5, 0.3, 0}, {-0.2, -0.05, 0}});
    given.settings.shear = 0.4;
    // The relevant image of the second starts at (1.1, 0.63) and moves with the shear.
    expect_two_body(given, {1, offset, 0}, {0, 0.4, 0}, offset);
    // With the indices exchanged.
    std::swap(given.x[0], given.x[1]);
    std::swap(given.v[0], given.v[1]);
    expect_two_body(given, {-1, -offset, 0}, {0, -0.4, 0}, offset);
}

TEST(shearing, a_push_goes_through_three_bodies_in_one_step) {
    const GivenBodies given({{0.2, 0.5, 0.5}, {0.4, 0.5, 0.5}, {0.6, 0.5, 0.5}},
                            {{0.5, 0, 0}, {}, {}});
    auto simulation = given.make();
    simulation->step();
    EXPECT_EQ(simulation->statistics().contacts, 2u);
    const Vectors x = field(*simulation, "position"), v = field(*simulation, "velocity");
    // The gaps are 0.1 each: the first stops at 0.3, the second at 0.5.
    EXPECT_LT(length(x[0] - Vector{0.3, 0.5, 0.5}), 1e-14);
    EXPECT_LT(length(x[1] - Vector{0.5, 0.5, 0.5}), 1e-14);
    EXPECT_LT(length(x[2] - Vector{0.9, 0.5, 0.5}), 1e-14);
    EXPECT_LT(length(v[0]) + length(v[1]) + length(v[2] - Vector{0.5, 0, 0}), 1e-14);
}

// Hit from both sides at the same time: pairs collide in turn until all separate.
TEST(shearing, a_body_between_two_stays) {
    const GivenBodies given({{0.25, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0.75, 0.5, 0.5}},
                            {{0.25, 0, 0}, {}, {-0.25, 0, 0}});
    auto simulation = given.make();
    simulation->step();
    EXPECT_EQ(simulation->statistics().contacts, 3u);
    const Vectors x = field(*simulation, "position"), v = field(*simulation, "velocity");
    // They touch after 0.6 of the step.
    EXPECT_LT(length(x[0] - Vector{0.3, 0.5, 0.5}), 1e-14);
    EXPECT_LT(length(x[1] - Vector{0.5, 0.5, 0.5}), 1e-14);
    EXPECT_LT(length(x[2] - Vector{0.7, 0.5, 0.5}), 1e-14);
    EXPECT_LT(length(v[0] + Vector{0.25, 0, 0}) + length(v[1]), 1e-14);
}

TEST(shearing, friction_turns_spheres_and_keeps_angular_momentum) {
    for (const double friction : {0.02, 10.0}) {
        GivenBodies given({{0.3, 0.46, 0.5}, {0.6, 0.52, 0.52}},
                          {{0.4, 0.05, 0}, {-0.2, 0, 0.03}});
        given.settings.friction = friction;
        auto simulation = given.make();
        const auto angular = [&] {
            const Vectors x = field(*simulation, "position"),
                          v = field(*simulation, "velocity"),
                          spin = field(*simulation, "angular_velocity");
            Vector sum{};
            for (std::size_t i = 0; i < 2; ++i)
                sum += cross(x[i], v[i]) + (0.4 * 0.05 * 0.05) * spin[i];
            return sum;
        };
        const Vector before = angular();
        const double energy = 0.5 * (0.4 * 0.4 + 0.05 * 0.05 + 0.2 * 0.2 + 0.03 * 0.03);
        simulation->step();
        ASSERT_EQ(simulation->statistics().contacts, 1u);
        EXPECT_LT(length(angular() - before), 1e-14);
        EXPECT_GT(length(field(*simulation, "angular_velocity")[0]), 0.1);
        EXPECT_LT(simulation->statistics().kinetic, energy * (1 - 1e-6));
        const Vectors x = field(*simulation, "position"), v = field(*simulation, "velocity"),
                      spin = field(*simulation, "angular_velocity");
        // Enough friction ends the sliding. The time of the collision follows from the
        // positions.
        const Vector d = given.x[1] - given.x[0], w = given.v[1] - given.v[0];
        const double b = dot(d, w), ww = dot(w, w);
        const double t = (-b - std::sqrt(b * b - ww * (dot(d, d) - 0.01))) / ww;
        const Vector normal = 10 * (d + t * w);
        const Vector surface = (v[1] - v[0]) - 0.05 * cross(spin[0] + spin[1], normal);
        const double slip = length(surface - dot(surface, normal) * normal);
        if (friction > 1)
            EXPECT_LT(slip, 1e-13);
        else
            EXPECT_GT(slip, 0.01);
    }
}

TEST(shearing, momentum_and_energy_are_kept) {
    ShearingSettings settings;
    settings.n = 500;
    settings.fill = 0.3;
    settings.shear = 0;
    settings.restitution = 1;
    settings.dt = 0.01;
    auto simulation = make_shearing(settings, {.threads = 1});
    const double energy = simulation->statistics().kinetic;
    const Vector momentum = simulation->statistics().momentum;
    ASSERT_NEAR(energy, 250, 15);
    std::uint64_t collisions = 0;
    for (int step = 0; step < 100; ++step) {
        simulation->step();
        collisions += simulation->statistics().contacts;
        // Far below the tolerance of 10^-9 per collision.
        ASSERT_LT(std::abs(simulation->statistics().kinetic - energy), 1e-11 * energy);
        ASSERT_LT(length(simulation->statistics().momentum - momentum), 1e-11);
    }
    EXPECT_GT(collisions, 5000u);
}

TEST(shearing, starts_without_overlap_at_any_fill) {
    for (const std::uint64_t n : {1, 2, 3, 4, 7, 13, 50, 300})
        for (const double fill : {0.001, 0.3, 0.5}) {
            ShearingSettings settings;
            settings.n = n;
            settings.fill = fill;
            std::unique_ptr<Simulation> simulation;
            if (n == 1 && fill == 0.5) continue;  // nearly as wide as the cell
            ASSERT_NO_THROW(simulation = make_shearing(settings, {.threads = 1}))
                << n << " of fill " << fill;
            EXPECT_LT(deepest_overlap(*simulation, settings), 0) << n << " of fill " << fill;
            const double r = radius(*simulation);
            EXPECT_NEAR(static_cast<double>(n) * 4 / 3 * std::numbers::pi * r * r * r, fill,
                        1e-12);
        }
}

ShearingSettings everything() {
    ShearingSettings settings;
    settings.n = 120;
    settings.fill = 0.2;
    settings.dt = 0.01;
    settings.shear = 2;
    settings.restitution = 0.8;
    settings.friction = 0.3;
    settings.attract = 4;
    settings.repel = 20;
    return settings;
}

TEST(shearing, no_overlap_after_any_step) {
    ShearingSettings dense = everything();
    dense.fill = 0.5;
    ShearingSettings elastic;
    elastic.n = 120;
    elastic.restitution = 1;
    elastic.dt = 0.05;
    ShearingSettings flat = everything();
    flat.size_x = 2;
    flat.size_y = 0.7;
    flat.attract_radius = 0.3;
    flat.shear = -3;
    for (const ShearingSettings& settings : {everything(), dense, elastic, flat}) {
        auto simulation = make_shearing(settings, {.threads = 1});
        std::uint64_t collisions = 0;
        for (int step = 0; step < 60; ++step) {
            simulation->step();
            collisions += simulation->statistics().contacts;
            const double overlap = deepest_overlap(*simulation, settings);
            ASSERT_LT(overlap, 1e-13) << "after step " << step;
            ASSERT_NEAR(simulation->statistics().overlap, std::max(overlap, 0.0), 1e-15);
        }
        EXPECT_GT(collisions, 300u);
    }
}

// A body that exceeds its margin ends the interval, and a new search continues from there.
TEST(shearing, no_overlap_when_one_is_much_faster_than_all) {
    ShearingSettings settings;
    settings.n = 200;
    settings.fill = 0.3;
    settings.speed = 0.001;
    settings.shear = 0;
    settings.restitution = 1;
    settings.dt = 0.1;
    auto simulation = make_shearing(settings, {.threads = 1});
    Vectors v = field(*simulation, "velocity");
    v[7] = {3, 2, 1};
    test::put(*simulation, {{"velocity", numbers(v)}});
    double searches = 0;
    for (int step = 0; step < 10; ++step) {
        simulation->step();
        searches = std::max(searches, own(*simulation, "searches"));
        ASSERT_LT(deepest_overlap(*simulation, settings), 1e-13) << "after step " << step;
    }
    EXPECT_GT(searches, 1);
}

TEST(shearing, the_faces_drive_a_linear_flow) {
    ShearingSettings settings;
    settings.n = 400;
    settings.fill = 0.2;
    settings.shear = 2;
    settings.dt = 0.02;
    settings.restitution = 0.9;
    auto simulation = make_shearing(settings, {.threads = 1});
    // Random velocities without flow: the flow must develop from the faces.
    const Vectors x = field(*simulation, "position");
    Vectors v = field(*simulation, "velocity");
    for (std::size_t i = 0; i < v.size(); ++i) v[i][1] -= settings.shear * (x[i][0] - 0.5);
    test::put(*simulation, {{"velocity", numbers(v)}});
    constexpr int slabs = 5, settling = 500, measuring = 500;
    std::array<double, slabs> sum{}, count{};
    for (int step = 0; step < settling + measuring; ++step) {
        simulation->step();
        if (step < settling) continue;
        const Vectors now = field(*simulation, "position"),
                      velocity = field(*simulation, "velocity");
        for (std::size_t i = 0; i < now.size(); ++i) {
            const auto slab =
                std::min<std::size_t>(static_cast<std::size_t>(now[i][0] * slabs), slabs - 1);
            sum[slab] += velocity[i][1];
            count[slab] += 1;
        }
    }
    // The middles of the slabs are 0.2 apart.
    for (std::size_t s = 0; s < slabs; ++s)
        EXPECT_NEAR(sum[s] / count[s], settings.shear * 0.2 * (static_cast<double>(s) - 2),
                    0.08)
            << s;
}

std::uint64_t hash_after(const ShearingSettings& settings, const How& how, int steps) {
    auto simulation = make_shearing(settings, how);
    test::run(*simulation, steps);
    return state_hash(*simulation);
}

TEST(shearing, the_same_whatever_the_method_and_threads) {
    constexpr std::uint64_t golden = 10025949904921469977u;
    for (const MethodInfo& method : methods())
        for (const int threads : {1, 2, 5})
            EXPECT_EQ(hash_after(everything(), {method.name, threads}, 200), golden)
                << method.name << " on " << threads << " threads";
}

TEST(shearing, the_same_whatever_the_method_by_rule_rms) {
    ShearingSettings settings = everything();
    settings.rule = "rms";
    const std::uint64_t expected = hash_after(settings, {"brute_force", 1}, 20);
    EXPECT_NE(expected, hash_after(everything(), {"brute_force", 1}, 20));
    for (const MethodInfo& method : methods())
        EXPECT_EQ(hash_after(settings, {method.name, 2}, 20), expected) << method.name;
}

TEST(shearing, the_same_whatever_the_method_by_rule_straight) {
    ShearingSettings settings = everything();
    settings.rule = "straight";
    const std::uint64_t expected = hash_after(settings, {"brute_force", 1}, 20);
    for (const MethodInfo& method : methods())
        EXPECT_EQ(hash_after(settings, {method.name, 2}, 20), expected) << method.name;
}

// The second body hits the third only because the first has hit it.
TEST(shearing, rule_straight_misses_deflected_bodies_and_says_so) {
    GivenBodies given({{0.1, 0.5, 0.5}, {0.4, 0.5, 0.5}, {0.7, 0.5, 0.5}},
                      {{0.6, 0, 0}, {}, {}});
    auto exact = given.make();
    exact->step();
    EXPECT_EQ(exact->statistics().contacts, 2u);
    given.settings.rule = "straight";
    auto straight = given.make();
    straight->step();
    // The path of the first passes all others.
    EXPECT_EQ(straight->statistics().contacts, 1u);
    EXPECT_EQ(own(*straight, "missed"), 1);
}

TEST(shearing, a_state_put_into_an_unplaced_run_goes_on_as_the_first) {
    const ShearingSettings settings = everything();
    auto first = make_shearing(settings, {"brute_force", 1});
    first->step();
    auto second = make_unplaced_shearing(settings, {"brute_force", 1});
    EXPECT_NE(state_hash(*first), state_hash(*second));
    test::put(*second, {{"position", test::get(*first, "position")},
                        {"velocity", test::get(*first, "velocity")},
                        {"angular_velocity", test::get(*first, "angular_velocity")},
                        {"offset", {Offset(*first).value_now}},
                        {"time", {first->time()}}});
    first->step();
    second->step();
    EXPECT_EQ(test::get(*first, "position"), test::get(*second, "position"));
}

// Slow near pairs give the rms rule a short range: two distant fast bodies are missed.
TEST(shearing, rule_rms_misses_fast_bodies_and_says_so) {
    GivenBodies given({{0.1, 0.2, 0.5}, {0.9, 0.2, 0.5}, {0.3, 0.6, 0.5}, {0.42, 0.6, 0.5}},
                      {{0.5, 0, 0}, {-0.5, 0, 0}, {0.01, 0, 0}, {}});
    auto exact = given.make();
    exact->step();
    EXPECT_EQ(exact->statistics().contacts, 1u);

    given.settings.rule = "rms";
    given.settings.speed = 0.001;  // the first guess of near pairs' speed comes from it
    auto rms = given.make();
    rms->step();
    EXPECT_EQ(rms->statistics().contacts, 0u);
    EXPECT_EQ(own(*rms, "missed"), 1);
    given.settings.count_missed = false;
    auto unaware = given.make();
    unaware->step();
    EXPECT_EQ(state_hash(*unaware), state_hash(*rms));
    for (const auto& figure : unaware->statistics().own) EXPECT_NE(figure.name, "missed");
    given.settings.count_missed = true;
    given.settings.speed = 1;
    auto wide = given.make();
    wide->step();
    EXPECT_EQ(wide->statistics().contacts, 1u);
    EXPECT_EQ(own(*wide, "missed"), 0);
}

TEST(shearing, rule_rms_tells_the_overlap_that_it_left) {
    GivenBodies given({{0.25, 0.2, 0.5}, {0.75, 0.2, 0.5}, {0.3, 0.6, 0.5}, {0.42, 0.6, 0.5}},
                      {{0.23, 0, 0}, {-0.23, 0, 0}, {0.01, 0, 0}, {}});
    given.settings.rule = "rms";
    given.settings.speed = 0.001;
    auto rms = given.make();
    rms->step();
    EXPECT_EQ(own(*rms, "missed"), 1);
    EXPECT_NEAR(rms->statistics().overlap, 0.06, 1e-12);
}

// Below restitution 7 - 4 sqrt(3) = 0.072 three bodies in a row collide without end in finite
// time (McNamara & Young 1992).
TEST(shearing, inelastic_collapse_ends) {
    GivenBodies given({{0.2, 0.5, 0.5}, {0.45, 0.5, 0.5}, {0.6, 0.5, 0.5}},
                      {{0.6, 0, 0}, {0.3, 0, 0}, {}});
    given.settings.restitution = 0.05;
    auto simulation = given.make();
    simulation->step();
    EXPECT_GT(simulation->statistics().contacts, 4u);
    EXPECT_LT(simulation->statistics().contacts, 100u);
    EXPECT_LT(deepest_overlap(*simulation, given.settings), 1e-13);

    ShearingSettings dense = everything();
    dense.fill = 0.5;
    dense.restitution = 0;
    auto many = make_shearing(dense, {.threads = 1});
    test::run(*many, 20);
    EXPECT_LT(many->statistics().contacts, 20'000u);
}

TEST(shearing, settings_that_make_no_sense_are_refused) {
    const auto refused = [](auto change, const char* word) {
        ShearingSettings settings;
        settings.n = 10;
        change(settings);
        try {
            make_shearing(settings, {});
            ADD_FAILURE() << "accepted: " << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused([](auto& s) { s.n = 0; }, "n is 0");
    refused([](auto& s) { s.fill = 0.6; }, "fill is 0.6;");
    refused([](auto& s) { s.fill = std::nan(""); }, "fill");
    refused([](auto& s) { s.dt = 0; }, "dt is 0;");
    refused([](auto& s) { s.speed = -1e20; }, "speed is -1e20;");
    refused([](auto& s) { s.shear = std::nan(""); }, "shear");
    refused([](auto& s) { s.restitution = 1.1; }, "restitution");
    refused([](auto& s) { s.elastic_below = 0; }, "elastic_below");
    refused([](auto& s) { s.rule = "all"; }, "swept, straight or rms");
    refused(
        [](auto& s) {
            s.size_x = 0.1;
            s.fill = 0.5;
        },
        "spheres of radius 0.106 do not fit into a cell 0.1 across");
    refused(
        [](auto& s) {
            s.attract = 1;
            s.attract_radius = 0.7;
        },
        "attract_radius");
}

// The error message gives the largest valid step, for every rule.
TEST(shearing, a_step_with_too_many_pairs_to_look_at_is_refused) {
    for (const char* rule : {"swept", "straight", "rms"}) {
        ShearingSettings settings;
        settings.n = 3000;
        settings.dt = 1;
        settings.rule = rule;
        settings.count_missed = false;
        const auto refusal = [&]() -> std::string {
            try {
                make_shearing(settings, {});
                ADD_FAILURE() << "accepted dt = " << settings.dt;
            } catch (const Error& error) {
                return error.what();
            }
            return " 1";
        };
        const std::string message = refusal();
        EXPECT_NE(message.find("in a step of dt = 1 each sphere may collide with about "),
                  std::string::npos)
            << message;
        const double max_dt = std::stod(message.substr(message.rfind(' ')));
        settings.dt = 1.02 * max_dt;
        EXPECT_NE(refusal().find("too many"), std::string::npos);
        settings.dt = max_dt;
        EXPECT_NO_THROW(make_shearing(settings, {}));
    }
    ShearingSettings given;
    given.n = 2;
    given.dt = 1;
    EXPECT_NO_THROW(make_shearing(given, {}));
}

}  // namespace
}  // namespace vicinal::sim
