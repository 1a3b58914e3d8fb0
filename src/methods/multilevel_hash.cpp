// Multilevel hash (P4 section 2.2, after Eitz and Lixu): cells of several sizes, powers of two,
// in one hash table. A body is in the cells of the class of its own size, at most 8 (2-D: 4),
// and meets larger ones in the cells of their classes that hold its own. O(N) records and
// memory, time O(N) per class in use. Wins where sizes differ by orders of magnitude; loses to
// one uniform grid where they do not.
#include "methods/registry.hpp"

#include <algorithm>

#include "core/hashed_cells.hpp"
#include "core/size_classes.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class MultilevelHash final : public Method<T, D> {
  public:
    explicit MultilevelHash(const Choice& choice) : table_(choice.number("table")) {}

    void build(const Scene<T, D>& scene) override {
        classes_.choose(scene);
        classes_.write(scene, records_, "multilevel_hash");
        const std::size_t n = records_.size();
        cells_.clear(static_cast<std::size_t>(table_ * static_cast<double>(n)));
        cell_of_.resize(n);
        for (std::size_t r = 0; r < n; ++r) {
            const std::uint64_t key = records_[r].key;
            cell_of_[r] = cells_.add(hash(Classes::class_of(key), Classes::cell_of(key)), key);
        }
        bits_.resize(n);
        cells_.arrange(records_.span(), cell_of_.span(), packed_.entries(n), bits_.span());
        packed_.fill(scene, bits_.span());
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return (cells_.size() + cells_per_task - 1) / cells_per_task;
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        const std::size_t end = std::min(tasks.end * cells_per_task, cells_.size());
        for (std::size_t c = tasks.begin * cells_per_task; c < end; ++c) {
            const unsigned own = Classes::class_of(cells_.key(c));
            const Cell<D> cell = Classes::cell_of(cells_.key(c));
            sieve.self(cells_.run(c), Classes::owner());
            for (const unsigned larger : classes_.used()) {
                if (larger <= own) break;
                const Run others = find(larger, Classes::above(cell, larger - own));
                if (others.size() > 0)
                    sieve.cross(cells_.run(c), others, Classes::owner(cell, larger - own));
            }
        }
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const Box<T, D> box = queries.box(static_cast<Index>(q));
            for (const unsigned c : classes_.used())
                ask(static_cast<Index>(q), c, classes_.span_of(box, c), sieve);
        }
    }

    std::size_t bytes() const override {
        return classes_.bytes() + records_.bytes() + cell_of_.bytes() + bits_.bytes() +
               cells_.bytes() + packed_.bytes();
    }

    Figures figures() const override { return cells_.figures(); }

  private:
    using Classes = SizeClasses<T, D>;
    static constexpr std::size_t cells_per_task = 256;

    // P4 Eq. 3 for a table that all classes share: cells of different classes with the same
    // numbers should not meet in one slot.
    static std::uint32_t hash(unsigned size_class, const Cell<D>& cell) {
        return cell_hash<D>(cell) + size_class * 2654435761u;
    }
    Run find(unsigned size_class, const Cell<D>& cell) const {
        return cells_.found(
            cells_.find(hash(size_class, cell), Classes::key(size_class, cell)));
    }

    // A query against the cells of one class that it covers; through the list of all cells
    // where it covers more than there are.
    void ask(Index q, unsigned size_class, const CellSpan<D>& span, Sieve<T, D>& sieve) const {
        const auto ask_run = [&](const Cell<D>& cell, Run run) {
            if (run.size() > 0) sieve.ask(q, run, Classes::owner(span, cell));
        };
        if (span.count() <= static_cast<double>(cells_.size())) {
            for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
                ask_run(cell, find(size_class, cell));
            });
            return;
        }
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const Cell<D> cell = Classes::cell_of(cells_.key(c));
            if (Classes::class_of(cells_.key(c)) == size_class && span.contains(cell))
                ask_run(cell, cells_.run(c));
        }
    }

    double table_;
    Classes classes_;
    Buffer<CellRecord> records_;
    Buffer<Index> cell_of_;  // of each record
    Buffer<Bits> bits_;
    HashedCells cells_;
    Packed<T, D> packed_;
};

}  // namespace

MethodEntry describe_multilevel_hash() {
    return describe_method<MultilevelHash>(
        {"multilevel_hash",
         "cells of several sizes in a hash table, each body in those of its size (P4)",
         {{"table",
           "2",
           "slots of the table, per record of a body in a cell",
           0.01,
           100,
           {}}}});
}

}  // namespace vicinal
