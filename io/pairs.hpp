// Files of pairs and of neighbour rows, by this or another program.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "io/body_ids.hpp"
#include "io/table.hpp"
#include "io/write.hpp"

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
// bodies that do not exist: column i names bodies of `first`, column j bodies of `second`.
template <int D>
std::vector<ListedPair<D>> read_pairs(const std::string& file, const BodyIds& first,
                                      const BodyIds& second, Images images);

// The same from a table; `file` is its name for messages.
template <int D>
std::vector<ListedPair<D>> pairs_of(const Table& table, const std::string& file,
                                    const BodyIds& first, const BodyIds& second, Images images);

// The pairs of OUT.offsets.npy, OUT.indices.npy (and OUT.images.npy).
template <int D>
std::vector<ListedPair<D>> read_rows(const std::string& prefix, std::size_t bodies,
                                     Images images);

// Excluded pairs, as the library takes them.
std::vector<Pair> read_excluded(const std::string& file, const BodyIds& first,
                                const BodyIds& second);

// The files of neighbour rows.
struct RowFiles {
    std::string offsets, indices, images, distances, vectors;
    explicit RowFiles(std::string prefix);  // a trailing .npy is dropped
};

// Who pairs with whom, in the words of the files: column i names bodies of `first`, column j
// bodies of `second`.
struct PairNames {
    const BodyIds& first;
    const BodyIds& second;
    bool given() const { return first.given() || second.given(); }
};

// The pairs with their bodies first: as .csv with the names i, j, nx, ny, nz, distance, dx, dy
// and dz; as .npz with arrays i, j, S, d and D; as .npy an array of pairs x 2 uint32 (with ids
// int64), with images of pairs x (2 + D) int64, and with distances or vectors a structured
// array with the names of .csv. `columns` says which there are; indices are n x 2.
template <Real T, int D>
void write_pairs(const Output& output, const PairColumns<T, D>& pairs, Columns columns,
                 const PairNames& names);

// PREFIX.offsets.npy, PREFIX.indices.npy and those of the other columns that there are. Returns
// the names of the files.
template <Real T, int D>
std::vector<std::string> write_rows(const std::string& prefix, const Rows<T, D>& rows,
                                    Columns columns);

}  // namespace vicinal::io
