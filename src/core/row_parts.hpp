// Neighbour rows as a search finds them, each whole and in no particular order of bodies, until
// they are put side by side.
#pragma once

#include <array>
#include <cstdint>
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
    // Several rows may be written at a time, each in a lane of its own: room for a row of at
    // most n indices, which is then said to be that of a body.
    static constexpr std::size_t lanes = 4;
    Index* room(std::size_t lane, std::size_t n) {
        // Not even an empty row is written nowhere.
        if (lanes_[lane].end - lanes_[lane].at <= static_cast<std::ptrdiff_t>(n)) [[unlikely]]
            turn_over(lanes_[lane], n);
        // Sends for what the next rows will be written to.
        const auto next = reinterpret_cast<std::uintptr_t>(lanes_[lane].at) + 512;
        for (std::size_t line = 0; line < 3 * 64; line += 64)
            __builtin_prefetch(reinterpret_cast<const void*>(next + line), 1);
        return lanes_[lane].at;
    }
    void wrote(std::size_t lane, Index body, std::size_t n) {
        rows_[body] = {lanes_[lane].at, n};
        lanes_[lane].at += n;
    }

    // What wrote() notes for a body. It is far from what it notes for others, and a miss there
    // would hold up all stores behind it: to be fetched early.
    const void* place(Index body) const { return rows_ + body; }

  private:
    friend class RowParts;
    struct Lane {
        Index *at = nullptr, *end = nullptr;
    };
    void turn_over(Lane& lane, std::size_t n);

    FoundRow* rows_ = nullptr;
    std::array<Lane, lanes> lanes_;
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
