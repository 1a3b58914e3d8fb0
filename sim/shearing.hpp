// Hard spheres in a sheared periodic cell (Lara 2005, section 2), a model of planetary rings
// and granular flows.
//
// The cell is size_x by size_y by 1 and periodic. Crossing it in x shifts y by an offset that
// grows with time and v_y by shear * size_x (Lees & Edwards 1972). Between collisions spheres
// move straight; collisions are processed in the order of their times within a step. Three
// rules select the pairs that are tested:
//
// swept: all pairs that can collide within the step. Exact.
// straight: as the phase-space kd-tree in the paper, pairs that meet on the straight paths from
//   the beginning of the step. Pairs that meet after another collision can be missed.
// rms: as in the paper, pairs closer than 2 r + factor * v * dt at the beginning of the step,
//   where v is the root mean square of the relative velocities of near pairs. Faster pairs can
//   be missed.
//
// The statistics report how many collisions were missed.
//
// A centre that attracts weakly at long range and repels strongly at short range turns the
// uniform distribution into a torus, the paper's non-uniform case. Both forces are
// strength * (1 - distance / radius) up to their radius; distances are measured from the axis
// through the centre along z.
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
    visit("seed", s.seed, "seed of the initial positions and velocities");
    visit("fill", s.fill, "volume fraction of the spheres, at most 0.5");
    visit("size_x", s.size_x, "edge of the cell along x, the gradient of the flow");
    visit("size_y", s.size_y, "edge of the cell along y, the direction of the flow");
    visit("dt", s.dt, "length of a step");
    visit("speed", s.speed, "initial root mean square of the velocities relative to the flow");
    visit("shear", s.shear,
          "shear rate: change of the flow's velocity along y per length in x");
    visit("restitution", s.restitution, "normal speed after a collision over that before");
    visit("friction", s.friction, "Coulomb's friction coefficient");
    visit("elastic_below", s.elastic_below,
          "collisions with a normal speed below this are elastic: no inelastic collapse");
    visit("attract", s.attract, "strength of the centre's attraction");
    visit("attract_radius", s.attract_radius, "range of the attraction");
    visit("repel", s.repel, "strength of the centre's repulsion");
    visit("repel_radius", s.repel_radius, "range of the repulsion");
    visit(
        "rule", s.rule,
        "tested pairs: swept (all that can collide), straight or rms (Lara 2005; these two may "
        "miss some)");
    visit("factor", s.factor, "rms: range of the search, in rms relative velocities times dt");
    visit("count_missed", s.count_missed,
          "straight, rms: count missed collisions by repeating each step with the exact rule");
}

// Additional statistics: "searches" of the step, "temperature" (a third of the mean square of
// the velocities relative to the flow), and with rule rms "missed" collisions, if counted. If
// they are not counted, the overlap is that of the tested pairs only.
std::unique_ptr<Simulation> make_shearing(const ShearingSettings& settings, const How& how);
// The same with all spheres at rest in one place: for the state of another run to be put into.
// Finding places for many spheres of a high fill takes long.
std::unique_ptr<Simulation> make_unplaced_shearing(const ShearingSettings& settings,
                                                   const How& how);

}  // namespace vicinal::sim
