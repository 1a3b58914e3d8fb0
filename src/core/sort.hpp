// Sorting and space-filling order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
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

    std::size_t buckets() const { return std::size_t{1} << top_; }
    // What was kept: of a bucket, before it, in all.
    std::span<const Record> kept(std::size_t b) const {
        return {records.data() + start_[b], kept_[b + 1] - kept_[b]};
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
    template <class Key>
    const std::uint32_t* order_bucket(Range entries, const Key& key, Scratch& scratch) const;

    unsigned top_ = 0, low_ = 0;    // bits that choose the bucket, bits below them
    Buffer<std::uint32_t> next_;    // per piece and bucket
    Buffer<std::uint32_t> start_;   // of each bucket, and the end
    Buffer<std::uint32_t> kept_;    // records kept of the buckets before each, and of all
    std::vector<Scratch> scratch_;  // per worker
    Buffer<Record> sorted_;         // for sort() only
};

template <class Record>
template <class Make, class Key>
std::uint64_t Sorter<Record>::count(std::size_t n, unsigned bits, int threads, const Make& make,
                                    const Key& key) {
    // Buckets of a thousand records or so, but no more of them than a cache has lines for.
    top_ = std::min({bits, static_cast<unsigned>(std::bit_width(n >> 10)), 12u});
    if (bits == 64) top_ = std::max(top_, 1u);  // a shift by 64 would be undefined
    low_ = bits - top_;
    const std::size_t pieces = piece_count(threads, n), buckets = this->buckets();
    next_.resize(pieces * buckets);
    start_.resize(buckets + 1);
    parallel_ranges(threads, n, [&](Range range, std::size_t piece) {
        std::uint32_t* const count = next_.data() + piece * buckets;
        std::fill(count, count + buckets, 0u);
        // By value: what others can reach would be read again after every store.
        make(range, piece, [count, key, low = low_](const auto& r) {
            ++count[std::uint64_t{key(r)} >> low];
        });
    });
    std::uint64_t at = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
        start_[b] = static_cast<std::uint32_t>(at);
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            std::uint32_t& next = next_[piece * buckets + b];
            const std::uint32_t own = next;
            next = static_cast<std::uint32_t>(at);
            at += own;
        }
    }
    start_[buckets] = static_cast<std::uint32_t>(at);
    return at;
}

template <class Record>
template <class Make, class Key>
void Sorter<Record>::scatter(std::size_t n, int threads, const Make& make, const Key& key) {
    const std::size_t buckets = this->buckets();
    records.resize(start_[buckets]);
    parallel_ranges(threads, n, [&](Range range, std::size_t piece) {
        std::uint32_t* const next = next_.data() + piece * buckets;
        make(range, piece, [next, key, low = low_, to = records.data()](const auto& r) {
            Record* const at = to + next[std::uint64_t{key(r)} >> low]++;
            *at = r;
            // The bucket's next line: on its way until the bucket is met again.
            __builtin_prefetch(reinterpret_cast<const char*>(at) + 64, 1);
        });
    });
}

// Least significant digit first, on the rest of the keys; the last pass leaves the order alone.
template <class Record>
template <class Key>
const std::uint32_t* Sorter<Record>::order_bucket(Range entries, const Key& key,
                                                  Scratch& scratch) const {
    const std::size_t n = entries.size();
    const Record* const from = records.data() + entries.begin;
    scratch.order.resize(n);
    std::uint32_t* const order = scratch.order.data();
    const std::uint64_t mask = low_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - low_);
    const unsigned widest =
        std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(n)), 4u, 13u);
    const unsigned passes = (low_ + widest - 1) / widest;
    scratch.digits.resize(std::size_t{1} << widest);
    std::uint32_t* const next = scratch.digits.data();
    // Where each digit's run begins.
    const auto begin_runs = [&](unsigned width, const auto& digit) {
        std::fill(next, next + (std::size_t{1} << width), 0u);
        for (std::size_t k = 0; k < n; ++k) ++next[digit(k)];
        std::uint32_t at = 0;
        for (std::size_t d = 0; d < std::size_t{1} << width; ++d)
            at += std::exchange(next[d], at);
    };
    if (passes == 0) {
        for (std::size_t k = 0; k < n; ++k) order[k] = static_cast<std::uint32_t>(k);
    } else if (passes == 1) {
        const auto digit = [&](std::size_t k) { return std::uint64_t{key(from[k])} & mask; };
        begin_runs(low_, digit);
        for (std::size_t k = 0; k < n; ++k)
            order[next[digit(k)]++] = static_cast<std::uint32_t>(k);
    } else {
        scratch.low.resize(n);
        scratch.other.resize(n);
        Low *low = scratch.low.data(), *other = scratch.other.data();
        for (std::size_t k = 0; k < n; ++k)
            low[k] = {std::uint64_t{key(from[k])} & mask, static_cast<std::uint32_t>(k)};
        unsigned shift = 0;
        for (unsigned p = 0; p < passes; ++p) {  // digits as equal as they can be
            const unsigned width = (low_ - shift + passes - p - 1) / (passes - p);
            const std::uint64_t most = (std::uint64_t{1} << width) - 1;
            const auto digit = [&](std::size_t k) { return low[k].key >> shift & most; };
            begin_runs(width, digit);
            if (p + 1 < passes) {
                for (std::size_t k = 0; k < n; ++k) other[next[digit(k)]++] = low[k];
                std::swap(low, other);
            } else {
                for (std::size_t k = 0; k < n; ++k) order[next[digit(k)]++] = low[k].index;
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
    parallel_tasks(threads, buckets(), [&](std::size_t b, int worker) {
        const Range entries{start_[b], start_[b + 1]};
        kept_[b + 1] = 0;
        if (entries.size() == 0) return;
        Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
        const std::uint32_t* const order = order_bucket(entries, key, scratch);
        scratch.kept.resize(entries.size());
        Record* const kept = scratch.kept.data();
        std::size_t count = 0;
        Record* const bucket = records.data() + entries.begin;
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
    std::size_t sum =
        records.bytes() + sorted_.bytes() + next_.bytes() + start_.bytes() + kept_.bytes();
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
