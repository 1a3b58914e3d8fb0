// Loops over bodies on several threads, whose results do not depend on how many there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace vicinal::sim {

// What 0 threads mean.
inline int thread_count(int asked) {
#ifdef _OPENMP
    return asked > 0 ? asked : omp_get_max_threads();
#else
    static_cast<void>(asked);
    return 1;
#endif
}

// Calls f(k) for 0 <= k < count, each a piece of work of its own. f must not throw.
template <class F>
void parallel_items(int threads, std::size_t count, const F& f) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && count > 1)
#else
    static_cast<void>(threads);
#endif
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(count); ++k)
        f(static_cast<std::size_t>(k));
}

// Work is cut into pieces of this many bodies, whatever the threads.
inline constexpr std::size_t piece_size = 4096;

// Calls f(begin, end, piece) for all pieces of 0 ... n - 1.
template <class F>
void parallel_pieces(int threads, std::size_t n, const F& f) {
    parallel_items(threads, (n + piece_size - 1) / piece_size, [&](std::size_t p) {
        const std::size_t begin = p * piece_size;
        f(begin, std::min(begin + piece_size, n), p);
    });
}

// Calls f(i) for 0 <= i < n.
template <class F>
void parallel_for(int threads, std::size_t n, const F& f) {
    parallel_pieces(threads, n, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) f(i);
    });
}

// The sum (+=) of f(i) over 0 <= i < n, always added up in the same order.
template <class T, class F>
T parallel_sum(int threads, std::size_t n, const F& f) {
    std::vector<T> sums((n + piece_size - 1) / piece_size, T{});
    parallel_pieces(threads, n, [&](std::size_t begin, std::size_t end, std::size_t p) {
        T sum{};
        for (std::size_t i = begin; i < end; ++i) sum += f(i);
        sums[p] = sum;
    });
    T total{};
    for (const T& sum : sums) total += sum;
    return total;
}

}  // namespace vicinal::sim
