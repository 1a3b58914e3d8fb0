// The commands: each adds itself to the command line and, if selected, sets the function to
// run, which returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace vicinal::tool {

using Chosen = std::function<int()>;

void add_pairs(CLI::App& app, Chosen& chosen);
void add_split(CLI::App& app, Chosen& chosen);
void add_nearest(CLI::App& app, Chosen& chosen);
void add_probe(CLI::App& app, Chosen& chosen);
void add_stats(CLI::App& app, Chosen& chosen);
void add_verify(CLI::App& app, Chosen& chosen);
void add_run(CLI::App& app, Chosen& chosen);
void add_view(CLI::App& app, Chosen& chosen);
void add_bench(CLI::App& app, Chosen& chosen);
void add_methods(CLI::App& app, Chosen& chosen);
void add_scenes(CLI::App& app, Chosen& chosen);
void add_scene(CLI::App& app, Chosen& chosen);
void add_manual(CLI::App& app, Chosen& chosen);

// A command with flags F, run by `run`. F adds its flags to the command line.
template <class F>
CLI::App* add_command(CLI::App& app, Chosen& chosen, const char* name, const char* summary,
                      int (*run)(const F&)) {
    CLI::App* command = app.add_subcommand(name, summary);
    auto flags = std::make_shared<F>();
    flags->add_to(*command);
    command->callback([&chosen, flags, run] { chosen = [flags, run] { return run(*flags); }; });
    return command;
}

}  // namespace vicinal::tool
