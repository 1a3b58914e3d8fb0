#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "flags.hpp"
#include "text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {

void OutputFlags::add_to(CLI::App& app, Rows offered) {
    constexpr const char* group = "Result";
    app.add_flag("--count", count, "count pairs without storing them")->group(group);
    if (offered == Rows::offered)
        app.add_flag("--rows", rows,
                     "neighbour rows: OUT.offsets.npy, OUT.indices.npy (periodic: and "
                     "OUT.images.npy)")
            ->group(group);
    app.add_option("-o,--output", file, "write the pairs as .npy or .csv")
        ->check(not_empty())
        ->type_name("OUT")
        ->group(group);
    app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
}

void OutputFlags::check(const std::vector<std::string>& inputs) const {
    if (count && (rows || !file.empty()))
        throw UsageError("--count stores no pairs; leave out --rows and -o");
    if (rows && file.empty())
        throw UsageError("--rows needs -o OUT, the prefix of its file names");
    if (rows && file.ends_with(".csv"))
        throw UsageError("--rows writes .npy files; give -o without .csv");
    if (file.empty()) return;
    check_writable(file, inputs);
    if (!rows && !file.ends_with(".npy") && !file.ends_with(".csv"))
        throw UsageError(fmt::format("-o '{}' must end in .npy or .csv", file));
}

void check_writable(const std::string& file, const std::vector<std::string>& inputs) {
    if (std::filesystem::path(file).filename().empty())
        throw UsageError(fmt::format("-o '{}' is a folder; name a file in it", file));
    for (const std::string& input : inputs) {
        std::error_code ignored;
        if (!input.empty() && std::filesystem::equivalent(file, input, ignored))
            throw UsageError(
                fmt::format("-o '{}' would overwrite the input; name another file", file));
    }
    const auto parent = std::filesystem::path(file).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(Error::Kind::input,
                    fmt::format("{}: the folder '{}' does not exist or may not be written to; "
                                "choose another for -o",
                                file, folder));
}

}  // namespace vicinal::tool
