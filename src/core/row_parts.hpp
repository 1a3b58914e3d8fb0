// Neighbour rows as a search finds them, each whole and in no particular order of bodies, until
// they are put side by side.
#pragma once

#include <vector>

#include "core/buffer.hpp"

#include <vicinal/finder.hpp>

namespace vicinal {

struct FoundRow {
    const Index* begin;
    std::size_t size;
};

// One worker's pen.
class RowWriter {
  public:
    // Room for the row of a body: n indices, and behind them what a vector holds too much.
    Index* row(Index body, std::size_t n) {
        // Not even an empty row is written nowhere.
        if (end_ - at_ <= static_cast<std::ptrdiff_t>(n)) [[unlikely]]
            turn_over(n);
        rows_[body] = {at_, n};
        Index* const begin = at_;
        at_ += n;
        return begin;
    }

    // What row() writes for a body. It is far from what it writes for others, and a miss there
    // would hold up all stores behind it: to be fetched early.
    const void* place(Index body) const { return rows_ + body; }

  private:
    friend class RowParts;
    void turn_over(std::size_t n);

    FoundRow* rows_ = nullptr;
    Index *at_ = nullptr, *end_ = nullptr;
    std::vector<Buffer<Index>> chunks_;
    std::size_t used_ = 0;
};

// All of them.
class RowParts {
  public:
    // One writer per worker, for the rows of so many bodies.
    RowWriter* begin(std::size_t bodies, int threads);
    // Once every body has a row: side by side, each as it was found or sorted.
    void join(Order order, int threads, std::vector<std::uint64_t>& offsets,
              std::vector<Index>& indices) const;
    std::size_t bytes() const;

  private:
    Buffer<FoundRow> rows_;
    std::vector<RowWriter> writers_;
};

}  // namespace vicinal
