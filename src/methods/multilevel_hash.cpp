// Multilevel hash (Pouchol et al. 2009, section 2.2, after Eitz and Lixu): cells of several
// sizes, powers of two, in one hash table. A body is in the cells of its own size class, at
// most 8 (2-D: 4), and finds larger bodies in those cells of their classes that contain its own
// cells. O(N) records and memory, time O(N) per class in use. Wins where sizes differ by orders
// of magnitude; loses to one uniform grid where they do not.
#include "methods/registry.hpp"

#include <algorithm>

#include "structures/hashed_cells.hpp"
#include "structures/query_box.hpp"
#include "structures/size_classes.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class MultilevelHash final : public Method<T, D> {
  public:
    explicit MultilevelHash(const Choice& choice) : table_(choice.number("table")) {}

    void build(const Scene<T, D>& scene) override {
        classes_.choose(scene);
        classes_.write(scene, hashed_.records, "multilevel_hash");
        hashed_.clear_cells(table_);
        hashed_.add_cells([&](std::uint64_t key) {
            return hash(Classes::class_of(key), Classes::cell_of(key));
        });
        hashed_.arrange(scene, true);
    }

    std::size_t tasks() const override { return hashed_.tasks(); }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        const Range cells = hashed_.cells_of(tasks);
        // Caches the last lookup per class: consecutive cells often share a larger cell.
        struct Found {
            std::uint64_t key = 0;  // the key of no cell
            Run run;
        };
        std::array<Found, Classes::largest + 1> last{};
        for (std::size_t c = cells.begin; c < cells.end; ++c) {
            const Run run = hashed_.cells.run(c);
            const unsigned own = Classes::class_of(hashed_.cells.key(c));
            const Cell<D> cell = Classes::cell_of(hashed_.cells.key(c));
            sieve.self(run, Classes::owner());
            for (const unsigned larger : classes_.used()) {
                if (larger <= own) break;
                const Cell<D> container = above<D>(cell, larger - own);
                const std::uint64_t key = Classes::key(larger, container);
                if (last[larger].key != key) last[larger] = {key, find(larger, container)};
                if (last[larger].run.size() > 0)
                    sieve.cross(run, last[larger].run, Classes::owner(cell, larger - own));
            }
        }
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const CellSpan<D> span =
                classes_.span_of(query_box(queries, static_cast<Index>(q)));
            for (const unsigned c : classes_.used())
                probe_one(static_cast<Index>(q), c, above<D>(span, c), sieve);
        }
    }

    Statistics statistics() const override { return hashed_.cells.statistics(); }

  private:
    using Classes = SizeClasses<T, D>;

    // Pouchol et al. (2009), Eq. 3 for a table that all classes share: cells of different
    // classes with the same coordinates should not collide in one slot.
    static std::uint32_t hash(unsigned size_class, const Cell<D>& cell) {
        return cell_hash<D>(cell) + size_class * 2654435761u;
    }
    Run find(unsigned size_class, const Cell<D>& cell) const {
        return hashed_.cells.found(
            hashed_.cells.find(hash(size_class, cell), Classes::key(size_class, cell)));
    }

    // Tests a query against the cells of one class that it covers. Iterates over all cells if
    // it covers more than there are.
    void probe_one(Index q, unsigned size_class, const CellSpan<D>& span,
                   Sieve<T, D>& sieve) const {
        const auto probe_run = [&](const Cell<D>& cell, Run run) {
            if (run.size() > 0) sieve.probe_one(q, run, Classes::owner(span, cell));
        };
        if (span.count() <= hashed_.cells.size()) {
            for_each_between(span.lo, span.hi, [&](const Cell<D>& cell) {
                probe_run(cell, find(size_class, cell));
            });
            return;
        }
        for (std::size_t c = 0; c < hashed_.cells.size(); ++c) {
            const Cell<D> cell = Classes::cell_of(hashed_.cells.key(c));
            if (Classes::class_of(hashed_.cells.key(c)) == size_class && span.contains(cell))
                probe_run(cell, hashed_.cells.run(c));
        }
    }

    double table_;
    Classes classes_;
    HashedBodies<T, D> hashed_;
};

}  // namespace

MethodEntry describe_multilevel_hash() {
    return describe_method<MultilevelHash>(
        {"multilevel_hash",
         "cells of several sizes in a hash table, each body in those of its size (Pouchol et "
         "al. 2009)",
         {{"table",
           "2",
           "slots of the table, per record of a body in a cell",
           0.01,
           100,
           {}}}});
}

}  // namespace vicinal::inline VICINAL_API
