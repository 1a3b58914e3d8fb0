// Neighbour rows are found in two passes. The first writes the number of neighbours of each
// body and hit masks, one bit per candidate. Once the offset of every row is known, the second
// writes the neighbours. Masks and their candidates take about half the memory of the rows, and
// no neighbour is moved twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

// One worker's hit masks, contiguous from task to task. To read them back, copy the stream
// before writing and take the same amounts in the same order from the copy. (On its own cache
// line, to avoid false sharing between workers.)
class alignas(64) HitMaskStream {
  public:
    static constexpr std::size_t unit = 4;  // bytes: granularity and alignment
    std::uint8_t* take(std::size_t bytes) {
        bytes = (bytes + unit - 1) / unit * unit;
        if (static_cast<std::size_t>(end_ - at_) < bytes) [[unlikely]]
            next_chunk(bytes);
        std::uint8_t* const taken = at_;
        at_ += bytes;
        return taken;
    }

    // True if both are at the same position.
    bool operator==(const HitMaskStream& other) const { return at_ == other.at_; }

  private:
    friend class RowMarks;
    void next_chunk(std::size_t bytes);

    std::vector<Buffer<std::uint8_t>>* chunks_ = nullptr;
    std::size_t next_ = 0;  // chunk
    std::uint8_t *at_ = nullptr, *end_ = nullptr;
};

// Destinations of the rows in the second pass.
template <int D>
struct RowOutput {
    Index* indices;
    Image<D>* images;            // all zero before; null in an open domain
    const std::uint64_t* begin;  // of each entry's row
    std::size_t entries;
    // True if rows follow each other in the order of entries: then `begin` has one more
    // element, and overrun is overwritten by the next row.
    bool contiguous;
};
// A kernel that writes the rows of a hit-mask stream, up to `end`; `scratch` is its own.
template <int D>
using RowFill = void (*)(HitMaskStream stream, const HitMaskStream& end, const RowOutput<D>&,
                         Buffer<Index>& scratch);

// The hit masks of all workers.
class RowMarks {
  public:
    // First pass: a method with one entry per body writes the masks, task by task.
    void begin(std::size_t entries, std::size_t tasks, int threads);
    std::uint64_t* lengths() { return lengths_.data(); }  // of each entry's row
    HitMaskStream& begin_task(std::size_t task, int worker);
    void end_task(std::size_t task, int worker);

    // Second pass; `body` holds the body of every entry. Fills offsets, indices and, if
    // `imaged`, images.
    template <Real T, int D>
    void write(std::span<const Index> body, RowOrder row_order, Order order, int threads,
               bool imaged, RowFill<D> fill, Rows<T, D>& rows);

  private:
    Buffer<std::uint64_t> lengths_;
    std::vector<std::vector<Buffer<std::uint8_t>>> chunks_;  // per worker
    CountedVector<HitMaskStream> streams_;                   // per worker
    std::vector<Buffer<Index>> scratch_;                     // per worker
    CountedVector<HitMaskStream> starts_, ends_;             // per task
};

}  // namespace vicinal::inline VICINAL_API
