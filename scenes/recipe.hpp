// The definition of a scene: its description and the function that makes it. One list per file;
// scenes.cpp concatenates them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scenes/random.hpp"
#include "scenes/scenes.hpp"

namespace vicinal::scenes {

// A validated request: every parameter is present and in range.
struct Request {
    std::uint64_t n;
    int dim;
    Random random;
    std::map<std::string, double> values;

    double operator[](const std::string& parameter) const { return values.at(parameter); }
};

struct Recipe {
    SceneInfo info;
    Workload (*make)(Request&);  // in any order: the caller shuffles
};

std::vector<Recipe> point_recipes();
std::vector<Recipe> sphere_recipes();
std::vector<Recipe> sheet_recipes();
std::vector<Recipe> degenerate_recipes();

inline Parameter dim_parameter() {
    return {"dim", 3, 2, 3, "dimensions", true};
}

inline Parameter neighbours_parameter(double default_value) {
    return {"neighbours", default_value, 0, 1e9,
            "mean number of neighbours away from the border"};
}

inline Parameter fill_parameter(double default_value) {
    return {"fill", default_value, 0, 100, "sum of the volumes over the volume of the box"};
}

inline Workload empty_workload(const Request& request, Shape shape) {
    Workload result;
    result.shape = shape;
    result.dim = request.dim;
    result.position.reserve(request.n * static_cast<std::size_t>(request.dim));
    return result;
}

inline void add_uniform(Request& request, Workload& workload, double low, double high) {
    for (int a = 0; a < request.dim; ++a)
        workload.position.push_back(request.random.uniform(low, high));
}

}  // namespace vicinal::scenes
