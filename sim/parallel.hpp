// Parallel loops over bodies, whose results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <vicinal/parallel.hpp>

namespace vicinal::sim {

// Work is divided into pieces of this many bodies, for any number of threads.
inline constexpr std::size_t piece_size = 4096;

// Calls f(begin, end, piece) for all pieces of 0 ... n - 1.
template <class F>
void parallel_pieces(int threads, std::size_t n, const F& f) {
    parallel_tasks(threads, (n + piece_size - 1) / piece_size, [&](std::size_t p, int) {
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

// The sum (+=) of f(i) over 0 <= i < n, always in the same order.
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
