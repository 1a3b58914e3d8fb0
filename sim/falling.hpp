// Spheres that fall on a floor and pile up (P1 §6): the benchmark of collision search under
// ever denser packing.
//
// The cloud starts as a unit cube above the floor z = 0. Two ways to keep spheres apart:
//
// pairwise: as in the paper, after each step every touching pair in turn is pushed apart and
//   loses its approaching velocity, by which it may come to overlap others: not realistic, but
//   a pile of correlated, coherent positions. The start is uniform, overlaps included.
// dem: a soft-sphere contact (Cundall & Strack 1979): a spring and a dashpot along the normal,
//   a tangential spring that slips at the Coulomb limit and lives as long as the contact,
//   spheres that roll. The start is a lattice, disturbed, without overlap.
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
    visit("seed", s.seed, "another seed, another start of the same kind");
    visit("fill", s.fill, "share of the unit cube that the spheres take at the start");
    visit("spread", s.spread, "radii between 1 - spread and 1 + spread times the mean one");
    visit("response", s.response, "pairwise (pushed apart pair by pair) or dem (springs)");
    visit("walls", s.walls, "walls around the unit square");
    visit("gravity", s.gravity, "downward acceleration, in edges of the cube");
    visit("dt", s.dt, "length of a step; 0: what suits the response");
    visit("friction", s.friction, "Coulomb's coefficient");
    visit("restitution", s.restitution, "pairwise: speed after a collision over that before");
    visit("damping", s.damping, "dem: of a contact, over the critical one");
    visit("contact", s.contact, "dem: steps that a contact lasts; sets the stiffness");
}

std::unique_ptr<Simulation> make_falling(const FallingSettings& settings, const How& how);

}  // namespace vicinal::sim
