// Event-driven motion of equal hard spheres over a time interval.
#pragma once

#include <queue>
#include <tuple>
#include <vector>

#include "sim/vector.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::sim {

// The collision parameters, and the lattice of the images.
struct HardSpheres {
    double radius = 0;
    double restitution = 1;
    double friction = 0;
    double elastic_below = 0;  // a normal speed; below it the restitution is 1
    double image_speed = 0;    // along y, of an image across the face in x
    std::array<Vector, 3> lattice{};

    Vector shift(const Image<3>& n, double after) const {
        Vector s = (n[0] * lattice[0] + n[1] * lattice[1]) + n[2] * lattice[2];
        s[1] += n[0] * image_speed * after;
        return s;
    }
    Vector drift(const Image<3>& n) const { return {0, n[0] * image_speed, 0}; }
};

// An interval of time from 0 to `span`, in which no body deviates by more than `margin` from
// the straight path of its initial velocity. The interval ends early if a body is about to
// exceed the margin.
//
// No collision is missed if the full rows hold all pairs and images whose straight paths come
// within 2 (radius + margin) of each other during the span, plus a little for rounding. Two
// spheres touch at a distance of 2 radius, and each is within `margin` of its straight path, so
// the paths are then within 2 radius + 2 margin of each other. This holds for any number of
// changes of the two velocities. After each change of a velocity, the events of all pairs in
// that row are computed again.
class Interval {
  public:
    // Spheres must be smaller than the cell, so that no sphere meets its own image.
    Interval(std::vector<Vector>& position, std::vector<Vector>& velocity,
             std::vector<Vector>& spin, const Rows<double, 3>& rows, const HardSpheres& spheres,
             double span, double margin);

    // Moves the bodies and returns the time covered. Appends the pairs that collided, i < j.
    double run(std::vector<Pair>& collided);

    // The deepest overlap of the pairs in the rows after the run.
    double overlap() const;
    // The root mean square of the relative velocities before the run; NaN without pairs. The
    // rows must be sorted, so that the sum does not depend on the method.
    double near_speed() const;

  private:
    struct Ball {
        Vector x, v;  // position at the last change of velocity, and the velocity since
        double since = 0;
        std::uint32_t changes = 0;
    };
    // Two bodies collide, or, if i == j, a body exceeds its margin.
    struct Event {
        double time;
        Index i, j;
        Image<3> image;
        std::uint32_t changes_i, changes_j;  // of the velocities, when predicted

        // Ties are broken by pair and image, so that the order of prediction does not matter.
        bool operator>(const Event& other) const {
            return std::tie(time, i, j, image) >
                   std::tie(other.time, other.i, other.j, other.image);
        }
    };

    template <class F>
    void for_each_pair(const F& f) const;
    Vector position_at(Index i, double time) const;
    Vector between(Index i, Index j, const Image<3>& image, double time) const;
    Vector relative_velocity(Index i, Index j, const Image<3>& image) const;
    void predict(Index i, Index j, const Image<3>& image, double now);
    void predict_all(Index i, double now);
    void collide(const Event& event);
    void change(Index i, double time, const Vector& velocity);

    std::vector<Vector>&position_, &velocity_, &spin_;  // of the beginning, until the run ends
    const Rows<double, 3>& rows_;
    const HardSpheres& spheres_;
    double end_, margin_;
    std::vector<Ball> balls_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace vicinal::sim
