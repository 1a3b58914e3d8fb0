// The completion of the tool in bash.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "bench/papers/experiments.hpp"
#include "common/text.hpp"
#include "manual.hpp"
#include "scenes/scenes.hpp"
#include "sim/simulators.hpp"
#include "text.hpp"

#include <vicinal/methods.hpp>

namespace vicinal::tool {
namespace {

template <class Range>
std::vector<std::string> names_in(const Range& range, const std::string& after = "") {
    std::vector<std::string> names;
    for (const auto& item : range) names.push_back(item.name + after);
    return names;
}

std::vector<std::string> experiment_words() {
    std::vector<std::string> names;
    for (const auto& experiment : papers::experiments()) names.emplace_back(experiment.name);
    return names;
}

// The words of "sum|max|min"; in "R|column", R stands for a number.
std::vector<std::string> alternatives(const std::string& type) {
    std::vector<std::string> words;
    if (type.find('|') == std::string::npos) return words;
    for (const std::string_view word : split(type, '|'))
        if (!std::isupper(static_cast<unsigned char>(word[0]))) words.emplace_back(word);
    return words;
}

// What may follow a flag, as far as it is known.
std::vector<std::string> values_of(const CLI::Option& option) {
    const std::string type = option.get_type_name(), name = option.get_single_name();
    if (type == "METHOD" || type == "METHODS") return names_in(methods());
    if (name == "scene") return names_in(scenes::list());
    if (name == "experiment") return experiment_words();
    return alternatives(type);
}

std::string quoted(const std::vector<std::string>& words) {
    return '"' + common::join(words, " ") + '"';
}

std::string flag_cases(const CLI::App& app) {
    std::string text;
    for (const CLI::App* command : commands_of(app))
        for (const CLI::Option* option : command->get_options()) {
            const auto values = values_of(*option);
            if (values.empty()) continue;
            for (const std::string& name : option->get_lnames())
                text += fmt::format("        '{} --{}') values={} ;;\n", command->get_name(),
                                    name, quoted(values));
        }
    return text;
}

// The first word of run and scene is a name; settings of that name follow.
std::string name_cases() {
    return fmt::format("            run) values={} ;;\n            scene) values={} ;;\n",
                       quoted(names_in(sim::simulators())), quoted(names_in(scenes::list())));
}

std::string setting_cases() {
    std::string text;
    const auto add = [&](const char* command, const std::string& name, const auto& settings) {
        text += fmt::format("            '{} {}') values={} ;;\n", command, name,
                            quoted(names_in(settings, "=")));
    };
    for (const sim::Simulator& simulator : sim::simulators())
        add("run", simulator.name, simulator.settings);
    for (const scenes::SceneInfo& scene : scenes::list())
        add("scene", scene.name, scene.parameters);
    return text;
}

std::string command_cases(const CLI::App& app) {
    std::string text;
    for (const CLI::App* command : commands_of(app)) {
        std::vector<std::string> flags;
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
        text +=
            fmt::format("            {}) values={} ;;\n", command->get_name(), quoted(flags));
    }
    return text;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    // In bash, '=' separates words.
    return fmt::format(R"(# Completion of vicinal in bash, written by vicinal manual.
_vicinal() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} values=
    local command=${{COMP_WORDS[1]}}
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W {0} -- "$word"))
        return
    fi
    case "$command $before" in
{1}    esac
    if [ -n "$values" ]; then
        :
    elif [[ $word == -* ]]; then
        case $command in
{2}        esac
    elif [ "$COMP_CWORD" -eq 2 ]; then
        case $command in
{3}        esac
    elif [[ $before != -* ]]; then
        case "$command ${{COMP_WORDS[2]}}" in
{4}        esac
        [ -z "$values" ] || compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=($(compgen -W "$values" -- "$word"))
}}
complete -o default -F _vicinal vicinal
)",
                       quoted(words), flag_cases(app), command_cases(app), name_cases(),
                       setting_cases());
}

}  // namespace vicinal::tool
