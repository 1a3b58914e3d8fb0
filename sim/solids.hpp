// The obstacles of the particles: the walls of a box from the origin to `extent`, and static
// spheres in it. The finder of the spheres is built once.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/simulation.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::sim {

// Spheres with random diameters between two sizes, at random positions in the box. They may
// overlap each other but not the walls.
struct StaticSpheres {
    std::vector<Vector> centres;
    std::vector<double> radii;
};
StaticSpheres random_spheres(std::uint64_t count, double smallest, double largest,
                             const Vector& extent, std::uint64_t seed);

// Sample points that fill the solids to the depth of the kernel's support, each with its
// volume. They contribute to density and pressure of the fluid near a wall.
struct SolidSamples {
    std::vector<Vector> positions;
    std::vector<double> volumes;
};

class Solids {
  public:
    // `clearance`: the minimum distance of a particle's centre from a solid.
    Solids(const Vector& extent, const StaticSpheres& spheres, double clearance,
           const How& how);

    // True for the positions that are farther than `clearance` + `more` from all solids.
    std::vector<bool> clear(const std::vector<Vector>& positions, double more) const;

    // Moves every particle along its path until it hits a solid, then along the surface. The
    // normal component of the velocity is reflected and multiplied by `restitution`. A particle
    // that hits three solids in a step is wedged: its velocity is reduced in proportion to its
    // path. Returns the number of particles that hit a solid. Particles that were outside the
    // solids stay outside, up to rounding.
    std::uint64_t move(std::vector<Vector>& positions, std::vector<Vector>& velocities,
                       std::vector<Vector>& paths, double restitution);

    double search_seconds() const { return search_seconds_; }  // of the last move

    // Samples at most `spacing` apart: on a lattice behind the walls, on shells in the spheres.
    SolidSamples samples(const Vector& spacing, double depth) const;

  private:
    struct Hit {
        double time = 2;  // share of the path; beyond 1: none
        Index solid = 0;  // a wall, 0 ... 5, or a sphere, from 6 on
    };
    Hit wall_hit(const Vector& from, const Vector& path) const;
    double sphere_hit(Index sphere, const Vector& from, const Vector& path) const;
    void bounce(const Hit& hit, Vector& position, Vector& velocity, Vector& path,
                double restitution) const;
    std::vector<bool> deepest(const std::vector<Vector>& positions,
                              const std::vector<Index>& spheres) const;

    Vector extent_;
    std::vector<Vector> centres_;
    std::vector<double> reach_;  // radius and clearance
    double clearance_;
    int threads_;
    double search_seconds_ = 0;
    Finder<double, 3> finder_;
    // The particles that have not finished their paths.
    std::vector<Index> bodies_;
    std::vector<Vector> from_, along_;
    std::vector<Hit> hits_;
    // Start and length of the paths of particles that hit solids; finally of those that hit
    // three.
    struct Wedged {
        Vector from;
        double path_length;
    };
    std::vector<Wedged> wedged_;
    std::vector<Index> still_;
};

}  // namespace vicinal::sim
