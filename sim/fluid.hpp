// A fluid of particles that falls over static spheres in a closed box (Pouchol et al. 2009,
// section 4.2). The paper does not give the number of particles or the box; the defaults are
// ours. Metres, seconds, kilograms.
//
// collide: the simple response of the paper. Particles are hard spheres. At the beginning of a
//   step, all touching pairs are pushed apart and lose their approach speed simultaneously;
//   then each particle moves until it hits a solid. Particles start at random positions, at
//   rest.
// sph: weakly compressible smoothed particle hydrodynamics (Monaghan 1994): density by
//   summation with the cubic spline, Tait's equation of state without tension, artificial
//   viscosity, and steps limited by sound and forces. Solids are filled with samples that
//   contribute to density and pressure like fluid at rest. In addition, no particle comes
//   nearer to a solid than a quarter of the particle spacing. The fluid starts as a block at
//   rest.
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
    visit("spheres", s.spheres, "number of static spheres, at random positions in the box");
    visit("seed", s.seed, "seed of the static spheres and the initial positions");
    visit("size", s.size, "diameter of a particle; sph: spacing of the particles, m");
    visit("smallest", s.smallest, "smallest diameter of a static sphere, m");
    visit("largest", s.largest, "largest diameter of a static sphere, m");
    visit("length", s.length, "length of the box along x, m");
    visit("width", s.width, "width of the box along y, m");
    visit("height", s.height, "height of the box along z, m");
    visit("gravity", s.gravity, "downward acceleration, m/s2");
    visit("dt", s.dt, "length of a step, s; sph: the maximum, reduced for stability");
    visit("restitution", s.restitution, "speed after a collision over that before");
    visit("block_length", s.block_length, "sph: initial length of the fluid along x, m");
    visit("block_width", s.block_width, "sph: initial width of the fluid along y, m");
    visit("block_bottom", s.block_bottom, "sph: initial z of the bottom of the fluid, m");
    visit("sound", s.sound,
          "sph: speed of sound, m/s; 0: ten times the speed of a fall to the floor");
    visit("viscosity", s.viscosity, "sph: alpha of Monaghan's artificial viscosity");
}

std::unique_ptr<Simulation> make_fluid(const FluidSettings& settings, const How& how);

}  // namespace vicinal::sim
