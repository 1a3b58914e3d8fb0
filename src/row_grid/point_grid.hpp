// Quantised points sorted by row and cell: row_grid's order for the strip join
// (row_grid/strips.hpp). A row is a line of cells along x; cells are slightly larger than the
// cut-off and at most 16384 units wide.
//
// Native periodicity: a rectangular periodic box needs no ghosts if all points are within one
// period of each other. A whole number of cells fills the period, and rows and cells at one
// face are adjacent to those at the opposite face.
#pragma once

#include "base/sort.hpp"
#include "row_grid/point_records.hpp"
#include "row_grid/strips.hpp"
#include "scene/packed.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class PointGrid {
  public:
    // False if there are too many points, they spread over too many cells or lie too far out
    // for their precision, or the scene asks for native periodicity that is impossible; then
    // another order is needed.
    bool fits(const Scene<T, D>& scene);
    // Requires fits(). Writes instances and bits to `packed`.
    void assign(const Scene<T, D>& scene, Packed<T, D>& packed);

    // Writes the instances with class bits (see row_grid/strips.hpp); false if there are not
    // enough bits.
    bool add_classes(const Scene<T, D>& scene, const Packed<T, D>& packed,
                     const PairClasses& classes);
    const Index* classed() const { return classed_.data(); }

    std::size_t cells() const { return cells_; }
    std::size_t rows() const { return rows_; }
    QuantisedPoints<D> points() const;

    CellRange row(std::size_t r) const { return {row_cell_[r], row_cell_[r + 1]}; }
    std::uint64_t row_key(std::size_t r) const { return row_key_[r]; }
    // The row `step` rows away in (y, z), possibly across periodic faces.
    struct Beside {
        std::uint64_t key;      // if outside the grid, the key of no row
        Index crossed = 0;      // faces, as in row_grid/strips.hpp
        std::uint8_t down = 0;  // StripFaces::down
    };
    Beside beside(std::size_t r, const std::array<int, 2>& step) const {
        Beside row{key_beside(r, step)};
        if (any_joined_) cross_faces(r, step, row);
        return row;
    }
    // The same without faces: of a later row it is larger.
    std::uint64_t key_beside(std::size_t r, const std::array<int, 2>& step) const {
        std::uint64_t key = row_key_[r] + static_cast<std::uint64_t>(std::int64_t{step[0]});
        if constexpr (D == 3)
            key += static_cast<std::uint64_t>(std::int64_t{step[1]}) << lattice_.bits[1];
        return key;
    }
    std::int64_t row_y(std::size_t r) const {
        return static_cast<std::int64_t>(row_key_[r] &
                                         ((std::uint64_t{1} << lattice_.bits[1]) - 1));
    }
    // The first row whose key is not below `key`, or rows().
    std::size_t find_row(std::uint64_t key) const;
    // The cell and row that hold an entry.
    std::uint32_t cell_of(std::uint32_t entry) const;
    std::size_t row_of(std::uint32_t cell) const;
    // The cell coordinate of a position, clamped to the cells in use and one beyond.
    std::int64_t cell_at(double x, std::size_t axis) const;
    std::int64_t max_cell(std::size_t axis) const { return max_cell_[axis]; }
    std::uint64_t key_of_row(std::int64_t y, std::int64_t z) const;
    const std::uint32_t* cell_x() const { return cell_x_.data(); }
    const std::uint32_t* cell_start() const { return cell_start_.data(); }

  private:
    std::size_t numbers(const Scene<T, D>& scene) const;
    bool choose_periodic_cells(const Lattice<T, D>& lattice, const Box<double, D>& place,
                               std::array<double, D>& width);
    double round_periods(const Lattice<T, D>& lattice);
    void choose_bounds(double r, double e);
    template <class Put>
    void make_records(const Scene<T, D>& scene, Range instances, const Put& put) const;
    PointRecord shifted_record(const Scene<T, D>& scene, Index k) const;
    void cross_faces(std::size_t r, const std::array<int, 2>& step, Beside& row) const;
    template <class Keep>
    void write_bucket(const Scene<T, D>& scene, const PointColumns<D>& all, Bits* bits,
                      Range entries, const PointRecord* bucket, const std::uint32_t* order,
                      const Keep& keep);
    void mark(const Scene<T, D>& scene, const PointRecord& r, std::size_t entry, Bits* bits,
              PointRecord& head);
    static Index marked(const Scene<T, D>& scene, Index k, Bits home);
    void make_ghosts(const Scene<T, D>& scene);
    void sort(const Scene<T, D>& scene, Packed<T, D>& packed);
    void list_cells(int threads, std::size_t entries);

    PointLattice<D> lattice_;
    std::array<std::int64_t, D> max_cell_{};  // the highest cell in use
    // Native periodicity: the axes that wrap around, and their periods in units.
    std::array<bool, D> joined_{};
    bool any_joined_ = false;
    std::array<std::uint16_t, D> period_{};
    std::int16_t accept_ = -1, reject_ = -1;
    std::int64_t accept_square_ = -1, reject_square_ = -1;

    Sorter<PointRecord> sorter_;
    Buffer<PointRecord> ghosts_;
    std::array<Buffer<std::uint16_t>, D> axis_;
    Buffer<std::uint16_t> cell_;  // of every entry, along x
    std::size_t cells_ = 0, rows_ = 0;
    Buffer<std::uint32_t> cell_x_, cell_start_, row_cell_;
    Buffer<std::uint32_t> first_row_;  // scratch, per bucket
    Buffer<std::uint64_t> row_key_;
    Buffer<std::uint8_t> cell_flags_;
    Buffer<Index> marked_;   // only with ghosts
    Buffer<Index> classed_;  // only with classes
    bool has_ghosts_ = false;
};

}  // namespace vicinal::inline VICINAL_API
