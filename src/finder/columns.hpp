// Results as plain arrays, made from the pair list or from neighbour rows.
#pragma once

#include <span>

#include "output/blocks.hpp"
#include "output/rows.hpp"
#include "sieve/separations.hpp"

namespace vicinal::inline VICINAL_API {

struct ColumnOutput {
    PairLayout layout = PairLayout::n_by_2;
    Allocator allocator;
    int threads = 1;
};

template <IndexType I, Real T, int D>
PairColumns<T, D, I> columns_from(const PairList<D>& list, const Separations<T, D>& separations,
                                  const ColumnOutput& output);

// Pairs (body of the row, neighbour), row by row; the rows' own columns are moved.
template <IndexType I, Real T, int D>
PairColumns<T, D, I> columns_from(Rows<T, D> rows, const ColumnOutput& output);

template <IndexType I, Real T, int D>
Rows<T, D, I> with_index(Rows<T, D> rows, const ColumnOutput& output);

// Fills the columns D and d of rows, and removes images that are not requested. Row by row: the
// columns, which are larger than the coordinates, are then read and written in sequence.
template <Real T, int D>
void add_separations(Rows<T, D>& rows, const Separations<T, D>& separations, int threads);

// The memory of the columns of `entries` entries beside their indices and images.
template <Real T, int D>
std::uint64_t column_bytes(Columns columns, std::uint64_t entries) {
    return entries * ((has_vectors(columns) ? sizeof(Vector<T, D>) : 0) +
                      (has_distances(columns) ? sizeof(T) : 0));
}

}  // namespace vicinal::inline VICINAL_API
