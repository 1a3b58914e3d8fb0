// Where pairs go: each worker fills its own chunks, without locks or copies; afterwards they
// are listed in task order, so that the order of pairs never depends on threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "core/buffer.hpp"

#include <vicinal/finder.hpp>
#include <vicinal/pairs.hpp>

namespace vicinal {

constexpr std::size_t chunk_pairs = 1 << 14;
constexpr std::size_t largest_room = chunk_pairs / 2;

// The smaller index first. Which one that is cannot be foretold: of two minima g++ makes a
// branch, and every other one fails.
inline Pair ordered(Index i, Index j) {
    const Index less = std::min(i, j);
    return {less, i ^ j ^ less};
}

template <int D>
struct Chunk {
    Buffer<Pair> pairs;
    Buffer<Image<D>> images;  // as long as pairs in a periodic domain
    // Where images may not be zero, in rising order; all others are, from step to step.
    struct Written {
        std::uint16_t begin, end;
    };
    Buffer<Written> marks;
    std::size_t marked = 0;
    bool shuffled = false;  // sorted since: images may be anything
    static_assert(chunk_pairs <= std::numeric_limits<std::uint16_t>::max());

    void mark(std::size_t begin, std::size_t end) {
        if (marked == 0 || marks[marked - 1].end != begin)
            marks[marked++].begin = static_cast<std::uint16_t>(begin);
        marks[marked - 1].end = static_cast<std::uint16_t>(end);
    }
    // Makes the images from here on zero.
    void wipe(std::size_t begin) {
        constexpr std::size_t ahead = 4;  // they have been out of reach since the last step
        for (; marked > 0 && marks[marked - 1].end > begin; --marked) {
            if (marked > ahead) __builtin_prefetch(&images[marks[marked - 1 - ahead].begin], 1);
            Written& last = marks[marked - 1];
            const std::size_t from = std::max<std::size_t>(last.begin, begin);
            std::fill(images.data() + from, images.data() + last.end, Image<D>{});
            last.end = static_cast<std::uint16_t>(from);
            if (last.begin < from) return;
        }
    }
};

// A stretch of a chunk that one task filled.
template <int D>
struct Stretch {
    std::size_t task;
    std::size_t number;  // among those of its writer
    Chunk<D>* chunk;
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

template <int D>
class Blocks;

// One worker's pen.
template <int D>
class BlockWriter {
  public:
    void push(Pair pair) {
        if (at_ == end_) [[unlikely]]
            turn_over();
        pairs_[at_++] = pair;
    }
    void push(Pair pair, const Image<D>& image) {
        if (at_ == end_) [[unlikely]]
            turn_over();
        images_[at_] = image;
        chunk_->mark(at_, at_ + 1);
        pairs_[at_++] = pair;
    }
    // For kernels that write whole vectors: room for n more pairs, at most `largest_room`, of
    // which the first `count` are then said to be written; their images are zero.
    Pair* room(std::size_t n) {
        if (end_ - at_ < n) [[unlikely]]
            turn_over(n);
        return pairs_ + at_;
    }
    void wrote(std::size_t count) { at_ += count; }
    // The same for pairs whose images are written as well.
    Image<D>* image_room() { return images_ + at_; }
    void wrote_images(std::size_t count) {
        if (count > 0) chunk_->mark(at_, at_ + count);
        at_ += count;
    }
    const Pair* place() const { return pairs_ + at_; }  // where the next pair goes, if it fits
    bool counting() const;                              // pairs need not be written: add() them
    void add(std::uint64_t count) {
        counted_ += count;
        if (counted_ >= chunk_pairs) hand_over();
    }
    void begin_task(std::size_t task) { task_ = task; }
    void end_task();

    std::uint64_t candidates = 0;  // the sieve counts here

  private:
    friend class Blocks<D>;
    void turn_over(std::size_t n = 1);
    void hand_over();

    Blocks<D>* blocks_ = nullptr;
    Chunk<D>* chunk_ = nullptr;
    Pair* pairs_ = nullptr;
    Image<D>* images_ = nullptr;
    std::size_t begin_ = 0, at_ = 0, end_ = 0;  // this task's stretch begins at begin_
    std::uint64_t counted_ = 0;
    std::size_t task_ = 0;
    int worker_ = 0;
    std::vector<Stretch<D>> stretches_;
};

struct Limits {
    std::uint64_t max_pairs = no_limit;
    std::uint64_t max_bytes = no_limit;  // for the pairs alone
};

// One search's output: stored in a list, streamed to a consumer, or only counted.
template <int D>
class Blocks {
  public:
    void store(PairList<D>& list, bool imaged, int threads, const Limits& limits);
    void stream(const Consumer<D>& consumer, bool imaged, int threads, const Limits& limits);
    void count(bool imaged, int threads, const Limits& limits);

    BlockWriter<D>& writer(int worker) { return writers_[static_cast<std::size_t>(worker)]; }

    // Call once all tasks are done: fixes the list's order, throws if a limit was exceeded.
    void finish();

    std::uint64_t total() const { return total_; }
    std::uint64_t candidates() const;

  private:
    friend class BlockWriter<D>;
    void begin(bool imaged, int threads, const Limits& limits);
    Chunk<D>* next_chunk();
    bool admit(std::uint64_t more);
    [[noreturn]] void refuse(std::uint64_t pairs, const char* at_least) const;

    PairList<D>* list_ = nullptr;
    const Consumer<D>* consumer_ = nullptr;
    bool imaged_ = false;
    Limits limits_;
    std::uint64_t most_ = no_limit;  // pairs, from both limits
    std::atomic<std::uint64_t> total_ = 0;
    std::vector<BlockWriter<D>> writers_;
    std::vector<std::unique_ptr<Chunk<D>>> spare_;  // one per worker: streaming, counting
    std::size_t spare_used_ = 0;
    std::mutex mutex_;
};

}  // namespace vicinal

template <int D>
struct vicinal::PairList<D>::Store {
    std::vector<std::unique_ptr<vicinal::Chunk<D>>> chunks;
    std::size_t used = 0;                        // chunks of this search; the rest wait
    std::vector<vicinal::Stretch<D>> stretches;  // in task order: the blocks

    static Store& of(PairList& list) { return *list.store_; }
    static const Store& of(const PairList& list) { return *list.store_; }
    // Makes the list's blocks from the stretches.
    static void publish(PairList& list);
    static std::size_t bytes(const PairList& list);
};
