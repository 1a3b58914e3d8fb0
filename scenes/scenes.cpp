// The list of scenes, the validation of requests, and the shuffle.
#include "scenes/scenes.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/choices.hpp"
#include "scenes/recipe.hpp"

namespace vicinal::scenes {
namespace {

const std::vector<Recipe>& recipes() {
    static const std::vector<Recipe> all = [] {
        std::vector<Recipe> result;
        for (auto part : {point_recipes, sphere_recipes, sheet_recipes, degenerate_recipes})
            for (Recipe& recipe : part()) result.push_back(std::move(recipe));
        return result;
    }();
    return all;
}

std::string text(double value) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

const Recipe& find(const std::string& name) {
    for (const Recipe& recipe : recipes())
        if (recipe.info.name == name) return recipe;
    throw Error(Error::Kind::option,
                "unknown scene '" + name + "'" + common::choices(name, list()));
}

void check(const SceneInfo& info, const Parameter& parameter, double value) {
    const bool inside = value >= parameter.minimum && value <= parameter.maximum;
    if (inside && (!parameter.whole || value == static_cast<double>(static_cast<int>(value))))
        return;
    throw Error(Error::Kind::option,
                "scene '" + info.name + "': " + parameter.name + " = " + text(value) +
                    " is not a " + (parameter.whole ? "whole " : "") + "number from " +
                    text(parameter.minimum) + " to " + text(parameter.maximum) + " (" +
                    parameter.meaning + ")");
}

std::map<std::string, double> complete(const SceneInfo& info,
                                       const std::map<std::string, double>& given) {
    std::map<std::string, double> values;
    for (const Parameter& parameter : info.parameters)
        values[parameter.name] = parameter.default_value;
    for (const auto& [name, value] : given) {
        const auto found = std::ranges::find(info.parameters, name, &Parameter::name);
        if (found == info.parameters.end())
            throw Error(Error::Kind::option, "scene '" + info.name + "' has no parameter '" +
                                                 name + "'" +
                                                 common::choices(name, info.parameters));
        check(info, *found, value);
        values[name] = value;
    }
    return values;
}

void swap_bodies(std::vector<double>& values, std::size_t width, std::size_t i, std::size_t j) {
    if (values.empty() || i == j) return;
    const auto at = [&](std::size_t k) { return values.data() + k * width; };
    std::swap_ranges(at(i), at(i + 1), at(j));
}

// Fisher-Yates shuffle: no method may profit from the order in which a scene is made.
void shuffle(Workload& workload, Random& random) {
    const auto width = static_cast<std::size_t>(workload.dim);
    for (std::size_t left = workload.size(); left > 1; --left) {
        const auto j = static_cast<std::size_t>(random.below(left));
        swap_bodies(workload.position, width, left - 1, j);
        swap_bodies(workload.upper, width, left - 1, j);
        swap_bodies(workload.radius, 1, left - 1, j);
    }
}

}  // namespace

const std::vector<SceneInfo>& list() {
    static const std::vector<SceneInfo> all = [] {
        std::vector<SceneInfo> result;
        for (const Recipe& recipe : recipes()) result.push_back(recipe.info);
        return result;
    }();
    return all;
}

Workload make(const std::string& name, std::uint64_t n, std::uint64_t seed,
              const std::map<std::string, double>& parameters) {
    const Recipe& recipe = find(name);
    auto values = complete(recipe.info, parameters);
    if (n > std::numeric_limits<Index>::max())
        throw Error(Error::Kind::limit, "a scene of " + std::to_string(n) +
                                            " bodies is too large; request at most 4294967295");
    const int dim = static_cast<int>(values.at("dim"));
    Request request{n, dim, Random(seed), std::move(values)};
    Workload result = recipe.make(request);
    shuffle(result, request.random);
    return result;
}

}  // namespace vicinal::scenes
