// The initial positions of `falling`, and the length of a step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>

#include "scenes/arithmetic.hpp"
#include "scenes/random.hpp"
#include "sim/falling_bodies.hpp"
#include "sim/settings.hpp"

namespace vicinal::sim {
namespace {

void inside(const char* name, double value, double minimum, double maximum,
            const std::string& why = "") {
    if (value >= minimum && value <= maximum) return;
    refuse("falling: " + std::string(name) + " = " + written(value) + " is not a number from " +
           written(minimum) + " to " + written(maximum) + why);
}

// All but the fill.
void check(const FallingSettings& s) {
    if (s.n > std::numeric_limits<Index>::max() - 8)  // planes have the next indices
        refuse("falling: n = " + std::to_string(s.n) +
               " is too large; give at most 4294967287");
    if (s.response != "pairwise" && s.response != "dem")
        refuse("falling: response = '" + s.response + "' is unknown; give pairwise or dem");
    inside("spread", s.spread, 0, 0.9);
    inside("gravity", s.gravity, 0, 1e9);
    inside("dt", s.dt, 0, 1e9);
    inside("friction", s.friction, 0, 100);
    inside("restitution", s.restitution, 0, 1);
    inside("damping", s.damping, 0, 1);
    inside("contact", s.contact, 5, 1e6);
    if (s.gravity == 0 && s.dt == 0) refuse("falling: dt=0 needs gravity; give dt");
}

// The bits of x, each followed by a zero.
std::uint32_t spaced(std::uint32_t x) {
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

// Orders the bodies by column, and the columns along a Z curve, so that falling spheres stay
// near their contacts in memory. The order is fixed once, independent of method and step.
std::vector<Vector> in_columns(std::vector<Vector> position) {
    constexpr double per_column = 64;
    const double edge =
        std::clamp(std::sqrt(static_cast<double>(position.size()) / per_column), 1.0, 65535.0);
    const auto column = [edge](const Vector& x) {
        const auto cell = [edge](double v) {
            return static_cast<std::uint32_t>(std::clamp(v, 0.0, 1.0) * edge);
        };
        return spaced(cell(x[0])) | spaced(cell(x[1])) << 1;
    };
    std::sort(position.begin(), position.end(), [&](const Vector& a, const Vector& b) {
        return std::tuple(column(a), a[2], a[0], a[1]) <
               std::tuple(column(b), b[2], b[0], b[1]);
    });
    return position;
}

// The radii over their mean.
std::vector<double> relative_radii(const FallingSettings& s, scenes::Random& random) {
    std::vector<double> radii(s.n);
    for (double& r : radii) r = s.spread > 0 ? random.uniform(1 - s.spread, 1 + s.spread) : 1;
    return radii;
}

// Throws for a fill that no pile can have or, with dem, that the initial lattice cannot have:
// there, the largest spheres may touch.
void check_fill(const FallingSettings& s, double cubes, double largest) {
    constexpr double densest = 0.74;  // of equal spheres: pi / sqrt(18)
    double most = densest;
    std::string why = ", the volume fraction of the densest packing of equal spheres";
    if (s.response == "dem" && s.n > 0) {
        const double spacing = 1 / static_cast<double>(scenes::edge_of_lattice(s.n, 3));
        const double widest = spacing / 2 / largest;
        const double lattice = scenes::unit_ball(3) * cubes * (widest * widest * widest);
        most = std::floor(1000 * lattice) / 1000;
        why = ": with response = dem, " + std::to_string(s.n) +
              " spheres of this spread must start on a lattice without overlap";
    }
    inside("fill", s.fill, 1e-9, most, why);
}

std::vector<double> make_radii(const FallingSettings& s, scenes::Random& random) {
    std::vector<double> radii = relative_radii(s, random);
    double cubes = 0, largest = 0;
    for (const double r : radii) {
        cubes += r * r * r;
        largest = std::max(largest, r);
    }
    check_fill(s, cubes, largest);
    if (radii.empty()) return radii;
    const double mean = scenes::cube_root(s.fill / (cubes * scenes::unit_ball(3)));
    for (double& r : radii) r *= mean;
    return radii;
}

std::vector<Vector> uniform_start(std::uint64_t n, scenes::Random& random) {
    std::vector<Vector> position(n);
    for (Vector& x : position)
        for (double& v : x) v = random.uniform();
    return in_columns(std::move(position));
}

// A cubic lattice, perturbed by as much as keeps even the largest spheres apart.
std::vector<Vector> lattice_start(std::uint64_t n, double largest, scenes::Random& random) {
    const std::uint64_t edge = scenes::edge_of_lattice(n, 3);
    const double spacing = 1 / static_cast<double>(edge);
    const double play = 0.999 * (spacing / 2 - largest);
    std::vector<Vector> position;
    position.reserve(n);
    for (std::uint64_t k = 0; k < n; ++k) {
        const std::uint64_t site[3] = {k % edge, k / edge % edge, k / edge / edge};
        Vector x;
        for (std::size_t a = 0; a < 3; ++a)
            x[a] = (static_cast<double>(site[a]) + 0.5) * spacing + random.uniform(-play, play);
        position.push_back(x);
    }
    return in_columns(std::move(position));
}

// pairwise: the cloud falls in about 60 steps, and more for smaller spheres, because deep piles
// compress more. At steps 50 to 60 this gives about six touching pairs per sphere for 50,000 to
// 5 million spheres of fill 0.1, as in Poirrier (2009), table 3 (kd-tree-2). dem: the fastest
// sphere moves by a small fraction of the smallest radius.
double suitable_dt(const FallingSettings& s, double smallest) {
    if (s.dt > 0) return s.dt;
    return s.response == "pairwise" ? std::sqrt(2 / s.gravity * std::sqrt(smallest)) / 19.3
                                    : 0.01 * smallest / std::sqrt(2 * s.gravity);
}

// A contact lasts half a period of its spring, contact * dt, so at impact speed v the overlap
// reaches v * contact * dt / pi without damping. If that exceeds a radius, spheres that fall
// from the top pass through the floor and each other, and so do the lowest layers of a pile
// soon after.
void check_impact(const FallingSettings& s, double dt, double smallest) {
    const double longest = std::numbers::pi * smallest / (s.contact * std::sqrt(2 * s.gravity));
    if (dt <= longest) return;
    refuse("falling: with dt = " + written(dt) + " and contact = " + written(s.contact) +
           " a sphere that falls from the top sinks into the floor by more than its "
           "radius; choose a dt of at most " +
           written(0.99 * longest, 3));
}

}  // namespace

FallingStart make_start(const FallingSettings& settings) {
    check(settings);
    scenes::Random random(settings.seed);
    FallingStart result;
    result.radius = make_radii(settings, random);
    double smallest = 1, largest = 0;
    if (settings.n > 0) {
        const auto [lowest, highest] =
            std::minmax_element(result.radius.begin(), result.radius.end());
        smallest = *lowest;
        largest = *highest;
    }
    result.dt = suitable_dt(settings, smallest);
    if (settings.response == "dem") check_impact(settings, result.dt, smallest);
    result.position = settings.response == "pairwise"
                          ? uniform_start(settings.n, random)
                          : lattice_start(settings.n, largest, random);
    return result;
}

}  // namespace vicinal::sim
