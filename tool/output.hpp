// The flags for the kind of output and its file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vicinal::tool {

struct OutputFlags {
    bool count = false;
    bool rows = false;
    std::string file;  // empty: nothing is written
    bool json = false;

    enum class Rows { offered, none };
    void add_to(CLI::App& app, Rows rows);

    // Throws UsageError if the flags contradict each other and Error if the file cannot be
    // written: early, not after a long search.
    void check(const std::vector<std::string>& inputs) const;
};

// Throws UsageError or Error unless `file` can be written and is none of the inputs.
void check_writable(const std::string& file, const std::vector<std::string>& inputs);

}  // namespace vicinal::tool
