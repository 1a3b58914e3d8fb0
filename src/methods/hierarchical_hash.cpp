// Hierarchical hash (Pouchol et al. 2009, section 3): a multilevel hash in which one bit per
// larger cell tells whether smaller classes have bodies inside it. Queries begin with the
// largest cells and descend only where the bit is set. Bodies of one size (the paper's
// particles) are in one cell each, as in a uniform hash, and the bits are those of one class of
// larger cells above. O(N) records and memory; time O(N) per class in use. Wins for queries in
// scenes of many sizes with much empty space; loses to the sorted grids in a search for all
// pairs.
#include "methods/registry.hpp"

#include <algorithm>
#include <string>

#include "base/ledger.hpp"
#include "structures/cell_hierarchy.hpp"
#include "structures/cell_records.hpp"
#include "structures/hashed_cells.hpp"
#include "structures/query_box.hpp"
#include "structures/size_classes.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class HierarchicalHash final : public Method<T, D> {
  public:
    explicit HierarchicalHash(const Choice& choice)
        : levels_(choice.word("levels")),
          table_(choice.number("table")),
          inserting_(choice.word("neighbours") == "insert") {}

    void build(const Scene<T, D>& scene) override {
        particles_ = suit_one_grid(scene);
        if (particles_) {
            hashed_.records.resize(grid_.size());
            grid_.write(scene, hashed_.records.span());
        } else {
            classes_.choose(scene);
            classes_.write(scene, hashed_.records, "hierarchical_hash");
        }
        choose_sizes();
        hashed_.clear_cells(table_);
        if (particles_)
            hashed_.add_cells([this, keys = grid_.keys()](std::uint64_t key) {
                return hierarchy_.mark(0, keys.cell(key));
            });
        else
            hashed_.add_cells([this](std::uint64_t key) {
                return hierarchy_.mark(Classes::class_of(key), Classes::cell_of(key));
            });
        hashed_.arrange(scene, !particles_ || grid_.several());
        if (inserting_) insert_and_find(scene);
    }

    std::size_t tasks() const override {
        return inserting_ ? (pairs_.size() + pairs_per_task - 1) / pairs_per_task
                          : hashed_.tasks();
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        if (inserting_) {
            const std::size_t end = std::min(tasks.end * pairs_per_task, pairs_.size());
            for (std::size_t m = tasks.begin * pairs_per_task; m < end; ++m)
                sieve.test(pairs_[m].i, pairs_[m].j);
        } else if (particles_) {
            search_particles(tasks, sieve);
        } else {
            search_objects(hashed_.cells_of(tasks), sieve);
        }
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        for (std::size_t k = instances.begin; k < instances.end; ++k) {
            const auto q = static_cast<Index>(k);
            if (particles_) {
                const auto reach = grid_.reach(query_box(queries, q));
                for_each_cell(reach.cells, [&](Index c, const Cell<D>& cell, unsigned) {
                    grid_.probe_one(q, reach, cell, hashed_.cells.run(c), sieve);
                });
            } else {
                const CellSpan<D> span = classes_.span_of(query_box(queries, q));
                for_each_cell(span, [&](Index c, const Cell<D>& cell, unsigned size) {
                    sieve.probe_one(q, hashed_.cells.run(c),
                                    Classes::owner(above<D>(span, size), cell));
                });
            }
        }
    }

    Statistics statistics() const override { return hashed_.cells.statistics(); }

  private:
    using Classes = SizeClasses<T, D>;
    static constexpr std::size_t pairs_per_task = 8192;

    // True if bodies have one size, with few exceptions that do not need many cells.
    bool suit_one_grid(const Scene<T, D>& scene) {
        if (!Classes::one_size(scene)) return false;
        grid_.choose(scene, 1, "hierarchical_hash");
        return grid_.size() <= scene.size() + scene.size() / 8;
    }

    // Particles are in class 0.
    void choose_sizes() {
        static constexpr unsigned class_of_particles[] = {0};
        const std::span<const unsigned> used =
            particles_ ? class_of_particles : classes_.used();
        const unsigned levels =
            levels_ == "auto" ? unsigned{particles_} : static_cast<unsigned>(levels_[0] - '0');
        hierarchy_.assign(used, levels, Classes::largest, flags());
    }
    // A larger cell contains several particles, but each object is in several larger cells.
    std::size_t flags() const { return (particles_ ? 2 : 8) * hashed_.records.size(); }

    // Keys are those of the grid or of the classes.
    unsigned class_of(std::uint64_t key) const {
        return particles_ ? 0 : Classes::class_of(key);
    }
    Cell<D> cell_of(std::uint64_t key) const {
        return particles_ ? grid_.keys().cell(key) : Classes::cell_of(key);
    }
    std::uint64_t key_of(unsigned size, const Cell<D>& cell) const {
        return particles_ ? grid_.keys().key(cell) : Classes::key(size, cell);
    }

    void search_particles(Range tasks, Sieve<T, D>& sieve) const {
        const CellKeys<D> keys = grid_.keys();  // a local copy avoids aliasing reloads
        hashed_.for_each_cell(
            tasks,
            [&, keys](std::size_t c, std::span<LookUp> look_ups) {
                hierarchy_.template look_around<half_steps<D>()>(
                    keys.cell(hashed_.cells.key(c)), keys, look_ups);
            },
            [&](std::size_t c, std::span<const Run> runs) {
                grid_.join(hashed_.cells.run(c), runs, sieve);
            });
    }

    // Joins each cell with itself and the larger ones that contain it.
    void search_objects(Range cells, Sieve<T, D>& sieve) const {
        Path path{};
        for (std::size_t c = cells.begin; c < cells.end; ++c) {
            const Run run = hashed_.cells.run(c);
            const Cell<D> cell = Classes::cell_of(hashed_.cells.key(c));
            sieve.self(run, Classes::owner());
            for_each_larger(Classes::class_of(hashed_.cells.key(c)), cell, path,
                            [&](Index larger, unsigned steps) {
                                sieve.cross(run, hashed_.cells.run(larger),
                                            Classes::owner(cell, steps));
                            });
        }
    }
    // The last cell looked up in each class: consecutive cells are often in the same larger
    // one.
    struct Step {
        std::uint64_t key = 0;  // the key of no cell
        Index cell = no_cell;
    };
    using Path = std::array<Step, Classes::largest + 1>;

    // Calls visit(c, steps) for the cells, `steps` classes above, that contain this one.
    template <class Visit>
    void for_each_larger(unsigned size, const Cell<D>& cell, Path& path,
                         const Visit& visit) const {
        hierarchy_.hash_above(
            size, cell, [&](std::size_t s, const Cell<D>& larger, std::uint32_t hash) {
                if (s < hierarchy_.empty()) return true;
                const std::uint64_t key = Classes::key(hierarchy_.size(s), larger);
                if (path[s].key != key) path[s] = {key, hashed_.cells.find(hash, key)};
                if (path[s].cell != no_cell) visit(path[s].cell, hierarchy_.size(s) - size);
                return true;
            });
    }

    // Calls visit(c, cell, size) for the cells within a span of cells of class 0. Classes in
    // which it covers more cells than there are in all are read by one pass over all cells.
    template <class Visit>
    void for_each_cell(const CellSpan<D>& span, const Visit& visit) const {
        const std::size_t all = hashed_.cells.size(), classes = hierarchy_.count();
        std::size_t end = classes;
        while (end > 0 && above<D>(span, hierarchy_.size(end - 1)).count() > all) --end;
        hierarchy_.descend(span, end,
                           [&](std::size_t s, const Cell<D>& cell, std::uint32_t hash) {
                               if (s < hierarchy_.empty()) return;
                               const unsigned size = hierarchy_.size(s);
                               const Index c = hashed_.cells.find(hash, key_of(size, cell));
                               if (c != no_cell) visit(c, cell, size);
                           });
        for (std::size_t c = 0; c < all && end < classes; ++c) {
            const unsigned size = class_of(hashed_.cells.key(c));
            const Cell<D> cell = cell_of(hashed_.cells.key(c));
            if (size <= hierarchy_.size(end) && above<D>(span, size).contains(cell))
                visit(static_cast<Index>(c), cell, size);
        }
    }

    // Pouchol et al. (2009), section 3.3.2: neighbours are found while bodies are inserted. The
    // largest come first, so that a new body finds all earlier ones that it can touch in its
    // own cell and in larger ones; particles find them in adjacent cells. The entries of a cell
    // are reserved and filled one by one.
    void insert_and_find(const Scene<T, D>& scene) {
        pairs_.clear();
        hierarchy_.clear_flags(flags());
        boxes_.resize(hashed_.records.size());
        inserted_.resize(hashed_.cells.size());
        std::fill(inserted_.span().begin(), inserted_.span().end(), Index{0});
        const std::size_t n = hashed_.records.size();
        if (particles_) {
            constexpr std::size_t batch = D == 2 ? 32 : 16;
            for (std::size_t r = 0; r < n; r += batch)
                insert_particles(scene, {r, std::min(r + batch, n)});
            return;
        }
        Path path{};
        for (std::size_t s = hierarchy_.empty(); s < hierarchy_.count(); ++s)
            for (std::size_t r = 0; r < n; ++r)
                if (class_of(hashed_.records[r].key) == hierarchy_.size(s))
                    insert_object(scene, r, path);
    }

    // Listing 3. A batch is marked before its neighbours are looked up, with prefetching: so
    // none of them is missed, although some cells have children that are not yet inserted.
    void insert_particles(const Scene<T, D>& scene, Range batch) {
        constexpr auto steps = full_steps<D>();
        std::array<LookUp, 32 * steps.size()> look_ups;
        std::array<Index, 32 * steps.size()> found;
        for (std::size_t r = batch.begin; r < batch.end; ++r)
            hierarchy_.mark(0, cell_of(hashed_.records[r].key));
        std::size_t count = 0;
        for (std::size_t r = batch.begin; r < batch.end; ++r, count += steps.size())
            hierarchy_.template look_around<steps>(
                cell_of(hashed_.records[r].key), grid_.keys(),
                std::span(look_ups).subspan(count, steps.size()));
        hashed_.cells.find(std::span(look_ups).first(count), found);
        for (std::size_t k = 0; k < count; ++k)
            if (found[k] != no_cell) __builtin_prefetch(&inserted_[found[k]]);
        for (std::size_t k = 0; k < count; ++k)
            if (found[k] != no_cell)
                __builtin_prefetch(boxes_.data() + hashed_.cells.run(found[k]).begin);
        const Index* others = found.data();
        for (std::size_t r = batch.begin; r < batch.end; ++r, others += steps.size()) {
            const Box<T, D> box = scene.box(hashed_.records[r].instance);
            for (std::size_t k = 0; k < steps.size(); ++k)
                if (others[k] != no_cell)
                    pair_with_earlier(r, box, others[k], grid_.owner(steps[k]));
            pair_with_earlier(r, box, hashed_.cell_of[r], grid_.owner({}));
            insert(r, box);
        }
    }

    void insert_object(const Scene<T, D>& scene, std::size_t r, Path& path) {
        const CellRecord& record = hashed_.records[r];
        const Cell<D> cell = cell_of(record.key);
        const Box<T, D> box = scene.box(record.instance);
        hierarchy_.mark(class_of(record.key), cell);
        for_each_larger(class_of(record.key), cell, path, [&](Index c, unsigned steps) {
            pair_with_earlier(r, box, c, Classes::owner(cell, steps));
        });
        pair_with_earlier(r, box, hashed_.cell_of[r], Classes::owner());
        insert(r, box);
    }

    void insert(std::size_t r, const Box<T, D>& box) {
        poll_cancelled(16);
        const Index c = hashed_.cell_of[r];
        boxes_[hashed_.cells.run(c).begin + inserted_[c]++] = box;
    }
    // Lists the bodies inserted in a cell whose boxes overlap that of a record, if the owner
    // rule selects this cell.
    void pair_with_earlier(std::size_t r, const Box<T, D>& box, Index cell, Owner rule) {
        poll_cancelled(inserted_[cell]);
        const CellRecord& one = hashed_.records[r];
        const std::size_t begin = hashed_.cells.run(cell).begin;
        for (std::size_t e = begin; e < begin + inserted_[cell]; ++e) {
            if (!overlaps(box, boxes_[e])) continue;
            const Bits other = hashed_.bits.size() > 0 ? hashed_.bits[e] : Bits(~0u);
            if (((one.bits | other) & rule.either) == rule.either &&
                (one.bits & rule.first) == rule.first && (other & rule.second) == rule.second)
                pairs_.push_back({one.instance, hashed_.packed.instance(e)});
        }
    }

    std::string levels_;
    double table_;
    bool inserting_;
    bool particles_ = false;  // bodies of one size, in the cells of grid_
    Classes classes_;
    CellRecords<T, D> grid_;
    HashedBodies<T, D> hashed_;
    CellHierarchy<D> hierarchy_;

    // For neighbours=insert:
    Buffer<Box<T, D>> boxes_;  // of the entries inserted so far
    Buffer<Index> inserted_;   // entries of each cell
    CountedVector<Pair> pairs_;
};

}  // namespace

MethodEntry describe_hierarchical_hash() {
    return describe_method<HierarchicalHash>(
        {"hierarchical_hash",
         "the multilevel hash with a bit per cell that has smaller cells in it (Pouchol et al. "
         "2009)",
         {{"levels",
           "auto",
           "empty classes above the largest body; auto: one if all bodies have one size",
           0,
           0,
           {"auto", "0", "1", "2", "3", "4", "5", "6", "7", "8"}},
          {"table", "2", "slots of the table, per record of a body in a cell", 0.01, 100, {}},
          {"neighbours",
           "search",
           "found by a search, or while bodies are inserted",
           0,
           0,
           {"search", "insert"}}}});
}

}  // namespace vicinal::inline VICINAL_API
