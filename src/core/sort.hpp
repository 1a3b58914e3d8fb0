// Sorting and space-filling order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/parallel.hpp"
#include "core/scene.hpp"

namespace vicinal {

// A stable radix sort of records by the lowest `bits` bits of key(record) (the others are equal
// or zero), in two levels: records are scattered to buckets by the highest bits of their keys,
// then each bucket is ordered by itself, in cache. A stable sort has one result, so threads do
// not matter.
template <class Record>
class Sorter {
  public:
    Buffer<Record> records;

    // Sorts `records`.
    template <class Key>
    void sort(unsigned bits, int threads, const Key& key);

    // The same in steps, for records that need not exist before the sort nor after it.
    // make(range, piece, put) calls put(record), or put with what a record can be assigned
    // from, for the records that come from the elements of a range. The first step counts them
    // and returns how many they are; the second, with the same arguments, scatters them. The
    // third calls take(entries, bucket, order, keep) for every bucket: the sorted sequence has
    // bucket[order[k]] at entries.begin + k. Records that are handed to `keep`, no more than
    // the bucket had, are all that is left in the end.
    template <class Make, class Key>
    std::uint64_t count(std::size_t n, unsigned bits, int threads, const Make& make,
                        const Key& key);
    template <class Make, class Key>
    void scatter(std::size_t n, int threads, const Make& make, const Key& key);
    template <class Key, class Take>
    void take(int threads, const Key& key, const Take& take);

    // The first two steps in one, for records that are much as they were when it was called
    // last: each bucket has the room it needed then, and some more. Only if that is not enough
    // they are made twice. Returns how many they are; more than `most` must not be taken.
    template <class Make, class Key>
    std::uint64_t gather(std::size_t n, unsigned bits, int threads, std::uint64_t most,
                         const Make& make, const Key& key);

    std::size_t buckets() const { return std::size_t{1} << top_; }
    // What was kept: of a bucket, before it, in all.
    std::span<const Record> kept(std::size_t b) const {
        return {records.data() + first_[b], kept_[b + 1] - kept_[b]};
    }
    std::size_t kept_before(std::size_t b) const { return kept_[b]; }
    std::size_t kept() const { return kept_[buckets()]; }
    // The last one kept of the buckets before, null if there is none.
    const Record* last_before(std::size_t b) const {
        while (b > 0)
            if (const auto one = kept(--b); !one.empty()) return &one.back();
        return nullptr;
    }

    std::size_t bytes() const;

  private:
    struct Low {  // the part of a key that is left inside a bucket
        std::uint64_t key;
        std::uint32_t index;
    };
    struct Scratch {
        Buffer<Low> low, other;
        Buffer<std::uint32_t> order, digits;
        Buffer<Record> kept;
    };
    // What a piece puts into a bucket lies together, behind what pieces before it do.
    struct Slot {
        std::uint32_t next;   // where the next one goes
        std::uint32_t limit;  // where there is no room
    };

    void divide(std::size_t n, unsigned bits, int threads);
    std::uint64_t counted() const;
    void leave_no_room();
    void make_room(bool spare);
    template <class Make, class Key>
    bool put_all(std::size_t n, int threads, const Make& make, const Key& key);
    template <class Key>
    const std::uint32_t* order_bucket(std::size_t b, const Key& key, Scratch& scratch) const;

    unsigned top_ = 0, low_ = 0;  // bits that choose the bucket, bits below them
    std::size_t pieces_ = 0;
    bool roomy_ = false;            // slots have the room they had when these were the same
    Buffer<Slot> slots_;            // per piece and bucket
    Buffer<std::uint32_t> first_;   // the same: where they begin
    Buffer<std::uint32_t> start_;   // of each bucket in the sorted sequence, and the end
    Buffer<std::uint32_t> kept_;    // records kept of the buckets before each, and of all
    std::vector<Scratch> scratch_;  // per worker
    Buffer<Record> sorted_;         // for sort() only
};

// Buckets of a thousand records or so, but no more of them than a cache has lines for.
template <class Record>
void Sorter<Record>::divide(std::size_t n, unsigned bits, int threads) {
    const auto shape = [this] { return std::array<std::size_t, 3>{top_, low_, pieces_}; };
    const auto before = shape();
    top_ = std::min({bits, static_cast<unsigned>(std::bit_width(n >> 10)), 12u});
    if (bits == 64) top_ = std::max(top_, 1u);  // a shift by 64 would be undefined
    low_ = bits - top_;
    pieces_ = piece_count(threads, n);
    if (shape() != before) roomy_ = false;
    slots_.resize(pieces_ * buckets());
    first_.resize(pieces_ * buckets());
    start_.resize(buckets() + 1);
}

template <class Record>
template <class Make, class Key>
std::uint64_t Sorter<Record>::count(std::size_t n, unsigned bits, int threads, const Make& make,
                                    const Key& key) {
    divide(n, bits, threads);
    leave_no_room();
    put_all(n, threads, make, key);
    make_room(false);
    return counted();
}

template <class Record>
void Sorter<Record>::leave_no_room() {
    for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].limit = first_[s] = 0;
}

template <class Record>
std::uint64_t Sorter<Record>::counted() const {
    std::uint64_t all = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s) all += slots_[s].next - first_[s];
    return all;
}

// As many as were counted in each slot, and spare room: an eighth more, and an eighth of the
// mean, for a slot at the border of the bodies may have few now and many in the next step. What
// all need together does not depend on how they are distributed, so that a steady state
// allocates nothing.
template <class Record>
void Sorter<Record>::make_room(bool spare) {
    const std::uint64_t all = counted();
    const auto least = static_cast<std::uint32_t>(32 + all / (8 * slots_.size()));
    const std::uint64_t more = all / 8 + std::uint64_t{least} * slots_.size();
    spare = spare && all + more <= std::numeric_limits<std::uint32_t>::max();
    roomy_ = false;  // what was there is gone, also if there is no memory
    records.resize(all + (spare ? more : 0));
    std::uint32_t at = 0;
    for (std::size_t b = 0; b < buckets(); ++b)
        for (std::size_t s = b; s < slots_.size(); s += buckets()) {
            const std::uint32_t own = slots_[s].next - first_[s];
            first_[s] = at;
            at += own + (spare ? own / 8 + least : 0);
            slots_[s].limit = at;
            slots_[s].next = first_[s] + own;
        }
    roomy_ = spare;
}

// Those that find no room are counted only. True if there are none.
template <class Record>
template <class Make, class Key>
bool Sorter<Record>::put_all(std::size_t n, int threads, const Make& make, const Key& key) {
    parallel_ranges(threads, n, [&](Range range, std::size_t piece) {
        Slot* const slots = slots_.data() + piece * buckets();
        const std::uint32_t* const first = first_.data() + piece * buckets();
        for (std::size_t b = 0; b < buckets(); ++b) slots[b].next = first[b];
        // By value: what others can reach would be read again after every store.
        make(range, piece, [slots, key, low = low_, to = records.data()](const auto& r) {
            Slot& slot = slots[std::uint64_t{key(r)} >> low];
            const std::uint32_t at = slot.next++;
            if (at >= slot.limit) [[unlikely]]
                return;
            to[at] = r;
            // The bucket's next line: on its way until the bucket is met again.
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
    return fit;
}

template <class Record>
template <class Make, class Key>
void Sorter<Record>::scatter(std::size_t n, int threads, const Make& make, const Key& key) {
    put_all(n, threads, make, key);
}

template <class Record>
template <class Make, class Key>
std::uint64_t Sorter<Record>::gather(std::size_t n, unsigned bits, int threads,
                                     std::uint64_t most, const Make& make, const Key& key) {
    divide(n, bits, threads);
    if (!roomy_) leave_no_room();
    const bool fit = put_all(n, threads, make, key);
    const std::uint64_t all = counted();
    if (fit || all > most) return all;
    make_room(true);
    put_all(n, threads, make, key);
    return all;
}

// Least significant digit first, on the rest of the keys; the last pass leaves the order alone.
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
    // Calls f(k) for all records, from[k].
    const auto for_each = [&](const auto& f) {
        for (std::size_t s = b; s < slots_.size(); s += buckets())
            for (std::uint32_t k = first_[s] - first_[b]; k < slots_[s].next - first_[b]; ++k)
                f(k);
    };
    const auto low = [&](std::uint32_t k) { return std::uint64_t{key(from[k])} & mask; };
    // Where each digit's run begins.
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
        Low *lows = scratch.low.data(), *others = scratch.other.data();
        Low* to = lows;
        for_each([&](std::uint32_t k) { *to++ = {low(k), k}; });
        unsigned shift = 0;
        for (unsigned p = 0; p < passes; ++p) {  // digits as equal as they can be
            const unsigned width = (low_ - shift + passes - p - 1) / (passes - p);
            const std::uint64_t most = (std::uint64_t{1} << width) - 1;
            const auto digit = [&](std::size_t k) { return lows[k].key >> shift & most; };
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
template <class Key, class Take>
void Sorter<Record>::take(int threads, const Key& key, const Take& take) {
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
        take(entries, static_cast<const Record*>(bucket), order,
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
    take(threads, key,
         [this](Range entries, const Record* bucket, const std::uint32_t* order, const auto&) {
             Record* const to = sorted_.data() + entries.begin;
             for (std::size_t k = 0; k < entries.size(); ++k) to[k] = bucket[order[k]];
         });
    sorted_.swap(records);
}

template <class Record>
std::size_t Sorter<Record>::bytes() const {
    std::size_t sum = records.bytes() + sorted_.bytes() + slots_.bytes() + first_.bytes() +
                      start_.bytes() + kept_.bytes();
    for (const Scratch& s : scratch_)
        sum += s.low.bytes() + s.other.bytes() + s.order.bytes() + s.digits.bytes() +
               s.kept.bytes();
    return sum;
}

// So many of the first of `bits` bits of n keys are worth a radix sort, two passes of it: few
// keys differ in later bits alone. They are put in order by sort_nearly_sorted().
inline unsigned first_bits(std::size_t n, unsigned bits) {
    return std::min({bits, static_cast<unsigned>(std::bit_width(n >> 10)) + 11, 24u});
}

// Sorts values of which few are out of order, and these not far from their places.
template <class T>
void sort_nearly_sorted(std::span<T> values) {
    std::size_t moves = 0;
    for (std::size_t k = 1; k < values.size(); ++k) {
        const T value = values[k];
        std::size_t to = k;
        for (; to > 0 && value < values[to - 1]; --to) values[to] = values[to - 1];
        values[to] = value;
        moves += k - to;
        if (moves > 16 * values.size()) return std::sort(values.begin(), values.end());
    }
}

// Sorts indices, no two of them equal. Of few each goes to the place that the number of smaller
// ones gives it: more comparisons than others need, but in vectors and without a branch.
void sort_indices(Index* first, std::size_t count);

struct KeyedIndex {
    std::uint64_t key;
    Index value;
    auto operator<=>(const KeyedIndex&) const = default;
};

// The middle of the bodies and the length that most of them span, per axis: from a fixed
// sample, so that a few bodies at 1e30 do not blur the rest.
struct Bulk {
    std::array<double, 3> centre{};
    std::array<double, 3> extent{};  // at least the middle nine tenths; 0 if they coincide
};

template <Real T, int D>
Bulk bulk_of(const Scene<T, D>& scene);

// The smallest and largest coordinates of all centres (of boxes: lower corners).
template <Real T, int D>
Box<double, D> bounds_of(const Scene<T, D>& scene);

// Instances along a Z-curve whose middle half spans the bulk of the bodies; what is outside
// clamps to its ends.
template <Real T, int D>
class CurveOrder {
  public:
    static constexpr unsigned bits = 63 / D;  // per axis

    void assign(const Scene<T, D>& scene, std::size_t instances);

    std::size_t size() const { return records_.size(); }
    Index operator[](std::size_t k) const { return records_[k].value; }

    // The first bit of their places in which two of the entries begin ... end - 1 differ; -1 if
    // none.
    int differing_bit(Index begin, Index end) const {
        return static_cast<int>(std::bit_width(records_[begin].key ^ records_[end - 1].key)) -
               1;
    }

    // Divides them by their places without the lowest `shift` bits, which have at most N
    // values.
    template <std::size_t N>
    unsigned divide(Index begin, Index end, unsigned shift, std::array<Index, N>& ends) const {
        const KeyedIndex* const records = records_.data();
        unsigned count = 0;
        while (begin < end) {
            const std::uint64_t cell = records[begin].key >> shift;
            const auto last = std::partition_point(
                records + begin, records + end,
                [&](const KeyedIndex& r) { return r.key >> shift == cell; });
            begin = static_cast<Index>(last - records);
            ends[count++] = begin;
        }
        return count;
    }

    std::size_t bytes() const { return records_.bytes() + sorter_.bytes(); }

  private:
    Buffer<KeyedIndex> records_;  // sorted
    Sorter<KeyedIndex> sorter_;
};

}  // namespace vicinal
