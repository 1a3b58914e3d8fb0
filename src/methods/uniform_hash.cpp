// Uniform hash (P4 section 2.1; the serial hash of P5 section 4.3): an unbounded grid whose
// occupied cells are stored in a hash table. A body has one record, in its own cell, and is
// tested against those of adjacent cells; larger bodies have several, see
// structures/cell_records.hpp. O(N) time and memory. Wins for single queries; loses to the
// sorted grids in a search for all pairs, because adjacent cells are scattered in memory, and
// its insertion is serial.
#include "methods/registry.hpp"

#include <algorithm>

#include "structures/cell_records.hpp"
#include "structures/hashed_cells.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class UniformHash final : public Method<T, D> {
  public:
    explicit UniformHash(const Choice& choice)
        : factor_(choice.number("cell")), table_(choice.number("table")) {}

    void build(const Scene<T, D>& scene) override {
        grid_.choose(scene, factor_, "uniform_hash");
        hashed_.records.resize(grid_.size());
        grid_.write(scene, hashed_.records.span());
        hashed_.clear_cells(table_);
        for (std::size_t r = 0; r < hashed_.records.size(); ++r) {
            const std::uint64_t key = hashed_.records[r].key;
            hashed_.cell_of[r] = hashed_.cells.add(cell_hash<D>(grid_.keys().cell(key)), key);
        }
        hashed_.arrange(scene, grid_.several());
    }

    std::size_t tasks() const override { return hashed_.tasks(); }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        const Range cells = hashed_.cells_of(tasks);
        for (std::size_t c = cells.begin; c < cells.end; ++c)
            grid_.join(cell_at(c), hashed_.cells.run(c), sieve,
                       [&](const Cell<D>& cell) { return find(cell); });
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        for (std::size_t q = instances.begin; q < instances.end; ++q)
            grid_.probe_one(
                static_cast<Index>(q), queries.box(static_cast<Index>(q)), hashed_.cells.size(),
                [&](std::size_t c) { return cell_at(c); },
                [&](std::size_t c) { return hashed_.cells.run(c); },
                [&](const Cell<D>& cell) { return find(cell); }, sieve);
    }

    Statistics statistics() const override { return hashed_.cells.statistics(); }

  private:
    Cell<D> cell_at(std::size_t c) const { return grid_.keys().cell(hashed_.cells.key(c)); }
    Run find(const Cell<D>& cell) const {
        return hashed_.cells.found(
            hashed_.cells.find(cell_hash<D>(cell), grid_.keys().key(cell)));
    }

    double factor_, table_;
    CellRecords<T, D> grid_;
    HashedBodies<T, D> hashed_;
};

}  // namespace

MethodEntry describe_uniform_hash() {
    return describe_method<UniformHash>(
        {"uniform_hash",
         "cells of one size in a hash table (P4)",
         {{"cell", "1", "edge of a cell, in mean edges of the bodies' boxes", 0.01, 1000, {}},
          {"table",
           "2",
           "slots of the table, per record of a body in a cell",
           0.01,
           100,
           {}}}});
}

}  // namespace vicinal::inline VICINAL_API
