#include "row_grid/row_marks.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "output/rows.hpp"

namespace vicinal::inline VICINAL_API {

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

template <Real T, int D>
void RowMarks::write(std::span<const Index> body, RowOrder row_order, Order order, int threads,
                     bool imaged, RowFill<D> fill, Rows<T, D>& rows) {
    const std::size_t n = body.size();
    rows.offsets.resize(n + 1);
    std::uint64_t *const lengths = lengths_.data(), *const begin = rows.offsets.data();
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
    const std::uint64_t total = exclusive_scan(threads, std::span(begin, n));
    begin[n] = total;
    rows.indices.resize(total);
    rows.images.resize(imaged ? total : 0);
    if (total == 0) return;  // nothing to write
    // Nearly all images are zero, and whole arrays are zeroed at the speed of memory.
    if (imaged)
        parallel_ranges(threads, total, [images = rows.images.data()](Range r, std::size_t) {
            std::memset(images + r.begin, 0, r.size() * sizeof(Image<D>));
        });

    RowOutput<D> output{rows.indices.data(), imaged ? rows.images.data() : nullptr, begin, n,
                        true};
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
        RowSorter<D> sorter;
        for (std::size_t i = r.begin; i < r.end; ++i)
            sorter.sort(output.indices + begin[i], imaged ? output.images + begin[i] : nullptr,
                        begin[i + 1] - begin[i]);
    });
}

#define VICINAL_INSTANTIATE(T, D)                                                     \
    template void RowMarks::write(std::span<const Index>, RowOrder, Order, int, bool, \
                                  RowFill<D>, Rows<T, D>&);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
