// Cuckoo hash (Gissler et al. 2011, section 4.3, after Alcantara et al. 2009): the cells of a
// uniform grid in a hash table that is built in two levels, in parallel. Records are first
// hashed to buckets; then each bucket independently inserts its cells into its intervals of
// three tables. A cell whose slot is occupied evicts the other cell, which moves to the next
// table. So a lookup takes at most three probes. O(N) time and memory. Builds faster than the
// other hashes with many threads; loses to the sorted grids in a search for all pairs.
//
// The cells of a body and the owner rule: structures/cell_records.hpp.
#include "methods/registry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/ledger.hpp"
#include "structures/cell_records.hpp"
#include "structures/query_box.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class CuckooHash final : public Method<T, D> {
  public:
    explicit CuckooHash(const Choice& choice) : factor_(choice.number("cell")) {}

    void build(const Scene<T, D>& scene) override {
        grid_.choose(scene, factor_, "cuckoo_hash");
        sorter_.records.resize(grid_.size());
        grid_.write(scene, sorter_.records.span());
        fill_buckets(scene.threads());
        const auto instances = packed_.entries(grid_.size());
        bits_.resize(grid_.several() ? grid_.size() : 0);
        cells_.resize(grid_.size());
        local_.resize(grid_.size());
        workers_.resize(static_cast<std::size_t>(scene.threads()));
        parallel_tasks(scene.threads(), buckets(), [&](std::size_t b, int worker) {
            list_cells(b, workers_[static_cast<std::size_t>(worker)], instances);
        });
        fill_tables(scene.threads());
        packed_.fill(scene, bits_.span());
    }

    std::size_t tasks() const override {
        return (slots_.size() + slots_per_task - 1) / slots_per_task;
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        const std::size_t end = std::min(tasks.end * slots_per_task, slots_.size());
        for (std::size_t s = tasks.begin * slots_per_task; s < end; ++s)
            if (slots_[s].count > 0)
                grid_.join(cell_at(s), slots_[s].run(), sieve,
                           [&](const Cell<D>& cell) { return find(cell); });
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        if (packed_.size() == 0) return;
        for (std::size_t q = instances.begin; q < instances.end; ++q)
            grid_.probe_one(
                static_cast<Index>(q), query_box(queries, static_cast<Index>(q)), slots_.size(),
                [&](std::size_t s) { return cell_at(s); },
                [&](std::size_t s) { return slots_[s].run(); },
                [&](const Cell<D>& cell) { return find(cell); }, sieve);
    }

    Statistics statistics() const override {
        double cells = 0, moves = 0, clashes = 0, rebuilds = 0, in_table[tables] = {};
        std::size_t fullest = 0;
        for (std::size_t b = 0; b < buckets(); ++b) {
            cells += buckets_[b].cells;
            moves += buckets_[b].moves;
            clashes += buckets_[b].clashes;
            rebuilds += buckets_[b].seed;
            fullest = std::max<std::size_t>(fullest, buckets_[b + 1].begin - buckets_[b].begin);
        }
        for (std::size_t s = 0; s < slots_.size(); ++s)
            in_table[s / table_size_] += slots_[s].count > 0;
        double probes = 0;
        for (std::size_t t = 0; t < tables; ++t)
            probes += static_cast<double>(t + 1) * in_table[t];
        const double some = std::max(cells, 1.0);
        return {{"cells", cells},
                {"table occupancy", cells / std::max(1.0, static_cast<double>(slots_.size()))},
                {"bucket occupancy", static_cast<double>(packed_.size()) /
                                         (static_cast<double>(buckets()) * bucket_capacity)},
                {"fullest bucket", static_cast<double>(fullest) / bucket_capacity},
                {"clashes per insertion", clashes / some},
                {"moves per insertion", moves / some},
                {"probes per cell found", probes / some},
                {"rebuilds", rebuilds}};
    }

  private:
    static constexpr std::size_t slots_per_task = 1024;
    // As published: buckets for 512 records that are 80 % full on average, tables 71 % full.
    static constexpr double bucket_capacity = 512;
    static constexpr std::size_t records_per_bucket = 409;
    static constexpr double occupancy = 0.71;
    static constexpr std::size_t tables = 3;

    // A cell: one key with many values, which are consecutive entries.
    struct Slot {
        std::uint64_t key;
        Index begin;
        Index count;  // 0: an empty slot
        Run run() const { return {begin, std::size_t{begin} + count}; }
    };
    struct Bucket {
        Index begin = 0;         // its first record; the last bucket is only a sentinel
        Index cells = 0;         // different keys
        Index slot = 0;          // start of its interval in each table
        Index width = 0;         // length of the interval
        std::uint32_t seed = 0;  // selects its hash functions; incremented on failure
        Index moves = 0;         // evictions, over all attempts
        Index clashes = 0;       // cells whose first slot was occupied, last attempt
    };

    // Maps the upper half of a hash to a number below n.
    static std::size_t below(std::uint64_t hash, std::size_t n) {
        return static_cast<std::size_t>((hash >> 32) * n >> 32);
    }

    std::size_t buckets() const { return buckets_.size() - 1; }
    std::size_t bucket_of(std::uint64_t key) const { return below(mix_bits(key), buckets()); }
    // The hash functions are odd multiples of one hash of the key.
    std::size_t slot_of(const Bucket& bucket, std::size_t table, std::uint64_t mixed) const {
        const std::uint64_t number = std::uint64_t{bucket.seed} * tables + table + 1;
        const std::uint64_t multiplier = number * 0x9e3779b97f4a7c15 | 1;
        return table * table_size_ + bucket.slot + below(mixed * multiplier, bucket.width);
    }

    Cell<D> cell_at(std::size_t slot) const { return grid_.keys().cell(slots_[slot].key); }
    Run find(const Cell<D>& cell) const {
        const std::uint64_t key = grid_.keys().key(cell), mixed = mix_bits(key);
        const Bucket& bucket = buckets_[below(mixed, buckets())];
        if (bucket.width == 0) return {};
        for (std::size_t t = 0; t < tables; ++t) {
            const Slot& slot = slots_[slot_of(bucket, t, mixed)];
            if (slot.key == key) return slot.run();  // empty slots have empty runs
        }
        return {};
    }

    // Level one: makes the records of each bucket contiguous.
    void fill_buckets(int threads) {
        const std::size_t n = sorter_.records.size();
        buckets_.resize(n / records_per_bucket + 2);
        sorter_.sort(static_cast<unsigned>(std::bit_width(buckets())), threads,
                     [&](const CellRecord& r) { return bucket_of(r.key); });
        parallel_for(threads, n + 1, [&](std::size_t r) {
            const std::size_t from = r == 0 ? 0 : bucket_of(sorter_.records[r - 1].key) + 1;
            const std::size_t to = r == n ? buckets() : bucket_of(sorter_.records[r].key);
            for (std::size_t b = from; b <= to; ++b)
                buckets_[b] = {.begin = static_cast<Index>(r)};
        });
    }

    // The distinct keys of a bucket, and its records sorted by them. `seen` is a small hash
    // table of its own (the paper has tables of a fixed size instead).
    void list_cells(std::size_t b, CountedVector<Index>& seen, std::span<Index> instances) {
        const std::size_t begin = buckets_[b].begin, end = buckets_[b + 1].begin;
        const std::size_t mask = std::bit_ceil(2 * (end - begin) + 1) - 1;
        seen.assign(mask + 1, 0);
        Index count = 0;
        for (std::size_t r = begin; r < end; ++r) {
            const std::uint64_t key = sorter_.records[r].key;
            std::size_t at = mix_bits(key) & mask;
            while (seen[at] != 0 && cells_[begin + seen[at] - 1].key != key)
                at = (at + 1) & mask;
            if (seen[at] == 0) {
                cells_[begin + count] = {key, 0, 0};
                seen[at] = ++count;
            }
            local_[r] = seen[at] - 1;
            ++cells_[begin + local_[r]].count;
        }
        auto at = static_cast<Index>(begin);
        for (std::size_t c = begin; c < begin + count; ++c)
            cells_[c].begin = std::exchange(at, at + cells_[c].count);
        for (std::size_t r = begin; r < end; ++r) {
            const Index entry = cells_[begin + local_[r]].begin++;
            instances[entry] = sorter_.records[r].instance;
            if (grid_.several()) bits_[entry] = sorter_.records[r].bits;
        }
        for (std::size_t c = begin; c < begin + count; ++c) cells_[c].begin -= cells_[c].count;
        buckets_[b].cells = count;
    }

    // Level two: puts each bucket's cells into its part of the tables.
    void fill_tables(int threads) {
        std::size_t width = 0;
        for (std::size_t b = 0; b < buckets(); ++b) {
            buckets_[b].slot = static_cast<Index>(width);
            buckets_[b].width =
                static_cast<Index>(std::ceil(buckets_[b].cells / (occupancy * tables)));
            width += buckets_[b].width;
        }
        table_size_ = width;
        slots_.resize(tables * width);
        parallel_tasks(threads, buckets(), [&](std::size_t b, int) {
            while (!place(buckets_[b])) ++buckets_[b].seed;
        });
    }

    // False if some cell has no slot after many evictions: other hash functions may work.
    bool place(Bucket& bucket) {
        bucket.clashes = 0;
        for (std::size_t t = 0; t < tables; ++t)
            for (std::size_t s = 0; s < bucket.width; ++s)
                slots_[t * table_size_ + bucket.slot + s] = {};
        for (std::size_t c = bucket.begin; c < std::size_t{bucket.begin} + bucket.cells; ++c) {
            Slot homeless = cells_[c];
            for (std::size_t move = 0; homeless.count > 0; ++move) {
                if (move == 128) return false;
                std::swap(homeless,
                          slots_[slot_of(bucket, move % tables, mix_bits(homeless.key))]);
                bucket.moves += homeless.count > 0;
                bucket.clashes += move == 0 && homeless.count > 0;
            }
        }
        return true;
    }

    double factor_;
    CellRecords<T, D> grid_;
    Sorter<CellRecord> sorter_;
    Buffer<Bucket> buckets_;
    Buffer<Slot> cells_;   // those of bucket b begin at its first record
    Buffer<Index> local_;  // of each record: its cell's number within the bucket
    std::vector<CountedVector<Index>> workers_;
    Buffer<Slot> slots_;  // the tables, one after the other
    std::size_t table_size_ = 0;
    Buffer<Bits> bits_;
    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_cuckoo_hash() {
    return describe_method<CuckooHash>(
        {"cuckoo_hash",
         "cells of one size in three hash tables, built bucket by bucket (Gissler et al. 2011)",
         {{"cell",
           "1",
           "edge of a cell, in mean edges of the bodies' boxes",
           0.01,
           1000,
           {}}}});
}

}  // namespace vicinal::inline VICINAL_API
