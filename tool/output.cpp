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
    if (offered == Rows::offered) {
        app.add_flag("--full", full, "each pair in both directions, (i, j) and (j, i)")
            ->group(group);
        app.add_flag("--rows", rows,
                     "neighbour rows: OUT.offsets.npy, OUT.indices.npy (periodic: and "
                     "OUT.images.npy) and those of --columns")
            ->group(group);
    }
    app.add_option("--columns", letters,
                   "columns of OUT: i, j and any of S (image), d (distance) and D (vector from "
                   "i to j), such as ijSdD")
        ->check(not_empty())
        ->type_name("ijSdD")
        ->group(group);
    app.add_option("-o,--output", file,
                   "write the pairs as .npy, .npz or .csv; -: to standard output, the summary "
                   "to standard error")
        ->check(not_empty())
        ->type_name("OUT")
        ->group(group);
    app.add_option("--output-format", format,
                   "csv, npy or npz, if OUT does not end so (-: csv)")
        ->check(one_of({"csv", "npy", "npz"}))
        ->type_name("csv|npy|npz")
        ->group(group);
    app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
}

void OutputFlags::check(const std::vector<std::string>& inputs) const {
    if (count && (rows || full || !file.empty()))
        throw UsageError("--count stores no pairs; leave out --rows, --full and -o");
    if (rows && full)
        throw UsageError("--rows holds both directions of each pair; leave out --full");
    columns(true);  // checks them
    if (!letters.empty() && file.empty())
        throw UsageError(
            "--columns is for the file of -o OUT; give it, or leave out --columns");
    if (rows && file.empty())
        throw UsageError("--rows needs -o OUT, the prefix of its file names");
    for (const char* const ending : {".csv", ".npz"})
        if (rows && file.ends_with(ending))
            throw UsageError(
                fmt::format("--rows writes .npy files; give -o without {}", ending));
    if (!format.empty() && (rows || file.empty()))
        throw UsageError("--output-format needs -o OUT, without --rows");
    if (file.empty()) return;
    if (file == "-") {
        if (rows) throw UsageError("--rows writes several files; give -o a prefix, not -");
        return;
    }
    check_writable(file, inputs);
    if (!rows && format.empty() && !io::output_format(file))
        throw UsageError(fmt::format("-o '{}' must end in .csv, .npy or .npz", file));
}

io::Output OutputFlags::destination() const {
    if (!format.empty()) return {file, *io::output_format("." + format)};
    return {file, io::output_format(file).value_or(io::OutputFormat::csv)};
}

Columns OutputFlags::columns(bool periodic, Columns otherwise) const {
    const Columns all = letters.empty() ? otherwise : columns_of(letters);
    if (periodic) return all;
    return static_cast<Columns>(static_cast<unsigned>(all) -
                                static_cast<unsigned>(has_images(all)));
}

OutputFlags OutputFlags::for_frame(std::size_t number, std::size_t of) const {
    OutputFlags result = *this;
    if (file.empty()) return result;
    const std::filesystem::path path(file);
    const std::string ending =
        rows && path.extension() != ".npy" ? "" : path.extension().string();
    const std::string stem =
        path.filename().string().substr(0, path.filename().string().size() - ending.size());
    const std::size_t digits = std::to_string(of).size();
    result.file =
        (path.parent_path() / fmt::format("{}.{:0{}}{}", stem, number, digits, ending))
            .string();
    return result;
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
