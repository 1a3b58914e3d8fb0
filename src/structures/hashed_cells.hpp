// A hash table of cells (Pouchol et al. 2009, section 2): the hash selects a slot, and keys are
// compared, so two cells that collide in a slot never share a record. Slots carry the time
// stamp of the step that filled them (Pouchol et al. 2009, section 4.3): nothing is cleared
// between steps.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "sieve/sieve.hpp"
#include "structures/cells.hpp"

#include <vicinal/report.hpp>

namespace vicinal::inline VICINAL_API {

constexpr Index no_cell = ~Index{0};

// Pouchol et al. (2009), Eq. 1 without its modulus: exclusive or of multiples of large primes.
// Cell coordinates are relative to the middle of the bodies, where (i, j) and (-i, -j) would
// have nearly the same hash; so they are offset by a large number.
template <int D>
std::uint32_t cell_hash(const Cell<D>& cell) {
    constexpr std::array<std::uint32_t, 3> primes{73856093, 19349663, 83492791};
    constexpr std::uint32_t outside = 1'000'003;
    std::uint32_t hash = 0;
    for (std::size_t a = 0; a < D; ++a)
        hash ^= (static_cast<std::uint32_t>(cell[a]) + outside) * primes[a];
    return hash;
}

// hash % n without a division, exactly (Lemire, Kaser and Kurz 2019): the fraction hash / n in
// 64 bits, times n.
class Modulus {
  public:
    explicit Modulus(std::uint32_t n) : n_(n), inverse_(~std::uint64_t{0} / n + 1) {}
    std::uint32_t operator()(std::uint32_t hash) const {
        const std::uint64_t fraction = inverse_ * hash;
        const std::uint64_t low = (fraction & 0xffffffff) * n_ >> 32;
        return static_cast<std::uint32_t>(((fraction >> 32) * n_ + low) >> 32);
    }

  private:
    std::uint64_t n_, inverse_;
};

struct LookUp {
    bool exists;  // false: the cell is known to be empty
    std::uint32_t hash;
    std::uint64_t key;
};

class HashedCells {
  public:
    // Removes all cells and ensures at least this many slots.
    void clear(std::size_t slots);

    // The cell with this key, inserted if absent.
    Index add(std::uint32_t hash, std::uint64_t key);
    [[gnu::always_inline]] Index find(std::uint32_t hash, std::uint64_t key) const {
        const Index first = first_in(hash);
        return first == no_cell ? no_cell : find_from(first, key);
    }
    // Finds several cells. Look-ups miss the cache twice: the slots are prefetched first, then
    // the cells that they refer to.
    void find(std::span<const LookUp> look_ups, std::span<Index> found) const;
    // Forced inline: g++ drops calls of functions that only prefetch.
    [[gnu::always_inline]] void prefetch_slot(std::uint32_t hash) const {
        __builtin_prefetch(&slots_[slot_of(hash)]);
    }
    [[gnu::always_inline]] void prefetch_cell(std::uint32_t hash) const {
        const Index c = first_in(hash);
        if (c != no_cell) __builtin_prefetch(&cells_[c]);
    }

    // Sorts the records by cell.
    void arrange(std::span<const CellRecord> records, std::span<const Index> cell_of,
                 std::span<Index> instances, std::span<Bits> bits);

    std::size_t size() const { return size_; }
    std::uint64_t key(std::size_t cell) const { return cells_[cell].key; }
    Run run(std::size_t cell) const {
        return {cell == 0 ? 0 : cells_[cell - 1].end, cells_[cell].end};
    }
    Run found(Index cell) const { return cell == no_cell ? Run{} : run(cell); }

    // For the report: the statistics by which Pouchol et al. (2009, section 4.3) choose a
    // table's size. Since keys are compared here, false candidates are those that would be
    // found without that: pairs of records in one slot but not in one cell.
    Statistics statistics() const;

  private:
    struct Slot {
        std::uint16_t stamp;
        std::uint16_t filter;  // the filter_bit() of each cell of the slot
        Index first;
    };
    struct Node {
        std::uint64_t key;
        Index next;  // next cell in the same slot
        Index end;   // of its entries, which follow those of the cell before
    };

    std::size_t slot_of(std::uint32_t hash) const { return modulus_(hash); }
    // Most look-ups are of cells that do not exist; few of them read a cell of the slot.
    static unsigned filter_bit(std::uint32_t hash) { return hash * 2654435769u >> 28; }
    // The first cell that may be the one looked up.
    [[gnu::always_inline]] Index first_in(std::uint32_t hash) const {
        const Slot& slot = slots_[slot_of(hash)];
        // One branch, nearly always not taken.
        const unsigned may_exist =
            unsigned{slot.stamp == stamp_} & unsigned{slot.filter} >> filter_bit(hash);
        return (may_exist & 1) != 0 ? slot.first : no_cell;
    }

    Index find_from(Index cell, std::uint64_t key) const;
    Index append(std::uint64_t key);

    Buffer<Slot> slots_;
    Modulus modulus_{1};  // the number of slots
    Buffer<Node> cells_;  // the first size_ of them
    std::size_t size_ = 0;
    std::uint16_t stamp_ = 0;
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

    // Inserts the cells of all records; hash(key) is called once per record, in their order.
    template <class Hash>
    void add_cells(const Hash& hash) {
        constexpr std::size_t ahead = 16;  // prefetch distance, twice
        std::array<std::uint32_t, 4 * ahead> hashes;
        const std::size_t n = records.size();
        parallel_for(1, n + 2 * ahead, [&](std::size_t r) {
            if (r < n) {
                hashes[r % hashes.size()] = hash(records[r].key);
                cells.prefetch_slot(hashes[r % hashes.size()]);
            }
            if (r >= ahead && r < n + ahead)
                cells.prefetch_cell(hashes[(r - ahead) % hashes.size()]);
            if (r < 2 * ahead) return;
            const std::size_t now = r - 2 * ahead;
            cell_of[now] = cells.add(hashes[now % hashes.size()], records[now].key);
        });
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

    // Finds the half stencil of each cell of the tasks, a batch of cells at a time: look_up(c,
    // look_ups) tells the neighbours, then visit(c, runs) gets their runs.
    template <class Look, class Visit>
    void for_each_cell(Range tasks, const Look& look_up, const Visit& visit) const {
        constexpr std::size_t batch = D == 2 ? 32 : 16, steps = half_steps<D>().size();
        std::array<LookUp, batch * steps> look_ups;
        std::array<Index, batch * steps> found;
        std::array<Run, batch * steps> runs;
        const Range all = cells_of(tasks);
        for (std::size_t begin = all.begin; begin < all.end; begin += batch) {
            const std::size_t count = std::min(batch, all.end - begin);
            for (std::size_t c = 0; c < count; ++c)
                look_up(begin + c, std::span(look_ups).subspan(c * steps, steps));
            cells.find(std::span(look_ups).first(count * steps), found);
            for (std::size_t k = 0; k < count * steps; ++k) {
                runs[k] = cells.found(found[k]);
                if (runs[k].size() == 0) continue;
                for (std::size_t a = 0; a < D; ++a)
                    __builtin_prefetch(packed.column(a) + runs[k].begin);
            }
            for (std::size_t c = 0; c < count; ++c)
                visit(begin + c, std::span(runs).subspan(c * steps, steps));
        }
    }
};

}  // namespace vicinal::inline VICINAL_API
