// From pairs to neighbour rows, and from rows to sorted pairs.
#pragma once

#include <span>

#include "output/blocks.hpp"

namespace vicinal::inline VICINAL_API {

template <class V>
std::uint64_t heap_bytes(const Array<V>& values) {
    return values.capacity() * sizeof(V);
}
template <Real T, int D>
std::uint64_t heap_bytes(const Rows<T, D>& rows) {
    return heap_bytes(rows.offsets) + heap_bytes(rows.indices) + heap_bytes(rows.images) +
           heap_bytes(rows.vectors) + heap_bytes(rows.distances) + heap_bytes(rows.bodies);
}
template <Real T, int D>
Rows<T, D> empty_rows(const Allocator& allocator) {
    return {
        Array<std::uint64_t>(allocator), Array<Index>(allocator), Array<Image<D>>(allocator),
        Array<Vector<T, D>>(allocator),  Array<T>(allocator),     Array<Index>(allocator)};
}

// Sorts a row by (index, image).
template <int D>
class RowSorter {
  public:
    // `images` is null in an open domain.
    void sort(Index* indices, Image<D>* images, std::size_t count);

  private:
    std::vector<std::pair<Index, Image<D>>> both_;
};

template <Real T, int D>
class RowMaker {
  public:
    // Neighbour rows (CSR) of `bodies` bodies, each row in the order of the list or sorted by
    // (index, image). With labels, body i of the list is body labels[i] of the rows, and in
    // half rows a pair is in the row of the smaller label.
    void make(const PairList<D>& list, std::size_t bodies, RowKind kind, Order order,
              int threads, Rows<T, D>& rows, std::span<const Index> labels = {});

    // Permutes the rows to the order of rows.bodies.
    void permute_rows(Rows<T, D>& rows, int threads);

    // Sorts the list by (i, j, image) in place; every i is below `bodies`.
    void sort(PairList<D>& list, std::size_t bodies, int threads, Rows<T, D>& scratch);

    // The minimum memory for the rows of `pairs` pairs, temporary memory included.
    static std::uint64_t bytes_for(std::uint64_t pairs, std::size_t bodies, RowKind kind,
                                   RowOrder row_order, bool imaged) {
        const std::uint64_t entries = kind == RowKind::full ? 2 * pairs : pairs;
        const std::uint64_t image = imaged ? sizeof(Image<D>) : 0;
        const std::uint64_t rows =
            (bodies + 1) * sizeof(std::uint64_t) + entries * (sizeof(Index) + image);
        const std::uint64_t ordered =
            row_order == RowOrder::spatial ? rows + bodies * sizeof(Index) : 0;
        return rows + ordered + entries * (sizeof(Entry) + image);
    }

    // Rows that no ledger counts.
    std::uint64_t bytes_of_rows() const { return heap_bytes(other_); }

  private:
    struct Entry {
        Index row, neighbour;
    };
    Buffer<std::uint64_t> next_;   // per piece and bucket
    Buffer<std::uint64_t> start_;  // of each bucket, and the end
    Buffer<Entry> entries_;
    Buffer<Image<D>> images_;
    Buffer<std::uint64_t> segment_start_;  // used by sort()
    Rows<T, D> other_;                     // used by permute_rows()
};

}  // namespace vicinal::inline VICINAL_API
