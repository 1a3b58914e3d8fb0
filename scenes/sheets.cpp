// Bounding boxes of the triangles of a mesh. Neighbours share vertices, so their boxes touch
// exactly. This reveals methods that lose touching pairs or are slow with many equal
// coordinates.
#include <algorithm>
#include <array>

#include "scenes/arithmetic.hpp"
#include "scenes/recipe.hpp"

namespace vicinal::scenes {
namespace {

using Point = std::array<double, 3>;

// A replacement of the sine by parabolas, with period 1 and range -1 to 1; for t >= 0.
double wave(double t) {
    t -= static_cast<double>(static_cast<std::uint64_t>(t));
    const double half = t < 0.5 ? t : t - 0.5;
    const double hump = 16 * half * (0.5 - half);
    return t < 0.5 ? hump : -hump;
}

struct Cloth {
    double edges;                 // of triangles along a side of length 1
    double height;                // of the cloth's middle
    double amplitude;             // of its waves
    double waves;                 // along a side
    std::array<double, 2> shift;  // in edges: cloths are not aligned with each other
    std::array<double, 2> phase;

    Point vertex(std::uint64_t column, std::uint64_t row, int dim) const {
        const double x = (static_cast<double>(column) + shift[0]) / edges;
        const double along = wave(x * waves + phase[0]);
        if (dim == 2) return {x, height + amplitude * along, 0};
        const double y = (static_cast<double>(row) + shift[1]) / edges;
        const double across = wave(y * waves + phase[1]);
        return {x, y, height + amplitude * (along * across)};
    }
};

template <std::size_t N>
void add_box(Workload& workload, const std::array<Point, N>& vertices) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(workload.dim); ++a) {
        double low = vertices[0][a], high = vertices[0][a];
        for (const Point& vertex : vertices) {
            low = std::min(low, vertex[a]);
            high = std::max(high, vertex[a]);
        }
        workload.position.push_back(low);
        workload.upper.push_back(high);
    }
}

// Triangle 2q and 2q + 1 are the halves of square q; in 2-D there are segments.
void add_element(Workload& workload, const Cloth& cloth, std::uint64_t number,
                 std::uint64_t edge) {
    if (workload.dim == 2) {
        add_box<2>(workload, {cloth.vertex(number, 0, 2), cloth.vertex(number + 1, 0, 2)});
        return;
    }
    const std::uint64_t column = number / 2 % edge, row = number / 2 / edge;
    const std::uint64_t far = number % 2;
    add_box<3>(workload, {cloth.vertex(column + 1, row, 3), cloth.vertex(column, row + 1, 3),
                          cloth.vertex(column + far, row + far, 3)});
}

Workload sheets(Request& request) {
    const auto cloths = static_cast<std::uint64_t>(request["cloths"]);
    const std::uint64_t per_cloth = (request.n + cloths - 1) / cloths;
    const std::uint64_t edge = request.dim == 2 ? std::max<std::uint64_t>(per_cloth, 1)
                                                : edge_of_lattice((per_cloth + 1) / 2, 2);
    Random& random = request.random;
    Cloth cloth;
    cloth.edges = static_cast<double>(edge);
    cloth.amplitude = request["amplitude"];
    cloth.waves = request["waves"];
    cloth.phase = {random.uniform(), random.uniform()};
    Workload result = empty_workload(request, Shape::boxes);
    result.upper.reserve(request.n * static_cast<std::size_t>(request.dim));
    for (std::uint64_t c = 0; c < cloths; ++c) {
        cloth.height = static_cast<double>(c) * request["gap"] / cloth.edges;
        cloth.shift = {random.uniform(), random.uniform()};
        const std::uint64_t count = request.n / cloths + (c < request.n % cloths ? 1 : 0);
        for (std::uint64_t i = 0; i < count; ++i) add_element(result, cloth, i, edge);
    }
    return result;
}

}  // namespace

std::vector<Recipe> sheet_recipes() {
    return {
        {{"sheets",
          "bounding boxes of the triangles (2-D: segments) of wavy cloths stacked with small "
          "gaps: meshes, where neighbours touch exactly (each cloth's last row may be "
          "incomplete)",
          1'024'000,
          {dim_parameter(),
           {"cloths", 20, 1, 1e6, "number of cloths of size 1", true},
           {"gap", 1.2, 0, 1e6, "distance between cloths, in edges of their triangles"},
           {"waves", 3, 0, 1e6, "waves along a side"},
           {"amplitude", 0.05, 0, 1e6, "of the waves"}}},
         sheets},
    };
}

}  // namespace vicinal::scenes
