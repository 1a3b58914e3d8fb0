// Output of pairs. Each worker fills its own chunks, without locks or copies; afterwards their
// segments are listed in task order, so that the order of pairs never depends on threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "base/buffer.hpp"
#include "base/cancellation.hpp"

#include <vicinal/finder.hpp>
#include <vicinal/pairs.hpp>

namespace vicinal::inline VICINAL_API {

// Decides which pairs of a block stay (see scene/pair_filter.hpp).
template <int D>
class BlockFilter {
  public:
    virtual ~BlockFilter() = default;
    // Removes the pairs that are not allowed, and their images unless that pointer is null.
    // Returns the number of pairs left; their order is preserved.
    virtual std::size_t keep_allowed(Pair* pairs, Image<D>* images,
                                     std::size_t count) const = 0;
};

constexpr std::size_t chunk_pairs = 1 << 14;
constexpr std::size_t max_reserve = chunk_pairs / 2;

// The smaller index first. Computed from one minimum, because g++ compiles std::min and
// std::max to an unpredictable branch that mispredicts half the time.
inline Pair ordered(Index i, Index j) {
    const Index less = std::min(i, j);
    return {less, i ^ j ^ less};
}

template <int D>
struct Chunk {
    Buffer<Pair> pairs;
    Buffer<Image<D>> images;  // as long as pairs in a periodic domain
    // Ranges of images that may be non-zero, in ascending order; all others stay zero from step
    // to step.
    struct Written {
        std::uint16_t begin, end;
    };
    Buffer<Written> marks;
    std::size_t marked = 0;
    bool shuffled = false;  // the list was sorted: any image may be non-zero
    static_assert(chunk_pairs <= std::numeric_limits<std::uint16_t>::max());

    void mark(std::size_t begin, std::size_t end) {
        if (marked == 0 || marks[marked - 1].end != begin)
            marks[marked++].begin = static_cast<std::uint16_t>(begin);
        marks[marked - 1].end = static_cast<std::uint16_t>(end);
    }
    // Zeroes the images from `begin` on.
    void wipe(std::size_t begin) {
        constexpr std::size_t ahead = 4;  // prefetch distance: images have left the cache
        for (; marked > 0 && marks[marked - 1].end > begin; --marked) {
            if (marked > ahead) __builtin_prefetch(&images[marks[marked - 1 - ahead].begin], 1);
            Written& last = marks[marked - 1];
            const std::size_t from = std::max<std::size_t>(last.begin, begin);
            std::fill(images.data() + from, images.data() + last.end, Image<D>{});
            last.end = static_cast<std::uint16_t>(from);
            if (last.begin < from) return;
        }
    }
    // After compaction: the images from `begin` on end at `end` instead of `old_end`.
    void moved(std::size_t begin, std::size_t end, std::size_t old_end) {
        if (marked == 0 || marks[marked - 1].end <= begin) return;  // all are zero
        while (marked > 0 && marks[marked - 1].begin >= begin) --marked;
        if (marked > 0 && marks[marked - 1].end > begin)
            marks[marked - 1].end = static_cast<std::uint16_t>(begin);
        std::fill(images.data() + end, images.data() + old_end, Image<D>{});
        if (begin < end) mark(begin, end);
    }
};

// A segment of a chunk that one task filled.
template <int D>
struct Segment {
    std::size_t task;
    std::size_t number;  // in the order of its writer
    Chunk<D>* chunk;
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

template <int D>
class Blocks;

// One worker's output cursor.
template <int D>
class BlockWriter {
  public:
    void push(Pair pair) {
        if (at_ == end_) [[unlikely]]
            next_chunk();
        pairs_[at_++] = pair;
    }
    void push(Pair pair, const Image<D>& image) {
        if (at_ == end_) [[unlikely]]
            next_chunk();
        images_[at_] = image;
        chunk_->mark(at_, at_ + 1);
        pairs_[at_++] = pair;
    }
    // For kernels that write whole vectors: reserves n more pairs, at most `max_reserve`.
    // commit() is passed the number written; their images are zero.
    Pair* reserve(std::size_t n) {
        if (end_ - at_ < n) [[unlikely]]
            next_chunk(n);
        VICINAL_ASSERT(n <= max_reserve && end_ - at_ >= n);
        return pairs_ + at_;
    }
    void commit(std::size_t count) {
        VICINAL_ASSERT(count <= end_ - at_);
        at_ += count;
    }
    // The same for pairs whose images are written too.
    Image<D>* reserved_images() { return images_ + at_; }
    void commit_images(std::size_t count) {
        if (count > 0) chunk_->mark(at_, at_ + count);
        commit(count);
    }
    const Pair* place() const { return pairs_ + at_; }  // the next pair's address, if it fits
    // True if pairs are only counted, without a filter: call add() instead of writing them.
    bool counting() const;
    void add(std::uint64_t count) {
        counted_ += count;
        if (counted_ >= chunk_pairs) flush();
    }
    void begin_task(std::size_t task) { task_ = task; }
    void end_task();

    // Candidates tested or about to be: a search counts them often enough to be cancelled.
    void count_candidates(std::uint64_t more) {
        candidates_ += more;
        if (candidates_ >= next_poll_) [[unlikely]]
            poll();
    }
    std::uint64_t candidates() const { return candidates_; }
    // Polls from now on, if the current call has a hook.
    void poll_while_counting() {
        next_poll_ = Cancellation::current() != nullptr ? candidates_ : never;
    }

  private:
    friend class Blocks<D>;
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    void poll() {
        next_poll_ = candidates_ + work_per_poll;
        poll_cancelled(work_per_poll);
    }
    void next_chunk(std::size_t n = 1);
    void flush();
    void apply_filter();

    Blocks<D>* blocks_ = nullptr;
    Chunk<D>* chunk_ = nullptr;
    Pair* pairs_ = nullptr;
    Image<D>* images_ = nullptr;
    std::size_t begin_ = 0, at_ = 0, end_ = 0;  // this task's segment begins at begin_
    std::size_t filtered_ = 0;  // the filter has been applied to pairs before this
    std::uint64_t counted_ = 0;
    std::uint64_t candidates_ = 0, next_poll_ = never;
    std::size_t task_ = 0;
    int worker_ = 0;
    CountedVector<Segment<D>> segments_;
};

struct Limits {
    std::uint64_t max_pairs = no_limit;
    std::uint64_t max_bytes = no_limit;  // for pairs, in addition to what their list has
};

// One search's output: stored in a list, streamed to a consumer, or only counted.
template <int D>
class Blocks {
  public:
    void store(PairList<D>& list, bool imaged, int threads, const Limits& limits);
    void stream(const Consumer<D>& consumer, bool imaged, int threads, const Limits& limits);
    void count(bool imaged, int threads, const Limits& limits);
    // Pairs that the filter rejects are neither stored nor counted. To be called after these.
    void filter_by(const BlockFilter<D>* filter) { filter_ = filter; }

    BlockWriter<D>& writer(int worker) { return writers_[static_cast<std::size_t>(worker)]; }

    // Call after all tasks: puts the list in task order, throws if a limit was exceeded.
    void finish();

    // Releases the chunks that only streaming and counting use.
    void release_spare() { spare_.clear(); }

    std::uint64_t total() const { return total_; }
    std::uint64_t candidates() const;

  private:
    friend class BlockWriter<D>;
    void begin(bool imaged, int threads, const Limits& limits);
    Chunk<D>* acquire_chunk();
    bool admit(std::uint64_t more);
    [[noreturn]] void refuse(std::uint64_t pairs, const char* at_least) const;

    PairList<D>* list_ = nullptr;
    const Consumer<D>* consumer_ = nullptr;
    const BlockFilter<D>* filter_ = nullptr;
    bool imaged_ = false;
    Limits limits_;
    std::uint64_t max_pairs_ = no_limit;  // the stricter of both limits, in pairs
    std::atomic<std::uint64_t> total_ = 0;
    std::vector<BlockWriter<D>> writers_;
    std::vector<std::unique_ptr<Chunk<D>>> spare_;  // one per worker: streaming, counting
    std::size_t spare_used_ = 0;
    std::mutex mutex_;
};

}  // namespace vicinal::inline VICINAL_API

template <int D>
struct vicinal::PairList<D>::Store {
    MemoryLedger ledger;  // separate: a list may outlive its finder
    std::vector<std::unique_ptr<vicinal::Chunk<D>>> chunks;
    std::size_t used = 0;                         // chunks of this search; the rest are spare
    CountedVector<vicinal::Segment<D>> segments;  // in task order
    CountedVector<Block<D>> blocks;

    static Store& of(PairList& list) { return *list.store_; }
    static const Store& of(const PairList& list) { return *list.store_; }
    // Makes the list's blocks from the segments.
    static void publish(PairList& list);
    static std::uint64_t bytes(const PairList& list) { return of(list).ledger.bytes(); }
    static void release_spare(PairList& list) { of(list).chunks.resize(of(list).used); }
};
