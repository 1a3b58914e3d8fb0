// What particles cannot enter: the walls of a box from the origin to `extent`, and static
// spheres in it. The spheres stand in a finder that is built once.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/simulation.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::sim {

// Spheres of diameters between two sizes, anywhere in the box: they may overlap each other but
// not its walls.
struct StaticSpheres {
    std::vector<Vector> centres;
    std::vector<double> radii;
};
StaticSpheres random_spheres(std::uint64_t count, double smallest, double largest,
                             const Vector& extent, std::uint64_t seed);

// Places that fill the solids as deep as a kernel reaches into them, each with the volume it
// stands for: what density and pressure of a fluid meet at a wall.
struct SolidSamples {
    std::vector<Vector> places;
    std::vector<double> volumes;
};

class Solids {
  public:
    // `clearance`: how near the centre of a particle may come to a solid.
    Solids(const Vector& extent, const StaticSpheres& spheres, double clearance,
           const How& how);

    // Which places are clear of all solids by `clearance` and `more`.
    std::vector<bool> clear(const std::vector<Vector>& places, double more) const;

    // Moves every particle along its path until that meets a solid, then on along the surface.
    // Its velocity is reflected, the part across the surface times `restitution`; one that
    // meets three in a step is wedged and slows down as its way is shortened. Returns how many
    // particles met one. Afterwards all are clear of the solids, but for rounding, if they
    // were before.
    std::uint64_t move(std::vector<Vector>& places, std::vector<Vector>& velocities,
                       std::vector<Vector>& paths, double restitution);

    double search_seconds() const { return search_seconds_; }  // of the last move

    // At most `spacing` apart: on a lattice of cells behind the walls, on shells in the
    // spheres.
    SolidSamples samples(const Vector& spacing, double depth) const;

  private:
    struct Hit {
        double time = 2;  // share of the path; beyond 1: none
        Index solid = 0;  // a wall, 0 ... 5, or a sphere, from 6 on
    };
    Hit wall_hit(const Vector& from, const Vector& path) const;
    double sphere_hit(Index sphere, const Vector& from, const Vector& path) const;
    void bounce(const Hit& hit, Vector& place, Vector& velocity, Vector& path,
                double restitution) const;
    std::vector<bool> deepest(const std::vector<Vector>& places,
                              const std::vector<Index>& spheres) const;

    Vector extent_;
    std::vector<Vector> centres_;
    std::vector<double> reach_;  // radius and clearance
    double clearance_;
    int threads_;
    double search_seconds_ = 0;
    Finder<double, 3> finder_;
    // Of the particles still under way.
    std::vector<Index> bodies_;
    std::vector<Vector> from_, along_;
    std::vector<Hit> hits_;
    // Of those that met solids: where they began, and how long their way was to be; in the end
    // of those that met three.
    struct Wedged {
        Vector from;
        double way;
    };
    std::vector<Wedged> wedged_;
    std::vector<Index> still_;
};

}  // namespace vicinal::sim
