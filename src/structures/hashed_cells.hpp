// A hash table of cells (P4 section 2): the hash selects a slot, and keys are compared, so two
// cells that collide in a slot never share a record. Slots carry the time stamp of the step
// that filled them (P4 section 4.3): nothing is cleared between steps.
#pragma once

#include <span>

#include "base/ledger.hpp"
#include "base/parallel.hpp"
#include "sieve/sieve.hpp"
#include "structures/cells.hpp"

#include <vicinal/report.hpp>

namespace vicinal::inline VICINAL_API {

constexpr Index no_cell = ~Index{0};

// P4 Eq. 1 without its modulus: exclusive or of multiples of large primes. Cell coordinates are
// relative to the middle of the bodies, where (i, j) and (-i, -j) would have nearly the same
// hash; so they are offset by a large number.
template <int D>
std::uint32_t cell_hash(const Cell<D>& cell) {
    constexpr std::array<std::uint32_t, 3> primes{73856093, 19349663, 83492791};
    constexpr std::uint32_t outside = 1'000'003;
    std::uint32_t hash = 0;
    for (std::size_t a = 0; a < D; ++a)
        hash ^= (static_cast<std::uint32_t>(cell[a]) + outside) * primes[a];
    return hash;
}

class HashedCells {
  public:
    // Removes all cells and ensures at least this many slots.
    void clear(std::size_t slots);

    // The cell with this key, inserted if absent.
    Index add(std::uint32_t hash, std::uint64_t key);
    Index find(std::uint32_t hash, std::uint64_t key) const;

    // Sorts the records by cell.
    void arrange(std::span<const CellRecord> records, std::span<const Index> cell_of,
                 std::span<Index> instances, std::span<Bits> bits);

    std::size_t size() const { return cells_.size(); }
    std::uint64_t key(std::size_t cell) const { return cells_[cell].key; }
    Run run(std::size_t cell) const { return {start_[cell], start_[cell + 1]}; }
    Run found(Index cell) const { return cell == no_cell ? Run{} : run(cell); }

    // For the report: the statistics by which P4 section 4.3 chooses a table's size. Since keys
    // are compared here, false candidates are those that would be found without that: pairs of
    // records in one slot but not in one cell.
    Statistics statistics() const;

  private:
    struct Slot {
        std::uint32_t stamp = 0;
        Index first = 0;
    };
    struct Node {
        std::uint64_t key;
        Index next;  // next cell in the same slot
    };

    std::size_t slot_of(std::uint32_t hash) const {
        return hash % static_cast<std::uint32_t>(slots_.size());
    }

    CountedVector<Slot> slots_;
    CountedVector<Node> cells_;
    Buffer<Index> start_;  // first entry of each cell, and the end
    std::uint32_t stamp_ = 0;
};

// A method's bodies in hashed cells. Records are written first, then each is assigned a cell.
template <Real T, int D>
struct HashedBodies {
    Buffer<CellRecord> records;  // in the order of the instances
    Buffer<Index> cell_of;       // of each record
    Buffer<Bits> bits;           // of each entry; empty if no body has several records
    HashedCells cells;
    Packed<T, D> packed;

    void clear_cells(double slots_per_record) {
        const std::size_t n = records.size();
        cells.clear(static_cast<std::size_t>(slots_per_record * static_cast<double>(n)));
        cell_of.resize(n);
    }

    void arrange(const Scene<T, D>& scene, bool several) {
        bits.resize(several ? records.size() : 0);
        cells.arrange(records.span(), cell_of.span(), packed.entries(records.size()),
                      bits.span());
        packed.fill(scene, bits.span());
    }

    // A task is a number of cells.
    static constexpr std::size_t cells_per_task = 256;
    std::size_t tasks() const { return (cells.size() + cells_per_task - 1) / cells_per_task; }
    Range cells_of(Range tasks) const {
        return {tasks.begin * cells_per_task,
                std::min(tasks.end * cells_per_task, cells.size())};
    }
};

}  // namespace vicinal::inline VICINAL_API
