#include "core/row_parts.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/sort.hpp"

namespace vicinal {

void RowWriter::turn_over(Lane& lane, std::size_t n) {
    constexpr std::size_t usual = std::size_t{1} << 19;  // a huge page
    if (used_ == chunks_.size()) chunks_.emplace_back();
    Buffer<Index>& chunk = chunks_[used_++];
    chunk.resize(std::max(n + 1, usual));
    lane = {chunk.data(), chunk.data() + chunk.size()};
}

RowWriter* RowParts::begin(std::size_t bodies, int threads) {
    rows_.resize(bodies);
    writers_.resize(static_cast<std::size_t>(threads));
    for (RowWriter& writer : writers_) {
        writer.rows_ = rows_.data();
        writer.used_ = 0;
        writer.lanes_ = {};
    }
    return writers_.data();
}

void RowParts::join(Order order, int threads, std::vector<std::uint64_t>& offsets,
                    std::vector<Index>& indices) const {
    const std::size_t bodies = rows_.size();
    offsets.resize(bodies + 1);
    parallel_ranges(threads, bodies, [&](Range r, std::size_t) {
        for (std::size_t i = r.begin; i < r.end; ++i) offsets[i] = rows_[i].size;
    });
    offsets[bodies] = exclusive_scan(threads, std::span(offsets.data(), bodies));
    indices.resize(offsets[bodies]);
    parallel_ranges(threads, bodies, [&](Range r, std::size_t) {
        // Found in the method's order, wanted in the caller's: far apart, but known ahead.
        constexpr std::size_t ahead = 24, line = 64 / sizeof(Index);
        const FoundRow* const rows = rows_.data();
        Index* to = indices.data() + offsets[r.begin];
        const Index* const last = indices.data() + offsets[r.end];
        for (std::size_t i = r.begin; i < r.end; ++i) {
            if (i + ahead < r.end)
                for (std::size_t k = 0; k < rows[i + ahead].size; k += line)
                    __builtin_prefetch(rows[i + ahead].begin + k);
            const std::size_t size = rows[i].size;
            // Whole lines while what is written too much is overwritten by rows to come.
            if (size + line <= static_cast<std::size_t>(last - to))
                for (std::size_t k = 0; k < size; k += line)
                    std::copy_n(rows[i].begin + k, line, to + k);
            else
                std::copy_n(rows[i].begin, size, to);
            if (order == Order::sorted) sort_indices(to, size);
            to += size;
        }
    });
}

std::size_t RowParts::bytes() const {
    std::size_t sum = rows_.bytes();
    for (const RowWriter& writer : writers_)
        for (const Buffer<Index>& chunk : writer.chunks_) sum += chunk.bytes();
    return sum;
}

}  // namespace vicinal
