// Compact grid (index sort, Gissler et al. 2011, section 4.2): each body writes (cell, body)
// records, the records are sorted, and only occupied cells are stored. Cost O(N) plus the
// candidates of adjacent cells, O(N) memory independent of the extent. Wins on bodies of
// similar size, dense or sparse; loses when sizes differ so much that no cell size suits both
// large and small bodies.
//
// The cells of a body and the owner rule: structures/cell_records.hpp; in the approximate mode
// (Gissler et al. 2011, section 5): structures/sampled_cells.hpp.
#include "methods/registry.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <string>
#include <utility>

#include "base/adaptive_sort.hpp"
#include "base/morton.hpp"
#include "base/sort.hpp"
#include "structures/cell_records.hpp"
#include "structures/sampled_cells.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class CompactGrid final : public Method<T, D> {
  public:
    explicit CompactGrid(const Choice& choice)
        : factor_(choice.number("cell")),
          z_order_(choice.word("order") == "z"),
          sort_(choice.word("sort")),
          cells_per_body_(choice.word("cells_per_body") == "all"
                              ? 0
                              : static_cast<std::size_t>(choice.number("cells_per_body"))) {}

    void build(const Scene<T, D>& scene) override {
        grid_.choose(scene, factor_, "compact_grid", sort_ != "radix");
        scene_ = &scene;
        if (approximate()) {
            sampled_.write(scene, grid_, cells_per_body_, step_++, records_);
        } else {
            records_.resize(grid_.size());
            grid_.write(scene, records_.span());
        }
        const auto before = std::chrono::steady_clock::now();
        sort_records(scene.threads());
        sort_time_ = std::chrono::steady_clock::now() - before;
        const auto instances = packed_.entries(records_.size());
        bits_.resize(grid_.several() ? records_.size() : 0);
        parallel_for(scene.threads(), instances.size(), [&](std::size_t r) {
            const CellRecord& record = records_[sorter_.records[r].value];
            instances[r] = record.instance;
            if (grid_.several()) bits_[r] = record.bits;
        });
        packed_.fill(scene, bits_.span());
        list_cells(scene.threads());
    }

    std::size_t tasks() const override {
        const std::size_t pieces = approximate() ? scene_->size() : cells_;
        return (pieces + cells_per_task - 1) / cells_per_task;
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        const std::size_t begin = tasks.begin * cells_per_task;
        const std::size_t end = std::min(tasks.end * cells_per_task, cells_);
        if (approximate())
            search_sampled(begin, std::min(tasks.end * cells_per_task, scene_->size()), sieve);
        else if (z_order_)
            search_z(begin, end, sieve);
        else
            search_rows(begin, end, sieve);
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);

        if (cells_ == 0) return;
        for (std::size_t k = instances.begin; k < instances.end; ++k) {
            const auto q = static_cast<Index>(k);
            if (approximate())
                probe_sampled(grid_.cover(queries.box(q)), [&](Index j) { sieve.test(q, j); });
            else
                probe_one(q, queries.box(q), sieve);
        }
    }

    Statistics statistics() const override {
        return {{"records", static_cast<double>(records_.size())},
                {"records that changed cell", static_cast<double>(changed_)},
                {"seconds to sort", sort_time_.count()}};
    }

  private:
    static constexpr std::size_t cells_per_task = 256;  // approximate mode: instances per task
    static constexpr std::size_t upper_rows = D == 2 ? 1 : 4;
    static constexpr std::size_t adaptive_share = 50;  // at most 1/50 changed; see the page

    // Sorts records by cell. `sort_` selects the sort; all of them give the same order.
    void sort_records(int threads) {
        const std::size_t n = records_.size();
        changed_ = n;
        const auto key_of = [&](std::size_t r) {
            return z_order_ ? z_key(grid_.keys().cell(records_[r].key)) : records_[r].key;
        };
        if (sort_ != "radix" && n > 0 && sorter_.records.size() == n) {
            changed_ = refresh_keys(threads, key_of);
            if (sort_ == "adaptive" || changed_ <= n / adaptive_share) {
                adaptive_sort(threads, sorter_.records, scratch_,
                              [](const KeyedIndex& a, const KeyedIndex& b) {
                                  return a.key != b.key ? a.key < b.key : a.value < b.value;
                              });
                return;
            }
        }
        sorter_.records.resize(n);
        parallel_for(threads, n, [&](std::size_t r) {
            sorter_.records[r] = {key_of(r), static_cast<Index>(r)};
        });
        sorter_.sort(key_bits(), threads, [](const KeyedIndex& r) { return r.key; });
    }

    // Writes new keys in the order of the last step; returns how many have changed (Gissler et
    // al. 2011, section 5: bodies that moved to other cells).
    template <class KeyOf>
    std::size_t refresh_keys(int threads, const KeyOf& key_of) {
        const std::size_t n = records_.size();
        PerPiece<std::size_t> changed(piece_count(threads, n), 0);
        parallel_ranges(threads, n, [&](Range range, std::size_t p) {
            for (std::size_t r = range.begin; r < range.end; ++r) {
                KeyedIndex& record = sorter_.records[r];
                const std::uint64_t old = std::exchange(record.key, key_of(record.value));
                changed[p] += record.key != old;
            }
        });
        return exclusive_scan(1, changed.span());
    }

    // Morton key of a cell; cells adjacent to those in use also have keys.
    std::uint64_t z_key(const Cell<D>& cell) const {
        std::uint64_t key = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const std::int32_t place = cell[a] - grid_.keys().used.lo[a] + 1;
            key |= spread_bits<D>(static_cast<std::uint64_t>(place)) << a;
        }
        return key;
    }
    unsigned key_bits() const {
        const auto& bits = grid_.keys().bits;
        return z_order_ ? D * *std::max_element(bits.begin(), bits.end()) : grid_.keys().total;
    }
    Cell<D> cell_at(std::size_t c) const {
        return grid_.keys().cell(records_[sorter_.records[cell_start_[c]].value].key);
    }
    Run find(const Cell<D>& cell) const {
        const std::uint64_t key = z_order_ ? z_key(cell) : grid_.keys().key(cell);
        const std::size_t c = find_cell(key);
        return c < cells_ && cell_key_[c] == key ? run(c, c + 1) : Run{};
    }

    bool approximate() const { return cells_per_body_ > 0; }

    // In row order the neighbours in each row are consecutive cells.
    void search_rows(std::size_t begin, std::size_t end, Sieve<T, D>& sieve) const {
        // The rows above: one cursor each, which only moves forward.
        std::array<std::size_t, upper_rows> cursor;
        for (std::size_t r = 0; r < upper_rows; ++r)
            cursor[r] = begin < end ? find_cell(row_key(cell_key_[begin], r) - 1) : 0;
        for (std::size_t c = begin; c < end; ++c) {
            const Run own = run(c, c + 1);
            sieve.self(own, grid_.owner({}));
            if (c + 1 < cells_ && cell_key_[c + 1] == cell_key_[c] + 1) {
                Cell<D> step{};
                step[0] = 1;
                sieve.cross(own, run(c + 1, c + 2), grid_.owner(step));
            }
            for (std::size_t r = 0; r < upper_rows; ++r) {
                const std::uint64_t middle = row_key(cell_key_[c], r);
                while (cursor[r] < cells_ && cell_key_[cursor[r]] < middle - 1) ++cursor[r];
                cross_row(sieve, own, cursor[r], middle, r);
            }
        }
    }

    void search_z(std::size_t begin, std::size_t end, Sieve<T, D>& sieve) const {
        for (std::size_t c = begin; c < end; ++c)
            grid_.join(cell_at(c), run(c, c + 1), sieve,
                       [&](const Cell<D>& cell) { return find(cell); });
    }

    // Half stencil as steps to the rows above in (y, z): all three cells of each, and the next
    // cell of the own row.
    static Cell<D> row_step(std::size_t r) {
        if constexpr (D == 2)
            return {0, 1};
        else
            return std::array<Cell<3>, 4>{{{0, 1, 0}, {0, -1, 1}, {0, 0, 1}, {0, 1, 1}}}[r];
    }

    std::uint64_t row_key(std::uint64_t key, std::size_t r) const {
        return grid_.keys().neighbour(key, row_step(r));
    }

    void cross_row(Sieve<T, D>& sieve, Run own, std::size_t cell, std::uint64_t middle,
                   std::size_t r) const {
        if (!grid_.several()) {  // no bits: the three cells are one run
            std::size_t end = cell;
            while (end < cells_ && cell_key_[end] <= middle + 1) ++end;
            if (end > cell) sieve.cross(own, run(cell, end));
            return;
        }
        for (; cell < cells_ && cell_key_[cell] <= middle + 1; ++cell) {
            Cell<D> step = row_step(r);
            step[0] =
                static_cast<std::int32_t>(static_cast<std::int64_t>(cell_key_[cell] - middle));
            sieve.cross(own, run(cell, cell + 1), grid_.owner(step));
        }
    }

    // Approximate mode: calls found(j) for every instance stored in a cell of the span.
    template <class Found>
    void probe_sampled(const CellSpan<D>& span, const Found& found) const {
        const auto probe_cell = [&](const Cell<D>& cell, Run entries) {
            for (std::size_t e = entries.begin; e < entries.end; ++e) {
                const Index j = packed_.instance(e);
                Cell<D> lowest;
                if (sampled_.lowest_in(span, j, grid_.keys(), lowest) && lowest == cell)
                    found(j);
            }
        };
        if (span.count() > cells_) {
            for (std::size_t c = 0; c < cells_; ++c) probe_cell(cell_at(c), run(c, c + 1));
            return;
        }
        for_each_between(span.lo, span.hi,
                         [&](const Cell<D>& cell) { probe_cell(cell, find(cell)); });
    }

    // Each instance queries the others. If two find each other, the lower one reports the pair.
    void search_sampled(std::size_t begin, std::size_t end, Sieve<T, D>& sieve) const {
        for (std::size_t k = begin; k < end; ++k) {
            const auto i = static_cast<Index>(k);
            probe_sampled(grid_.cover(scene_->box(i)), [&](Index j) {
                Cell<D> cell;
                if (i < j || (i > j && !sampled_.lowest_in(grid_.cover(scene_->box(j)), i,
                                                           grid_.keys(), cell)))
                    sieve.test(i, j);
            });
        }
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
        make_directory(threads);
    }

    // A lookup table by the upper bits of a key, with about as many entries as cells: the first
    // cell whose key is not below.
    void make_directory(int threads) {
        const auto width = static_cast<unsigned>(std::bit_width(cells_));
        shift_ = key_bits() - std::min(key_bits(), width);
        const std::size_t entries = std::size_t{1} << std::min(key_bits(), width);
        directory_.resize(entries + 1);
        parallel_for(threads, cells_ + 1, [&](std::size_t c) {
            const std::size_t from = c == 0 ? 0 : (cell_key_[c - 1] >> shift_) + 1;
            const std::size_t to = c == cells_ ? entries : cell_key_[c] >> shift_;
            for (std::size_t e = from; e <= to; ++e) directory_[e] = static_cast<Index>(c);
        });
    }

    Run run(std::size_t first_cell, std::size_t last_cell) const {
        return {cell_start_[first_cell], cell_start_[last_cell]};
    }

    // The first occupied cell whose key is not below `key`.
    std::size_t find_cell(std::uint64_t key) const {
        const std::uint64_t entry = key >> shift_;
        if (entry + 1 >= directory_.size()) return cells_;
        const std::uint64_t* keys = cell_key_.data();
        return static_cast<std::size_t>(
            std::lower_bound(keys + directory_[entry], keys + directory_[entry + 1], key) -
            keys);
    }

    void probe_one(Index q, const Box<T, D>& box, Sieve<T, D>& sieve) const {
        if (z_order_) {
            grid_.probe_one(
                q, box, cells_, [&](std::size_t c) { return cell_at(c); },
                [&](std::size_t c) { return run(c, c + 1); },
                [&](const Cell<D>& cell) { return find(cell); }, sieve);
            return;
        }
        const CellKeys<D>& keys = grid_.keys();
        const auto reach = grid_.reach(box);
        const auto probe_cell = [&](std::size_t c) {
            grid_.probe_one(q, reach, keys.cell(cell_key_[c]), run(c, c + 1), sieve);
        };
        CellSpan<D> rows = reach.cells;
        rows.hi[0] = rows.lo[0];
        if (rows.count() > cells_) {
            for (std::size_t c = 0; c < cells_; ++c) probe_cell(c);
            return;
        }
        for_each_between(rows.lo, rows.hi, [&](Cell<D> cell) {
            const std::uint64_t begin = keys.key(cell);
            cell[0] = reach.cells.hi[0];
            const std::uint64_t end = keys.key(cell);
            for (std::size_t c = find_cell(begin); c < cells_ && cell_key_[c] <= end; ++c)
                probe_cell(c);
        });
    }

    double factor_;
    bool z_order_;
    std::string sort_;
    std::size_t cells_per_body_;  // in the approximate mode; 0: all of them, exact
    SampledCells<T, D> sampled_;
    std::uint64_t step_ = 0;
    const Scene<T, D>* scene_ = nullptr;
    CellRecords<T, D> grid_;
    Buffer<CellRecord> records_;  // in the order of the instances
    Sorter<KeyedIndex> sorter_;   // key and number of each record, in the order of the cells
    Buffer<KeyedIndex> scratch_;  // for the adaptive sort
    std::size_t changed_ = 0;     // records that changed cells; all if unknown
    std::chrono::duration<double> sort_time_{};
    Buffer<Bits> bits_;
    Packed<T, D> packed_;
    std::size_t cells_ = 0;  // occupied
    Buffer<std::uint64_t> cell_key_;
    Buffer<Index> cell_start_;  // cells_ + 1
    Buffer<Index> directory_;   // see make_directory()
    unsigned shift_ = 0;
};

}  // namespace

MethodEntry describe_compact_grid() {
    return describe_method<CompactGrid>(
        {"compact_grid",
         "sorted (cell, body) records of a uniform grid, occupied cells only (Gissler et al. "
         "2011)",
         {{"cell", "1", "edge of a cell, in mean edges of the bodies' boxes", 0.01, 1000, {}},
          {"order",
           "row",
           "order of the cells in memory: rows along x, or a Z-curve",
           0,
           0,
           {"row", "z"}},
          {"sort",
           "radix",
           "radix: from scratch; adaptive: from the last step's order; auto: adaptive if few "
           "changed",
           0,
           0,
           {"radix", "adaptive", "auto"}},
          {"cells_per_body",
           "all",
           "all cells that it covers, or at most this many of them, at random: approximate",
           0,
           0,
           {"all", "27", "8", "1"},
           OptionInfo::Kind::approximate}}});
}

}  // namespace vicinal::inline VICINAL_API
