// Files of pairs and of neighbour rows, by this or another program.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "io/table.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::io {

// A pair of a file: bodies i and j, with j shifted by `image` periods.
template <int D>
struct ListedPair {
    Index i = 0, j = 0;
    std::array<int, D> image{};
};

enum class Images { none, read };

// The pairs of a file (.npy of two columns, or .csv with i,j), and with Images::read their
// images (2 + D columns; nx,ny,nz). Throws Error for values that are not whole numbers and for
// indices out of range: column i must be below `first`, column j below `second`.
template <int D>
std::vector<ListedPair<D>> read_pairs(const std::string& file, std::size_t first,
                                      std::size_t second, Images images);

// The same from a table; `file` is its name for messages.
template <int D>
std::vector<ListedPair<D>> pairs_of(const Table& table, const std::string& file,
                                    std::size_t first, std::size_t second, Images images);

// The pairs of OUT.offsets.npy, OUT.indices.npy (and OUT.images.npy).
template <int D>
std::vector<ListedPair<D>> read_rows(const std::string& prefix, std::size_t bodies,
                                     Images images);

// Excluded pairs, as the library takes them.
std::vector<Pair> read_excluded(const std::string& file, std::size_t first, std::size_t second);

// The three files of neighbour rows.
struct RowFiles {
    std::string offsets, indices, images;
    explicit RowFiles(std::string prefix);  // a trailing .npy is dropped
};

// As .npy (pairs x 2 uint32; in a periodic domain pairs x (2 + D) int64) or .csv, straight
// from the blocks.
template <int D>
void write_pairs(const std::string& file, const PairList<D>& pairs, bool periodic);

// PREFIX.offsets.npy, PREFIX.indices.npy and, in a periodic domain, PREFIX.images.npy.
// Returns the names of the files.
template <int D>
std::vector<std::string> write_rows(const std::string& prefix, const vicinal::Rows<D>& rows,
                                    bool periodic);

}  // namespace vicinal::io
