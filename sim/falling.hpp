// Spheres that fall on a floor and pile up (Poirrier 2009, section 6): a benchmark of collision
// search with increasing density.
//
// The cloud starts as a unit cube above the floor z = 0. There are two contact responses:
//
// pairwise: as in the paper, after each step every touching pair in turn is pushed apart and
//   loses its approach velocity. A push may cause new overlaps, so this is not realistic, but
//   it gives a pile of correlated, coherent positions. The start is uniform, with overlaps.
// dem: soft spheres (Cundall & Strack 1979) with a spring and a dashpot along the normal, a
//   tangential spring that slips at the Coulomb limit and exists as long as the contact, and
//   rotation. The start is a perturbed lattice without overlap.
#pragma once

#include <memory>
#include <string>

#include "sim/simulation.hpp"

namespace vicinal::sim {

struct FallingSettings {
    std::uint64_t n = 100'000;
    std::uint64_t seed = 1;
    double fill = 0.1;
    double spread = 0;
    std::string response = "pairwise";
    bool walls = false;
    double gravity = 1;
    double dt = 0;
    double friction = 0.3;
    double restitution = 0;
    double damping = 0.3;
    double contact = 20;
};

template <class Visitor>
void visit_settings(FallingSettings& s, Visitor&& visit) {
    visit("n", s.n, "spheres");
    visit("seed", s.seed, "seed of the initial positions");
    visit("fill", s.fill, "initial volume fraction of the spheres in the unit cube");
    visit("spread", s.spread, "radii between 1 - spread and 1 + spread times the mean one");
    visit("response", s.response, "pairwise (pushed apart pair by pair) or dem (springs)");
    visit("walls", s.walls, "walls around the unit square");
    visit("gravity", s.gravity, "downward acceleration, in edges of the cube");
    visit("dt", s.dt, "length of a step; 0: chosen for the response");
    visit("friction", s.friction, "Coulomb's friction coefficient");
    visit("restitution", s.restitution, "pairwise: speed after a collision over that before");
    visit("damping", s.damping, "dem: damping of a contact over the critical damping");
    visit("contact", s.contact, "dem: duration of a contact in steps; sets the stiffness");
}

std::unique_ptr<Simulation> make_falling(const FallingSettings& settings, const How& how);

}  // namespace vicinal::sim
