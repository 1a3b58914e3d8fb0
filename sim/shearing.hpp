// Hard spheres in a sheared periodic cell (P3 §2): what rings of planets and granular flows are
// studied with.
//
// The cell is size_x by size_y by 1 and periodic. Crossing it in x shifts y by an offset that
// grows with time and v_y by shear * size_x (Lees & Edwards 1972). Between collisions spheres
// move straight; collisions happen in the order of their times, wherever they fall within a
// step. Two rules say which pairs are looked at:
//
// swept: all that can meet within the step, whatever happens in it. Exact.
// rms: as in the paper, those closer than 2 r + factor * v * dt when the step begins, v being
// the
//   root mean square of the relative velocities of near pairs. What is faster can be missed;
//   the figures tell how many collisions were.
//
// A centre that attracts weakly from afar and repels strongly from close by makes a torus of
// the even spread: the paper's non-uniform case. Both forces are strength * (1 - distance /
// radius) up to their radius, distances being from the axis through the centre along z.
#pragma once

#include <memory>
#include <string>

#include "sim/simulation.hpp"

namespace vicinal::sim {

struct ShearingSettings {
    std::uint64_t n = 10'000;
    std::uint64_t seed = 1;
    double fill = 0.1;
    double size_x = 1, size_y = 1;
    double dt = 0.001;
    double speed = 1;
    double shear = 1;
    double restitution = 0.9;
    double friction = 0;
    double elastic_below = 0.001;
    double attract = 0, attract_radius = 0.5;
    double repel = 0, repel_radius = 0.2;
    std::string rule = "swept";
    double factor = 3;
    bool count_missed = true;
};

template <class Visitor>
void visit_settings(ShearingSettings& s, Visitor&& visit) {
    visit("n", s.n, "spheres");
    visit("seed", s.seed, "another seed, another start of the same kind");
    visit("fill", s.fill, "share of the volume that the spheres take, at most 0.5");
    visit("size_x", s.size_x, "edge of the cell along x, across which it is sheared");
    visit("size_y", s.size_y, "edge of the cell along y, along which it flows");
    visit("dt", s.dt, "length of a step");
    visit("speed", s.speed, "root mean square of the velocities at the start, beside the flow");
    visit("shear", s.shear, "change of the flow's velocity along y per length in x");
    visit("restitution", s.restitution, "normal speed after a collision over that before");
    visit("friction", s.friction, "Coulomb's coefficient");
    visit("elastic_below", s.elastic_below,
          "collisions with a normal speed below this are elastic: no inelastic collapse");
    visit("attract", s.attract, "strength of the centre's attraction");
    visit("attract_radius", s.attract_radius, "how far it reaches");
    visit("repel", s.repel, "strength of the centre's repulsion");
    visit("repel_radius", s.repel_radius, "how far it reaches");
    visit("rule", s.rule, "pairs looked at: swept (all that can meet) or rms (P3; can miss)");
    visit("factor", s.factor, "rms: how many times the relative velocity the search reaches");
    visit("count_missed", s.count_missed,
          "rms: count the collisions missed, by doing every step by the exact rule too");
}

// Own figures: "searches" of the step, "temperature" (a third of the mean square of the
// velocities beside the flow), with rule rms also "missed" collisions if these are
// to be counted; else the overlap is that of the pairs looked at.
std::unique_ptr<Simulation> make_shearing(const ShearingSettings& settings, const How& how);

}  // namespace vicinal::sim
