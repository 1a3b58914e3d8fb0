// Pairs and rows on their way to files.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include <vicinal/pairs.hpp>

namespace vicinal::tool {

struct OutputFlags {
    bool count = false;
    bool rows = false;
    std::string file;  // empty: nothing is written
    bool json = false;

    enum class Rows { offered, none };
    void add_to(CLI::App& app, Rows rows);

    // Throws UsageError when the flags contradict each other and Error when there is no
    // place to write to: better now than after a long search.
    void check(const std::vector<std::string>& inputs) const;
};

// Throws UsageError or Error unless `file` can be written and is none of the inputs.
void check_place(const std::string& file, const std::vector<std::string>& inputs);

// As .npy (pairs x 2 uint32; in a periodic domain pairs x (2 + D) int64) or .csv, straight
// from the blocks.
template <int D>
void write_pairs(const std::string& file, const PairList<D>& pairs, bool periodic);

// PREFIX.offsets.npy, PREFIX.indices.npy and, in a periodic domain, PREFIX.images.npy.
// Returns the names of the files.
template <int D>
std::vector<std::string> write_rows(const std::string& prefix, const Rows<D>& rows,
                                    bool periodic);

}  // namespace vicinal::tool
