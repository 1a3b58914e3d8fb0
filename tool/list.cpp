// vicinal methods, scenes and scene: what there is, and a scene as a file.
#include <fmt/format.h>

#include <map>

#include "commands.hpp"
#include "input.hpp"
#include "io/write.hpp"
#include "progress.hpp"
#include "scenes/scenes.hpp"
#include "summary.hpp"
#include "text.hpp"

#include <vicinal/methods.hpp>

namespace vicinal::tool {
namespace {

struct ListFlags {
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

std::string option_text(const std::string& name, const std::string& fallback,
                        const std::string& values, const std::string& meaning) {
    return fmt::format("    {:<24} {} ({})\n", name + " = " + fallback, meaning, values);
}

std::string range(double least, double most) {
    return fmt::format("{} to {}", least, most);
}

std::string values(const OptionInfo& option) {
    return option.choices.empty() ? range(option.least, option.most)
                                  : join(option.choices, " | ");
}

nlohmann::ordered_json to_json(const OptionInfo& option) {
    nlohmann::ordered_json json{
        {"name", option.name}, {"default", option.fallback}, {"meaning", option.meaning}};
    if (option.choices.empty()) {
        json["least"] = option.least;
        json["most"] = option.most;
    } else {
        json["choices"] = option.choices;
    }
    return json;
}

int run_methods(const ListFlags& flags) {
    nlohmann::ordered_json json{{"methods", nlohmann::ordered_json::array()}};
    std::string text;
    for (const MethodInfo& method : methods()) {
        nlohmann::ordered_json options = nlohmann::ordered_json::array();
        text += fmt::format("{:<16}{}\n", method.name, method.summary);
        for (const OptionInfo& option : method.options) {
            options.push_back(to_json(option));
            text += option_text(option.name, option.fallback, values(option), option.meaning);
        }
        json["methods"].push_back(
            {{"name", method.name}, {"summary", method.summary}, {"options", options}});
    }
    if (flags.json)
        print(json);
    else
        print(text + "\nuse: vicinal pairs ... --method 'name(key=value, ...)'\n");
    return 0;
}

int run_scenes(const ListFlags& flags) {
    nlohmann::ordered_json json{{"scenes", nlohmann::ordered_json::array()}};
    std::string text;
    for (const scenes::SceneInfo& scene : scenes::list()) {
        nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
        text += fmt::format("{:<16}{} (n = {})\n", scene.name, scene.summary, scene.n);
        for (const scenes::Parameter& p : scene.parameters) {
            parameters.push_back({{"name", p.name},
                                  {"default", p.fallback},
                                  {"meaning", p.meaning},
                                  {"least", p.least},
                                  {"most", p.most}});
            text += option_text(p.name, fmt::format("{}", p.fallback), range(p.least, p.most),
                                p.meaning);
        }
        json["scenes"].push_back({{"name", scene.name},
                                  {"summary", scene.summary},
                                  {"n", scene.n},
                                  {"parameters", parameters}});
    }
    if (flags.json)
        print(json);
    else
        print(text + "\nuse: vicinal scene NAME [--n N] [--seed S] [key=value ...] -o FILE\n");
    return 0;
}

struct SceneFlags {
    std::string name, file;
    std::optional<std::uint64_t> n;
    std::uint64_t seed = 1;
    std::vector<std::string> parameters;
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_option("NAME", name, "one of vicinal scenes")->required();
        app.add_option("PARAMETERS", parameters, "key=value ...; see vicinal scenes")
            ->type_name("key=value");
        app.add_option("--n", n, "bodies; the scene's own number without it")
            ->check(whole_number())
            ->type_name("N");
        app.add_option("--seed", seed, "another seed, another scene of the same kind")
            ->check(whole_number())
            ->type_name("S");
        app.add_option("-o,--output", file, "where to write it: .npy or .csv")
            ->required()
            ->type_name("FILE");
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

std::map<std::string, double> parse_parameters(const std::vector<std::string>& texts) {
    std::map<std::string, double> result;
    for (const std::string& text : texts) {
        const std::size_t at = text.find('=');
        double value = 0;
        if (at == std::string::npos || !parse(std::string_view(text).substr(at + 1), value))
            throw UsageError(fmt::format("'{}' is no parameter; write key=number", text));
        result[text.substr(0, at)] = value;
    }
    return result;
}

// Named for unknown scenes too: make() then says what there is.
std::uint64_t default_size(const std::string& name) {
    for (const scenes::SceneInfo& scene : scenes::list())
        if (scene.name == name) return scene.n;
    return 0;
}

// A column of an interleaved array, which is not needed afterwards but for its other ones.
void split_columns(const std::vector<double>& values, std::size_t width,
                   std::vector<std::vector<double>>& columns) {
    for (std::size_t a = 0; a < width; ++a) {
        std::vector<double> column(values.size() / width);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] = values[i * width + a];
        columns.push_back(std::move(column));
    }
}

// Writes the columns in the order and by the names that `pairs` expects.
void write_scene(const std::string& file, const scenes::Workload& scene) {
    Layout layout;
    layout.shape = scene.shape;
    layout.radius_column = scene.shape == Shape::spheres;
    const auto dim = static_cast<std::size_t>(scene.dim);
    std::vector<std::vector<double>> columns;
    split_columns(scene.position, dim, columns);
    if (scene.shape == Shape::boxes) split_columns(scene.upper, dim, columns);
    if (scene.shape == Shape::spheres) columns.push_back(scene.radius);
    io::write_columns(file, column_names(layout, scene.dim), columns);
}

std::string next_command(const std::string& file, const scenes::Workload& scene) {
    const std::string shape = scene.shape == Shape::boxes ? "--boxes"
                              : scene.shape == Shape::spheres
                                  ? "--radius column"
                                  : fmt::format("--cutoff {}", scene.cutoff);
    return fmt::format("vicinal pairs {} {}", shell_word(file), shape);
}

int run_scene(const SceneFlags& flags) {
    if (!flags.file.ends_with(".npy") && !flags.file.ends_with(".csv"))
        throw UsageError(fmt::format("-o '{}' must end in .npy or .csv", flags.file));
    const auto parameters = parse_parameters(flags.parameters);
    scenes::Workload scene;
    {
        Progress progress("making " + flags.name);
        scene = scenes::make(flags.name, flags.n.value_or(default_size(flags.name)), flags.seed,
                             parameters);
        progress.phase("writing " + flags.file);
        write_scene(flags.file, scene);
    }
    const char* shape = scene.shape == Shape::points    ? "points"
                        : scene.shape == Shape::spheres ? "spheres"
                                                        : "boxes";
    const std::string next = next_command(flags.file, scene);
    if (flags.json) {
        nlohmann::ordered_json json{{"scene", flags.name}, {"bodies", scene.size()},
                                    {"dim", scene.dim},    {"shape", shape},
                                    {"seed", flags.seed},  {"output", flags.file},
                                    {"next", next}};
        if (scene.shape == Shape::points) json["cutoff"] = scene.cutoff;
        print(json);
    } else {
        print(fmt::format("{}: {} {} in {}-D, written to {}\nnext: {}\n", flags.name,
                          grouped(scene.size()), shape, scene.dim, one_line(flags.file),
                          one_line(next)));
    }
    return 0;
}

}  // namespace

void add_methods(CLI::App& app, Chosen& chosen) {
    add_command<ListFlags>(app, chosen, "methods", "list the methods and their options",
                           run_methods);
}

void add_scenes(CLI::App& app, Chosen& chosen) {
    add_command<ListFlags>(app, chosen, "scenes", "list the scenes and their parameters",
                           run_scenes);
}

void add_scene(CLI::App& app, Chosen& chosen) {
    add_command<SceneFlags>(app, chosen, "scene", "make a scene and write it to a file",
                            run_scene)
        ->footer("Example:\n  vicinal scene uniform --n 1000000 neighbours=30 -o points.npy");
}

}  // namespace vicinal::tool
