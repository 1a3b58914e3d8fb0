// Hierarchical hash (P4 section 3): the multilevel hash, whose cells also know whether smaller
// classes hold anything in them. Bodies are inserted top-down: every larger class has a cell
// above theirs, and queries descend only from cells that have children. O(N) records, cells
// and time O(N) per class in use. Wins for queries in scenes with much empty space; loses to
// multilevel_hash in building, and to one uniform grid where sizes do not differ.
#include "methods/registry.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/hashed_cells.hpp"
#include "core/size_classes.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class HierarchicalHash final : public Method<T, D> {
  public:
    explicit HierarchicalHash(const Choice& choice)
        : levels_(static_cast<unsigned>(choice.number("levels"))),
          table_(choice.number("table")) {}

    void build(const Scene<T, D>& scene) override {
        classes_.choose(scene);
        classes_.write(scene, records_, "hierarchical_hash");
        choose_sizes();
        const std::size_t n = records_.size();
        cells_.clear(static_cast<std::size_t>(table_ * static_cast<double>(n)));
        families_.clear();
        roots_ = {};
        cell_of_.resize(n);
        for (std::size_t r = 0; r < n; ++r) cell_of_[r] = insert(records_[r].key);
        bits_.resize(n);
        cells_.arrange(records_.span(), cell_of_.span(), packed_.entries(n), bits_.span());
        packed_.fill(scene, bits_.span());
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return (cells_.size() + cells_per_task - 1) / cells_per_task;
    }

    // Each cell against itself and the cells above it.
    void search(Range tasks, Sieve<T, D>& sieve) const override {
        const std::size_t end = std::min(tasks.end * cells_per_task, cells_.size());
        for (std::size_t c = tasks.begin * cells_per_task; c < end; ++c) {
            const Run run = cells_.run(c);
            if (run.size() == 0) continue;
            const unsigned own = Classes::class_of(cells_.key(c));
            const Cell<D> cell = Classes::cell_of(cells_.key(c));
            sieve.self(run, Classes::owner());
            for (Index p = families_[c].parent; p != no_cell; p = families_[p].parent)
                if (cells_.run(p).size() > 0)
                    sieve.cross(run, cells_.run(p),
                                Classes::owner(cell, Classes::class_of(cells_.key(p)) - own));
        }
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const Question question{static_cast<Index>(q), queries.box(static_cast<Index>(q)),
                                    &sieve};
            if (roots_.children > 0)
                descend(question, roots_, 0, 0, classes_.span_of(question.box, sizes_[0]));
        }
    }

    std::size_t bytes() const override {
        return classes_.bytes() + records_.bytes() + cell_of_.bytes() + bits_.bytes() +
               cells_.bytes() + families_.capacity() * sizeof(Family) + packed_.bytes();
    }

    Figures figures() const override { return cells_.figures(); }

  private:
    using Classes = SizeClasses<T, D>;
    static constexpr std::size_t cells_per_task = 256;

    // Beyond the paper's one bit `hasChildren`: how many, and which. So a query that covers
    // more cells than there are children goes through the children.
    struct Family {
        Index parent = no_cell;
        Index first_child = no_cell;
        Index next_sibling = no_cell;
        Index children = 0;
    };

    struct Question {
        Index query;
        Box<T, D> box;
        Sieve<T, D>* sieve;
    };

    // classSizes of P4: the classes of the bodies, the largest first, and above them as many
    // empty ones as were asked for.
    void choose_sizes() {
        std::size_t count = 0;
        const auto used = classes_.used();
        if (used.empty()) return;
        const unsigned top = std::min(used[0] + levels_, Classes::largest);
        for (unsigned c = top; c > used[0]; --c) sizes_[count++] = c;
        for (const unsigned c : used) sizes_[count++] = c;
    }

    // P4 Listing 1, Eq. 4: the hash of a cell is the sum of those of all cells above it.
    Index insert(std::uint64_t key) {
        const unsigned own = Classes::class_of(key);
        const Cell<D> cell = Classes::cell_of(key);
        std::uint32_t hash = 0;
        Index parent = no_cell;
        for (std::size_t s = 0;; ++s) {
            const Cell<D> over = Classes::above(cell, sizes_[s] - own);
            hash += cell_hash<D>(over);
            const Index c = cells_.add(hash, Classes::key(sizes_[s], over));
            if (c == families_.size()) adopt(parent);
            if (sizes_[s] == own) return c;
            parent = c;
        }
    }

    // The newest cell becomes a child.
    void adopt(Index parent) {
        const auto child = static_cast<Index>(families_.size());
        Family& family = parent == no_cell ? roots_ : families_[parent];
        const Index sibling = std::exchange(family.first_child, child);
        ++family.children;
        families_.push_back({parent, no_cell, sibling, 0});
    }

    // P4 Listing 2, read as: of the cells of a class that the query covers, those below one
    // parent; then onwards from each that has children.
    void descend(const Question& question, const Family& family, std::uint32_t hash,
                 std::size_t s, const CellSpan<D>& span) const {
        if (span.count() <= static_cast<double>(family.children)) {
            for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
                const std::uint32_t sum = hash + cell_hash<D>(cell);
                const Index c = cells_.find(sum, Classes::key(sizes_[s], cell));
                if (c != no_cell) visit(question, c, cell, sum, s);
            });
            return;
        }
        for (Index c = family.first_child; c != no_cell; c = families_[c].next_sibling) {
            const Cell<D> cell = Classes::cell_of(cells_.key(c));
            if (span.contains(cell)) visit(question, c, cell, hash + cell_hash<D>(cell), s);
        }
    }

    void visit(const Question& question, Index c, const Cell<D>& cell, std::uint32_t hash,
               std::size_t s) const {
        if (cells_.run(c).size() > 0)
            question.sieve->ask(
                question.query, cells_.run(c),
                Classes::owner(classes_.span_of(question.box, sizes_[s]), cell));
        if (families_[c].children == 0) return;  // hasChildren
        CellSpan<D> below = classes_.span_of(question.box, sizes_[s + 1]);
        const unsigned steps = sizes_[s] - sizes_[s + 1];
        for (std::size_t a = 0; a < D; ++a) {
            const std::int32_t first = cell[a] * (1 << steps);
            below.lo[a] = std::max(below.lo[a], first);
            below.hi[a] = std::min(below.hi[a], first + ((1 << steps) - 1));
        }
        descend(question, families_[c], hash, s + 1, below);
    }

    unsigned levels_;
    double table_;
    Classes classes_;
    std::array<unsigned, Classes::largest + 1> sizes_{};
    Buffer<CellRecord> records_;
    Buffer<Index> cell_of_;  // of each record
    Buffer<Bits> bits_;
    HashedCells cells_;
    std::vector<Family> families_;  // of each cell
    Family roots_;                  // the cells of the largest class
    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_hierarchical_hash() {
    return describe_method<HierarchicalHash>(
        {"hierarchical_hash",
         "the multilevel hash with cells that know of smaller ones inside them (P4)",
         {{"levels",
           "0",
           "empty size classes above the largest body",
           0,
           0,
           {"0", "1", "2", "3", "4", "5", "6", "7", "8"}},
          {"table",
           "2",
           "slots of the table, per record of a body in a cell",
           0.01,
           100,
           {}}}});
}

}  // namespace vicinal
