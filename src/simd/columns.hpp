// The columns D and d of results: vectors between bodies, their lengths, and stores past the
// caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// A position or shift in one vector of four or two values, of which D count.
template <Real T, int D>
struct alignas(D == 3 ? 4 * sizeof(T) : 2 * sizeof(T)) Position {
    std::array<T, D == 3 ? 4 : 2> x{};
};

// The shifts of the images with components -1, 0 and 1, in the order of for_each_between.
// Nearly all pairs have one of them.
template <Real T, int D>
using NearShifts = std::array<Position<T, D>, D == 3 ? 27 : 9>;

// Pairs whose vectors are computed: (i[k * step], j[k * step]).
template <Real T, int D>
struct PairRun {
    const Position<T, D>*first, *second;  // positions of the bodies i and j
    const Index *i, *j;
    std::size_t step;        // 1, or 2 for an array of Pair
    const Image<D>* images;  // null: all zero
    std::size_t count;       // at most max_count
    std::size_t readable;    // entries of j that may be read, for prefetching

    static constexpr std::size_t max_count = 512;
};

template <Real T, int D>
struct ColumnKernels {
    // vectors[k] = (xj - xi) + s. Returns false if some image is not in the table; then the
    // vectors are undefined. Writes one value more than `count` vectors have.
    bool (*differences)(const PairRun<T, D>& run, const NearShifts<T, D>& shifts, T* vectors);
    // lengths[k] = sqrt(vectors[k] . vectors[k]), with the operations of dot() in
    // sieve/decide.hpp.
    void (*lengths)(const T* vectors, std::size_t count, T* lengths);
    // Copies without loading the destination into the caches: for results that are larger than
    // these. Other threads see the copy after flush_streams().
    void (*stream)(const T* from, std::size_t count, T* to);
};

template <Real T, int D>
ColumnKernels<T, D> column_kernels(std::int64_t target);

void flush_streams();

}  // namespace vicinal::inline VICINAL_API
