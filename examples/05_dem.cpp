// Discrete elements (DEM): spheres fall onto a floor and come to rest, periodic in x and y.
// Each contact has a tangential spring that lives as long as the contact: contact history in a
// PairMap. Spheres do not rotate, to keep the program short.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <vicinal/vicinal.hpp>

using Vec = std::array<double, 3>;
using Spring = Vec;  // tangential displacement since the contact began; 0 at first

static double dot(const Vec& a, const Vec& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static Vec add(const Vec& a, double f, const Vec& b) {  // a + f b
    return {a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]};
}

constexpr double radius = 0.5, gravity = 10, dt = 5e-4;  // mass 1
constexpr double stiffness = 1e4, damping = 40, tangential = 3e3, friction = 0.5;

// The force on a body by a contact: `normal` points from the other body to it, `velocity` is
// relative to the other. Springs with damping, the tangential one limited by friction.
static Vec contact_force(double overlap, const Vec& normal, const Vec& velocity,
                         Spring& spring) {
    const double approach = dot(velocity, normal);
    const double push = std::max(0.0, stiffness * overlap - damping * approach);
    spring = add(spring, dt, add(velocity, -approach, normal));
    spring = add(spring, -dot(spring, normal), normal);  // the contact plane may have turned
    const double length = std::sqrt(dot(spring, spring)), limit = friction * push / tangential;
    if (length > limit) spring = add({}, limit / length, spring);  // it slips
    const Vec drag = add(velocity, -approach, normal);
    const Vec force = add(add({}, push, normal), -tangential, spring);
    return length > limit ? force : add(force, -damping / 2, drag);
}

int main() {
    constexpr double side = 4;
    std::vector<Vec> x, v;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> jitter(-0.1, 0.1);
    for (int i = 0; i < 54; ++i) {  // six layers of 3 x 3
        x.push_back({(i % 3 + 0.5) * side / 3 + jitter(random),
                     (i / 3 % 3 + 0.5) * side / 3 + jitter(random), 0.8 + i / 9 * 1.1});
        v.push_back({jitter(random), jitter(random), 0});
    }
    const std::vector<double> radii(x.size(), radius);
    std::vector<Spring> floor_springs(x.size());
    vicinal::PairMap<Spring, 3> history;

    vicinal::Options<3> options;
    options.domain = vicinal::Domain<3>::orthogonal({side, side, 1}, {true, true, false});
    vicinal::Finder<double, 3> finder(options);

    double floor_force = 0, deepest = 0;
    for (int step = 0; step < 12000; ++step) {
        std::vector<Vec> force(x.size(), {0, 0, -gravity});
        floor_force = deepest = 0;
        const auto contacts =
            finder.pairs(vicinal::spheres<3>(x, radii), vicinal::Columns::ijSdD);
        history.apply(finder.changes());  // new contacts get a spring, lost ones lose theirs
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            const auto i = contacts.i(k), j = contacts.j(k);
            Spring* spring = history.find(i, j, contacts.images[k]);
            if (spring == nullptr) return 1;  // every pair has its value
            const double distance = contacts.distances[k];
            const Vec normal = add({}, -1 / distance, contacts.vectors[k]);  // from j to i
            const double overlap = 2 * radius - distance;
            const Vec f = contact_force(overlap, normal, add(v[i], -1, v[j]), *spring);
            force[i] = add(force[i], 1, f);
            force[j] = add(force[j], -1, f);
            deepest = std::max(deepest, overlap);
        }
        if (history.size() != contacts.size()) return 1;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double overlap = radius - x[i][2];
            if (overlap < 0) {
                floor_springs[i] = {};
            } else {
                const Vec f = contact_force(overlap, {0, 0, 1}, v[i], floor_springs[i]);
                force[i] = add(force[i], 1, f);
                floor_force += f[2];
                deepest = std::max(deepest, overlap);
            }
            v[i] = add(v[i], dt, force[i]);  // mass 1
            x[i] = add(x[i], dt, v[i]);
        }
    }
    double fastest = 0, lowest = side;
    for (std::size_t i = 0; i < x.size(); ++i) {
        fastest = std::max(fastest, std::sqrt(dot(v[i], v[i])));
        lowest = std::min(lowest, x[i][2]);
    }
    const double weight = gravity * static_cast<double>(x.size());
    std::printf(
        "%zu contacts, the floor carries %.3f of the weight, speed at most %.1e,\n"
        "overlap at most %.4f of a diameter, lowest centre at %.3f\n",
        history.size(), floor_force / weight, fastest, deepest / (2 * radius), lowest);
    return std::abs(floor_force / weight - 1) < 0.01 && fastest < 0.01 &&
                   deepest < 0.05 * radius && 2 * history.size() > x.size() &&
                   lowest > 0.9 * radius
               ? 0
               : 1;
}
