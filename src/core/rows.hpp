// From pairs to neighbour rows, and from rows to sorted pairs.
#pragma once

#include "core/blocks.hpp"

namespace vicinal {

// Neighbour rows of `bodies` bodies, each row sorted by (index, image).
template <int D>
void make_rows(const PairList<D>& list, std::size_t bodies, RowKind kind, int threads,
               Rows<D>& rows);

// Memory make_rows() takes for so many pairs.
template <int D>
std::uint64_t rows_bytes(std::uint64_t pairs, std::size_t bodies, RowKind kind, bool imaged) {
    const std::uint64_t entries = kind == RowKind::full ? 2 * pairs : pairs;
    return (bodies + 1) * sizeof(std::uint64_t) +
           entries * (sizeof(Index) + (imaged ? sizeof(Image<D>) : 0));
}

// Sorts the list by (i, j, image) in its own memory; `bodies` counts the first of each pair.
template <int D>
void sort_pairs(PairList<D>& list, std::size_t bodies, int threads, Rows<D>& scratch);

}  // namespace vicinal
