// Loops over ranges, and prefix sums, on the threads of <vicinal/parallel.hpp>. Results never
// depend on the number of threads: work is divided into tasks by size alone, and the workers'
// results are joined in task order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/cancellation.hpp"

#include <vicinal/parallel.hpp>

namespace vicinal::inline VICINAL_API {

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

// parallel_tasks for tasks of a few microseconds where adjacent tasks use adjacent memory: a
// worker takes several at once.
template <class F>
void parallel_short_tasks(int threads, std::size_t tasks, const F& f) {
    const std::size_t each =
        std::clamp<std::size_t>(tasks / (16 * static_cast<std::size_t>(threads)), 1, 32);
    parallel_tasks(threads, (tasks + each - 1) / each, [&](std::size_t several, int worker) {
        const std::size_t end = std::min(tasks, (several + 1) * each);
        for (std::size_t t = several * each; t < end; ++t) f(t, worker);
    });
}

// Pieces of a loop over n elements: one per thread unless the loop is too short to share, or so
// long that a call could not be cancelled in time, which is possible between pieces.
inline std::size_t piece_count(int threads, std::size_t n) {
    constexpr std::size_t shortest = 4096, longest = 1 << 20;
    return std::clamp<std::size_t>(n / shortest, 1,
                                   std::max(static_cast<std::size_t>(threads), n / longest));
}

inline Range piece(std::size_t n, std::size_t pieces, std::size_t p) {
    return {n / pieces * p + std::min(p, n % pieces),
            n / pieces * (p + 1) + std::min(p + 1, n % pieces)};
}

// Calls f(range, piece) on disjoint ranges that cover 0..n-1.
template <class F>
void parallel_ranges(int threads, std::size_t n, const F& f) {
    const std::size_t pieces = piece_count(threads, n);
    parallel_tasks(threads, pieces, [&](std::size_t p, int) { f(piece(n, pieces, p), p); });
}

template <class F>
void parallel_for(int threads, std::size_t n, const F& f) {
    parallel_ranges(threads, n, [&](Range r, std::size_t) {
        while (r.begin < r.end) {
            const std::size_t end = std::min(r.end, r.begin + work_per_poll);
            poll_cancelled(end - r.begin);
            for (; r.begin < end; ++r.begin) f(r.begin);
        }
    });
}

// One value for each piece of a loop; allocates only for very many threads or elements.
template <class T>
class PerPiece {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    explicit PerPiece(std::size_t count, const T& value = T()) : size_(count) {
        if (count > inline_capacity) heap_.resize(count * sizeof(T));
        values_ = reinterpret_cast<T*>(count > inline_capacity ? heap_.data() : inline_);
        std::uninitialized_fill_n(values_, count, value);
    }
    PerPiece(const PerPiece&) = delete;
    PerPiece& operator=(const PerPiece&) = delete;

    T& operator[](std::size_t p) { return values_[p]; }
    T* begin() { return values_; }
    T* end() { return values_ + size_; }
    std::size_t size() const { return size_; }
    std::span<T> span() { return {values_, size_}; }

  private:
    static constexpr std::size_t inline_capacity = 32;
    std::size_t size_;
    T* values_;
    alignas(T) std::byte inline_[inline_capacity * sizeof(T)];
    std::vector<std::byte> heap_;
};

// The lowest i with bad(i), or n.
template <class F>
std::size_t find_first(int threads, std::size_t n, const F& bad) {
    PerPiece<std::size_t> first(piece_count(threads, n), n);
    parallel_ranges(threads, n, [&](Range r, std::size_t p) {
        for (std::size_t i = r.begin; i < r.end; ++i)
            if (bad(i)) {
                first[p] = i;
                return;
            }
    });
    return *std::min_element(first.begin(), first.end());
}

// Exclusive prefix sum in place; returns the sum of all.
template <class T>
T exclusive_scan(int threads, std::span<T> values) {
    const std::size_t n = values.size();
    PerPiece<T> sums(piece_count(threads, n) + 1, T{0});
    parallel_ranges(threads, n, [&](Range r, std::size_t p) {
        T sum = 0;
        for (std::size_t i = r.begin; i < r.end; ++i) sum += values[i];
        sums[p + 1] = sum;
    });
    for (std::size_t p = 1; p < sums.size(); ++p) sums[p] += sums[p - 1];
    parallel_ranges(threads, n, [&](Range r, std::size_t p) {
        T sum = sums[p];
        for (std::size_t i = r.begin; i < r.end; ++i) {
            const T value = values[i];
            values[i] = sum;
            sum += value;
        }
    });
    return sums[sums.size() - 1];
}

}  // namespace vicinal::inline VICINAL_API
