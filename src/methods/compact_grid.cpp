// Compact grid (index sort, P5 section 4.2): each body writes (cell, body) records, the records
// are sorted, and only occupied cells are stored. Cost O(N) plus the candidates of neighbouring
// cells, O(N) memory whatever the extent. Wins on bodies of similar size, dense or sparse;
// loses when sizes differ so much that the mean size suits neither the large nor the small.
//
// Beyond the paper: a body that fits a cell has one record, in the cell of its lower corner,
// and the search looks at neighbouring cells; a body that covers cells a..b on an axis has
// records in a..max(a, b - 1). If two bodies meet, the lower corner of their intersection lies
// in cell q = max(a_i, a_j), on every axis. There the one with the larger a has its lowest
// record; the other has a record in q, or its highest one in q - 1, never both. So a pair
// counts
// - on an axis where both records are in one cell: if either record is its body's lowest;
// - on an axis where they are in neighbouring cells: if the record in the lower cell is its
//   body's highest and the one in the upper cell its body's lowest.
// Two bits per axis and record, integers only. Cells are clamped at the ends of a window around
// the bulk of the bodies; all of this needs only that the cell of a coordinate is monotone.
#include "methods/registry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/sort.hpp"

namespace vicinal {
namespace {

template <int D>
using Cell = std::array<std::int32_t, D>;

// Keys hold one field per axis, x lowest, so that a row of cells along x is one run of records.
// A field has room for a cell below the first and one above the last: a neighbour's key never
// spills into the next field.
template <int D>
struct KeyLayout {
    Cell<D> first{}, last{};         // cells in use, per axis
    std::array<unsigned, D> bits{};  // width of each field
    unsigned total = 0;

    void assign(const Cell<D>& lo, const Cell<D>& hi) {
        first = lo;
        last = hi;
        total = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const auto cells = static_cast<std::uint32_t>(hi[a] - lo[a]) + 3;
            bits[a] = static_cast<unsigned>(std::bit_width(cells));
            total += bits[a];
        }
    }

    std::uint64_t key(const Cell<D>& cell) const {
        std::uint64_t result = 0;
        for (std::size_t a = D; a-- > 0;)
            result = result << bits[a] | static_cast<std::uint64_t>(cell[a] - first[a] + 1);
        return result;
    }
};

template <Real T, int D>
class CompactGrid final : public Method<T, D> {
  public:
    explicit CompactGrid(const Choice& choice) : factor_(choice.number("cell")) {}

    void build(const Scene<T, D>& scene) override {
        choose_cells(scene);
        write_records(scene);
        sorter_.sort(layout_.total, scene.threads(), [](const KeyedIndex& r) { return r.key; });
        if (several_) gather_bits(scene);
        const auto instances = packed_.entries(sorter_.records.size());
        parallel_for(scene.threads(), instances.size(),
                     [&](std::size_t r) { instances[r] = sorter_.records[r].value; });
        packed_.fill(scene, several_ ? bits_.span() : std::span<Bits>());
        list_cells(scene.threads());
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return (cells_ + cells_per_task - 1) / cells_per_task;
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        const std::size_t begin = tasks.begin * cells_per_task;
        const std::size_t end = std::min(tasks.end * cells_per_task, cells_);
        // The rows above: one cursor each, which only moves forward.
        std::array<std::size_t, upper_rows> cursor;
        for (std::size_t r = 0; r < upper_rows; ++r)
            cursor[r] = begin < end ? find_cell(row_key(cell_key_[begin], r) - 1) : 0;
        for (std::size_t c = begin; c < end; ++c) {
            const Run own = run(c, c + 1);
            sieve.self(own, owner({}));
            if (c + 1 < cells_ && cell_key_[c + 1] == cell_key_[c] + 1) {
                Cell<D> step{};
                step[0] = 1;
                sieve.cross(own, run(c + 1, c + 2), owner(step));
            }
            for (std::size_t r = 0; r < upper_rows; ++r) {
                const std::uint64_t middle = row_key(cell_key_[c], r);
                while (cursor[r] < cells_ && cell_key_[cursor[r]] < middle - 1) ++cursor[r];
                cross_row(sieve, own, cursor[r], middle, r);
            }
        }
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        if (cells_ == 0) return;
        for (std::size_t q = instances.begin; q < instances.end; ++q)
            ask(queries, static_cast<Index>(q), sieve);
    }

    std::size_t bytes() const override {
        return sorter_.bytes() + packed_.bytes() + bits_.bytes() + cell_key_.bytes() +
               cell_start_.bytes() + first_record_.bytes();
    }

  private:
    static constexpr std::size_t cells_per_task = 256;
    static constexpr std::size_t upper_rows = D == 2 ? 1 : 4;
    static constexpr std::int32_t farthest =
        D == 2 ? (1 << 29) : (1 << 19);  // cell from the centre

    static Bits low_bit(std::size_t axis) { return static_cast<Bits>(1u << (D + axis)); }
    static Bits high_bit(std::size_t axis) { return static_cast<Bits>(1u << (2 * D + axis)); }

    // Steps to the rows above in (y, z): with all three cells of each, and the next cell of the
    // own row, half of the neighbours.
    static Cell<D> row_step(std::size_t r) {
        if constexpr (D == 2)
            return {0, 1};
        else
            return std::array<Cell<3>, 4>{{{0, 1, 0}, {0, -1, 1}, {0, 0, 1}, {0, 1, 1}}}[r];
    }

    std::uint64_t row_key(std::uint64_t key, std::size_t r) const {
        const Cell<D> step = row_step(r);
        unsigned shift = layout_.bits[0];
        for (std::size_t a = 1; a < D; ++a) {
            key += static_cast<std::uint64_t>(static_cast<std::int64_t>(step[a])) << shift;
            shift += layout_.bits[a];
        }
        return key;
    }

    // The rule for records whose cells differ by `step` (second minus first).
    Owner owner(const Cell<D>& step) const {
        Owner rule;
        if (!several_) return rule;
        for (std::size_t a = 0; a < D; ++a) {
            if (step[a] == 0) rule.either |= low_bit(a);
            if (step[a] != 0) rule.first |= step[a] > 0 ? high_bit(a) : low_bit(a);
            if (step[a] != 0) rule.second |= step[a] > 0 ? low_bit(a) : high_bit(a);
        }
        return rule;
    }

    void cross_row(Sieve<T, D>& sieve, Run own, std::size_t cell, std::uint64_t middle,
                   std::size_t r) const {
        if (!several_) {  // no bits: the three cells are one run
            std::size_t end = cell;
            while (end < cells_ && cell_key_[end] <= middle + 1) ++end;
            if (end > cell) sieve.cross(own, run(cell, end));
            return;
        }
        for (; cell < cells_ && cell_key_[cell] <= middle + 1; ++cell) {
            Cell<D> step = row_step(r);
            step[0] =
                static_cast<std::int32_t>(static_cast<std::int64_t>(cell_key_[cell] - middle));
            sieve.cross(own, run(cell, cell + 1), owner(step));
        }
    }

    std::int32_t cell_of(T x, std::size_t axis) const {
        // Halves, so that a difference of the largest numbers is finite.
        const double c =
            std::floor((static_cast<double>(x) / 2 - bulk_.centre[axis] / 2) / (cell_ / 2));
        return static_cast<std::int32_t>(
            std::clamp(c, static_cast<double>(-farthest), static_cast<double>(farthest)));
    }

    struct Span {  // cells of the records of a body: from lo to hi on each axis
        Cell<D> lo, hi;
        std::uint64_t count() const {
            std::uint64_t product = 1;
            for (std::size_t a = 0; a < D; ++a)
                product *= static_cast<std::uint64_t>(hi[a] - lo[a]) + 1;
            return product;
        }
    };

    Span span_of(const Box<T, D>& box) const {
        Span span;
        for (std::size_t a = 0; a < D; ++a) {
            span.lo[a] = cell_of(box.lo[a], a);
            span.hi[a] = std::max(span.lo[a], cell_of(box.hi[a], a) - 1);
        }
        return span;
    }

    struct Tally {
        double records =
            0;  // in double: it may exceed 64 bits before the cells are coarse enough
        Cell<D> lo, hi;
        Tally() {
            lo.fill(farthest);
            hi.fill(-farthest);
        }
        void add(const Tally& other) {
            records += other.records;
            for (std::size_t a = 0; a < D; ++a) {
                lo[a] = std::min(lo[a], other.lo[a]);
                hi[a] = std::max(hi[a], other.hi[a]);
            }
        }
    };

    Tally tally(const Scene<T, D>& scene) const {
        PerPiece<Tally> parts(piece_count(scene.threads(), scene.size()));
        parallel_ranges(scene.threads(), scene.size(), [&](Range r, std::size_t p) {
            Tally part;
            for (std::size_t k = r.begin; k < r.end; ++k) {
                const Span span = span_of(scene.box(static_cast<Index>(k)));
                Tally one;
                one.records = 1;
                for (std::size_t a = 0; a < D; ++a)
                    one.records *= static_cast<double>(span.hi[a]) - span.lo[a] + 1;
                one.lo = span.lo;
                one.hi = span.hi;
                part.add(one);
            }
            parts[p] = part;
        });
        Tally all;
        for (const Tally& part : parts) all.add(part);
        return all;
    }

    // The mean edge (P5), of a fixed sample: summed in one order, whatever the threads.
    double mean_edge(const Scene<T, D>& scene) const {
        const std::size_t n = scene.bodies(), stride = n / 65536 + 1;
        const auto count = static_cast<double>((n + stride - 1) / stride);
        double sum = 0;
        for (std::size_t i = 0; i < n; i += stride) {
            const Box<T, D> box = scene.box(static_cast<Index>(i));
            double edge = 0;
            for (std::size_t a = 0; a < D; ++a)
                edge = std::max(edge, static_cast<double>(box.hi[a]) / 2 -
                                          static_cast<double>(box.lo[a]) / 2);
            sum += edge / count;
        }
        return 2 * sum;
    }

    // Cells of the mean edge; coarser where bodies would need more than a few records each, so
    // that memory stays O(N), and where the bulk would not fit the window.
    void choose_cells(const Scene<T, D>& scene) {
        bulk_ = bulk_of(scene);
        // A thousandth more, so that equal bodies fit a cell in spite of rounding.
        cell_ = factor_ * 1.001 * mean_edge(scene);
        for (std::size_t a = 0; a < D; ++a)
            cell_ = std::max(cell_, 4 * (bulk_.extent[a] / farthest));
        if (!(cell_ > 0)) cell_ = 1;
        const double most = 4 * static_cast<double>(scene.size()) + 64;
        Tally all = tally(scene);
        while (all.records > most) {  // at the latest an infinite cell holds everything
            cell_ *= 2;
            all = tally(scene);
        }
        if (all.records >= static_cast<double>(std::numeric_limits<Index>::max()))
            throw Error(Error::Kind::limit,
                        "compact_grid: too many records for 32-bit indices; "
                        "choose larger cells with compact_grid(cell=...)");
        several_ = all.records > static_cast<double>(scene.size());
        sorter_.records.resize(static_cast<std::size_t>(all.records));
        if (scene.size() > 0) layout_.assign(all.lo, all.hi);
    }

    void write_records(const Scene<T, D>& scene) {
        const std::size_t n = scene.size();
        if (several_) {
            first_record_.resize(n);
            parallel_for(scene.threads(), n, [&](std::size_t k) {
                first_record_[k] =
                    static_cast<Index>(span_of(scene.box(static_cast<Index>(k))).count());
            });
            exclusive_scan(scene.threads(), first_record_.span());
        }
        parallel_for(scene.threads(), n, [&](std::size_t k) {
            const Span span = span_of(scene.box(static_cast<Index>(k)));
            std::size_t at = several_ ? first_record_[k] : k;
            for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
                sorter_.records[at++] = {layout_.key(cell), static_cast<Index>(k)};
            });
        });
    }

    // Which records are their body's lowest or highest on each axis.
    void gather_bits(const Scene<T, D>& scene) {
        bits_.resize(sorter_.records.size());
        parallel_for(scene.threads(), bits_.size(), [&](std::size_t r) {
            const Span span = span_of(scene.box(sorter_.records[r].value));
            std::uint64_t key = sorter_.records[r].key;
            unsigned bits = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const std::uint64_t mask = (std::uint64_t{1} << layout_.bits[a]) - 1;
                const auto cell = static_cast<std::int32_t>(key & mask) - 1 + layout_.first[a];
                key >>= layout_.bits[a];
                if (cell == span.lo[a]) bits |= low_bit(a);
                if (cell == span.hi[a]) bits |= high_bit(a);
            }
            bits_[r] = static_cast<Bits>(bits);
        });
    }

    void list_cells(int threads) {
        const auto& records = sorter_.records;
        const std::size_t n = records.size();
        const auto starts = [&](std::size_t r) {
            return r == 0 || records[r].key != records[r - 1].key;
        };
        PerPiece<std::size_t> before(piece_count(threads, n), 0);
        parallel_ranges(threads, n, [&](Range range, std::size_t p) {
            for (std::size_t r = range.begin; r < range.end; ++r) before[p] += starts(r);
        });
        cells_ = exclusive_scan(1, before.span());
        cell_key_.resize(cells_);
        cell_start_.resize(cells_ + 1);
        cell_start_[cells_] = static_cast<Index>(n);
        parallel_ranges(threads, n, [&](Range range, std::size_t p) {
            std::size_t c = before[p];
            for (std::size_t r = range.begin; r < range.end; ++r)
                if (starts(r)) {
                    cell_key_[c] = records[r].key;
                    cell_start_[c++] = static_cast<Index>(r);
                }
        });
    }

    Run run(std::size_t first_cell, std::size_t last_cell) const {
        return {cell_start_[first_cell], cell_start_[last_cell]};
    }

    // The first occupied cell whose key is not below `key`.
    std::size_t find_cell(std::uint64_t key) const {
        const auto keys = cell_key_.span();
        return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), key) -
                                        keys.begin());
    }

    // A query covers cells a..b and looks into a - 1..b: a body that begins before a is met in
    // cell a if it has a record there, else by its highest record in a - 1; one that begins
    // after a is met in its lowest cell.
    void ask(const Scene<T, D>& queries, Index q, Sieve<T, D>& sieve) const {
        const Box<T, D> box = queries.box(q);
        Cell<D> a, from, to;
        double rows = 1;
        for (std::size_t k = 0; k < D; ++k) {
            a[k] = cell_of(box.lo[k], k);
            // Beyond the cells in use there is nothing; the guards on both sides have keys.
            const std::int32_t below = layout_.first[k] - 1, above = layout_.last[k] + 1;
            from[k] = std::clamp(a[k] - 1, below, above);
            to[k] = std::clamp(cell_of(box.hi[k], k), below, above);
            if (k > 0) rows *= static_cast<double>(to[k]) - from[k] + 1;
        }
        if (rows > static_cast<double>(cells_)) {
            for (std::size_t c = 0; c < cells_; ++c) ask_cell(q, c, a, from, to, sieve);
            return;
        }
        Cell<D> row_end = to;
        row_end[0] = from[0];
        for_each_between(from, row_end, [&](Cell<D> cell) {
            const std::uint64_t begin = layout_.key(cell);
            cell[0] = to[0];
            const std::uint64_t end = layout_.key(cell);
            for (std::size_t c = find_cell(begin); c < cells_ && cell_key_[c] <= end; ++c)
                ask_cell(q, c, a, from, to, sieve);
        });
    }

    void ask_cell(Index q, std::size_t c, const Cell<D>& a, const Cell<D>& from,
                  const Cell<D>& to, Sieve<T, D>& sieve) const {
        Owner rule;
        std::uint64_t key = cell_key_[c];
        for (std::size_t k = 0; k < D; ++k) {
            const auto cell =
                static_cast<std::int32_t>(key & ((std::uint64_t{1} << layout_.bits[k]) - 1)) -
                1 + layout_.first[k];
            key >>= layout_.bits[k];
            if (cell < from[k] || cell > to[k]) return;
            if (several_ && cell > a[k]) rule.second |= low_bit(k);
            if (several_ && cell < a[k]) rule.second |= high_bit(k);
        }
        sieve.ask(q, run(c, c + 1), rule);
    }

    double factor_;
    double cell_ = 1;  // edge
    Bulk bulk_;
    KeyLayout<D> layout_;
    bool several_ = false;       // does any body have more than one record?
    Sorter<KeyedIndex> sorter_;  // (cell key, instance)
    Buffer<Index> first_record_;
    Buffer<Bits> bits_;
    Packed<T, D> packed_;
    std::size_t cells_ = 0;  // occupied
    Buffer<std::uint64_t> cell_key_;
    Buffer<Index> cell_start_;  // cells_ + 1
};

}  // namespace

MethodEntry describe_compact_grid() {
    return describe_method<CompactGrid>(
        {"compact_grid",
         "sorted (cell, body) records of a uniform grid, occupied cells only (P5)",
         {{"cell",
           "1",
           "edge of a cell, in mean edges of the bodies' boxes",
           0.01,
           1000,
           {}}}});
}

}  // namespace vicinal
