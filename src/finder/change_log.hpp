// Compares the pairs of two steps: which began, which ended, and which persist under another
// image. The pairs of a step are kept as half rows, sorted by (i, j, image), with the bodies
// numbered in the order of their ids. Two steps are compared row by row, in parallel; nothing
// but short rows is sorted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/sort.hpp"
#include "output/rows.hpp"
#include "scene/lattice.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/changes.hpp>
#include <vicinal/pairs.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class ChangeLog {
  public:
    // If it throws, the next call compares with the same step as this one.
    const Changes<D>& update(const PairList<D>& list, const Bodies<T, D>& bodies,
                             const Lattice<T, D>& lattice, RowMaker<T, D>& maker,
                             MemoryLedger& maker_ledger, int threads);

    // Memory of rows and changes, which no ledger counts.
    std::uint64_t bytes_of_results() const;

  private:
    static constexpr Index none = ~Index{0};

    struct Step {
        Rows<T, D> rows;
        std::size_t bodies = 0;
        bool identified = false;
        Buffer<Index> ids;  // ascending; if not identified, id and number are the index
        Buffer<std::array<double, D>> positions;
        Lattice<T, D> lattice;

        Index id(std::size_t body) const {
            return identified ? ids[body] : static_cast<Index>(body);
        }
        PairKey<D> key(std::size_t body, std::uint64_t entry) const {
            PairKey<D> key{id(body), id(rows.indices[entry]), {}};
            if (!rows.images.empty()) key.image = rows.images[entry];
            return key;
        }
        // The first body whose id is at least this.
        std::size_t first_from(std::uint64_t id) const;
    };
    // A pair of the last step under its present image.
    struct Entry {
        Index neighbour;  // none: it ended
        Image<D> image;
        std::uint64_t then;  // its entry in the rows of the last step
    };
    struct Part {  // of the changes, by one task
        std::vector<PairKey<D>> began, ended;
        std::vector<Renamed<D>> renamed;
        std::vector<Entry> entries;
    };

    void number_bodies(const Bodies<T, D>& bodies, int threads);
    void note_positions(const Bodies<T, D>& bodies, const Lattice<T, D>& lattice, int threads);
    void find_bodies_again(int threads);
    void note_lattice();
    Shift<D> wraps(std::size_t then, std::size_t now) const;
    void compare(std::uint64_t first_id, std::uint64_t end_id, Part& part) const;
    void compare_rows(std::size_t then, std::size_t now, Part& part) const;
    bool has_renamed(std::size_t then) const;
    void rename_row(std::size_t then, Part& part) const;
    void compare_renamed(std::size_t then, std::size_t now, Part& part) const;
    void join(int threads);

    Changes<D> changes_;
    Step now_, then_;
    Sorter<KeyedIndex> sorter_;  // by id
    Buffer<Index> numbers_;      // of the bodies, if identified
    // For each body of the last step: its number in this one, or none, and the whole periods by
    // which it was wrapped.
    Buffer<Index> number_now_;
    Buffer<Shift<D>> wraps_;
    bool wrapped_ = false;                   // some body was
    bool new_vectors_ = false;               // of the same lattice
    std::array<Shift<D>, D> old_vectors_{};  // in terms of the new ones
    std::vector<Part> parts_;
};

}  // namespace vicinal::inline VICINAL_API
