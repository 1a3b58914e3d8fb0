// Bodies as sorted records in an implicit tree (Poirrier 2009, section 5): every piece of a
// body is a record (locational code of its cell, length of the code, entry). In sorted order a
// cell is followed by the cells inside it: these form the run of a record.
//
// Coherent: the order of the last step is re-sorted. Then every body has a record for every
// corner, so that the number of records is constant, and the record stores its corner.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "base/adaptive_sort.hpp"
#include "base/sort.hpp"
#include "common/stopwatch.hpp"
#include "scene/packed.hpp"
#include "structures/implicit_tree.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class KdRecords {
  public:
    static constexpr std::size_t max_pieces = 1 << D;
    // Record numbers have 32 bits.
    static constexpr std::size_t max_instances =
        std::numeric_limits<Index>::max() / max_pieces - 1;
    // The length stored in unused records: no cell has it.
    static constexpr unsigned inactive = 63;

    KdRecords(const ImplicitTreeOptions<D>& options, bool coherent)
        : tree_(options), coherent_(coherent) {}

    // Orders and packs the instances, and writes their records.
    void assign(const Scene<T, D>& scene, Packed<T, D>& packed) {
        common::Stopwatch watch;
        const std::size_t n = scene.size();
        number_bits_ = static_cast<unsigned>(std::bit_width(n));
        if (coherent_) number_bits_ += slot_bits;
        const bool same = std::exchange(ordered_, false) && packed.size() == n;
        // One bit is left for the sentinel after the last code.
        const bool kept = tree_.assign(scene, 63 - length_bits - number_bits_, same);
        seconds_ = {.split = watch.lap()};
        if (!kept) order_entries(scene, packed);
        seconds_.sort = watch.lap();
        packed.fill(scene, {});
        measure_cells(scene, packed);
        if (kept)
            update_records(scene.threads(), watch);
        else
            write_records(scene.threads(), watch);
        seconds_.sort += watch.lap();
        ordered_ = coherent_;
    }

    // Durations of the stages of the last assign(): cells and pieces of the bodies; order of
    // the bodies and of the records.
    struct Seconds {
        double split = 0, sort = 0;
    };
    const Seconds& seconds() const { return seconds_; }

    const ImplicitTree<T, D>& tree() const { return tree_; }
    const CellBox<D>& cells(std::size_t entry) const { return cells_[entry]; }
    double body_volume() const { return body_volume_; }

    std::size_t size() const { return records_.size(); }
    std::uint64_t operator[](std::size_t r) const { return records_[r]; }
    TreeCell cell_of(std::uint64_t record) const {
        record >>= number_bits_;
        return {record >> length_bits,
                static_cast<unsigned>(record & ((1u << length_bits) - 1))};
    }
    std::size_t entry_of(std::uint64_t record) const {
        return coherent_ ? number_of(record) >> slot_bits : number_of(record);
    }

    // The keys of the records of a cell and all cells inside it: the first, and the end.
    std::uint64_t first_key(const TreeCell& cell) const { return record(cell, 0); }
    std::uint64_t key_behind(const TreeCell& cell) const {
        return record({cell.code + tree_.volume(cell.length), 0}, 0);
    }
    // The run of a record ends before this key.
    std::uint64_t key_behind_run(std::size_t r) const {
        const TreeCell cell = cell_of(records_[r]);
        return cell.length == inactive ? 0 : key_behind(cell);
    }
    std::size_t run_end(std::size_t r) const {
        const std::uint64_t key = key_behind_run(r);
        std::size_t end = r + 1;
        while (end < r + 4 && records_.data()[end] < key) ++end;
        return end < r + 4 ? end : find(key, end - 1);
    }
    // The first record at or after `from` that is not below `key`. Galloping search, because it
    // is likely near.
    std::size_t find(std::uint64_t key, std::size_t from) const {
        const auto records = records_.span();
        std::size_t step = 1;
        while (from + step < records.size() && records[from + step] < key) step *= 2;
        const auto first = records.begin() + static_cast<std::ptrdiff_t>(from + step / 2);
        const auto last = records.begin() +
                          static_cast<std::ptrdiff_t>(std::min(from + step, records.size()));
        return static_cast<std::size_t>(std::lower_bound(first, last, key) - records.begin());
    }

  private:
    static constexpr unsigned length_bits = 6;
    static constexpr unsigned slot_bits = D;

    // A record: code, length and number of the entry (coherent: and of the corner) in one
    // integer, whose order is that of Poirrier (2009), section 5.4: a cell comes before the
    // cells inside it.
    std::uint64_t record(const TreeCell& cell, std::uint64_t number) const {
        return (cell.code << length_bits | cell.length) << number_bits_ | number;
    }
    std::size_t number_of(std::uint64_t record) const {
        return record & ((std::uint64_t{1} << number_bits_) - 1);
    }

    // Writes the records of an entry; returns how many.
    std::size_t make_records(std::size_t entry, std::uint64_t* out) const {
        const Pieces<D> pieces = tree_.pieces(cells_[entry]);
        if (!coherent_) {
            for (std::size_t c = 0; c < pieces.count; ++c)
                out[c] = record(pieces.cells[c], entry);
            return pieces.count;
        }
        const TreeCell last{pieces.cells[pieces.count - 1].code, inactive};
        for (std::size_t c = 0; c < max_pieces; ++c)
            out[c] = record(c < pieces.count ? pieces.cells[c] : last, entry << slot_bits | c);
        return max_pieces;
    }

    // Orders entries along the curve, so that adjacent records have adjacent entries.
    void order_entries(const Scene<T, D>& scene, Packed<T, D>& packed) {
        const std::size_t n = scene.size();
        const int threads = scene.threads();
        const unsigned bits = radix_bits(n, tree_.code_bits());
        const unsigned shift = number_bits_ + tree_.code_bits() - bits;
        const auto key = [shift](std::uint64_t r) { return r >> shift; };
        records_.resize(max_pieces * n + 1);  // and the sentinel
        std::uint64_t* const records = records_.data();
        const auto make = [&](Range range, std::size_t, const auto& put) {
            for (std::size_t k = range.begin; k < range.end; ++k) {
                const auto box = tree_.cells(scene.box(static_cast<Index>(k)));
                put(records[k] = tree_.code(box.lo) << number_bits_ | k);
            }
        };
        sorter_.count(n, bits, threads, make, key);
        const auto again = [records](Range range, std::size_t, const auto& put) {
            for (std::size_t k = range.begin; k < range.end; ++k) put(records[k]);
        };
        sorter_.scatter(n, threads, again, key);
        const auto instances = packed.entries(n);
        sorter_.for_each_bucket(threads, key,
                                [&](Range entries, const std::uint64_t* bucket,
                                    const std::uint32_t* order, const auto&) {
                                    for (std::size_t k = 0; k < entries.size(); ++k)
                                        instances[entries.begin + k] =
                                            static_cast<Index>(number_of(bucket[order[k]]));
                                });
    }

    // The cells of the bodies' boxes, and the bodies' volume, summed in an order independent of
    // the number of threads.
    void measure_cells(const Scene<T, D>& scene, const Packed<T, D>& packed) {
        constexpr std::size_t part_size = 4096;
        const std::size_t n = scene.size();
        cells_.resize(n);
        volumes_.resize((n + part_size - 1) / part_size);
        parallel_tasks(scene.threads(), volumes_.size(), [&](std::size_t p, int) {
            double sum = 0;
            for (std::size_t e = p * part_size; e < std::min(n, (p + 1) * part_size); ++e) {
                const Box<T, D> box = packed.box(e, scene);
                cells_[e] = tree_.cells(box);
                double volume = 1;
                for (std::size_t a = 0; a < D; ++a)
                    volume *= static_cast<double>(box.hi[a]) - static_cast<double>(box.lo[a]);
                sum += volume;
            }
            volumes_[p] = sum;
        });
        body_volume_ = 0;
        for (const double part : volumes_.span()) body_volume_ += part;
        body_volume_ *= box_fraction(scene.view());
    }

    // Makes the records of all pieces and sorts them (Poirrier 2009, section 5.4).
    void write_records(int threads, common::Stopwatch& watch) {
        const std::size_t n = cells_.size();
        const unsigned all_bits = tree_.code_bits() + length_bits;
        const unsigned bits = radix_bits(n, all_bits);
        const unsigned shift = number_bits_ + all_bits - bits;
        const auto key = [shift](std::uint64_t r) { return r >> shift; };
        std::uint64_t* const records = records_.data();
        PerPiece<std::uint64_t*> ends(piece_count(threads, n));
        const auto make = [&](Range range, std::size_t piece, const auto& put) {
            std::uint64_t* at = records + max_pieces * range.begin;
            for (std::size_t e = range.begin; e < range.end; ++e) {
                const std::uint64_t* const end = at + make_records(e, at);
                while (at != end) put(*at++);
            }
            ends[piece] = at;
        };
        const std::size_t count = sorter_.count(n, bits, threads, make, key);
        seconds_.split += watch.lap();
        const auto again = [&](Range range, std::size_t piece, const auto& put) {
            const std::uint64_t* const end = ends[piece];
            for (const std::uint64_t* at = records + max_pieces * range.begin; at != end; ++at)
                put(*at);
        };
        sorter_.scatter(n, threads, again, key);
        sorter_.for_each_bucket(threads, key,
                                [&](Range entries, const std::uint64_t* bucket,
                                    const std::uint32_t* order, const auto&) {
                                    std::uint64_t* const to = records + entries.begin;
                                    for (std::size_t k = 0; k < entries.size(); ++k)
                                        to[k] = bucket[order[k]];
                                    sort_nearly_sorted(std::span(to, entries.size()));
                                });
        records_.resize(count);
        records_.data()[count] = ~std::uint64_t{0};  // sentinel after every key
    }

    // Poirrier (2009), section 7.1: writes new codes in the old order, then re-sorts what has
    // changed.
    void update_records(int threads, common::Stopwatch& watch) {
        const std::size_t count = records_.size();
        scratch_.resize(count);
        parallel_for(threads, cells_.size(), [&](std::size_t e) {
            make_records(e, scratch_.data() + (e << slot_bits));
        });
        seconds_.split += watch.lap();
        parallel_for(threads, count,
                     [&](std::size_t r) { records_[r] = scratch_[number_of(records_[r])]; });
        adaptive_sort(threads, records_, scratch_, std::less<>());
        records_.data()[count] = ~std::uint64_t{0};
    }

    ImplicitTree<T, D> tree_;
    const bool coherent_;
    bool ordered_ = false;  // coherent: records of the last step exist
    unsigned number_bits_ = 0;
    Buffer<CellBox<D>> cells_;       // of each entry
    Buffer<std::uint64_t> records_;  // sorted, with a sentinel after the last
    Sorter<std::uint64_t> sorter_;
    Buffer<std::uint64_t> scratch_;  // coherent: scratch of the sort
    Buffer<double> volumes_;         // of parts of the bodies
    double body_volume_ = 0;
    Seconds seconds_;
};

}  // namespace vicinal::inline VICINAL_API
