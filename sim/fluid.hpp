// A fluid of particles that falls over static spheres in a closed box (P4 §4.2). How many
// particles, in which box, the paper does not say: the defaults are ours. Metres, seconds,
// kilograms.
//
// collide: as in the paper, a simple response. Particles are hard spheres; all that touch at
//   the beginning of a step are pushed apart and lose their approaching speed at once, then
//   each flies on until it meets a solid. They begin anywhere in the box, at rest.
// sph: weakly compressible smoothed particle hydrodynamics (Monaghan 1994). Density by
//   summation over the cubic spline, Tait's equation of state without tension, artificial
//   viscosity, and steps as short as sound and forces demand. Solids are filled with samples
//   that count in density and pressure like fluid at rest; besides, no particle comes nearer
//   to a solid than a quarter of the particles' spacing. The fluid begins as a block at rest.
#pragma once

#include <memory>
#include <string>

#include "sim/simulation.hpp"

namespace vicinal::sim {

struct FluidSettings {
    std::string model = "collide";
    std::uint64_t n = 200'000;
    std::uint64_t spheres = 2000;
    std::uint64_t seed = 1;
    double size = 1.0 / 64;
    double smallest = 1.0 / 16, largest = 1.0 / 4;
    double length = 4, width = 4, height = 4;
    double gravity = 9.81;
    double dt = 1.0 / 512;
    double restitution = 0.3;
    double block_length = 1, block_width = 1, block_bottom = 2;
    double sound = 0;
    double viscosity = 0.1;
};

template <class Visitor>
void visit_settings(FluidSettings& s, Visitor&& visit) {
    visit("model", s.model, "collide (hard particles, simple response) or sph");
    visit("n", s.n, "particles");
    visit("spheres", s.spheres, "static spheres, anywhere in the box");
    visit("seed", s.seed, "another seed, other spheres and another start");
    visit("size", s.size, "diameter of a particle; sph: spacing of the particles, m");
    visit("smallest", s.smallest, "least diameter of a static sphere, m");
    visit("largest", s.largest, "largest diameter of a static sphere, m");
    visit("length", s.length, "of the box along x, m");
    visit("width", s.width, "of the box along y, m");
    visit("height", s.height, "of the box along z, m");
    visit("gravity", s.gravity, "downward acceleration, m/s2");
    visit("dt", s.dt, "length of a step, s; sph: the longest, where stability allows it");
    visit("restitution", s.restitution, "speed after a collision over that before");
    visit("block_length", s.block_length, "sph: of the fluid at the start along x, m");
    visit("block_width", s.block_width, "sph: of the fluid at the start along y, m");
    visit("block_bottom", s.block_bottom, "sph: where the fluid begins along z, m");
    visit("sound", s.sound, "sph: its speed, m/s; 0: ten times that of a fall to the floor");
    visit("viscosity", s.viscosity, "sph: alpha of Monaghan's artificial viscosity");
}

std::unique_ptr<Simulation> make_fluid(const FluidSettings& settings, const How& how);

}  // namespace vicinal::sim
