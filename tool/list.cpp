// vicinal methods and scenes: lists. vicinal scene: writes a scene to a file.
#include <fmt/format.h>

#include "commands.hpp"
#include "common/text.hpp"
#include "flags.hpp"
#include "io/write.hpp"
#include "progress.hpp"
#include "scene.hpp"
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

std::string option_text(const std::string& name, const std::string& default_value,
                        const std::string& values, const std::string& meaning) {
    return fmt::format("    {:<24} {} ({})\n", name + " = " + default_value, meaning, values);
}

std::string range(double minimum, double maximum) {
    return fmt::format("{} to {}", minimum, maximum);
}

std::string values(const OptionInfo& option) {
    return option.choices.empty() ? range(option.minimum, option.maximum)
                                  : common::join(option.choices, " | ");
}

nlohmann::ordered_json to_json(const OptionInfo& option) {
    nlohmann::ordered_json json{
        {"name", option.name}, {"default", option.default_value}, {"meaning", option.meaning}};
    if (option.choices.empty()) {
        json["least"] = option.minimum;
        json["most"] = option.maximum;
    } else {
        json["choices"] = option.choices;
    }
    if (option.kind == OptionInfo::Kind::approximate) json["approximate"] = true;
    return json;
}

int run_methods(const ListFlags& flags) {
    nlohmann::ordered_json json{{"methods", nlohmann::ordered_json::array()}};
    std::string text;
    for (const MethodInfo& method : methods()) {
        nlohmann::ordered_json options = nlohmann::ordered_json::array();
        text += fmt::format("{:<20}{}\n", method.name, method.summary);
        for (const OptionInfo& option : method.options) {
            options.push_back(to_json(option));
            text +=
                option_text(option.name, option.default_value, values(option), option.meaning);
        }
        json["methods"].push_back(
            {{"name", method.name}, {"summary", method.summary}, {"options", options}});
    }
    if (flags.json)
        print(json);
    else
        print(text + "\nusage: vicinal pairs ... --method 'name(key=value, ...)'\n");
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
                                  {"default", p.default_value},
                                  {"meaning", p.meaning},
                                  {"least", p.minimum},
                                  {"most", p.maximum}});
            text += option_text(p.name, fmt::format("{}", p.default_value),
                                range(p.minimum, p.maximum), p.meaning);
        }
        json["scenes"].push_back({{"name", scene.name},
                                  {"summary", scene.summary},
                                  {"n", scene.n},
                                  {"parameters", parameters}});
    }
    if (flags.json)
        print(json);
    else
        print(text +
              "\nusage: vicinal scene NAME [--n N] [--seed S] [key=value ...] -o FILE\n");
    return 0;
}

struct SceneFlags {
    SceneChoice scene;
    std::string file;
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_option("NAME", scene.name, "a scene of vicinal scenes")->required();
        app.add_option("PARAMETERS", scene.parameters, "key=value ...; see vicinal scenes")
            ->type_name("key=value");
        scene.add_numbers_to(app);
        app.add_option("-o,--output", file,
                       "output file: .csv, .npy or .npz; -: standard output, as csv")
            ->required()
            ->type_name("FILE");
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

void write_scene(const std::string& file, const scenes::Workload& scene) {
    const io::Table table = to_table(scene);
    std::vector<io::OutputColumn> columns;
    for (const io::NamedColumn& column : table.columns)
        columns.push_back({column.name, column.values});
    io::write_table({file, io::output_format(file).value_or(io::OutputFormat::csv)}, columns);
}

std::string next_command(const std::string& file, const scenes::Workload& scene) {
    const std::string shape = scene.shape == Shape::boxes ? "--boxes"
                              : scene.shape == Shape::spheres
                                  ? "--radius column"
                                  : fmt::format("--cutoff {}", scene.cutoff);
    return fmt::format("vicinal pairs {} {}", shell_word(file), shape);
}

int run_scene(const SceneFlags& flags) {
    if (flags.file != "-" && !io::output_format(flags.file))
        throw UsageError(fmt::format("-o '{}' must end in .csv, .npy or .npz", flags.file));
    std::FILE* const to = flags.file == "-" ? stderr : stdout;
    scenes::Workload scene;
    {
        Progress progress("making " + flags.scene.name);
        scene = flags.scene.make();
        progress.phase("writing " + flags.file);
        write_scene(flags.file, scene);
    }
    const char* shape = io::shape_name(scene.shape);
    const std::string next = next_command(flags.file, scene);
    if (flags.json) {
        nlohmann::ordered_json json{{"scene", flags.scene.name},
                                    {"bodies", scene.size()},
                                    {"dim", scene.dim},
                                    {"shape", shape},
                                    {"seed", flags.scene.seed},
                                    {"output", flags.file},
                                    {"next", next}};
        if (scene.shape == Shape::points) json["cutoff"] = scene.cutoff;
        print(json, to);
    } else {
        print(fmt::format("{}: {} in {}-D, written to {}\nnext: {}\n", flags.scene.name,
                          common::counted(scene.size(), shape), scene.dim,
                          flags.file == "-" ? "standard output" : common::one_line(flags.file),
                          common::one_line(next)),
              to);
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
