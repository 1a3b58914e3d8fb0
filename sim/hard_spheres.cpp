#include "sim/hard_spheres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vicinal::sim {
namespace {

// The time after which two points at relative position `d` and relative velocity `w` come
// within `reach`, and their approach speed then. The time is 0 if they are closer and approach.
struct Contact {
    double after = std::numeric_limits<double>::infinity();
    double speed = 0;
};
Contact next_contact(const Vector& d, const Vector& w, double reach) {
    const double b = dot(d, w);
    if (!(b < 0)) return {};
    const double c = dot(d, d) - reach * reach;
    if (c <= 0) return {0, -b / length(d)};
    const double discriminant = b * b - dot(w, w) * c;
    if (!(discriminant > 0)) return {};
    const double root = std::sqrt(discriminant);
    return {c / (root - b), root / reach};  // (-b - root) / ww would cancel
}

// The time at which a point at `e` from the centre of a ball, moving by `f` per time, leaves
// the ball.
double exit_time(const Vector& e, const Vector& f, double radius) {
    const double a = dot(f, f), b = dot(e, f);
    if (!(a > 0) || std::isinf(radius)) return std::numeric_limits<double>::infinity();
    const double c = std::min(0.0, dot(e, e) - radius * radius);
    const double root = std::sqrt(b * b - a * c);
    return b > 0 ? -c / (b + root) : (root - b) / a;
}

Image<3> opposite(const Image<3>& n) {
    const auto minus = [](std::int16_t k) { return static_cast<std::int16_t>(-k); };
    return {minus(n[0]), minus(n[1]), minus(n[2])};
}

}  // namespace

Interval::Interval(std::vector<Vector>& position, std::vector<Vector>& velocity,
                   std::vector<Vector>& spin, const Rows<double, 3>& rows,
                   const HardSpheres& spheres, double span, double margin)
    : position_(position),
      velocity_(velocity),
      spin_(spin),
      rows_(rows),
      spheres_(spheres),
      end_(span),
      margin_(margin) {
    balls_.resize(position.size());
    for (std::size_t i = 0; i < balls_.size(); ++i) balls_[i] = {position[i], velocity[i]};
}

template <class F>
void Interval::for_each_pair(const F& f) const {
    for (Index i = 0; i < balls_.size(); ++i)
        for (std::uint64_t k = rows_.offsets[i]; k < rows_.offsets[i + 1]; ++k)
            if (i < rows_.indices[k]) f(i, rows_.indices[k], rows_.images[k]);
}

double Interval::run(std::vector<Pair>& collided) {
    for_each_pair([&](Index i, Index j, const Image<3>& image) { predict(i, j, image, 0); });
    while (!events_.empty()) {
        const Event event = events_.top();
        events_.pop();
        if (event.changes_i != balls_[event.i].changes ||
            event.changes_j != balls_[event.j].changes)
            continue;
        if (event.i == event.j) {
            end_ = event.time;
            break;
        }
        collide(event);
        collided.push_back({event.i, event.j});
        predict_all(event.i, event.time);
        predict_all(event.j, event.time);
    }
    for (Index i = 0; i < balls_.size(); ++i) {
        position_[i] = position_at(i, end_);
        velocity_[i] = balls_[i].v;
    }
    return end_;
}

double Interval::overlap() const {
    double closest = 4 * spheres_.radius * spheres_.radius;
    for_each_pair([&](Index i, Index j, const Image<3>& image) {
        const Vector d = (position_[j] - position_[i]) + spheres_.shift(image, end_);
        closest = std::min(closest, dot(d, d));
    });
    return 2 * spheres_.radius - std::sqrt(closest);
}

double Interval::near_speed() const {
    double sum = 0, count = 0;
    for_each_pair([&](Index i, Index j, const Image<3>& image) {
        const Vector w = relative_velocity(i, j, image);
        sum += dot(w, w);
        count += 1;
    });
    return std::sqrt(sum / count);
}

Vector Interval::position_at(Index i, double time) const {
    return balls_[i].x + (time - balls_[i].since) * balls_[i].v;
}

// From i to the image of j.
Vector Interval::between(Index i, Index j, const Image<3>& image, double time) const {
    return (position_at(j, time) - position_at(i, time)) + spheres_.shift(image, time);
}

Vector Interval::relative_velocity(Index i, Index j, const Image<3>& image) const {
    return (balls_[j].v - balls_[i].v) + spheres_.drift(image);
}

void Interval::predict(Index i, Index j, const Image<3>& image, double now) {
    const Vector w = relative_velocity(i, j, image);
    const Contact next = next_contact(between(i, j, image, now), w, 2 * spheres_.radius);
    if (!(now + next.after < end_)) return;
    // An impulse below the rounding of the velocities would change nothing, and the same event
    // would repeat for ever.
    const double scale = length(balls_[i].v) + length(balls_[j].v) + length(w);
    if (next.speed <= 1e-13 * scale) return;
    events_.push({now + next.after, i, j, image, balls_[i].changes, balls_[j].changes});
}

void Interval::predict_all(Index i, double now) {
    for (std::uint64_t k = rows_.offsets[i]; k < rows_.offsets[i + 1]; ++k) {
        const Index j = rows_.indices[k];
        if (i < j) predict(i, j, rows_.images[k], now);
        if (j < i) predict(j, i, opposite(rows_.images[k]), now);
    }
    const Ball& ball = balls_[i];
    const Vector deviation = ball.x - (position_[i] + now * velocity_[i]);
    const double time = now + exit_time(deviation, ball.v - velocity_[i], margin_);
    if (time < end_) events_.push({time, i, i, {}, ball.changes, ball.changes});
}

// Solid spheres of mass 1 and moment of inertia 2/5 radius^2. Friction is limited by Coulomb's
// law and by the impulse that ends sliding, which is 2/7 of that of spheres that cannot rotate.
void Interval::collide(const Event& event) {
    const Vector d = between(event.i, event.j, event.image, event.time);
    const Vector normal = (1 / length(d)) * d;
    const Vector w = relative_velocity(event.i, event.j, event.image);
    const double speed = -dot(w, normal);
    const double e = speed < spheres_.elastic_below ? 1 : spheres_.restitution;
    const double push = 0.5 * (1 + e) * speed;
    Vector impulse = push * normal;
    if (spheres_.friction > 0) {
        Vector& spin_i = spin_[event.i];
        Vector& spin_j = spin_[event.j];
        const Vector surface = w - spheres_.radius * cross(spin_i + spin_j, normal);
        const Vector sliding = surface - dot(surface, normal) * normal;
        const double slip = length(sliding);
        if (slip > 0) {
            const double share = std::min(spheres_.friction * push / slip, 1.0 / 7);
            const Vector rub = (-share) * sliding;
            const Vector turn = (-2.5 / spheres_.radius) * cross(normal, rub);
            impulse += rub;
            spin_i += turn;
            spin_j += turn;
        }
    }
    change(event.i, event.time, balls_[event.i].v - impulse);
    change(event.j, event.time, balls_[event.j].v + impulse);
}

void Interval::change(Index i, double time, const Vector& velocity) {
    balls_[i] = {position_at(i, time), velocity, time, balls_[i].changes + 1};
}

}  // namespace vicinal::sim
