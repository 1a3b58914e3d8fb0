#include "scene.hpp"

#include <fmt/format.h>

#include <map>

#include "common/text.hpp"
#include "flags.hpp"
#include "io/bodies.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

std::map<std::string, double> parse_parameters(const std::vector<std::string>& texts) {
    std::map<std::string, double> result;
    for (const std::string& text : texts) {
        const std::size_t at = text.find('=');
        double value = 0;
        if (at == std::string::npos ||
            !common::parse(std::string_view(text).substr(at + 1), value))
            throw UsageError(fmt::format("'{}' is not a parameter; write key=number", text));
        if (!result.emplace(text.substr(0, at), value).second)
            throw UsageError(
                fmt::format("{} is given twice; give it once", text.substr(0, at)));
    }
    return result;
}

// Accepts unknown scenes too: make() then reports the error.
std::uint64_t default_size(const std::string& name) {
    for (const scenes::SceneInfo& scene : scenes::list())
        if (scene.name == name) return scene.n;
    return 0;
}

void add_columns(const std::vector<double>& values, std::size_t width, io::Table& table) {
    for (std::size_t a = 0; a < width; ++a) {
        std::vector<double> column(values.size() / width);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] = values[i * width + a];
        table.columns.push_back({"", std::move(column)});
    }
}

}  // namespace

void SceneChoice::add_numbers_to(CLI::App& app) {
    app.add_option("--n", n, "number of bodies; default: that of the scene")
        ->check(whole_number())
        ->type_name("N");
    app.add_option("--seed", seed, "seed of the random numbers")
        ->check(whole_number())
        ->type_name("S");
}

scenes::Workload SceneChoice::make() const {
    return scenes::make(name, n.value_or(default_size(name)), seed,
                        parse_parameters(parameters));
}

io::Table to_table(const scenes::Workload& scene) {
    io::Layout layout;
    layout.shape = scene.shape;
    layout.radius_column = scene.shape == Shape::spheres;
    const auto dim = static_cast<std::size_t>(scene.dim);
    io::Table table;
    table.rows = scene.size();
    add_columns(scene.position, dim, table);
    if (scene.shape == Shape::boxes) add_columns(scene.upper, dim, table);
    if (scene.shape == Shape::spheres) add_columns(scene.radius, 1, table);
    const auto names = io::column_names(layout, scene.dim);
    for (std::size_t k = 0; k < names.size(); ++k) table.columns[k].name = names[k];
    return table;
}

}  // namespace vicinal::tool
