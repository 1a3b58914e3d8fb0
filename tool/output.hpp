// The flags for the kind of output and its file.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "io/write.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::tool {

struct OutputFlags {
    bool count = false;
    bool rows = false;
    bool full = false;    // pairs in both directions
    std::string letters;  // of the columns; empty: the command's own
    std::string file;     // empty: nothing is written; "-": standard output
    std::string format;   // empty: by the ending, or csv on standard output
    bool json = false;

    // Whether the command can write rows and full lists.
    enum class Rows { offered, none };
    void add_to(CLI::App& app, Rows rows);

    // Throws UsageError if the flags contradict each other and Error if the file cannot be
    // written: early, not after a long search.
    void check(const std::vector<std::string>& inputs) const;

    io::Output destination() const;
    // Of the files: those of --columns, else `otherwise`. An open domain has no images.
    Columns columns(bool periodic, Columns otherwise = Columns::ijS) const;
    RowKind kind() const { return full ? RowKind::full : RowKind::half; }
    // Standard output, unless the pairs go there.
    std::FILE* summary_stream() const { return file == "-" ? stderr : stdout; }
    // The same for one frame of several: its number precedes the ending of the file's name,
    // with zeros so that names sort by it.
    OutputFlags for_frame(std::size_t number, std::size_t of) const;
};

// Throws UsageError or Error unless `file` can be written and is none of the inputs.
void check_writable(const std::string& file, const std::vector<std::string>& inputs);

}  // namespace vicinal::tool
