// Equal hard spheres that move straight and collide in the order of time, for a stretch of it.
#pragma once

#include <queue>
#include <tuple>
#include <vector>

#include "sim/vector.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::sim {

// What happens when spheres meet, and where their images are.
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

// A stretch of time, from 0 to `span`, in which no body is further than `room` from where its
// velocity at the beginning would have taken it. It ends early when one is about to be.
//
// Nothing is missed if the rows (full ones) hold all pairs and images whose straight ways come
// within 2 (radius + room) of each other during the span, a little more against rounding: two
// spheres that touch at some time are 2 radius apart; both are within `room` of their straight
// ways; so these are then within 2 radius + 2 room of each other, and the pair is in the rows,
// however often the two have changed their velocities. Whenever one has, all of its row is
// looked through anew.
class Stretch {
  public:
    // Spheres that are smaller than the cell never meet images of their own.
    Stretch(std::vector<Vector>& position, std::vector<Vector>& velocity,
            std::vector<Vector>& spin, const Rows<3>& rows, const HardSpheres& spheres,
            double span, double room);

    // Moves the bodies; returns for how long. Adds to `collided` the pairs that did, i < j.
    double run(std::vector<Pair>& collided);

    // Of the pairs looked at: the deepest overlap after the run.
    double overlap() const;
    // The root mean square of the relative velocities before it. The rows must be sorted, so
    // that the sum is the same whatever the method. Of no pairs: NaN.
    double near_speed() const;

  private:
    struct Ball {
        Vector x, v;  // where it was when its velocity last changed, and the velocity since
        double since = 0;
        std::uint32_t changes = 0;
    };
    // Two bodies meet; or, with i == j, one leaves its room.
    struct Event {
        double time;
        Index i, j;
        Image<3> image;
        std::uint32_t changes_i, changes_j;  // how often their velocities had changed by then

        // By pair and image where times are equal: it does not matter in which order they were
        // foreseen.
        bool operator>(const Event& other) const {
            return std::tie(time, i, j, image) >
                   std::tie(other.time, other.i, other.j, other.image);
        }
    };

    template <class F>
    void for_each_pair(const F& f) const;
    Vector place(Index i, double time) const;
    Vector between(Index i, Index j, const Image<3>& image, double time) const;
    Vector relative_velocity(Index i, Index j, const Image<3>& image) const;
    void foresee(Index i, Index j, const Image<3>& image, double now);
    void foresee_all(Index i, double now);
    void collide(const Event& event);
    void change(Index i, double time, const Vector& velocity);

    std::vector<Vector>&position_, &velocity_, &spin_;  // at the beginning, until the run ends
    const Rows<3>& rows_;
    const HardSpheres& spheres_;
    double end_, room_;
    std::vector<Ball> balls_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace vicinal::sim
