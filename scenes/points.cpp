// Points with one cut-off, as in particle codes.
#include <cmath>
#include <numbers>

#include "scenes/arithmetic.hpp"
#include "scenes/recipe.hpp"

namespace vicinal::scenes {
namespace {

Workload uniform(Request& request) {
    Workload result = empty_workload(request, Shape::points);
    result.cutoff = ball_radius(request["neighbours"], request.n, request.dim);
    for (std::uint64_t i = 0; i < request.n; ++i) add_uniform(request, result, 0, 1);
    return result;
}

Workload lattice(Request& request) {
    Workload result = empty_workload(request, Shape::points);
    const std::uint64_t edge = edge_of_lattice(request.n, request.dim);
    const double spacing = 1 / static_cast<double>(edge);
    const double jitter = request["jitter"];
    result.cutoff = request["reach"] * spacing;
    for (std::uint64_t i = 0; i < request.n; ++i) {
        std::uint64_t site = i;
        for (int a = 0; a < request.dim; ++a, site /= edge) {
            const double shift = request.random.uniform(-jitter, jitter);
            const auto place = static_cast<double>(site % edge) + 0.5;
            result.position.push_back((place + shift) * spacing);
        }
    }
    return result;
}

struct Cluster {
    std::vector<double> centre;
    double width;
};

// The difference of two points in a cluster of width w is normally distributed with width w
// sqrt(2). Its peak density (4 pi w w)^(-dim/2) times the volume of the cut-off ball is the
// probability of a pair, if the cut-off is small compared with w.
double cluster_cutoff(const Request& request, const std::vector<Cluster>& clusters) {
    double density = 0;
    for (const Cluster& cluster : clusters) {
        const double disc = 4 * std::numbers::pi * cluster.width * cluster.width;
        density += 1 / (request.dim == 2 ? disc : disc * std::sqrt(disc));
    }
    const auto count = static_cast<double>(clusters.size());
    return ball_radius(request["neighbours"] * count * count / density, request.n, request.dim);
}

Workload clusters(Request& request) {
    std::vector<Cluster> made(static_cast<std::size_t>(request["clusters"]));
    for (Cluster& cluster : made) {
        for (int a = 0; a < request.dim; ++a)
            cluster.centre.push_back(request.random.uniform());
        const double u = request.random.uniform();
        cluster.width = request["width"] * (0.1 + 0.9 * (u * u));
    }
    Workload result = empty_workload(request, Shape::points);
    result.cutoff = cluster_cutoff(request, made);
    for (std::uint64_t i = 0; i < request.n; ++i) {
        const Cluster& cluster = made[i % made.size()];
        for (const double centre : cluster.centre)
            result.position.push_back(centre + cluster.width * request.random.normal());
    }
    return result;
}

// A direction is a random point of the unit ball, scaled to length 1; points too near the
// centre are rejected because they would lose digits.
void add_on_sphere(Request& request, Workload& workload) {
    double point[3];
    double square = 0;
    while (square > 1 || square < 0x1p-10) {
        square = 0;
        for (int a = 0; a < request.dim; ++a) {
            point[a] = request.random.uniform(-1, 1);
            square += point[a] * point[a];
        }
    }
    const double length = std::sqrt(square);
    for (int a = 0; a < request.dim; ++a)
        workload.position.push_back(0.5 + 0.5 * (point[a] / length));
}

// The area of the spherical cap of chord r is exactly pi r r.
Workload shell(Request& request) {
    Workload result = empty_workload(request, Shape::points);
    const double surface = std::numbers::pi;  // of the sphere, and the length of the circle
    const double cap = ball_radius(request["neighbours"], request.n, request.dim - 1);
    result.cutoff = cap * (request.dim == 2 ? surface : std::sqrt(surface));
    for (std::uint64_t i = 0; i < request.n; ++i) add_on_sphere(request, result);
    return result;
}

}  // namespace

std::vector<Recipe> point_recipes() {
    return {
        {{"uniform",
          "uniform random points in the unit cube: a gas, the case every method is tuned for",
          100'000,
          {dim_parameter(), neighbours_parameter(30)}},
         uniform},
        {{"lattice",
          "points on a jittered cubic lattice that fills the unit cube: a fluid of smoothed "
          "particles (the last layer may be incomplete)",
          100'000,
          {dim_parameter(),
           {"jitter", 0.1, 0, 1, "largest shift along an axis, in lattice spacings"},
           {"reach", 2.02, 0, 1000, "cut-off in lattice spacings"}}},
         lattice},
        {{"clusters",
          "points in dense clusters whose widths span a decade, and empty space between: "
          "galaxies, drops",
          100'000,
          {dim_parameter(),
           {"clusters", 200, 1, 1e6, "number of clusters of equal population", true},
           {"width", 0.05, 1e-6, 1, "standard deviation of the widest cluster"},
           neighbours_parameter(4.9)}},
         clusters},
        {{"shell",
          "points on a sphere (2-D: a circle) of diameter 1: a surface scan, most of the "
          "space empty",
          100'000,
          {dim_parameter(), neighbours_parameter(20)}},
         shell},
    };
}

}  // namespace vicinal::scenes
