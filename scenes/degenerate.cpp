// Scenes on which grids, trees and sweeps are known to fail; see the torture tests. Each is
// available as points, spheres or boxes of one size.
#include <cmath>

#include "scenes/arithmetic.hpp"
#include "scenes/recipe.hpp"

namespace vicinal::scenes {
namespace {

Parameter shape_parameter() {
    return {"shape", 0, 0, 2, "0 points, 1 spheres, 2 boxes", true};
}

// Turns points into the requested shape; `size` is the cut-off, the diameter or the edge.
Workload dressed(const Request& request, Workload workload, double size) {
    const double half = size / 2;
    workload.shape = static_cast<Shape>(static_cast<int>(request["shape"]));
    if (workload.shape == Shape::points) workload.cutoff = size;
    if (workload.shape == Shape::spheres) workload.radius.assign(request.n, half);
    if (workload.shape == Shape::boxes) {
        workload.upper = workload.position;
        for (double& x : workload.position) x -= half;
        for (double& x : workload.upper) x += half;
    }
    return workload;
}

Workload coincident(Request& request) {
    Workload result = empty_workload(request, Shape::points);
    double place[3];
    for (int a = 0; a < request.dim; ++a) place[a] = request.random.uniform();
    for (std::uint64_t i = 0; i < request.n; ++i)
        result.position.insert(result.position.end(), place, place + request.dim);
    return dressed(request, std::move(result), request["size"]);
}

int axis_of(const Request& request, int diagonal) {
    const int axis = static_cast<int>(request["axis"]);
    if (axis != diagonal && axis >= request.dim)
        throw Error(Error::Kind::option, "axis must be less than dim; there is no axis " +
                                             std::to_string(axis) + " in 2-D");
    return axis;
}

Workload line(Request& request) {
    constexpr int diagonal = 3;
    const int axis = axis_of(request, diagonal);
    Workload result = empty_workload(request, Shape::points);
    double place[3];
    for (int a = 0; a < request.dim; ++a) place[a] = request.random.uniform();
    for (std::uint64_t i = 0; i < request.n; ++i) {
        const double along = request.random.uniform();
        for (int a = 0; a < request.dim; ++a)
            result.position.push_back(axis == a || axis == diagonal ? along : place[a]);
    }
    const double length = axis == diagonal ? std::sqrt(static_cast<double>(request.dim)) : 1;
    const double size = length * ball_radius(request["neighbours"], request.n, 1);
    return dressed(request, std::move(result), size);
}

Workload plane(Request& request) {
    const int axis = axis_of(request, -1);
    Workload result = empty_workload(request, Shape::points);
    const double height = request.random.uniform();
    for (std::uint64_t i = 0; i < request.n; ++i)
        for (int a = 0; a < request.dim; ++a)
            result.position.push_back(a == axis ? height : request.random.uniform());
    const double size = ball_radius(request["neighbours"], request.n, request.dim - 1);
    return dressed(request, std::move(result), size);
}

Workload cube_at(Request& request, double where) {
    Workload result = empty_workload(request, Shape::points);
    for (std::uint64_t i = 0; i < request.n; ++i)
        add_uniform(request, result, where, where + 1);
    return result;
}

Workload sized_by_neighbours(Request& request, Workload workload) {
    const double size = ball_radius(request["neighbours"], request.n, request.dim);
    return dressed(request, std::move(workload), size);
}

Workload outlier(Request& request) {
    Workload result = cube_at(request, 0);
    if (request.n > 0)
        for (int a = 0; a < request.dim; ++a)
            result.position[static_cast<std::size_t>(a)] = request["where"];
    return sized_by_neighbours(request, std::move(result));
}

Workload offset(Request& request) {
    return sized_by_neighbours(request, cube_at(request, request["where"]));
}

Workload negative(Request& request) {
    return sized_by_neighbours(request, cube_at(request, -2));
}

// Half of the sites have negative coordinates, and one plane per axis is at zero.
Workload grid_aligned(Request& request) {
    Workload result = empty_workload(request, Shape::points);
    const std::uint64_t edge = edge_of_lattice(request.n, request.dim);
    const auto middle = static_cast<double>(edge / 2);
    const double size = request["size"];
    for (std::uint64_t i = 0; i < request.n; ++i) {
        std::uint64_t site = i;
        for (int a = 0; a < request.dim; ++a, site /= edge)
            result.position.push_back((static_cast<double>(site % edge) - middle) * size);
    }
    return dressed(request, std::move(result), size);
}

}  // namespace

std::vector<Recipe> degenerate_recipes() {
    return {
        {{"coincident",
          "all bodies at one point: all of them pair, and no structure can separate them",
          1000,
          {dim_parameter(),
           shape_parameter(),
           {"size", 0, 0, 1e6, "cut-off, diameter or edge"}}},
         coincident},
        {{"line",
          "all bodies on one line: two axes without extent, one row of cells",
          10'000,
          {dim_parameter(),
           shape_parameter(),
           neighbours_parameter(10),
           {"axis", 0, 0, 3, "along x, y, z, or 3 along the diagonal", true}}},
         line},
        {{"plane",
          "all bodies share one coordinate: an axis without extent",
          10'000,
          {dim_parameter(),
           shape_parameter(),
           neighbours_parameter(10),
           {"axis", 0, 0, 2, "the axis without extent: x, y, z", true}}},
         plane},
        {{"outlier",
          "bodies in the unit cube and one outlier: a grid over the bounding box has one full "
          "cell",
          10'000,
          {dim_parameter(),
           shape_parameter(),
           neighbours_parameter(10),
           {"where", 1e6, -1e30, 1e30, "every coordinate of the outlier"}}},
         outlier},
        {{"offset",
          "bodies in a unit cube far from the origin: distances lose most of their digits",
          10'000,
          {dim_parameter(),
           shape_parameter(),
           neighbours_parameter(10),
           {"where", 1e6, -1e15, 1e15, "lower corner of the cube on every axis"}}},
         offset},
        {{"grid_aligned",
          "bodies exactly one size apart on a cubic lattice around zero: all lie on cell "
          "borders, all neighbours touch exactly (the last layer may be incomplete)",
          10'000,
          {dim_parameter(),
           shape_parameter(),
           {"size", 0.25, 1e-6, 1e6,
            "spacing, and cut-off, diameter or edge; exact for powers "
            "of two"}}},
         grid_aligned},
        {{"negative",
          "bodies whose coordinates are all in [-2, -1): integer cells must round down, not "
          "towards zero",
          10'000,
          {dim_parameter(), shape_parameter(), neighbours_parameter(10)}},
         negative},
    };
}

}  // namespace vicinal::scenes
