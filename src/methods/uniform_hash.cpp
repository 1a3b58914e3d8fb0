// Uniform hash (Pouchol et al. 2009, section 2.1; the serial hash of Gissler et al. 2011,
// section 4.3): an unbounded grid whose occupied cells are stored in a hash table. A body has
// one record, in its own cell, and is tested against those of adjacent cells; larger bodies
// have several, see structures/cell_records.hpp. O(N) time and memory. Wins for single queries;
// loses to the sorted grids in a search for all pairs, because adjacent cells are scattered in
// memory, and its insertion is serial.
#include "methods/registry.hpp"

#include <algorithm>

#include "structures/cell_records.hpp"
#include "structures/hashed_cells.hpp"
#include "structures/query_box.hpp"

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
        hashed_.add_cells(
            [&](std::uint64_t key) { return cell_hash<D>(grid_.keys().cell(key)); });
        hashed_.arrange(scene, grid_.several());
    }

    std::size_t tasks() const override { return hashed_.tasks(); }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        const CellKeys<D> keys = grid_.keys();  // a local copy avoids aliasing reloads
        hashed_.for_each_cell(
            tasks,
            [&, keys](std::size_t c, auto look_ups) {
                const Cell<D> cell = keys.cell(hashed_.cells.key(c));
                for (std::size_t k = 0; k < half_steps<D>().size(); ++k) {
                    const Cell<D> next = neighbour<D>(cell, half_steps<D>()[k]);
                    look_ups[k] = {true, cell_hash<D>(next), keys.key(next)};
                }
            },
            [&](std::size_t c, std::span<const Run> runs) {
                grid_.join(hashed_.cells.run(c), runs, sieve);
            });
    }

    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, hashed_.packed);

        for (std::size_t q = instances.begin; q < instances.end; ++q)
            grid_.probe_one(
                static_cast<Index>(q), query_box(queries, static_cast<Index>(q)),
                hashed_.cells.size(), [&](std::size_t c) { return cell_at(c); },
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
         "cells of one size in a hash table (Pouchol et al. 2009)",
         {{"cell", "1", "edge of a cell, in mean edges of the bodies' boxes", 0.01, 1000, {}},
          {"table",
           "2",
           "slots of the table, per record of a body in a cell",
           0.01,
           100,
           {}}}});
}

}  // namespace vicinal::inline VICINAL_API
