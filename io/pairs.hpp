// Files of pairs and of neighbour rows: ours or another program's.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "io/table.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::io {

// As a file lists it: bodies i and j, j shifted by so many periods.
template <int D>
struct ListedPair {
    Index i = 0, j = 0;
    std::array<int, D> image{};
};

enum class Images { none, read };

// The pairs of a file (.npy of two columns, or .csv with i,j), and with Images::read their
// images (2 + D columns; nx,ny,nz). Throws Error for anything but whole numbers, naming
// the row, and for an index of which there is no body: `first` bodies may stand in column
// i and `second` in column j.
template <int D>
std::vector<ListedPair<D>> read_pairs(const std::string& file, std::size_t first,
                                      std::size_t second, Images images);

// The same from a table that has been read; `file` is its name for messages.
template <int D>
std::vector<ListedPair<D>> pairs_of(const Table& table, const std::string& file,
                                    std::size_t first, std::size_t second, Images images);

// The pairs of OUT.offsets.npy, OUT.indices.npy (and OUT.images.npy).
template <int D>
std::vector<ListedPair<D>> read_rows(const std::string& prefix, std::size_t bodies,
                                     Images images);

// Pairs that never count, as the library takes them.
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
