// The manual pages and the bash completion, made from the commands and flags that --help shows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vicinal::tool {

// The commands in the order of --help.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// A page in the macros of man(7): of the tool itself, or of one of its commands. `date` is that
// of the page.
std::string tool_page(const CLI::App& app, const std::string& date);
std::string command_page(const CLI::App& command, const std::string& date);

// A script for bash that completes commands, flags and words that a flag accepts. Everything
// else is completed as the name of a file.
std::string bash_completion(const CLI::App& app);

}  // namespace vicinal::tool
