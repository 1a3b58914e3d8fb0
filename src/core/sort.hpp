// Sorting and space-filling order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/parallel.hpp"
#include "core/scene.hpp"

namespace vicinal {

// Records and the memory to sort them.
template <class Record>
class Sorter {
  public:
    Buffer<Record> records;

    // Stable sort by the lowest `bits` bits of key(record); the others are equal or zero. Least
    // significant digit first, parallel. A stable sort has one result, so threads do not
    // matter.
    template <class Key>
    void sort(unsigned bits, int threads, const Key& key);

    std::size_t bytes() const { return records.bytes() + other_.bytes() + counts_.bytes(); }

  private:
    template <class Key>
    void pass(unsigned shift, unsigned width, int threads, const Key& key);

    Buffer<Record> other_;
    Buffer<std::uint32_t> counts_;  // per piece and digit
};

template <class Record>
template <class Key>
void Sorter<Record>::sort(unsigned bits, int threads, const Key& key) {
    constexpr unsigned widest = 11;
    if (records.size() < 2 || bits == 0) return;
    other_.resize(records.size());
    const unsigned passes = (bits + widest - 1) / widest;
    unsigned shift = 0;
    for (unsigned p = 0; p < passes; ++p) {  // digits as equal as they can be
        const unsigned width = (bits - shift + passes - p - 1) / (passes - p);
        pass(shift, width, threads, key);
        shift += width;
    }
}

// Per piece a histogram, then a scan over (digit, piece), then a stable scatter.
template <class Record>
template <class Key>
void Sorter<Record>::pass(unsigned shift, unsigned width, int threads, const Key& key) {
    const std::size_t n = records.size(), digits = std::size_t{1} << width;
    const std::uint64_t mask = digits - 1;
    const std::size_t pieces = piece_count(threads, n);
    counts_.resize(pieces * digits);
    parallel_ranges(threads, n, [&](Range r, std::size_t piece) {
        std::uint32_t* count = counts_.data() + piece * digits;
        std::fill(count, count + digits, 0u);
        const Record* from = records.data();
        for (std::size_t i = r.begin; i < r.end; ++i) ++count[key(from[i]) >> shift & mask];
    });
    std::uint32_t at = 0;
    for (std::size_t d = 0; d < digits; ++d)
        for (std::size_t piece = 0; piece < pieces; ++piece)
            at += std::exchange(counts_[piece * digits + d], at);
    parallel_ranges(threads, n, [&](Range r, std::size_t piece) {
        std::uint32_t* next = counts_.data() + piece * digits;
        const Record* from = records.data();
        Record* to = other_.data();
        for (std::size_t i = r.begin; i < r.end; ++i)
            to[next[key(from[i]) >> shift & mask]++] = from[i];
    });
    records.swap(other_);
}

struct KeyedIndex {
    std::uint64_t key;
    Index value;
};

// The middle of the bodies and the length that most of them span, per axis: from a fixed
// sample, so that a few bodies at 1e30 do not blur the rest.
struct Bulk {
    std::array<double, 3> centre{};
    std::array<double, 3> extent{};  // at least the middle nine tenths; 0 if they coincide
};

template <Real T, int D>
Bulk bulk_of(const Scene<T, D>& scene);

// The smallest and largest coordinates of all centres (of boxes: lower corners).
template <Real T, int D>
Box<double, D> bounds_of(const Scene<T, D>& scene);

// The bodies along a Z-curve.
template <Real T, int D>
std::vector<Index> morton_order(const Scene<T, D>& scene);

}  // namespace vicinal
