// Linear kd-tree (P1): space is halved along x, y, z, x, ... without end; a body belongs to the
// smallest such cell around it, and a body that crosses a coarse cutting plane is split there
// into pieces with small cells of their own. There are no nodes: a piece is a record
// (locational code of its cell, length of the code, body). Sorted, the cells inside a cell
// follow it, so each record is put against the run of records that follow while its code is a
// prefix of theirs. O(N log N), 6 to 7 records per body. Wins on sizes that differ by orders of
// magnitude; loses to grids on bodies of one size, for one record in six finds a neighbour.
//
// Beyond the paper: each pair once without a list. If two bodies meet, the lowest corner of
// their intersection lies in exactly one cell of each, for the cells of a body's pieces are
// disjoint and cover it; two cells around one corner are nested. So the pair counts where that
// corner's code has the deeper record's code as a prefix. All of it in whole cell coordinates,
// which need only be monotone.
#include "methods/registry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/adaptive_sort.hpp"
#include "core/implicit_tree.hpp"
#include "core/sort.hpp"

namespace vicinal {
namespace {

template <int D>
ImplicitTreeOptions<D> tree_options(const Choice& choice) {
    ImplicitTreeOptions<D> options;
    options.split = choice.word("split") == "on";
    options.octree = choice.word("octree") == "on";
    // In an octree a useless split would put two pieces in one cell.
    options.suppress = choice.word("coherent") == "off" || options.octree;
    options.bits = static_cast<unsigned>(choice.number("bits"));
    options.axes = choice.word("axes");
    const std::vector<double> root = choice.numbers("root");
    if (root.size() == 1 && root[0] >= 1 && root[0] <= 1000) {
        options.root_factor = root[0];
        return options;
    }
    bool box = root.size() == 2 * D;
    options.root.emplace();
    for (std::size_t a = 0; a < D && box; ++a) {
        options.root->lo[a] = root[a];
        options.root->hi[a] = root[D + a];
        box = root[a] < root[D + a] && std::isfinite(root[D + a] - root[a]);
    }
    if (!box)
        throw Error(Error::Kind::option,
                    "method linear_kd_tree: option root is '" + choice.word("root") +
                        "'; give a number from 1 to 1000, or the root's lower and upper corner "
                        "in as many dimensions as the bodies have: " +
                        (D == 2 ? "(x0, y0, x1, y1)" : "(x0, y0, z0, x1, y1, z1)"));
    return options;
}

enum class Unique { owner, list, none };

Unique unique_of(const std::string& word) {
    return word == "owner" ? Unique::owner : word == "list" ? Unique::list : Unique::none;
}

template <Real T, int D>
class LinearKdTree final : public Method<T, D> {
  public:
    explicit LinearKdTree(const Choice& choice)
        : tree_(tree_options<D>(choice)),
          unique_(unique_of(choice.word("unique"))),
          coherent_(choice.word("coherent") == "on") {}

    void build(const Scene<T, D>& scene) override {
        if (scene.size() >= std::numeric_limits<Index>::max() / most_pieces)
            throw Error(Error::Kind::limit,
                        "linear_kd_tree: too many bodies for 32-bit numbers of records");
        entry_bits_ = static_cast<unsigned>(std::bit_width(scene.size()));
        if (coherent_) entry_bits_ += slot_bits;
        const bool same = std::exchange(ordered_, false) && packed_.size() == scene.size();
        // One bit is left for what comes behind the last code.
        const bool kept = tree_.assign(scene, 63 - length_bits - entry_bits_, same);
        if (!kept) order_entries(scene);
        packed_.fill(scene, {});
        measure_cells(scene);
        if (kept)
            update_records(scene.threads());
        else
            write_records(scene.threads());
        measure_runs(scene.threads());
        if (unique_ == Unique::list) list_pairs(scene.threads());
        ordered_ = coherent_;
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return unique_ == Unique::list
                   ? (pairs_.records.size() + pairs_per_task - 1) / pairs_per_task
                   : sweep_tasks();
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        if (unique_ != Unique::list)
            return for_each_part(tasks, [&](std::size_t r, Run run) { sweep(r, run, sieve); });
        const auto& pairs = pairs_.records;
        for (std::size_t p = tasks.begin * pairs_per_task;
             p < std::min(tasks.end * pairs_per_task, pairs.size()); ++p) {
            const std::size_t second = number_of(pairs[p]);
            sieve.one(pairs[p] >> entry_bits_, {second, second + 1});
        }
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q)
            ask(queries, static_cast<Index>(q), sieve);
    }

    bool finds_nearest() const override { return true; }
    void nearest(NearestQuery<T, D>& query) const override {
        nearest({0, records_.size()}, query);
    }

    bool repeats() const override { return unique_ == Unique::none; }

    Figures figures() const override {
        const auto bodies = static_cast<double>(packed_.size());
        const auto records = static_cast<double>(records_.size());
        Figures result{{"bits per axis", static_cast<double>(tree_.bits())},
                       {"pieces per body", bodies > 0 ? records / bodies : 0},
                       {"cell volume per body volume", volume_ratio_},
                       {"selected", static_cast<double>(work_) - records}};
        if (unique_ == Unique::list)
            result.push_back({"listed with repeats", static_cast<double>(repeated_)});
        return result;
    }

    std::size_t bytes() const override {
        return packed_.bytes() + cells_.bytes() + records_.bytes() + sorter_.bytes() +
               room_.bytes() + pairs_.bytes() + work_before_.bytes() + volumes_.bytes();
    }

  private:
    static constexpr std::size_t most_pieces = 1 << D;
    static constexpr unsigned length_bits = 6;
    // Coherent: every body has a record for every corner, those that it does not need of this
    // length, which no cell has. The record tells which corner's it is.
    static constexpr unsigned inactive = 63;
    static constexpr unsigned slot_bits = D;
    static constexpr std::size_t block_records = 256;
    static constexpr std::size_t pairs_per_task = 1 << 14;

    // A record: code, length and entry (coherent: and corner) in one number, whose order is
    // that of P1 section 5.4: a cell comes before the cells inside it.
    std::uint64_t record(const Cell& cell, std::uint64_t number) const {
        return (cell.code << length_bits | cell.length) << entry_bits_ | number;
    }
    Cell cell_of(std::uint64_t record) const {
        record >>= entry_bits_;
        return {record >> length_bits,
                static_cast<unsigned>(record & ((1u << length_bits) - 1))};
    }
    std::size_t number_of(std::uint64_t record) const {
        return record & ((std::uint64_t{1} << entry_bits_) - 1);
    }
    std::size_t entry_of(std::uint64_t record) const {
        return coherent_ ? number_of(record) >> slot_bits : number_of(record);
    }

    // Writes the records of an entry; returns how many.
    std::size_t make_records(std::size_t entry, std::uint64_t* out) const {
        const Pieces<D> pieces = tree_.pieces(cells_[entry]);
        if (!coherent_) {
            for (std::size_t c = 0; c < pieces.count; ++c)
                out[c] = record(pieces.cells[c], entry);
            return pieces.count;
        }
        const Cell last{pieces.cells[pieces.count - 1].code, inactive};
        for (std::size_t c = 0; c < most_pieces; ++c)
            out[c] = record(c < pieces.count ? pieces.cells[c] : last, entry << slot_bits | c);
        return most_pieces;
    }

    // Entries along the curve: records that are neighbours have entries that are.
    void order_entries(const Scene<T, D>& scene) {
        const std::size_t n = scene.size();
        const int threads = scene.threads();
        const unsigned bits = first_bits(n, tree_.code_bits());
        const unsigned shift = entry_bits_ + tree_.code_bits() - bits;
        const auto key = [shift](std::uint64_t r) { return r >> shift; };
        records_.resize(most_pieces * n + 1);  // and what comes behind the last
        std::uint64_t* const records = records_.data();
        const auto make = [&](Range range, std::size_t, const auto& put) {
            for (std::size_t k = range.begin; k < range.end; ++k) {
                const auto box = tree_.cells(scene.box(static_cast<Index>(k)));
                put(records[k] = tree_.code(box.lo) << entry_bits_ | k);
            }
        };
        sorter_.count(n, bits, threads, make, key);
        const auto again = [records](Range range, std::size_t, const auto& put) {
            for (std::size_t k = range.begin; k < range.end; ++k) put(records[k]);
        };
        sorter_.scatter(n, threads, again, key);
        const auto instances = packed_.entries(n);
        sorter_.take(threads, key,
                     [&](Range entries, const std::uint64_t* bucket, const std::uint32_t* order,
                         const auto&) {
                         for (std::size_t k = 0; k < entries.size(); ++k)
                             instances[entries.begin + k] =
                                 static_cast<Index>(number_of(bucket[order[k]]));
                     });
    }

    // The cells of the bodies' boxes, and the bodies' volume: summed in one order, whatever the
    // threads.
    void measure_cells(const Scene<T, D>& scene) {
        constexpr std::size_t part_size = 4096;
        const std::size_t n = scene.size();
        cells_.resize(n);
        volumes_.resize((n + part_size - 1) / part_size);
        parallel_tasks(scene.threads(), volumes_.size(), [&](std::size_t p, int) {
            double sum = 0;
            for (std::size_t e = p * part_size; e < std::min(n, (p + 1) * part_size); ++e) {
                const Box<T, D> box = packed_.box(e, scene);
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
        // A ball's share of its box.
        if (scene.view().shape != Shape::boxes && !scene.view().swept())
            body_volume_ *= std::acos(-1.0) / (2 * D);
    }

    // Makes the records of all pieces and sorts them (P1 section 5.4).
    void write_records(int threads) {
        const std::size_t n = packed_.size();
        const unsigned all_bits = tree_.code_bits() + length_bits;
        const unsigned bits = first_bits(n, all_bits);
        const unsigned shift = entry_bits_ + all_bits - bits;
        const auto key = [shift](std::uint64_t r) { return r >> shift; };
        std::uint64_t* const records = records_.data();
        PerPiece<std::uint64_t*> ends(piece_count(threads, n));
        const auto make = [&](Range range, std::size_t piece, const auto& put) {
            std::uint64_t* at = records + most_pieces * range.begin;
            for (std::size_t e = range.begin; e < range.end; ++e) {
                const std::uint64_t* const end = at + make_records(e, at);
                while (at != end) put(*at++);
            }
            ends[piece] = at;
        };
        const std::size_t count = sorter_.count(n, bits, threads, make, key);
        const auto again = [&](Range range, std::size_t piece, const auto& put) {
            const std::uint64_t* const end = ends[piece];
            for (const std::uint64_t* at = records + most_pieces * range.begin; at != end; ++at)
                put(*at);
        };
        sorter_.scatter(n, threads, again, key);
        sorter_.take(threads, key,
                     [&](Range entries, const std::uint64_t* bucket, const std::uint32_t* order,
                         const auto&) {
                         std::uint64_t* const to = records + entries.begin;
                         for (std::size_t k = 0; k < entries.size(); ++k)
                             to[k] = bucket[order[k]];
                         sort_nearly_sorted(std::span(to, entries.size()));
                     });
        records_.resize(count);
        records_.data()[count] = ~std::uint64_t{0};  // behind every key
    }

    // P1 section 7.1: new codes in the old order, which is put right where it has changed.
    void update_records(int threads) {
        const std::size_t count = records_.size();
        room_.resize(count);
        parallel_for(threads, packed_.size(),
                     [&](std::size_t e) { make_records(e, room_.data() + (e << slot_bits)); });
        parallel_for(threads, count,
                     [&](std::size_t r) { records_[r] = room_[number_of(records_[r])]; });
        adaptive_sort(threads, records_, room_, std::less<>());
        records_.data()[count] = ~std::uint64_t{0};
    }

    // The first record at or behind `from` that is not below `key`, likely near.
    std::size_t find(std::uint64_t key, std::size_t from) const {
        const auto records = records_.span();
        std::size_t step = 1;
        while (from + step < records.size() && records[from + step] < key) step *= 2;
        const auto first = records.begin() + static_cast<std::ptrdiff_t>(from + step / 2);
        const auto last = records.begin() +
                          static_cast<std::ptrdiff_t>(std::min(from + step, records.size()));
        return static_cast<std::size_t>(std::lower_bound(first, last, key) - records.begin());
    }

    // Behind all codes that begin with this one.
    std::uint64_t key_behind(const Cell& cell) const {
        return record({cell.code + tree_.volume(cell.length), 0}, 0);
    }

    // The run of a record is what follows it below this.
    std::uint64_t key_behind_run(std::size_t r) const {
        const Cell cell = cell_of(records_[r]);
        return cell.length == inactive ? 0 : key_behind(cell);
    }

    std::size_t run_end(std::size_t r) const {
        const std::uint64_t key = key_behind_run(r);
        std::size_t end = r + 1;
        while (end < r + 4 && records_.data()[end] < key) ++end;
        return end < r + 4 ? end : find(key, end - 1);
    }

    // The work of the sweep, by blocks of records, and the cells' volume over the bodies' (P1
    // table 1).
    void measure_runs(int threads) {
        const std::size_t n = records_.size();
        const std::size_t blocks = (n + block_records - 1) / block_records;
        work_before_.resize(blocks);
        using Depths = std::array<std::uint64_t, 64>;
        PerPiece<Depths> counts(piece_count(threads, blocks), Depths{});
        parallel_ranges(threads, blocks, [&](Range range, std::size_t p) {
            for (std::size_t b = range.begin; b < range.end; ++b) {
                std::uint64_t work = 0;
                for (std::size_t r = b * block_records;
                     r < std::min(n, (b + 1) * block_records); ++r) {
                    work += run_end(r) - r;
                    ++counts[p][cell_of(records_[r]).length];
                }
                work_before_[b] = work;
            }
        });
        work_ = exclusive_scan(1, work_before_.span());
        // Few enough that their number is no burden.
        work_per_task_ = std::max<std::uint64_t>(1 << 15, work_ >> 16);
        depths_.fill(0);
        for (const Depths& part : counts)
            for (std::size_t l = 0; l < depths_.size(); ++l) depths_[l] += part[l];
        double volume = 0;
        for (unsigned l = 0; l <= tree_.code_bits(); ++l)
            volume += static_cast<double>(depths_[l]) * static_cast<double>(tree_.volume(l));
        const double ratio = volume * tree_.unit() / body_volume_;
        volume_ratio_ = std::isfinite(ratio) ? ratio : 0;
    }

    std::size_t sweep_tasks() const {
        return static_cast<std::size_t>((work_ + work_per_task_ - 1) / work_per_task_);
    }

    // Work is counted in units: a record takes one, and one for each record in its run. A task
    // may begin and end inside a run. Calls f with each record of the tasks and what part of
    // its run, if it is so long, is theirs.
    template <class F>
    void for_each_part(Range tasks, const F& f) const {
        std::uint64_t unit = tasks.begin * work_per_task_;
        const std::uint64_t last = std::min(tasks.end * work_per_task_, work_);
        if (unit >= last) return;
        const auto sums = work_before_.span();
        auto block = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), unit) -
                                              sums.begin() - 1);
        for (; unit < last; ++block) {
            std::uint64_t begin = sums[block];
            const std::size_t end_record =
                std::min((block + 1) * block_records, records_.size());
            const bool whole =
                unit == begin && block + 1 < sums.size() && sums[block + 1] <= last;
            for (std::size_t r = block * block_records; r < end_record && unit < last; ++r) {
                if (whole) {
                    f(r, Run{r + 1, records_.size()});
                    continue;
                }
                const std::uint64_t end = begin + (run_end(r) - r);
                if (unit < end) {
                    // The first unit of a record is the record itself.
                    const std::uint64_t from = std::max(unit, begin + 1);
                    f(r, Run{r + (from - begin), r + (std::min(last, end) - begin)});
                    unit = std::min(last, end);
                }
                begin = end;
            }
            if (whole) unit = sums[block + 1];
        }
    }

    // Calls f with every record of the run of record r that is in `part`.
    template <class F>
    void for_each_candidate(std::size_t r, Run part, const F& f) const {
        const std::uint64_t key = key_behind_run(r);
        for (std::size_t s = part.begin; s < part.end && records_[s] < key; ++s) f(records_[s]);
    }

    // P1 section 6, kd-tree-2: the pairs that the sweep selects and whose boxes meet, sorted to
    // drop repeats.
    void list_pairs(int threads) {
        std::vector<std::vector<std::uint64_t>> found(sweep_tasks());
        parallel_tasks(threads, found.size(), [&](std::size_t t, int) {
            for_each_part({t, t + 1}, [&](std::size_t r, Run run) {
                const std::size_t first = entry_of(records_[r]);
                for_each_candidate(r, run, [&](std::uint64_t record) {
                    const std::size_t second = entry_of(record);
                    if (first != second && cells_[first].meets(cells_[second]))
                        found[t].push_back(std::min(first, second) << entry_bits_ |
                                           std::max(first, second));
                });
            });
        });
        std::vector<std::size_t> before(found.size());
        for (std::size_t t = 0; t < found.size(); ++t) before[t] = found[t].size();
        repeated_ = exclusive_scan(1, std::span(before));
        auto& pairs = pairs_.records;
        pairs.resize(repeated_);
        parallel_tasks(threads, found.size(), [&](std::size_t t, int) {
            std::copy(found[t].begin(), found[t].end(), pairs.data() + before[t]);
        });
        pairs_.sort(2 * entry_bits_, threads, [](std::uint64_t pair) { return pair; });
        const auto end = std::unique(pairs.data(), pairs.data() + repeated_);
        pairs.resize(static_cast<std::size_t>(end - pairs.data()));
    }

    // Does the lowest corner that two boxes share lie in this cell?
    bool owns(const Cell& deeper, const CellBox<D>& a, const CellBox<D>& b) const {
        if (deeper.length == inactive) return false;
        std::array<std::uint32_t, D> corner;
        for (std::size_t k = 0; k < D; ++k) corner[k] = std::max(a.lo[k], b.lo[k]);
        return (tree_.code(corner) ^ deeper.code) < tree_.volume(deeper.length);
    }

    // A record against part of its run (P1 section 5.5).
    void sweep(std::size_t r, Run run, Sieve<T, D>& sieve) const {
        const std::size_t first = entry_of(records_[r]);
        const CellBox<D> box = cells_[first];
        Run accepted;  // entries that follow each other go to the sieve together
        for_each_candidate(r, run, [&](std::uint64_t record) {
            const std::size_t second = entry_of(record);
            if (!box.meets(cells_[second])) return;
            const Cell deeper = cell_of(record);
            if (unique_ == Unique::none ? deeper.length == inactive
                                        : !owns(deeper, box, cells_[second]))
                return;
            if (second != accepted.end) {
                if (accepted.size() > 0) sieve.one(first, accepted);
                accepted.begin = second;
            }
            accepted.end = second + 1;
        });
        if (accepted.size() > 0) sieve.one(first, accepted);
    }

    // The records of a range are inside the smallest cell around the first and the last of
    // them, but for some at the beginning, which are around it. Those are offered, the others
    // divided, nearer half first.
    void nearest(Range range, NearestQuery<T, D>& query) const {
        constexpr std::size_t few = 16;
        while (range.size() > few) {
            const Cell first = cell_of(records_[range.begin]);
            const Cell last = cell_of(records_[range.end - 1]);
            const auto bit = static_cast<unsigned>(std::bit_width(first.code ^ last.code));
            if (bit == 0) break;  // all at one place
            const unsigned length = tree_.code_bits() - bit;
            if (first.length <= length) {
                query.offer_entry(entry_of(records_[range.begin++]));
                continue;
            }
            const std::uint64_t half = std::uint64_t{1} << (bit - 1);
            const Cell low{first.code & ~(half - 1), length + 1};
            const Cell high{last.code & ~(half - 1), length + 1};
            const std::size_t middle = find(record({high.code, 0}, 0), range.begin);
            const double to_low = query.square_to(tree_.bounds(low));
            const double to_high = query.square_to(tree_.bounds(high));
            const Range parts[2] = {{range.begin, middle}, {middle, range.end}};
            const bool reverse = to_high < to_low;
            if (!query.too_far(reverse ? to_high : to_low)) nearest(parts[reverse], query);
            if (query.too_far(reverse ? to_low : to_high)) return;
            range = parts[!reverse];
        }
        for (std::size_t r = range.begin; r < range.end; ++r)
            query.offer_entry(entry_of(records_[r]));
    }

    // A query is split like a body. Each piece meets the records of its own cell and of cells
    // inside, which follow each other, and of the cells around it, which are looked up length
    // by length.
    void ask(const Scene<T, D>& queries, Index q, Sieve<T, D>& sieve) const {
        const CellBox<D> box = tree_.cells(queries.box(q));
        const auto offer = [&](Run run, const Cell* piece) {
            for (std::size_t r = run.begin; r < run.end; ++r) {
                const std::size_t entry = entry_of(records_[r]);
                const Cell deeper = piece != nullptr ? *piece : cell_of(records_[r]);
                if (box.meets(cells_[entry]) && owns(deeper, box, cells_[entry]))
                    sieve.ask(q, {entry, entry + 1});
            }
        };
        const Pieces<D> pieces = tree_.pieces(box);
        for (std::size_t c = 0; c < pieces.count; ++c) {
            const Cell piece = pieces.cells[c];
            for (unsigned length = 0; length < piece.length; ++length) {
                if (depths_[length] == 0) continue;
                const Cell around{piece.code & ~(tree_.volume(length) - 1), length};
                const std::size_t begin = find(record(around, 0), 0);
                offer({begin, find(record({around.code, length + 1}, 0), begin)}, &piece);
            }
            const std::size_t begin = find(record(piece, 0), 0);
            offer({begin, find(key_behind(piece), begin)}, nullptr);
        }
    }

    ImplicitTree<T, D> tree_;
    unsigned entry_bits_ = 0;
    Packed<T, D> packed_;
    Buffer<CellBox<D>> cells_;       // of each entry
    Buffer<std::uint64_t> records_;  // sorted; behind the last one, the largest number
    Sorter<std::uint64_t> sorter_;
    Buffer<std::uint64_t> room_;  // coherent: to sort in
    Buffer<double> volumes_;      // of parts of the bodies
    double body_volume_ = 0;
    // Units of work before each block of records, and of all.
    Buffer<std::uint64_t> work_before_;
    std::uint64_t work_ = 0, work_per_task_ = 1;
    std::array<std::uint64_t, 64> depths_{};  // records by length of code
    double volume_ratio_ = 0;
    const Unique unique_;
    const bool coherent_;
    bool ordered_ = false;         // coherent: are there records of a step before?
    Sorter<std::uint64_t> pairs_;  // of entries, if they are listed
    std::size_t repeated_ = 0;     // how many before repeats were dropped
};

}  // namespace

MethodEntry describe_linear_kd_tree() {
    const std::vector<std::string> on_off{"on", "off"};
    return describe_method<LinearKdTree>(
        {"linear_kd_tree",
         "sorted codes of the cells of an implicit kd-tree, bodies split at its planes (P1)",
         {{"split", "on", "split bodies where they cross cutting planes", 0, 0, on_off},
          {"unique",
           "owner",
           "each pair once: by the owner rule, or by a sorted list (kd-tree-2); none: repeats, "
           "and only counting (kd-tree-1)",
           0,
           0,
           {"owner", "list", "none"}},
          {"octree", "off", "cells of an octree instead: all axes are cut together", 0, 0,
           on_off},
          {"bits",
           "0",
           "bits per axis, fewer if they do not fit; 0: from the bodies' sizes",
           0,
           28,
           {}},
          {"root",
           "1",
           "the root cell: its edge, in longest edges of the bodies' bounding box, or its "
           "corners (x0, y0, z0, x1, y1, z1)",
           1,
           1000,
           {},
           OptionInfo::Kind::list},
          {"axes",
           "xyz",
           "the order in which axes are cut",
           0,
           0,
           {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}},
          {"coherent", "off",
           "re-sort the order of the last step, of all corners of all bodies", 0, 0, on_off}}});
}

}  // namespace vicinal
