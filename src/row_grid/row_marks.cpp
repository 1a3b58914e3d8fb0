#include "row_grid/row_marks.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/sort.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Resizes to n values on huge pages, because they are written in random order.
template <class V>
void resize_huge(std::vector<V>& values, std::size_t n) {
    if (n > values.capacity()) {
        std::vector<V> larger;
        larger.reserve(values.capacity() > 0 ? n + n / 8 : n);
        advise_huge_pages(larger.data(), larger.capacity() * sizeof(V));
        values.swap(larger);
    }
    values.resize(n);
}

}  // namespace

void HitMaskStream::next_chunk(std::size_t bytes) {
    if (next_ == chunks_->size()) chunks_->emplace_back();
    Buffer<std::uint8_t>& chunk = (*chunks_)[next_++];
    chunk.resize(std::max(bytes, huge_page - 256));
    at_ = chunk.data();
    end_ = at_ + chunk.size();
}

void RowMarks::begin(std::size_t entries, std::size_t tasks, int threads) {
    lengths_.resize(entries);
    chunks_.resize(static_cast<std::size_t>(threads));
    scratch_.resize(chunks_.size());
    streams_.assign(chunks_.size(), {});
    for (std::size_t w = 0; w < streams_.size(); ++w) streams_[w].chunks_ = &chunks_[w];
    starts_.resize(tasks);
    ends_.resize(tasks);
}

HitMaskStream& RowMarks::begin_task(std::size_t task, int worker) {
    HitMaskStream& stream = streams_[static_cast<std::size_t>(worker)];
    starts_[task] = stream;
    return stream;
}

void RowMarks::end_task(std::size_t task, int worker) {
    ends_[task] = streams_[static_cast<std::size_t>(worker)];
}

void RowMarks::write(std::span<const Index> body, RowOrder row_order, Order order, int threads,
                     RowFill fill, std::vector<std::uint64_t>& offsets,
                     std::vector<Index>& indices) {
    const std::size_t n = body.size();
    resize_huge(offsets, n + 1);
    std::uint64_t *const lengths = lengths_.data(), *const begin = offsets.data();
    parallel_ranges(threads, n, [=](Range r, std::size_t) {
        if (row_order == RowOrder::spatial) {
            std::copy(lengths + r.begin, lengths + r.end, begin + r.begin);
            return;
        }
        constexpr std::size_t ahead = 32;
        for (std::size_t e = r.begin; e < r.end; ++e) {
            if (e + ahead < r.end) __builtin_prefetch(begin + body[e + ahead], 1);
            begin[body[e]] = lengths[e];
        }
    });
    offsets[n] = exclusive_scan(threads, std::span(begin, n));
    resize_huge(indices, offsets[n]);
    if (indices.empty()) return;  // nothing to write

    RowOutput output{indices.data(), begin, n, true};
    if (row_order == RowOrder::body) {
        // The kernel needs the offsets in the order of entries.
        parallel_ranges(threads, n, [=](Range r, std::size_t) {
            for (std::size_t e = r.begin; e < r.end; ++e) lengths[e] = begin[body[e]];
        });
        output.begin = lengths;
        output.contiguous = false;
    }
    parallel_tasks(threads, starts_.size(), [&](std::size_t t, int worker) {
        fill(starts_[t], ends_[t], output, scratch_[static_cast<std::size_t>(worker)]);
    });
    if (order == Order::any) return;
    parallel_ranges(threads, n, [&](Range r, std::size_t) {
        for (std::size_t i = r.begin; i < r.end; ++i)
            sort_indices(indices.data() + offsets[i], offsets[i + 1] - offsets[i]);
    });
}

}  // namespace vicinal::inline VICINAL_API
