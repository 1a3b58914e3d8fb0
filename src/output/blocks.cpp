#include "output/blocks.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/callers_code.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Memory for a list of `pairs` pairs. It is allocated in whole chunks, and the last chunk of
// each worker may be almost empty.
template <int D>
std::uint64_t list_bytes(std::uint64_t pairs, bool imaged, std::size_t workers) {
    std::uint64_t chunk = Buffer<Pair>::bytes_for(chunk_pairs);
    if (imaged)
        chunk += Buffer<Image<D>>::bytes_for(chunk_pairs) +
                 Buffer<typename Chunk<D>::Written>::bytes_for(chunk_pairs);
    return pairs == 0 ? 0 : ((pairs + chunk_pairs - 1) / chunk_pairs + workers - 1) * chunk;
}

template <int D>
std::uint64_t max_pairs_within(std::uint64_t bytes, bool imaged, std::size_t workers) {
    const std::uint64_t chunks = bytes / list_bytes<D>(1, imaged, 1);
    return chunks < workers ? 0 : (chunks - (workers - 1)) * chunk_pairs;
}

// A search over its limit continues to count, so that the error can state the size needed, but
// only up to this many pairs: a million coincident bodies have 5e11.
std::uint64_t max_counted_pairs(std::uint64_t limit) {
    constexpr std::uint64_t min_counted_pairs = std::uint64_t{1} << 26;
    return limit > no_limit / 4 ? no_limit : std::max(4 * limit, min_counted_pairs);
}

}  // namespace

template <int D>
bool BlockWriter<D>::counting() const {
    return blocks_->list_ == nullptr && blocks_->consumer_ == nullptr &&
           blocks_->filter_ == nullptr;
}

template <int D>
void BlockWriter<D>::flush() {
    if (counted_ > 0) blocks_->admit(std::exchange(counted_, 0));
    if (blocks_->filter_ != nullptr) apply_filter();
    if (at_ == begin_) return;
    const std::size_t count = at_ - begin_;
    const bool wanted = blocks_->admit(count);
    if (blocks_->list_ != nullptr) {
        if (wanted) {
            segments_.push_back({task_, segments_.size(), chunk_, begin_, at_});
            begin_ = at_;
            return;
        }
    } else if (blocks_->consumer_ != nullptr && wanted) {
        Block<D> block;
        block.pairs = {pairs_ + begin_, count};
        if (blocks_->imaged_) block.images = {images_ + begin_, count};
        block.worker = worker_;
        // Memory and loops of the consumer are its own.
        const LedgerScope no_ledger(nullptr);
        const CancellationScope no_call(nullptr);
        run_callers_code([&] { (*blocks_->consumer_)(block); });
    }
    if (blocks_->imaged_) chunk_->wipe(begin_);
    at_ = filtered_ = begin_;  // consumed or over the limit: reuse the memory
}

template <int D>
void BlockWriter<D>::apply_filter() {
    const std::size_t begin = filtered_, old_end = at_;
    Image<D>* const images = blocks_->imaged_ ? images_ + begin : nullptr;
    at_ = filtered_ =
        begin + blocks_->filter_->keep_allowed(pairs_ + begin, images, old_end - begin);
    if (images != nullptr && at_ < old_end) chunk_->moved(begin, at_, old_end);
}

template <int D>
void BlockWriter<D>::end_task() {
    flush();
}

template <int D>
void BlockWriter<D>::next_chunk(std::size_t n) {
    // With a filter, pause after this many pairs and apply it while they are in L1.
    constexpr std::size_t filter_pairs = 2048;
    const auto fits = [&] {
        if (chunk_ == nullptr || chunk_pairs - at_ < n) return false;
        end_ = chunk_pairs;
        if (blocks_->filter_ != nullptr) end_ = std::min(end_, at_ + std::max(n, filter_pairs));
        return true;
    };
    if (blocks_->filter_ != nullptr) apply_filter();
    if (fits()) return;
    flush();
    if (fits()) return;
    chunk_ = blocks_->acquire_chunk();
    pairs_ = chunk_->pairs.data();
    images_ = blocks_->imaged_ ? chunk_->images.data() : nullptr;
    begin_ = at_ = filtered_ = 0;
    fits();
}

template <int D>
void Blocks<D>::begin(bool imaged, int threads, const Limits& limits) {
    imaged_ = imaged;
    limits_ = limits;
    max_pairs_ = limits.max_pairs;
    filter_ = nullptr;
    total_ = 0;
    writers_.resize(static_cast<std::size_t>(threads));
    int worker = 0;
    for (BlockWriter<D>& writer : writers_) {
        CountedVector<Segment<D>> kept = std::move(writer.segments_);
        kept.clear();
        writer = BlockWriter<D>();
        writer.segments_ = std::move(kept);
        writer.blocks_ = this;
        writer.worker_ = worker++;
        writer.poll_while_counting();
    }
}

template <int D>
void Blocks<D>::store(PairList<D>& list, bool imaged, int threads, const Limits& limits) {
    begin(imaged, threads, limits);
    list_ = &list;
    consumer_ = nullptr;
    auto& store = PairList<D>::Store::of(list);
    store.used = 0;
    store.segments.clear();
    PairList<D>::Store::publish(list);
    if (limits.max_bytes == no_limit) return;
    limits_.max_bytes += store.ledger.bytes();
    max_pairs_ =
        std::min(max_pairs_, max_pairs_within<D>(limits_.max_bytes, imaged, writers_.size()));
}

template <int D>
void Blocks<D>::stream(const Consumer<D>& consumer, bool imaged, int threads,
                       const Limits& limits) {
    begin(imaged, threads, limits);
    list_ = nullptr;
    consumer_ = &consumer;
    spare_used_ = 0;
}

template <int D>
void Blocks<D>::count(bool imaged, int threads, const Limits& limits) {
    begin(imaged, threads, limits);
    list_ = nullptr;
    consumer_ = nullptr;
    spare_used_ = 0;
}

template <int D>
Chunk<D>* Blocks<D>::acquire_chunk() {
    const std::lock_guard lock(mutex_);
    auto* const store = list_ != nullptr ? &PairList<D>::Store::of(*list_) : nullptr;
    const LedgerScope scope(store != nullptr ? &store->ledger : MemoryLedger::current());
    auto& chunks = store != nullptr ? store->chunks : spare_;
    std::size_t& used = store != nullptr ? store->used : spare_used_;
    if (used == chunks.size()) chunks.push_back(std::make_unique<Chunk<D>>());
    Chunk<D>* chunk = chunks[used++].get();
    chunk->pairs.resize(chunk_pairs);
    const bool complete = chunk->images.size() > 0 && chunk->marks.size() > 0;
    if (imaged_ && (chunk->shuffled || !complete)) {
        chunk->images.resize(chunk_pairs);
        std::fill(chunk->images.span().begin(), chunk->images.span().end(), Image<D>{});
        chunk->marks.resize(chunk_pairs);
        chunk->marked = 0;
        chunk->shuffled = false;
    }
    if (imaged_) chunk->wipe(0);
    if (!imaged_) chunk->images.resize(0);
    return chunk;
}

// Counts `more` pairs; false when they are beyond the limit.
template <int D>
bool Blocks<D>::admit(std::uint64_t more) {
    const std::uint64_t total = total_ += more;
    if (total > max_counted_pairs(max_pairs_))
        refuse(max_counted_pairs(max_pairs_), "more than ");
    return total <= max_pairs_;
}

template <int D>
void Blocks<D>::refuse(std::uint64_t pairs, const char* at_least) const {
    const std::string found =
        "the search has " + (at_least + std::to_string(pairs)) + " pairs, ";
    if (pairs > limits_.max_pairs)
        throw Error(Error::Kind::limit, found + "but max_pairs is " +
                                            std::to_string(limits_.max_pairs) +
                                            "; raise max_pairs or reduce the reach");
    throw Error(
        Error::Kind::limit,
        found + (at_least + std::to_string(list_bytes<D>(pairs, imaged_, writers_.size()))) +
            " bytes, but max_bytes leaves " + std::to_string(limits_.max_bytes) +
            " for them; raise max_bytes, stream or count the pairs, or reduce the reach");
}

template <int D>
void Blocks<D>::finish() {
    if (total_ > max_pairs_) {
        if (list_ != nullptr) PairList<D>::Store::of(*list_).segments.clear();
        refuse(total_, "");
    }
    if (list_ == nullptr) return;
    const LedgerScope scope(&PairList<D>::Store::of(*list_).ledger);
    auto& segments = PairList<D>::Store::of(*list_).segments;
    for (const BlockWriter<D>& writer : writers_)
        segments.insert(segments.end(), writer.segments_.begin(), writer.segments_.end());
    // All segments of a task are from one writer.
    std::sort(segments.begin(), segments.end(), [](const auto& a, const auto& b) {
        return std::tie(a.task, a.number) < std::tie(b.task, b.number);
    });
    PairList<D>::Store::publish(*list_);
}

template <int D>
std::uint64_t Blocks<D>::candidates() const {
    std::uint64_t sum = 0;
    for (const BlockWriter<D>& writer : writers_) sum += writer.candidates();
    return sum;
}

template class BlockWriter<2>;
template class BlockWriter<3>;
template class Blocks<2>;
template class Blocks<3>;

}  // namespace vicinal::inline VICINAL_API

namespace vicinal::inline VICINAL_API {

template <int D>
void PairList<D>::Store::publish(PairList& list) {
    auto& blocks = of(list).blocks;
    blocks.clear();
    list.size_ = 0;
    const Segment<D>* before = nullptr;
    for (const Segment<D>& s : of(list).segments) {
        list.size_ += s.size();
        const Pair* pairs = s.chunk->pairs.data() + s.begin;
        // Consecutive tasks in one chunk form one block. (Chunks may be adjacent in memory
        // while their images are not.)
        const bool joined =
            before != nullptr && before->chunk == s.chunk && before->end == s.begin;
        before = &s;
        if (joined) {
            Block<D>& last = blocks.back();
            last.pairs = {last.pairs.data(), last.pairs.size() + s.size()};
            if (!last.images.empty())
                last.images = {last.images.data(), last.images.size() + s.size()};
            continue;
        }
        Block<D> block;
        block.pairs = {pairs, s.size()};
        if (s.chunk->images.size() > 0)
            block.images = {s.chunk->images.data() + s.begin, s.size()};
        blocks.push_back(block);
    }
    list.blocks_ = blocks;
}

template <int D>
PairList<D>::PairList() : store_(std::make_unique<Store>()) {}
template <int D>
PairList<D>::PairList(PairList&& other) noexcept
    : store_(std::move(other.store_)),
      blocks_(std::exchange(other.blocks_, {})),
      size_(std::exchange(other.size_, 0)) {}
template <int D>
PairList<D>& PairList<D>::operator=(PairList&& other) noexcept {
    store_ = std::move(other.store_);
    blocks_ = std::exchange(other.blocks_, {});
    size_ = std::exchange(other.size_, 0);
    return *this;
}
template <int D>
PairList<D>::~PairList() = default;

template class PairList<2>;
template class PairList<3>;

}  // namespace vicinal::inline VICINAL_API
