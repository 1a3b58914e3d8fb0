// Hierarchical hash (P4 section 3): a multilevel hash whose cells also record whether smaller
// classes have bodies in them. Bodies are inserted top-down: the enclosing cell of every larger
// class is inserted too, and queries descend only into cells that have children. O(N) records;
// cells and time O(N) per class in use. Wins for queries in scenes with much empty space; loses
// to multilevel_hash in building, and to one uniform grid where sizes do not differ.
#include "methods/registry.hpp"

#include <algorithm>
#include <utility>

#include "base/ledger.hpp"
#include "scene/bounds.hpp"
#include "structures/hashed_cells.hpp"
#include "structures/size_classes.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class HierarchicalHash final : public Method<T, D> {
  public:
    explicit HierarchicalHash(const Choice& choice)
        : levels_(static_cast<unsigned>(choice.number("levels"))),
          table_(choice.number("table")),
          inserting_(choice.word("neighbours") == "insert") {}

    void build(const Scene<T, D>& scene) override {
        classes_.choose(scene);
        classes_.write(scene, hashed_.records, "hierarchical_hash");
        choose_sizes();
        hashed_.clear_cells(table_);
        families_.clear();
        roots_ = {};
        path_.fill({});
        if (inserting_)
            insert_and_find(scene);
        else
            for (std::size_t r = 0; r < hashed_.records.size(); ++r)
                hashed_.cell_of[r] = insert(hashed_.records[r].key, [](Index) {});
        hashed_.arrange(scene, true);
    }

    std::size_t tasks() const override {
        return inserting_ ? (pairs_.size() + pairs_per_task - 1) / pairs_per_task
                          : hashed_.tasks();
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        if (!inserting_) return search_cells(hashed_.cells_of(tasks), sieve);
        const std::size_t end = std::min(tasks.end * pairs_per_task, pairs_.size());
        for (std::size_t m = tasks.begin * pairs_per_task; m < end; ++m)
            sieve.test(pairs_[m].i, pairs_[m].j);
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const Query query{static_cast<Index>(q), queries.box(static_cast<Index>(q)),
                              &sieve};
            if (roots_.children > 0)
                descend(query, roots_, 0, 0, classes_.span_of(query.box, sizes_[0]));
        }
    }

    Statistics statistics() const override { return hashed_.cells.statistics(); }

  private:
    using Classes = SizeClasses<T, D>;
    static constexpr std::size_t pairs_per_task = 8192;

    // Extends the paper's bit `hasChildren` to the number and the list of children, so that a
    // query that covers more cells than there are children can iterate over the children.
    struct Family {
        Index parent = no_cell;
        Index first_child = no_cell;
        Index next_sibling = no_cell;
        Index children = 0;
    };

    struct Query {
        Index instance;
        Box<T, D> box;
        Sieve<T, D>* sieve;
    };

    // classSizes of P4: the classes of the bodies, the largest first, and above them as many
    // empty ones as requested.
    void choose_sizes() {
        std::size_t count = 0;
        const auto used = classes_.used();
        if (used.empty()) return;
        const unsigned top = std::min(used[0] + levels_, Classes::largest);
        for (unsigned c = top; c > used[0]; --c) sizes_[count++] = c;
        for (const unsigned c : used) sizes_[count++] = c;
    }

    // P4 Listing 1, Eq. 4: the hash of a cell is the sum of its own hash and those of its
    // ancestors. Calls visit(cell) for the ancestors, then for the cell itself.
    template <class Visit>
    Index insert(std::uint64_t key, const Visit& visit) {
        const unsigned own = Classes::class_of(key);
        const Cell<D> cell = Classes::cell_of(key);
        std::uint32_t hash = 0;
        Index parent = no_cell;
        for (std::size_t s = 0;; ++s) {
            const Cell<D> over = Classes::above(cell, sizes_[s] - own);
            hash += cell_hash<D>(over);
            const std::uint64_t step = Classes::key(sizes_[s], over);
            if (path_[s].key != step) {
                path_[s] = {step, hashed_.cells.add(hash, step)};
                if (path_[s].cell == families_.size()) add_child(parent);
            }
            const Index c = path_[s].cell;
            visit(c);
            if (sizes_[s] == own) return c;
            parent = c;
        }
    }

    // Makes the newest cell a child of `parent`.
    void add_child(Index parent) {
        const auto child = static_cast<Index>(families_.size());
        Family& family = parent == no_cell ? roots_ : families_[parent];
        const Index sibling = std::exchange(family.first_child, child);
        ++family.children;
        families_.push_back({parent, no_cell, sibling, 0});
    }

    // P4 section 3.3.2: neighbours are found during insertion. The largest bodies come first,
    // so every inserted body that a new one can touch is in a cell on the new one's path.
    void insert_and_find(const Scene<T, D>& scene) {
        const auto& records = hashed_.records;
        pairs_.clear();
        latest_.clear();
        earlier_.resize(records.size());
        for (const unsigned size_class : classes_.used())
            for (std::size_t r = 0; r < records.size(); ++r) {
                if (Classes::class_of(records[r].key) != size_class) continue;
                const Index own = insert(records[r].key, [&](Index c) {
                    latest_.resize(families_.size(), no_record);
                    for (Index o = latest_[c]; o != no_record; o = earlier_[o])
                        add_if_overlapping(scene, records[r], records[o]);
                });
                hashed_.cell_of[r] = own;
                earlier_[r] = std::exchange(latest_[own], static_cast<Index>(r));
            }
    }

    // Records two bodies if their boxes overlap, in the common cell that the owner rule
    // selects.
    void add_if_overlapping(const Scene<T, D>& scene, const CellRecord& one,
                            const CellRecord& larger) {
        const unsigned steps = Classes::class_of(larger.key) - Classes::class_of(one.key);
        const Owner rule =
            steps == 0 ? Classes::owner() : Classes::owner(Classes::cell_of(one.key), steps);
        if (((one.bits | larger.bits) & rule.either) != rule.either ||
            (one.bits & rule.first) != rule.first)
            return;
        if (overlaps(scene.box(one.instance), scene.box(larger.instance)))
            pairs_.push_back({one.instance, larger.instance});
    }

    // Joins each cell with itself and its ancestors.
    void search_cells(Range cells, Sieve<T, D>& sieve) const {
        for (std::size_t c = cells.begin; c < cells.end; ++c) {
            const Run run = hashed_.cells.run(c);
            if (run.size() == 0) continue;
            const unsigned own = Classes::class_of(hashed_.cells.key(c));
            const Cell<D> cell = Classes::cell_of(hashed_.cells.key(c));
            sieve.self(run, Classes::owner());
            for (Index p = families_[c].parent; p != no_cell; p = families_[p].parent)
                if (hashed_.cells.run(p).size() > 0)
                    sieve.cross(
                        run, hashed_.cells.run(p),
                        Classes::owner(cell, Classes::class_of(hashed_.cells.key(p)) - own));
        }
    }

    // Our reading of P4 Listing 2: visits the children of one cell that the query covers, and
    // descends from those that have children.
    void descend(const Query& query, const Family& family, std::uint32_t hash, std::size_t s,
                 const CellSpan<D>& span) const {
        if (span.count() <= static_cast<double>(family.children)) {
            for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
                const std::uint32_t sum = hash + cell_hash<D>(cell);
                const Index c = hashed_.cells.find(sum, Classes::key(sizes_[s], cell));
                if (c != no_cell) visit(query, c, cell, sum, s);
            });
            return;
        }
        for (Index c = family.first_child; c != no_cell; c = families_[c].next_sibling) {
            const Cell<D> cell = Classes::cell_of(hashed_.cells.key(c));
            if (span.contains(cell)) visit(query, c, cell, hash + cell_hash<D>(cell), s);
        }
    }

    void visit(const Query& query, Index c, const Cell<D>& cell, std::uint32_t hash,
               std::size_t s) const {
        if (hashed_.cells.run(c).size() > 0)
            query.sieve->probe_one(
                query.instance, hashed_.cells.run(c),
                Classes::owner(classes_.span_of(query.box, sizes_[s]), cell));
        if (families_[c].children == 0) return;  // hasChildren
        CellSpan<D> below = classes_.span_of(query.box, sizes_[s + 1]);
        const unsigned steps = sizes_[s] - sizes_[s + 1];
        for (std::size_t a = 0; a < D; ++a) {
            const std::int32_t first = cell[a] * (1 << steps);
            below.lo[a] = std::max(below.lo[a], first);
            below.hi[a] = std::min(below.hi[a], first + ((1 << steps) - 1));
        }
        descend(query, families_[c], hash, s + 1, below);
    }

    unsigned levels_;
    double table_;
    bool inserting_;
    Classes classes_;
    std::array<unsigned, Classes::largest + 1> sizes_{};
    HashedBodies<T, D> hashed_;
    struct Step {
        std::uint64_t key = 0;  // the key of no cell
        Index cell = no_cell;
    };
    // The last path from the root: consecutive records often have the same ancestors.
    std::array<Step, Classes::largest + 1> path_{};
    CountedVector<Family> families_;  // of each cell
    Family roots_;                    // the cells of the largest class

    // For neighbours=insert:
    static constexpr Index no_record = ~Index{0};
    CountedVector<Index> latest_;  // latest record of each cell
    Buffer<Index> earlier_;        // the previous record in the same cell
    CountedVector<Pair> pairs_;
};

}  // namespace

MethodEntry describe_hierarchical_hash() {
    return describe_method<HierarchicalHash>(
        {"hierarchical_hash",
         "the multilevel hash with links from cells to smaller cells inside them (P4)",
         {{"levels",
           "0",
           "empty size classes above the largest body",
           0,
           0,
           {"0", "1", "2", "3", "4", "5", "6", "7", "8"}},
          {"table", "2", "slots of the table, per record of a body in a cell", 0.01, 100, {}},
          {"neighbours",
           "search",
           "found by a search, or while bodies are inserted",
           0,
           0,
           {"search", "insert"}}}});
}

}  // namespace vicinal::inline VICINAL_API
