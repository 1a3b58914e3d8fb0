// Neighbour rows are found in two passes. The first marks them: how many neighbours a body has,
// and a bit for every candidate that says whether it is one. When every row's place is known
// the second writes them there. Marks, with the candidates they are of, take about half of the
// memory of the rows, and nothing is moved twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/buffer.hpp"

#include <vicinal/finder.hpp>

namespace vicinal {

// One worker's marks, on one tape from task to task. A copy reads what the original, from where
// it was copied, has been taken for since: the same amounts one after the other. (On a cache
// line of its own, for workers write at the same time.)
class alignas(64) MarkTape {
  public:
    static constexpr std::size_t unit = 4;  // bytes, and how what is taken is aligned
    std::uint8_t* take(std::size_t bytes) {
        bytes = (bytes + unit - 1) / unit * unit;
        if (static_cast<std::size_t>(end_ - at_) < bytes) [[unlikely]]
            turn_over(bytes);
        std::uint8_t* const taken = at_;
        at_ += bytes;
        return taken;
    }

    // Are they at the same place?
    bool operator==(const MarkTape& other) const { return at_ == other.at_; }

  private:
    friend class RowMarks;
    void turn_over(std::size_t bytes);

    std::vector<Buffer<std::uint8_t>>* chunks_ = nullptr;
    std::size_t next_ = 0;  // chunk
    std::uint8_t *at_ = nullptr, *end_ = nullptr;
};

// Where the rows of the second pass go.
struct RowPlaces {
    Index* indices;
    const std::uint64_t* begin;  // of each entry's row
    std::size_t entries;
    // Do rows follow each other in the order of entries? Then there is one place more, and what
    // is written too much will be written over.
    bool in_turn;
};
// A kernel that writes the rows of what has been marked on a tape, up to `end`; `room` is its
// own.
using RowFill = void (*)(MarkTape tape, const MarkTape& end, const RowPlaces&,
                         Buffer<Index>& room);

// All of them.
class RowMarks {
  public:
    // The first pass: a method with one entry for each body marks them, task by task.
    void begin(std::size_t entries, std::size_t tasks, int threads);
    std::uint64_t* lengths() { return lengths_.data(); }  // of each entry's row
    MarkTape& begin_task(std::size_t task, int worker);
    void end_task(std::size_t task, int worker);

    // The second pass; `body` of every entry.
    void write(std::span<const Index> body, RowPlace place, Order order, int threads,
               RowFill fill, std::vector<std::uint64_t>& offsets, std::vector<Index>& indices);

    std::size_t bytes() const;

  private:
    Buffer<std::uint64_t> lengths_;
    std::vector<std::vector<Buffer<std::uint8_t>>> chunks_;  // of each worker
    std::vector<MarkTape> tapes_;                            // the same
    std::vector<Buffer<Index>> rooms_;                       // the same
    std::vector<MarkTape> starts_, ends_;                    // of each task
};

}  // namespace vicinal
