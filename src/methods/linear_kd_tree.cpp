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
#include <vector>

#include "core/bounds.hpp"
#include "core/morton.hpp"
#include "core/sort.hpp"

namespace vicinal {
namespace {

// A box in whole cells of the finest level, both ends included.
template <int D>
struct CellBox {
    std::array<std::uint32_t, D> lo, hi;

    bool meets(const CellBox& other) const {
        bool yes = true;
        for (std::size_t a = 0; a < D; ++a) yes &= lo[a] <= other.hi[a] && other.lo[a] <= hi[a];
        return yes;
    }
};

// A cell of the tree: the way to it from the root, a bit per cutting plane, first plane
// highest.
struct Cell {
    std::uint64_t code;  // as long as the longest, zeros behind its own bits
    unsigned length;
};

// A body has at most one piece per corner.
template <int D>
struct Pieces {
    std::array<Cell, 1 << D> cells;
    std::size_t count = 0;
};

// The tree that nobody stores: how bodies get their cells.
template <Real T, int D>
class ImplicitTree {
  public:
    explicit ImplicitTree(const Choice& choice)
        : split_(choice.word("split") == "on"),
          octree_(choice.word("octree") == "on"),
          asked_bits_(static_cast<unsigned>(choice.number("bits"))),
          root_factor_(choice.number("root")) {
        unsigned next = D;
        for (const char axis : choice.word("axes"))
            if (const auto a = static_cast<std::size_t>(axis - 'x'); a < D) {
                rank_[a] = --next;
                axis_[next] = a;
            }
    }

    // `room`: bits that a code may have.
    void assign(const Scene<T, D>& scene, unsigned room) {
        const double edge = place_root(scene);
        bits_ = asked_bits_ > 0 ? asked_bits_ : bits_for(scene, edge);
        bits_ = std::min(bits_, room / D);
        // A root too small to be divided is one cell.
        const double cells = std::ldexp(1.0, static_cast<int>(bits_));
        scale_ = edge / cells > std::numeric_limits<double>::min() ? cells / edge : 0;
    }

    unsigned bits() const { return bits_; }           // per axis
    unsigned code_bits() const { return D * bits_; }  // of the longest code
    // The volume of a cell in finest cells, and that of a finest cell.
    std::uint64_t volume(unsigned length) const {
        return std::uint64_t{1} << (code_bits() - length);
    }
    double unit() const { return scale_ > 0 ? std::pow(1 / scale_, D) : 0; }

    CellBox<D> cells(const Box<T, D>& box) const {
        CellBox<D> result;
        for (std::size_t a = 0; a < D; ++a) {
            result.lo[a] = cell(box.lo[a], a);
            result.hi[a] = cell(box.hi[a], a);
        }
        return result;
    }

    // P1 section 5.2.
    std::uint64_t code(const std::array<std::uint32_t, D>& place) const {
        std::uint64_t result = 0;
        for (std::size_t a = 0; a < D; ++a) result |= spread_bits<D>(place[a]) << rank_[a];
        return result;
    }

    Pieces<D> pieces(const CellBox<D>& box) const {
        Cuts cuts;
        std::uint64_t corner = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const std::uint32_t lo = box.lo[a], hi = box.hi[a];
            const int first = plane(lo, hi, a);
            const unsigned level = first < 0 ? 0 : static_cast<unsigned>(first) / D;
            const std::uint32_t cut = hi >> level << level;
            const std::uint64_t low_code = spread_bits<D>(lo) << rank_[a];
            cuts.plane[a] = {first, plane(lo, cut - 1, a), plane(cut, hi, a)};
            cuts.step[a] = (spread_bits<D>(cut) << rank_[a]) - low_code;
            corner += low_code;
        }
        Pieces<D> result;
        place(cuts, {}, corner, result);
        return result;
    }

  private:
    std::uint32_t cell(T x, std::size_t axis) const {
        // Halves, so that a difference of the largest numbers is finite.
        const double c = (static_cast<double>(x) / 2 - low_[axis] / 2) * (2 * scale_);
        return static_cast<std::uint32_t>(
            std::clamp(c, 0.0, static_cast<double>((1u << bits_) - 1)));
    }

    // On each axis a piece is what the body is, or one half.
    enum Part : std::size_t { whole, lower, upper };
    struct Cuts {
        // The first cutting plane that each of the parts crosses.
        std::array<std::array<int, 3>, D> plane;
        // From the code of a piece to that of its upper half.
        std::array<std::uint64_t, D> step;
    };

    // The first cutting plane between two places, as a bit of the code; -1: none.
    int plane(std::uint32_t lo, std::uint32_t hi, std::size_t axis) const {
        const int level = static_cast<int>(std::bit_width(lo ^ hi)) - 1;
        return level < 0 ? -1 : level * D + static_cast<int>(rank_[axis]);
    }

    // The cell of a piece (P1 section 5.3): the common prefix of its corners' codes ends at the
    // first cutting plane between them. There the piece is split, once per axis, if the cells
    // of all the pieces that come of it are together smaller than its own (P1 section 4.1).
    // Returns their volume.
    std::uint64_t place(const Cuts& cuts, std::array<Part, D> parts, std::uint64_t corner,
                        Pieces<D>& out) const {
        int first = -1;
        for (std::size_t a = 0; a < D; ++a) first = std::max(first, cuts.plane[a][parts[a]]);
        unsigned length = code_bits() - 1 - static_cast<unsigned>(first);
        if (octree_) length -= length % D;
        const std::size_t before = out.count;
        const std::size_t axis = first < 0 ? 0 : axis_[static_cast<unsigned>(first) % D];
        if (split_ && first >= 0 && parts[axis] == whole) {
            parts[axis] = lower;
            std::uint64_t split = place(cuts, parts, corner, out);
            parts[axis] = upper;
            split += place(cuts, parts, corner + cuts.step[axis], out);
            if (split < volume(length)) return split;
        }
        out.count = before;
        out.cells[out.count++] = {corner & ~(volume(length) - 1), length};
        return volume(length);
    }

    // The root is a cube, so that cells are as wide as they are long, around all boxes; or
    // around most of them, if a few lie so far out that the others would share a cell. What is
    // outside belongs to the cells at the border. Returns the edge.
    double place_root(const Scene<T, D>& scene) {
        const Box<T, D> all = bounds_of_boxes(scene);
        const Bulk bulk = bulk_of(scene);
        double edge = 0, most = 0;
        for (std::size_t a = 0; a < D; ++a) {
            // Halves: see cell().
            edge = std::max(
                edge, static_cast<double>(all.hi[a]) / 2 - static_cast<double>(all.lo[a]) / 2);
            most = std::max(most, bulk.extent[a]);
        }
        edge = std::min(2 * edge, std::numeric_limits<double>::max() / (2 * root_factor_));
        const bool outliers = most > 0 && edge > 256 * most;
        if (outliers) edge = 4 * most;
        for (std::size_t a = 0; a < D; ++a) {
            const double low =
                outliers ? bulk.centre[a] - edge / 2 : static_cast<double>(all.lo[a]);
            low_[a] = std::max(low - (root_factor_ - 1) * edge / 2,
                               std::numeric_limits<double>::lowest());
        }
        return edge * root_factor_;
    }

    // So many that all but the smallest tenth of the bodies span eight of the finest cells;
    // from a fixed sample.
    static unsigned bits_for(const Scene<T, D>& scene, double root_edge) {
        const std::size_t n = scene.bodies(), count = std::min<std::size_t>(n, 1024);
        std::vector<double> edges(count);
        for (std::size_t s = 0; s < count; ++s) {
            const Box<T, D> box = scene.box(static_cast<Index>(s * n / count));
            for (std::size_t a = 0; a < D; ++a)
                edges[s] = std::max(edges[s], static_cast<double>(box.hi[a]) / 2 -
                                                  static_cast<double>(box.lo[a]) / 2);
        }
        std::sort(edges.begin(), edges.end());
        const double ratio = count > 0 ? root_edge / 2 / edges[count / 10] * 8 : 1;
        return ratio > 1 ? static_cast<unsigned>(std::min(std::ceil(std::log2(ratio)), 32.0))
                         : 1;
    }

    const bool split_, octree_;
    const unsigned asked_bits_;  // 0: from the bodies
    const double root_factor_;
    std::array<unsigned, D> rank_{};  // of an axis within a level: the one cut first is highest
    std::array<std::size_t, D> axis_{};  // of each rank
    unsigned bits_ = 1;
    std::array<double, D> low_{};  // corner of the root
    double scale_ = 0;             // finest cells per length
};

template <Real T, int D>
class LinearKdTree final : public Method<T, D> {
  public:
    explicit LinearKdTree(const Choice& choice)
        : tree_(choice), list_(choice.word("unique") == "list") {}

    void build(const Scene<T, D>& scene) override {
        entry_bits_ = static_cast<unsigned>(std::bit_width(scene.size()));
        // One bit is left for what comes behind the last code.
        tree_.assign(scene, 63 - length_bits - entry_bits_);
        order_entries(scene);
        write_records(scene.threads());
        sorter_.sort(tree_.code_bits() + length_bits, scene.threads(),
                     [shift = entry_bits_](std::uint64_t r) { return r >> shift; });
        find_runs(scene.threads());
        measure_volume(scene);
        if (list_) list_pairs(scene.threads());
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return list_ ? (pairs_.records.size() + pairs_per_task - 1) / pairs_per_task
                     : sweep_tasks();
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        if (!list_)
            return for_each_part(tasks, [&](std::size_t r, Run run) { sweep(r, run, sieve); });
        const auto& pairs = pairs_.records;
        for (std::size_t p = tasks.begin * pairs_per_task;
             p < std::min(tasks.end * pairs_per_task, pairs.size()); ++p) {
            const std::size_t second = entry_of(pairs[p]);
            sieve.one(pairs[p] >> entry_bits_, {second, second + 1});
        }
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q)
            ask(queries, static_cast<Index>(q), sieve);
    }

    Figures figures() const override {
        const auto bodies = static_cast<double>(packed_.size());
        const double records = static_cast<double>(sorter_.records.size());
        Figures result{{"bits per axis", static_cast<double>(tree_.bits())},
                       {"pieces per body", bodies > 0 ? records / bodies : 0},
                       {"cell volume per body volume", volume_ratio_},
                       {"selected", static_cast<double>(work_) - records}};
        if (list_) result.push_back({"listed with repeats", static_cast<double>(repeated_)});
        return result;
    }

    std::size_t bytes() const override {
        return packed_.bytes() + cells_.bytes() + sorter_.bytes() + pairs_.bytes() +
               run_end_.bytes() + work_before_.bytes();
    }

  private:
    static constexpr unsigned length_bits = 6;
    static constexpr std::size_t block_records = 256;
    static constexpr std::size_t pairs_per_task = 1 << 14;

    // A record: code, length and entry in one number, whose order is that of P1 section 5.4: a
    // cell comes before the cells inside it.
    std::uint64_t record(const Cell& cell, std::uint64_t entry) const {
        return (cell.code << length_bits | cell.length) << entry_bits_ | entry;
    }
    Cell cell_of(std::uint64_t record) const {
        record >>= entry_bits_;
        return {record >> length_bits,
                static_cast<unsigned>(record & ((1u << length_bits) - 1))};
    }
    std::size_t entry_of(std::uint64_t record) const {
        return record & ((std::uint64_t{1} << entry_bits_) - 1);
    }

    // Entries along the curve: records that are neighbours have entries that are.
    void order_entries(const Scene<T, D>& scene) {
        const std::size_t n = scene.size();
        sorter_.records.resize(n);
        parallel_for(scene.threads(), n, [&](std::size_t k) {
            const auto box = tree_.cells(scene.box(static_cast<Index>(k)));
            sorter_.records[k] = tree_.code(box.lo) << entry_bits_ | k;
        });
        sorter_.sort(tree_.code_bits(), scene.threads(),
                     [shift = entry_bits_](std::uint64_t r) { return r >> shift; });
        const auto instances = packed_.entries(n);
        cells_.resize(n);
        parallel_for(scene.threads(), n, [&](std::size_t e) {
            instances[e] = static_cast<Index>(entry_of(sorter_.records[e]));
            cells_[e] = tree_.cells(scene.box(instances[e]));
        });
        packed_.fill(scene, {});
    }

    void write_records(int threads) {
        constexpr std::size_t most = 1 << D;
        const std::size_t n = packed_.size();
        if (n >= std::numeric_limits<Index>::max() / most)
            throw Error(Error::Kind::limit,
                        "linear_kd_tree: too many bodies for 32-bit numbers of records");
        sorter_.records.resize(most * n);
        std::uint64_t* const records = sorter_.records.data();
        std::vector<Range> parts(piece_count(threads, n));
        parallel_ranges(threads, n, [&](Range r, std::size_t p) {
            std::size_t at = most * r.begin;
            for (std::size_t e = r.begin; e < r.end; ++e) {
                const Pieces<D> pieces = tree_.pieces(cells_[e]);
                for (std::size_t c = 0; c < pieces.count; ++c)
                    records[at++] = record(pieces.cells[c], e);
            }
            parts[p] = {most * r.begin, at};
        });
        std::uint64_t* end = records;
        for (const Range part : parts)
            end = std::copy(records + part.begin, records + part.end, end);
        sorter_.records.resize(static_cast<std::size_t>(end - records));
    }

    // The first record at or behind `from` that is not below `key`, likely near.
    std::size_t find(std::uint64_t key, std::size_t from) const {
        const auto records = sorter_.records.span();
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

    void find_runs(int threads) {
        const std::size_t n = sorter_.records.size();
        const std::size_t blocks = (n + block_records - 1) / block_records;
        run_end_.resize(n);
        work_before_.resize(blocks);
        std::vector<std::array<std::uint64_t, 64>> counts(piece_count(threads, blocks));
        parallel_ranges(threads, blocks, [&](Range range, std::size_t p) {
            counts[p].fill(0);
            for (std::size_t b = range.begin; b < range.end; ++b) {
                std::uint64_t work = 0;
                for (std::size_t r = b * block_records;
                     r < std::min(n, (b + 1) * block_records); ++r) {
                    const Cell cell = cell_of(sorter_.records[r]);
                    const std::size_t end = find(key_behind(cell), r);
                    run_end_[r] = static_cast<Index>(end);
                    work += end - r;
                    ++counts[p][cell.length];
                }
                work_before_[b] = work;
            }
        });
        work_ = exclusive_scan(1, work_before_.span());
        // Few enough that their number is no burden.
        work_per_task_ = std::max<std::uint64_t>(1 << 15, work_ >> 16);
        depths_.fill(0);
        for (const auto& part : counts)
            for (std::size_t l = 0; l < depths_.size(); ++l) depths_[l] += part[l];
    }

    // P1 table 1: the cells' volume over the bodies'.
    void measure_volume(const Scene<T, D>& scene) {
        double cells = 0, bodies = 0;
        for (unsigned l = 0; l <= tree_.code_bits(); ++l)
            cells += static_cast<double>(depths_[l]) * static_cast<double>(tree_.volume(l));
        // Summed in one order, whatever the threads.
        constexpr std::size_t part_size = 4096;
        std::vector<double> parts((scene.size() + part_size - 1) / part_size);
        parallel_tasks(scene.threads(), parts.size(), [&](std::size_t p, int) {
            for (std::size_t k = p * part_size; k < std::min(scene.size(), (p + 1) * part_size);
                 ++k) {
                const Box<T, D> box = scene.box(static_cast<Index>(k));
                double volume = 1;
                for (std::size_t a = 0; a < D; ++a)
                    volume *= static_cast<double>(box.hi[a]) - static_cast<double>(box.lo[a]);
                parts[p] += volume;
            }
        });
        for (const double part : parts) bodies += part;
        // A ball's share of its box.
        if (scene.view().shape != Shape::boxes && !scene.view().swept())
            bodies *= std::acos(-1.0) / (2 * D);
        const double ratio = cells * tree_.unit() / bodies;
        volume_ratio_ = std::isfinite(ratio) ? ratio : 0;
    }

    std::size_t sweep_tasks() const {
        return static_cast<std::size_t>((work_ + work_per_task_ - 1) / work_per_task_);
    }

    // Work is counted in units: a record takes one, and one for each record in its run. A task
    // may begin and end inside a run. Calls f with each record of the tasks and the part of its
    // run that is theirs.
    template <class F>
    void for_each_part(Range tasks, const F& f) const {
        std::uint64_t unit = tasks.begin * work_per_task_;
        const std::uint64_t last = std::min(tasks.end * work_per_task_, work_);
        if (unit >= last) return;
        const auto sums = work_before_.span();
        const auto block = static_cast<std::size_t>(
            std::upper_bound(sums.begin(), sums.end(), unit) - sums.begin() - 1);
        std::size_t r = block * block_records;
        std::uint64_t begin = sums[block];  // of record r
        for (; unit < last; ++r) {
            const std::uint64_t end = begin + (run_end_[r] - r);
            if (unit < end) {
                // The first unit of a record is the record itself.
                const std::uint64_t from = std::max(unit, begin + 1);
                f(r, Run{r + (from - begin), r + (std::min(last, end) - begin)});
                unit = std::min(last, end);
            }
            begin = end;
        }
    }

    // P1 section 6, kd-tree-2: the pairs that the sweep selects and whose boxes meet, sorted to
    // drop repeats.
    void list_pairs(int threads) {
        std::vector<std::vector<std::uint64_t>> found(sweep_tasks());
        parallel_tasks(threads, found.size(), [&](std::size_t t, int) {
            for_each_part({t, t + 1}, [&](std::size_t r, Run run) {
                const std::size_t first = entry_of(sorter_.records[r]);
                for (std::size_t s = run.begin; s < run.end; ++s) {
                    const std::size_t second = entry_of(sorter_.records[s]);
                    if (cells_[first].meets(cells_[second]))
                        found[t].push_back(std::min(first, second) << entry_bits_ |
                                           std::max(first, second));
                }
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
        std::array<std::uint32_t, D> corner;
        for (std::size_t k = 0; k < D; ++k) corner[k] = std::max(a.lo[k], b.lo[k]);
        return (tree_.code(corner) ^ deeper.code) < tree_.volume(deeper.length);
    }

    // A record against part of its run (P1 section 5.5).
    void sweep(std::size_t r, Run run, Sieve<T, D>& sieve) const {
        const std::size_t first = entry_of(sorter_.records[r]);
        const CellBox<D> box = cells_[first];
        Run accepted;  // entries that follow each other go to the sieve together
        for (std::size_t s = run.begin; s < run.end; ++s) {
            const std::size_t second = entry_of(sorter_.records[s]);
            if (!box.meets(cells_[second]) ||
                !owns(cell_of(sorter_.records[s]), box, cells_[second]))
                continue;
            if (second != accepted.end) {
                sieve.one(first, accepted);
                accepted.begin = second;
            }
            accepted.end = second + 1;
        }
        sieve.one(first, accepted);
    }

    // A query is split like a body. Each piece meets the records of its own cell and of cells
    // inside, which follow each other, and of the cells around it, which are looked up length
    // by length.
    void ask(const Scene<T, D>& queries, Index q, Sieve<T, D>& sieve) const {
        const CellBox<D> box = tree_.cells(queries.box(q));
        const auto offer = [&](Run run, const Cell* piece) {
            for (std::size_t r = run.begin; r < run.end; ++r) {
                const std::size_t entry = entry_of(sorter_.records[r]);
                const Cell deeper = piece != nullptr ? *piece : cell_of(sorter_.records[r]);
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
    Buffer<CellBox<D>> cells_;      // of each entry
    Sorter<std::uint64_t> sorter_;  // the records
    Buffer<Index> run_end_;         // of each record
    // Units of work before each block of records, and of all.
    Buffer<std::uint64_t> work_before_;
    std::uint64_t work_ = 0, work_per_task_ = 1;
    std::array<std::uint64_t, 64> depths_{};  // records by length of code
    double volume_ratio_ = 0;
    const bool list_;
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
           "each pair once: by the owner rule, or by a sorted list (kd-tree-2)",
           0,
           0,
           {"owner", "list"}},
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
           "edge of the root cell, in longest edges of the bodies' bounding box",
           1,
           1000,
           {}},
          {"axes",
           "xyz",
           "the order in which axes are cut",
           0,
           0,
           {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}}}});
}

}  // namespace vicinal
