// Uniform hash (P4 section 2.1; the serial hash of P5 section 4.3): a grid without borders
// whose occupied cells are found through a hash table. A body has one record, in its own cell,
// and meets those of the neighbouring cells; larger bodies have several, see
// core/cell_records.hpp. O(N) time and memory. Wins where a structure must answer single
// queries; loses to the sorted grids in a search for all pairs, because neighbouring cells are
// anywhere in memory, and its insertion is serial.
#include "methods/registry.hpp"

#include <algorithm>

#include "core/cell_records.hpp"
#include "core/hashed_cells.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class UniformHash final : public Method<T, D> {
  public:
    explicit UniformHash(const Choice& choice)
        : factor_(choice.number("cell")), table_(choice.number("table")) {}

    void build(const Scene<T, D>& scene) override {
        grid_.choose(scene, factor_, "uniform_hash");
        records_.resize(grid_.size());
        grid_.write(scene, records_.span());
        cells_.clear(static_cast<std::size_t>(table_ * static_cast<double>(grid_.size())));
        cell_of_.resize(grid_.size());
        for (std::size_t r = 0; r < records_.size(); ++r) {
            const std::uint64_t key = records_[r].key;
            cell_of_[r] = cells_.add(cell_hash<D>(grid_.keys().cell(key)), key);
        }
        bits_.resize(grid_.several() ? grid_.size() : 0);
        cells_.arrange(records_.span(), cell_of_.span(), packed_.entries(grid_.size()),
                       bits_.span());
        packed_.fill(scene, bits_.span());
    }

    const Packed<T, D>& packed() const override { return packed_; }

    std::size_t tasks() const override {
        return (cells_.size() + cells_per_task - 1) / cells_per_task;
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        const std::size_t end = std::min(tasks.end * cells_per_task, cells_.size());
        for (std::size_t c = tasks.begin * cells_per_task; c < end; ++c)
            grid_.join(cell_at(c), cells_.run(c), sieve,
                       [&](const Cell<D>& cell) { return find(cell); });
    }

    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q)
            grid_.ask(
                static_cast<Index>(q), queries.box(static_cast<Index>(q)), cells_.size(),
                [&](std::size_t c) { return cell_at(c); },
                [&](std::size_t c) { return cells_.run(c); },
                [&](const Cell<D>& cell) { return find(cell); }, sieve);
    }

    std::size_t bytes() const override {
        return grid_.bytes() + records_.bytes() + cell_of_.bytes() + bits_.bytes() +
               cells_.bytes() + packed_.bytes();
    }

    Figures figures() const override { return cells_.figures(); }

  private:
    static constexpr std::size_t cells_per_task = 256;

    Cell<D> cell_at(std::size_t c) const { return grid_.keys().cell(cells_.key(c)); }
    Run find(const Cell<D>& cell) const {
        return cells_.found(cells_.find(cell_hash<D>(cell), grid_.keys().key(cell)));
    }

    double factor_, table_;
    CellRecords<T, D> grid_;
    Buffer<CellRecord> records_;
    Buffer<Index> cell_of_;  // of each record
    Buffer<Bits> bits_;
    HashedCells cells_;
    Packed<T, D> packed_;
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

}  // namespace vicinal
