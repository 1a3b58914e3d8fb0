// Spheres at independent random positions in the unit cube. They also serve as boxes: the tool
// can use the bounding boxes of spheres.
#include <algorithm>

#include "scenes/arithmetic.hpp"
#include "scenes/recipe.hpp"

namespace vicinal::scenes {
namespace {

double power(double x, int dim) {
    return dim == 2 ? x * x : x * x * x;
}

// Scales the radii so that the spheres' volumes add up to `fill`.
void scale_to_fill(Workload& workload, double fill) {
    double sum = 0;
    for (const double radius : workload.radius) sum += power(radius, workload.dim);
    if (!(sum > 0)) return;
    const double scale = root(fill / (sum * unit_ball(workload.dim)), workload.dim);
    for (double& radius : workload.radius) radius *= scale;
}

Workload place(Request& request, std::vector<double> radius) {
    Workload result = empty_workload(request, Shape::spheres);
    result.radius = std::move(radius);
    scale_to_fill(result, request["fill"]);
    for (std::uint64_t i = 0; i < request.n; ++i) add_uniform(request, result, 0, 1);
    return result;
}

Workload equal_spheres(Request& request) {
    return place(request, std::vector<double>(request.n, 1.0));
}

// (1 + s g / 16)^16 approximates exp(s g).
Workload polydisperse(Request& request) {
    std::vector<double> radius(request.n);
    const double spread = request["spread"];
    for (double& r : radius) {
        r = 1 + spread * std::clamp(request.random.normal(), -3.0, 3.0) / 16;
        for (int doubling = 0; doubling < 4; ++doubling) r *= r;
    }
    return place(request, std::move(radius));
}

// At least one if the share is not 0, so that small scenes keep their giants.
std::uint64_t share_of(double share, std::uint64_t n) {
    if (share <= 0 || n == 0) return 0;
    return std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(share * static_cast<double>(n) + 0.5), 1, n);
}

Workload three_sizes(Request& request) {
    const std::uint64_t large = share_of(request["large_share"], request.n);
    const std::uint64_t medium =
        std::min(share_of(request["medium_share"], request.n), request.n - large);
    std::vector<double> radius(request.n, 1.0);
    const auto first = radius.begin();
    std::fill_n(first, large, request["large"]);
    std::fill_n(first + static_cast<std::ptrdiff_t>(large), medium, request["medium"]);
    return place(request, std::move(radius));
}

Workload giant(Request& request) {
    Workload result = empty_workload(request, Shape::spheres);
    const std::uint64_t dust = std::max<std::uint64_t>(request.n, 2) - 1;
    result.radius.assign(request.n, ball_radius(request["fill"], dust, request.dim));
    if (request.n > 0) result.radius[0] *= request["ratio"];
    for (std::uint64_t i = 0; i < request.n; ++i) add_uniform(request, result, 0, 1);
    return result;
}

}  // namespace

std::vector<Recipe> sphere_recipes() {
    return {
        {{"equal_spheres",
          "equal spheres at random positions in the unit cube: a common benchmark of overlaps",
          100'000,
          {dim_parameter(), fill_parameter(0.1)}},
         equal_spheres},
        {{"polydisperse",
          "spheres with log-normal radii over more than a decade: grains, bubbles",
          100'000,
          {dim_parameter(),
           fill_parameter(0.3),
           {"spread", 0.655, 0, 2,
            "standard deviation of ln(radius), truncated at three of them"}}},
         polydisperse},
        {{"three_sizes",
          "spheres of three sizes, most of them small: levels of a hierarchy",
          200'000,
          {dim_parameter(),
           fill_parameter(2.2),
           {"large", 64, 1, 1e6, "large radius over the small one"},
           {"medium", 8, 1, 1e6, "medium radius over the small one"},
           {"large_share", 0.001, 0, 1, "share of the bodies that are large"},
           {"medium_share", 0.05, 0, 1, "share of the bodies that are medium"}}},
         three_sizes},
        {{"giant",
          "equal small spheres and one giant, whose size must not determine the cell size",
          10'000,
          {dim_parameter(),
           {"fill", 0.1, 0, 100,
            "sum of the volumes of the small spheres over that of the box"},
           {"ratio", 1000, 1, 1e9, "radius of the giant over that of the small spheres"}}},
         giant},
    };
}

}  // namespace vicinal::scenes
