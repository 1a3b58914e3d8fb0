// Files of pairs, to be read: ours or another program's.
#pragma once

#include <string>
#include <vector>

#include "plain.hpp"

namespace vicinal::tool {

enum class Images { none, read };

// The pairs of a file (.npy of two columns, or .csv with i,j), and with Images::read their
// images (2 + D columns; nx,ny,nz). Throws Error for anything but whole numbers, naming
// the row, and for an index of which there is no body: `first` bodies may stand in column
// i and `second` in column j.
template <int D>
std::vector<PlainPair<D>> read_pairs(const std::string& file, std::size_t first,
                                     std::size_t second, Images images);

// The same from OUT.offsets.npy, OUT.indices.npy (and OUT.images.npy).
template <int D>
std::vector<PlainPair<D>> read_rows(const std::string& prefix, std::size_t bodies,
                                    Images images);

// Pairs that never count, as the library takes them.
std::vector<Pair> read_excluded(const std::string& file, std::size_t first, std::size_t second);

// The three files of neighbour rows.
struct RowFiles {
    std::string offsets, indices, images;
    explicit RowFiles(std::string prefix);  // a trailing .npy is dropped
};

}  // namespace vicinal::tool
