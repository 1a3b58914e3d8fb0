// Sorting: a two-level radix sort, and sorts for special cases.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/parallel.hpp"

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// A stable radix sort of records by the lowest `bits` bits of key(record) (higher bits are
// equal or zero), in two levels: records are scattered to buckets by the highest bits of their
// keys, then each bucket is sorted by itself, in cache. The result of a stable sort is unique,
// so it does not depend on the number of threads.
template <class Record>
class Sorter {
  public:
    Buffer<Record> records;

    // Sorts `records`.
    template <class Key>
    void sort(unsigned bits, int threads, const Key& key);

    // The same in steps, for records that are generated on the fly and need not be stored after
    // the sort. make(range, piece, put) calls put(record), or put with something a record can
    // be assigned from, for the records generated from the elements of a range. count() counts
    // them; scatter(), with the same arguments, scatters them to buckets. for_each_bucket()
    // calls visit(entries, bucket, order, retain): the sorted sequence has bucket[order[k]] at
    // entries.begin + k. Afterwards only records passed to `retain` remain, at most as many as
    // the bucket had.
    template <class Make, class Key>
    std::uint64_t count(std::size_t n, unsigned bits, int threads, const Make& make,
                        const Key& key);
    template <class Make, class Key>
    void scatter(std::size_t n, int threads, const Make& make, const Key& key);
    template <class Key, class Visit>
    void for_each_bucket(int threads, const Key& key, const Visit& visit);

    // Counts and scatters in one pass, for records similar to those of the last call: each
    // bucket has the capacity it needed then, and some slack. The records are generated a
    // second time only if a bucket overflows. Returns how many there are; if that is more than
    // `max_records`, do not call for_each_bucket().
    template <class Make, class Key>
    std::uint64_t scatter_with_slack(std::size_t n, unsigned bits, int threads,
                                     std::uint64_t max_records, const Make& make,
                                     const Key& key);

    std::size_t buckets() const { return std::size_t{1} << top_; }
    // Retained records: of one bucket, of all buckets before it, in total.
    std::span<const Record> kept(std::size_t b) const {
        return {records.data() + first_[b], kept_[b + 1] - kept_[b]};
    }
    std::size_t kept_before(std::size_t b) const { return kept_[b]; }
    std::size_t kept() const { return kept_[buckets()]; }
    // The last record retained in the buckets before b, null if there is none.
    const Record* last_before(std::size_t b) const {
        while (b > 0)
            if (const auto one = kept(--b); !one.empty()) return &one.back();
        return nullptr;
    }

  private:
    struct LowKey {  // key bits below those that choose the bucket
        std::uint64_t key;
        std::uint32_t index;
    };
    struct Scratch {
        Buffer<LowKey> low, other;
        Buffer<std::uint32_t> order, digits;
        Buffer<Record> kept;
    };
    // The records of one piece in one bucket: contiguous, after those of the previous pieces.
    struct Slot {
        std::uint32_t next;   // position of the next record
        std::uint32_t limit;  // end of the capacity
    };

    void divide(std::size_t n, unsigned bits, int threads);
    std::uint64_t counted() const;
    void reset_capacity();
    void assign_capacity(bool spare);
    template <class Make, class Key>
    bool put_all(std::size_t n, int threads, const Make& make, const Key& key);
    template <class Key>
    const std::uint32_t* order_bucket(std::size_t b, const Key& key, Scratch& scratch) const;

    unsigned top_ = 0, low_ = 0;  // bits that choose the bucket, bits below them
    std::size_t pieces_ = 0;
    bool has_slack_ = false;        // slots have slack for this shape
    Buffer<Slot> slots_;            // per piece and bucket
    Buffer<std::uint32_t> first_;   // per piece and bucket: start of the slot
    Buffer<std::uint32_t> start_;   // start of each bucket in the sorted sequence, and the end
    Buffer<std::uint32_t> kept_;    // prefix sum of the retained records per bucket
    std::vector<Scratch> scratch_;  // per worker
    Buffer<Record> sorted_;         // for sort() only
};

// About a thousand records per bucket, but no more buckets than L2 has lines for: each bucket
// is written through a line of its own.
template <class Record>
void Sorter<Record>::divide(std::size_t n, unsigned bits, int threads) {
    const auto shape = [this] { return std::array<std::size_t, 3>{top_, low_, pieces_}; };
    const auto before = shape();
    top_ = std::min({bits, static_cast<unsigned>(std::bit_width(n >> 10)), 12u});
    if (bits == 64) top_ = std::max(top_, 1u);  // a shift by 64 would be undefined
    low_ = bits - top_;
    pieces_ = piece_count(threads, n);
    if (shape() != before) has_slack_ = false;
    slots_.resize(pieces_ * buckets());
    first_.resize(pieces_ * buckets());
    start_.resize(buckets() + 1);
}

template <class Record>
template <class Make, class Key>
std::uint64_t Sorter<Record>::count(std::size_t n, unsigned bits, int threads, const Make& make,
                                    const Key& key) {
    divide(n, bits, threads);
    reset_capacity();
    put_all(n, threads, make, key);
    assign_capacity(false);
    return counted();
}

template <class Record>
void Sorter<Record>::reset_capacity() {
    for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].limit = first_[s] = 0;
}

template <class Record>
std::uint64_t Sorter<Record>::counted() const {
    std::uint64_t all = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s) all += slots_[s].next - first_[s];
    return all;
}

// Gives each slot the capacity for the records counted, plus slack: an eighth of them, and an
// eighth of the mean, because a slot at the border of the bodies may have few records now and
// many in the next step. The total does not depend on the distribution, so that a steady state
// allocates nothing.
template <class Record>
void Sorter<Record>::assign_capacity(bool spare) {
    const std::uint64_t all = counted();
    const auto min_slack = static_cast<std::uint32_t>(32 + all / (8 * slots_.size()));
    const std::uint64_t more = all / 8 + std::uint64_t{min_slack} * slots_.size();
    spare = spare && all + more <= std::numeric_limits<std::uint32_t>::max();
    has_slack_ = false;  // the old slots are gone, even if resize() throws
    records.resize(all + (spare ? more : 0));
    std::uint32_t at = 0;
    for (std::size_t b = 0; b < buckets(); ++b)
        for (std::size_t s = b; s < slots_.size(); s += buckets()) {
            const std::uint32_t own = slots_[s].next - first_[s];
            first_[s] = at;
            at += own + (spare ? own / 8 + min_slack : 0);
            slots_[s].limit = at;
            slots_[s].next = first_[s] + own;
        }
    has_slack_ = spare;
}

// Records beyond a slot's capacity are only counted. True if there are none.
template <class Record>
template <class Make, class Key>
bool Sorter<Record>::put_all(std::size_t n, int threads, const Make& make, const Key& key) {
    parallel_ranges(threads, n, [&](Range range, std::size_t piece) {
        Slot* const slots = slots_.data() + piece * buckets();
        const std::uint32_t* const first = first_.data() + piece * buckets();
        for (std::size_t b = 0; b < buckets(); ++b) slots[b].next = first[b];
        // By value: local copies avoid aliasing reloads after every store.
        make(range, piece, [slots, key, low = low_, to = records.data()](const auto& r) {
            Slot& slot = slots[std::uint64_t{key(r)} >> low];
            const std::uint32_t at = slot.next++;
            if (at >= slot.limit) [[unlikely]]
                return;
            to[at] = r;
            // Prefetches the bucket's next cache line.
            __builtin_prefetch(reinterpret_cast<const char*>(to + at) + 64, 1);
        });
    });
    bool fit = true;
    std::uint32_t at = 0;
    for (std::size_t b = 0; b < buckets(); ++b) {
        start_[b] = at;
        for (std::size_t s = b; s < slots_.size(); s += buckets()) {
            fit = fit && slots_[s].next <= slots_[s].limit;
            at += slots_[s].next - first_[s];
        }
    }
    start_[buckets()] = at;
    VICINAL_ASSERT(!fit || at <= records.size());
    return fit;
}

template <class Record>
template <class Make, class Key>
void Sorter<Record>::scatter(std::size_t n, int threads, const Make& make, const Key& key) {
    put_all(n, threads, make, key);
}

template <class Record>
template <class Make, class Key>
std::uint64_t Sorter<Record>::scatter_with_slack(std::size_t n, unsigned bits, int threads,
                                                 std::uint64_t max_records, const Make& make,
                                                 const Key& key) {
    divide(n, bits, threads);
    if (!has_slack_) reset_capacity();
    const bool fit = put_all(n, threads, make, key);
    const std::uint64_t all = counted();
    if (fit || all > max_records) return all;
    assign_capacity(true);
    put_all(n, threads, make, key);
    return all;
}

// LSD radix sort on the remaining key bits; the last pass writes only the order.
template <class Record>
template <class Key>
const std::uint32_t* Sorter<Record>::order_bucket(std::size_t b, const Key& key,
                                                  Scratch& scratch) const {
    const std::size_t n = start_[b + 1] - start_[b];
    const Record* const from = records.data() + first_[b];
    scratch.order.resize(n);
    std::uint32_t* const order = scratch.order.data();
    const std::uint64_t mask = low_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - low_);
    const unsigned widest =
        std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(n)), 4u, 13u);
    const unsigned passes = (low_ + widest - 1) / widest;
    scratch.digits.resize(std::size_t{1} << widest);
    std::uint32_t* const next = scratch.digits.data();
    // Calls f(k) for every record from[k] of the bucket.
    const auto for_each = [&](const auto& f) {
        for (std::size_t s = b; s < slots_.size(); s += buckets())
            for (std::uint32_t k = first_[s] - first_[b]; k < slots_[s].next - first_[b]; ++k)
                f(k);
    };
    const auto low = [&](std::uint32_t k) { return std::uint64_t{key(from[k])} & mask; };
    // Prefix sum over the counts of the digits.
    const auto begin_runs = [&](unsigned width, const auto& count) {
        std::fill(next, next + (std::size_t{1} << width), 0u);
        count();
        std::uint32_t at = 0;
        for (std::size_t d = 0; d < std::size_t{1} << width; ++d)
            at += std::exchange(next[d], at);
    };
    if (passes == 0) {
        std::uint32_t* to = order;
        for_each([&](std::uint32_t k) { *to++ = k; });
    } else if (passes == 1) {
        begin_runs(low_, [&] { for_each([&](std::uint32_t k) { ++next[low(k)]; }); });
        for_each([&](std::uint32_t k) { order[next[low(k)]++] = k; });
    } else {
        scratch.low.resize(n);
        scratch.other.resize(n);
        LowKey *lows = scratch.low.data(), *others = scratch.other.data();
        LowKey* to = lows;
        for_each([&](std::uint32_t k) { *to++ = {low(k), k}; });
        unsigned shift = 0;
        for (unsigned p = 0; p < passes; ++p) {  // digit widths as equal as possible
            poll_cancelled(n);
            const unsigned width = (low_ - shift + passes - p - 1) / (passes - p);
            const std::uint64_t digit_mask = (std::uint64_t{1} << width) - 1;
            const auto digit = [&](std::size_t k) { return lows[k].key >> shift & digit_mask; };
            begin_runs(width, [&] {
                for (std::size_t k = 0; k < n; ++k) ++next[digit(k)];
            });
            if (p + 1 < passes) {
                for (std::size_t k = 0; k < n; ++k) others[next[digit(k)]++] = lows[k];
                std::swap(lows, others);
            } else {
                for (std::size_t k = 0; k < n; ++k) order[next[digit(k)]++] = lows[k].index;
            }
            shift += width;
        }
    }
    return order;
}

template <class Record>
template <class Key, class Visit>
void Sorter<Record>::for_each_bucket(int threads, const Key& key, const Visit& visit) {
    scratch_.resize(static_cast<std::size_t>(threads));
    kept_.resize(buckets() + 1);
    kept_[0] = 0;
    parallel_short_tasks(threads, buckets(), [&](std::size_t b, int worker) {
        const Range entries{start_[b], start_[b + 1]};
        kept_[b + 1] = 0;
        if (entries.size() == 0) return;
        Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
        const std::uint32_t* const order = order_bucket(b, key, scratch);
        scratch.kept.resize(entries.size());
        Record* const kept = scratch.kept.data();
        std::size_t count = 0;
        Record* const bucket = records.data() + first_[b];
        visit(entries, static_cast<const Record*>(bucket), order,
              [&](const Record& r) { kept[count++] = r; });
        std::copy(kept, kept + count, bucket);
        kept_[b + 1] = static_cast<std::uint32_t>(count);
    });
    for (std::size_t b = 0; b < buckets(); ++b) kept_[b + 1] += kept_[b];
}

template <class Record>
template <class Key>
void Sorter<Record>::sort(unsigned bits, int threads, const Key& key) {
    if (records.size() < 2 || bits == 0) return;
    sorted_.resize(records.size());
    sorted_.swap(records);
    const Record* const from = sorted_.data();
    const auto make = [from](Range range, std::size_t, const auto& put) {
        for (std::size_t k = range.begin; k < range.end; ++k) put(from[k]);
    };
    const std::size_t n = sorted_.size();
    count(n, bits, threads, make, key);
    scatter(n, threads, make, key);
    for_each_bucket(
        threads, key,
        [this](Range entries, const Record* bucket, const std::uint32_t* order, const auto&) {
            Record* const to = sorted_.data() + entries.begin;
            for (std::size_t k = 0; k < entries.size(); ++k) to[k] = bucket[order[k]];
        });
    sorted_.swap(records);
}

// The number of leading key bits, of `bits`, that a radix sort of n keys in two passes should
// use: few keys differ only in later bits, and sort_nearly_sorted() orders those.
inline unsigned radix_bits(std::size_t n, unsigned bits) {
    return std::min({bits, static_cast<unsigned>(std::bit_width(n >> 10)) + 11, 24u});
}

// std::sort of any number of values, during which the call can be cancelled: the values are
// then in some other order.
template <class Iterator, class Less = std::less<>>
void sort_in_steps(Iterator begin, Iterator end, const Less& less = {}) {
    if (static_cast<std::size_t>(end - begin) < work_per_poll)
        return std::sort(begin, end, less);
    std::size_t compared = 0;
    std::sort(begin, end, [&](const auto& a, const auto& b) {
        if (++compared % work_per_poll == 0) [[unlikely]]
            poll_cancelled(work_per_poll);
        return less(a, b);
    });
}

// Insertion sort for values of which few are out of place, and not far. Falls back to std::sort
// after more than 16 moves per value.
template <class T>
void sort_nearly_sorted(std::span<T> values) {
    std::size_t moves = 0;
    for (std::size_t k = 1; k < values.size(); ++k) {
        const T value = values[k];
        std::size_t to = k;
        for (; to > 0 && value < values[to - 1]; --to) values[to] = values[to - 1];
        values[to] = value;
        moves += k - to;
        if (moves > 16 * values.size()) return sort_in_steps(values.begin(), values.end());
    }
}

// Sorts distinct indices. Short arrays by rank, the number of smaller elements: more
// comparisons than other sorts, but vectorised and branch-free.
void sort_indices(Index* first, std::size_t count);

struct KeyedIndex {
    std::uint64_t key;
    Index value;
    auto operator<=>(const KeyedIndex&) const = default;
};

}  // namespace vicinal::inline VICINAL_API
