// The fluid: its kernel, closed-form solutions, and a state that does not depend on method and
// threads.
#include "sim/fluid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "scenes/random.hpp"
#include "sim/cubic_spline.hpp"
#include "sim/solids.hpp"
#include "sim/vector.hpp"
#include "support.hpp"

#include <vicinal/methods.hpp>

namespace vicinal::sim {
namespace {

using test::get, test::put, test::run;

constexpr double pi = 3.14159265358979323846;

std::vector<Vector> vectors_of(const Simulation& simulation, const std::string& name) {
    const auto numbers = get(simulation, name);
    std::vector<Vector> result(numbers.size() / 3);
    for (std::size_t k = 0; k < numbers.size(); ++k) result[k / 3][k % 3] = numbers[k];
    return result;
}

const How alone{"auto", 1};

// Moves the particles to scale * x + shift, with random velocities.
void stir(Simulation& simulation, double scale, const Vector& shift) {
    auto x = get(simulation, "position"), v = get(simulation, "velocity");
    scenes::Random random(5);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = scale * x[k] + shift[k % 3];
        v[k] = random.uniform(-1, 1.2);
    }
    put(simulation, {{"position", x}, {"velocity", v}});
}

// Water in a tank, initially at rest.
FluidSettings tank() {
    FluidSettings s;
    s.model = "sph";
    s.spheres = 0;
    s.size = 1.0 / 16;
    s.block_bottom = 0;
    return s;
}

// Two spheres and a wall form a pocket. A particle in it does not move, so gravity does no
// work.
TEST(Solids, a_wedged_particle_gains_no_energy) {
    const StaticSpheres spheres{{{0.1, 0.4, 0.5}, {0.1, 0.6, 0.5}}, {0.2, 0.2}};
    Solids solids({1, 1, 1}, spheres, 0.01, How{.threads = 1});
    std::vector<Vector> place{{0.05, 0.5, 0.8}}, velocity{{0, 0.01, 0}}, path(1);
    constexpr double gravity = 9.81, dt = 0.001;
    double max_energy = gravity * place[0][2] + 0.5 * dot(velocity[0], velocity[0]);
    for (int step = 0; step < 5000; ++step) {
        velocity[0][2] -= gravity * dt;
        path[0] = dt * velocity[0];
        solids.move(place, velocity, path, 0.3);
        const double energy = gravity * place[0][2] + 0.5 * dot(velocity[0], velocity[0]);
        // The error of this integrator is half of gravity's work in a step.
        ASSERT_LE(energy, max_energy + gravity * dt * length(velocity[0])) << step;
        if (step == 2500) max_energy = energy;
    }
    EXPECT_GT(place[0][2], 0.6);
    EXPECT_LT(length(velocity[0]), 0.1);
}

TEST(CubicSpline, is_normalised_and_ends_at_its_support) {
    const CubicSpline kernel(0.3);
    const int steps = 20'000;
    const double width = kernel.support() / steps;
    double integral = 0;
    for (int k = 0; k < steps; ++k) {
        const double r = (k + 0.5) * width;
        integral += 4 * pi * r * r * kernel.value(r) * width;
    }
    EXPECT_NEAR(integral, 1, 1e-8);
    EXPECT_EQ(kernel.support(), 0.6);
    EXPECT_GT(kernel.value(0.599), 0);
    EXPECT_EQ(kernel.value(0.6), 0);
    EXPECT_EQ(kernel.slope_over_distance(0.6), 0);
}

TEST(CubicSpline, slope_is_the_derivative) {
    const CubicSpline kernel(0.3);
    const double scale = kernel.value(0) / 0.3, step = 1e-6;
    for (double r = 0.01; r < 0.65; r += 0.01) {
        const double slope = (kernel.value(r + step) - kernel.value(r - step)) / (2 * step);
        EXPECT_NEAR(kernel.slope_over_distance(r) * r, slope, 1e-5 * scale) << r;
    }
}

TEST(Solids, particle_meets_wall_and_sphere_where_geometry_says) {
    const double clearance = 0.1;
    Solids solids({4, 4, 4}, {{{2, 2, 2}}, {0.5}}, clearance, {});
    // Towards the sphere head-on, towards its side at 30 degrees to the normal, towards the
    // floor, and past all solids.
    std::vector<Vector> positions{{0.5, 2, 2}, {0.5, 2.3, 2}, {1, 1, 0.2}, {0.5, 0.5, 0.5}};
    std::vector<Vector> velocities{{10, 0, 0}, {10, 0, 0}, {1, 0, -2}, {1, 1, 1}};
    std::vector<Vector> paths{{1.2, 0, 0}, {1.2, 0, 0}, {0.2, 0, -0.4}, {0.1, 0.1, 0.1}};
    EXPECT_EQ(solids.move(positions, velocities, paths, 0.5), 3u);
    EXPECT_NEAR(positions[0][0], 1.4, 1e-6);
    EXPECT_NEAR(velocities[0][0], -5, 1e-9);
    // The normal at the hit on the surface of reach 0.6 is (-sqrt(3)/2, 1/2, 0). Half of the
    // remaining path, 1.2 - (1.5 - 0.6 sqrt(3)/2), is along (1/2, sqrt(3)/2, 0).
    const double s = std::sqrt(3.0) / 2, rest = 0.5 * (1.2 - (1.5 - 0.6 * s));
    EXPECT_NEAR(positions[1][0], 2 - 0.6 * s + rest * 0.5, 1e-6);
    EXPECT_NEAR(positions[1][1], 2.3 + rest * s, 1e-6);
    EXPECT_NEAR(velocities[1][0], 10 - 1.5 * 10 * s * s, 1e-9);
    EXPECT_NEAR(velocities[1][1], 1.5 * 10 * s * 0.5, 1e-9);
    // A quarter of the path down, then along the floor.
    EXPECT_NEAR(positions[2][0], 1.2, 1e-12);
    EXPECT_EQ(positions[2][2], clearance);
    EXPECT_EQ(velocities[2][2], 1);
    EXPECT_NEAR(positions[3][0], 0.6, 1e-12);
    EXPECT_EQ(velocities[3][0], 1);
}

// The volumes of the samples sum to that of the solids, even if spheres overlap.
TEST(Solids, samples_fill_walls_and_spheres) {
    const StaticSpheres apart{{{1, 1, 1}, {2, 2, 2}}, {0.3, 0.2}};
    const Vector spacing{0.05, 0.05, 0.05};
    const auto volume = [&](const StaticSpheres& spheres) {
        const auto samples = Solids({3, 3, 3}, spheres, 0.01, {}).samples(spacing, 0.6);
        double sum = 0;
        for (const double v : samples.volumes) sum += v;
        return sum - (4.2 * 4.2 * 4.2 - 27);  // twelve layers behind the walls
    };
    const double two = 4.0 / 3 * pi * (0.027 + 0.008);
    EXPECT_NEAR(volume(apart), two, 1e-9);
    // Two equal spheres, one radius apart: 11/16 of each is outside the other.
    const StaticSpheres joined{{{1, 1, 1}, {1.3, 1, 1}}, {0.3, 0.3}};
    EXPECT_NEAR(volume(joined), 27.0 / 32 * 2 * 4 / 3 * pi * 0.027, 0.005);
}

TEST(Sph, keeps_the_density_of_a_resting_column) {
    FluidSettings s = tank();
    s.length = s.width = s.block_length = s.block_width = 0.5;
    s.height = 1.5;
    s.n = 8 * 8 * 8;
    const auto fluid = make_fluid(s, alone);
    run(*fluid, 300);
    const auto positions = vectors_of(*fluid, "position");
    const auto densities = get(*fluid, "density");
    double middle = 0;
    int deep = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        middle += positions[i][2] / static_cast<double>(positions.size());
        // Where the kernel's support does not include the surface.
        if (positions[i][2] > 0.5 - (2 * 1.2 + 1) * s.size) continue;
        ++deep;
        EXPECT_NEAR(densities[i] / 1000, 1, 0.03) << i << " at " << positions[i][2];
    }
    EXPECT_GT(deep, 250);
    EXPECT_NEAR(middle, 0.25, 0.01);
    // At rest: the mean speed is below a tenth of that of waves in such a tank.
    const double speed = std::sqrt(2 * fluid->statistics().kinetic / 125);
    EXPECT_LT(speed, 0.1 * std::sqrt(9.81 * 0.5));
}

TEST(Sph, keeps_momentum_away_from_walls) {
    FluidSettings s = tank();
    s.length = s.width = s.height = 3;
    s.block_length = s.block_width = 0.625;
    s.block_bottom = 1;
    s.n = 1000;
    s.gravity = 0;
    s.sound = 20;
    const auto fluid = make_fluid(s, alone);
    stir(*fluid, 1, {1, 1, 0});
    const double mass = 1000.0 / (16 * 16 * 16);
    Vector before{};
    double moving = 0;
    for (const Vector& v : vectors_of(*fluid, "velocity")) {
        before += mass * v;
        moving += 0.5 * mass * dot(v, v);
    }
    run(*fluid, 100);
    EXPECT_EQ(fluid->statistics().contacts, 0u);
    EXPECT_LT(fluid->statistics().kinetic, 0.7 * moving) << "nothing pushed";
    // A thousand particles, a hundred sums of some sixty terms each.
    EXPECT_LT(length(fluid->statistics().momentum - before), 1e-12 * length(before));
}

TEST(Collide, keeps_momentum_and_gains_no_energy_away_from_walls) {
    FluidSettings s;
    s.spheres = 0;
    s.n = 5000;
    s.gravity = 0;
    s.restitution = 1;
    const auto fluid = make_fluid(s, alone);
    stir(*fluid, 0.05, {1.9, 1.9, 1.9});
    fluid->step();
    const StepStatistics first = fluid->statistics();
    EXPECT_GT(first.pairs, 10'000u);
    for (int k = 0; k < 50; ++k) {
        const double before = fluid->statistics().kinetic;
        fluid->step();
        EXPECT_LE(fluid->statistics().kinetic, before * (1 + 1e-12));
    }
    EXPECT_LT(length(fluid->statistics().momentum - first.momentum),
              1e-12 * length(first.momentum));
    EXPECT_LT(fluid->statistics().overlap, first.overlap);
}

// The deepest violation of the clearance from the solids.
double intrusion(const Simulation& fluid, const FluidSettings& s, double clearance) {
    const Vector extent{s.length, s.width, s.height};
    const auto spheres = random_spheres(s.spheres, s.smallest, s.largest, extent, s.seed);
    double deepest = -1;
    for (const Vector& x : vectors_of(fluid, "position")) {
        for (std::size_t a = 0; a < 3; ++a)
            deepest = std::max(deepest, clearance - std::min(x[a], extent[a] - x[a]));
        for (std::size_t k = 0; k < spheres.radii.size(); ++k)
            deepest = std::max(deepest,
                               spheres.radii[k] + clearance - length(x - spheres.centres[k]));
    }
    return deepest;
}

TEST(Sph, drop_stays_out_of_the_solids) {
    FluidSettings s = tank();
    s.n = 400;
    s.spheres = 15;
    s.smallest = 0.2;
    s.largest = 0.4;
    s.length = s.width = s.height = 1;
    s.block_length = s.block_width = 0.75;
    s.block_bottom = 0.25;
    s.sound = 20;
    const auto fluid = make_fluid(s, alone);
    const auto mean_height = [&] {
        double sum = 0;
        for (const Vector& x : vectors_of(*fluid, "position")) sum += x[2];
        return sum / static_cast<double>(fluid->bodies());
    };
    const double start = mean_height();
    std::uint64_t met = 0;
    for (int k = 0; k < 25; ++k) {
        for (int step = 0; step < 10; ++step) {
            fluid->step();
            met += fluid->statistics().contacts;
        }
        // A ten-thousandth of the spacing: where spheres overlap, the margin of one pushes
        // particles into the other.
        ASSERT_LT(intrusion(*fluid, s, s.size / 4), 1e-4 * s.size) << k;
    }
    EXPECT_LT(mean_height(), start - 0.1);
    EXPECT_GT(met, 0u);
}

TEST(Collide, nothing_passes_through_a_sphere_however_long_the_step) {
    FluidSettings s;
    s.n = 2000;
    s.spheres = 100;
    s.size = 1.0 / 32;
    s.length = s.width = s.height = 1;
    s.dt = 1.0 / 16;  // a particle falls by a quarter of the box in a step
    const auto fluid = make_fluid(s, alone);
    EXPECT_LE(intrusion(*fluid, s, s.size / 2), 0);
    for (int k = 0; k < 60; ++k) {
        fluid->step();
        ASSERT_LT(intrusion(*fluid, s, s.size / 2), 1e-4 * s.size) << k;
    }
    // Most of the fluid has fallen.
    const double mass = 1000 * s.size * s.size * s.size;
    EXPECT_LT(fluid->statistics().potential / (mass * s.gravity * 2000), 0.4);
}

// A dam break over a dry bed. The shallow-water front (Ritter 1892) moves at 2 sqrt(gH); real
// water is slower, because of inertia and friction at the bed.
TEST(Sph, front_of_a_broken_dam_runs_as_shallow_water) {
    FluidSettings s = tank();
    s.size = 1.0 / 12;
    s.length = 4;
    s.width = s.block_width = 1.0 / 3;
    s.height = 1.25;
    s.block_length = 1;
    s.n = 12 * 12 * 4;
    s.sound = 25;
    s.viscosity = 0.05;
    const auto fluid = make_fluid(s, alone);
    const auto front_at = [&](double time) {
        while (fluid->time() < time) fluid->step();
        double front = 0;
        for (const Vector& x : vectors_of(*fluid, "position")) front = std::max(front, x[0]);
        return front;
    };
    const double start = front_at(0.3), end = front_at(0.5);
    const double speed = (end - start) / 0.2 / (2 * std::sqrt(9.81));
    EXPECT_GT(speed, 0.5) << start << " to " << end;
    EXPECT_LT(speed, 1.1) << start << " to " << end;
    EXPECT_LT(end, 3.9) << "it has met the far wall";
}

FluidSettings small(const std::string& model) {
    FluidSettings s;
    s.model = model;
    s.n = model == "sph" ? 40 : 200;
    s.spheres = 5;
    s.size = model == "sph" ? 1.0 / 10 : 1.0 / 32;
    s.smallest = 0.2;
    s.largest = 0.4;
    s.length = s.width = s.height = 1;
    s.block_length = s.block_width = 0.5;
    s.block_bottom = 0.25;
    s.dt = 1.0 / 256;
    return s;
}

struct Golden {
    const char* model;
    std::uint64_t hash;
};
constexpr Golden golden[] = {{"collide", 823646495357035795u}, {"sph", 10921902742883754454u}};

// Each method runs with one of the numbers of threads, in turn.
TEST(Fluid, state_is_the_same_by_every_method) {
    std::size_t turn = 0;
    for (const Golden& known : golden)
        for (const MethodInfo& method : methods()) {
            const int threads = std::array{1, 2, 5}[turn++ % 3];
            const auto fluid = make_fluid(small(known.model), {method.name, threads});
            run(*fluid, 200);
            EXPECT_EQ(state_hash(*fluid), known.hash)
                << known.model << ' ' << method.name << ' ' << threads;
        }
}

// More particles than one piece of a loop.
TEST(Fluid, state_is_the_same_on_any_threads) {
    for (const char* model : {"collide", "sph"}) {
        FluidSettings s = small(model);
        s.n = 5000;
        s.size /= 4;
        std::uint64_t first = 0;
        for (const int threads : {1, 2, 5}) {
            const auto fluid = make_fluid(s, {"auto", threads});
            run(*fluid, 3);
            if (threads == 1) first = state_hash(*fluid);
            EXPECT_EQ(state_hash(*fluid), first) << model << ' ' << threads;
        }
    }
}

TEST(Fluid, shows_the_particles_sizes_and_what_stands_still) {
    for (const char* model : {"collide", "sph"}) {
        FluidSettings s;
        s.model = model;
        s.size = 0.1;
        s.n = 20;
        s.spheres = 3;
        const auto fluid = make_fluid(s, alone);
        EXPECT_EQ(get(*fluid, "radius"), std::vector<double>(20, s.size / 2));
        const std::vector<Field> solids = fluid->solids();
        ASSERT_EQ(solids.size(), 2);
        EXPECT_EQ(solids[0].name, "position");
        EXPECT_EQ(solids[1].name, "radius");
        const StaticSpheres spheres =
            random_spheres(3, s.smallest, s.largest, {s.length, s.width, s.height}, s.seed);
        const auto same = [](std::span<const double> a, std::span<const double> b) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end());
        };
        EXPECT_TRUE(same(solids[0].values, flat(spheres.centres)));
        EXPECT_TRUE(same(solids[1].values, spheres.radii));
        s.spheres = 0;
        EXPECT_TRUE(make_fluid(s, alone)->solids().empty());
    }
}

TEST(Fluid, resumed_run_goes_on_as_the_first) {
    for (const char* model : {"collide", "sph"}) {
        const auto first = make_fluid(small(model), alone);
        run(*first, 60);
        const std::string file = ::testing::TempDir() + "vicinal_fluid_checkpoint";
        write_checkpoint(file, "", *first);
        const auto second = make_fluid(small(model), {"kd_tree", 2});
        Checkpoint(file).restore(*second);
        std::remove(file.c_str());
        EXPECT_EQ(second->time(), first->time());
        run(*first, 60);
        run(*second, 60);
        EXPECT_EQ(state_hash(*second), state_hash(*first)) << model;
        EXPECT_EQ(second->statistics().kinetic, first->statistics().kinetic) << model;
    }
}

TEST(Fluid, settings_that_make_no_sense_are_refused) {
    const auto refused = [](auto change, const std::string& word) {
        FluidSettings s = small("sph");
        change(s);
        try {
            make_fluid(s, alone);
            ADD_FAILURE() << "took what is wrong with " << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused([](FluidSettings& s) { s.model = "water"; }, "available: collide, sph");
    refused([](FluidSettings& s) { s.size = 0; }, "size");
    refused([](FluidSettings& s) { s.size = 0.3; }, "size");
    refused([](FluidSettings& s) { s.largest = 1; }, "largest");
    refused([](FluidSettings& s) { s.largest = 0.1; }, "smallest");
    refused([](FluidSettings& s) { s.restitution = 1.5; }, "restitution");
    refused([](FluidSettings& s) { s.viscosity = -1; }, "viscosity");
    refused([](FluidSettings& s) { s.gravity = 0; }, "sound");
    refused([](FluidSettings& s) { s.n = 10'000; }, "10000");
    refused([](FluidSettings& s) { s.dt = std::nan(""); }, "dt");
    refused(
        [](FluidSettings& s) {
            s = small("collide");
            s.size = 0.25;
            s.spheres = 1;
            s.smallest = s.largest = 0.99;
        },
        "too little space");
}

}  // namespace
}  // namespace vicinal::sim
