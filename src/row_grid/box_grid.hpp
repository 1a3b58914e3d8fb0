// Boxes in rows: row_grid's order for bodies with a size, for the box sweep
// (row_grid/box_sweep.hpp). A row is a beam along the sweep axis. A box has an entry in every
// row it touches. Giants, which touch very many rows, are listed separately.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "base/ledger.hpp"
#include "base/sort.hpp"
#include "row_grid/box_records.hpp"
#include "row_grid/box_sweep.hpp"
#include "scene/packed.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class BoxGrid {
  public:
    static constexpr std::size_t row_axes = BoxCells<D>::row_axes;
    using Row = std::array<std::int32_t, row_axes>;
    // An entry in its body's lowest row along row axis a has this bit.
    static constexpr Bits lowest_row_bit(std::size_t a) {
        return static_cast<Bits>(1u << (D + a));
    }

    // Writes instances and bits to `packed`.
    void assign(const Scene<T, D>& scene, Packed<T, D>& packed);

    BoxRows<D> rows() const;
    std::size_t size() const { return entries_; }
    std::size_t row_count() const { return row_count_; }
    std::uint32_t row_start(std::size_t r) const { return row_start_[r]; }
    std::size_t row_of(std::uint32_t entry) const;
    struct Giant {
        Index instance;
        Box<float, D> box;
    };
    std::span<const Giant> giants() const { return {giants_.data(), giants_.size()}; }

    // The box in the kernels' format: rounded to float, the sweep axis first.
    Box<float, D> place(const Box<T, D>& box) const {
        Box<float, D> result;
        for (std::size_t a = 0; a < D; ++a) {
            result.lo[a] = static_cast<float>(box.lo[cells_.axes[a]]);
            result.hi[a] = static_cast<float>(box.hi[cells_.axes[a]]);
        }
        return result;
    }

    // Calls f(begin, end, bits) for the runs of entries that a box may overlap, at most one per
    // row. An entry is accepted there only if it has all of these bits (owner rule).
    template <class F>
    void for_each_run(const Box<float, D>& box, const F& f) const;

  private:
    template <class Key>
    using Record = BoxRecord<Key, D>;
    // The sort key: row and bin.
    static constexpr auto bin_of = [](const auto& r) { return r.key >> row_axes; };
    struct Span {  // rows a box touches
        Row lo, hi;
    };
    struct Part {           // result of one piece of the instances
        float longest = 0;  // along the sweep axis
        CountedVector<Giant> giants;
    };
    Span span(const Box<float, D>& box) const {
        Span s;
        for (std::size_t a = 0; a < row_axes; ++a) {
            s.lo[a] = cells_.cell(box.lo[a + 1], a + 1);
            s.hi[a] = cells_.cell(box.hi[a + 1], a + 1);
        }
        return s;
    }
    std::uint64_t row_key(const Row& row) const {
        std::uint64_t key = 0;
        for (std::size_t a = row_axes; a-- > 0;)
            key = key << cells_.bits[a + 1] | static_cast<std::uint32_t>(row[a]);
        return key;
    }

    void choose_rows(const Scene<T, D>& scene);
    void fit_cells();
    // Calls put(record) for every entry of the instances in a range; stops beyond the budget.
    template <class Key, class Put>
    void make_entries(const Scene<T, D>& scene, Range range, Part& part, const Put& put) const;
    template <class Key>
    bool order(const Scene<T, D>& scene, Sorter<Record<Key>>& sorter, Packed<T, D>& packed);
    template <class Key>
    void write(const Scene<T, D>& scene, Sorter<Record<Key>>& sorter, Packed<T, D>& packed);
    template <class Key>
    void list_rows(const Sorter<Record<Key>>& sorter);

    std::array<double, D> begin_{}, extent_{}, cell_{};  // the window of the cells, their size
    BoxCells<D> cells_;
    std::uint64_t giant_rows_ = 0;
    std::uint64_t budget_ = 0;  // entries
    float longest_ = 0;         // along the sweep axis, without giants

    Sorter<Record<std::uint32_t>> short_;
    Sorter<Record<std::uint64_t>> long_;
    std::array<Buffer<float>, D> lo_, hi_;
    std::size_t entries_ = 0, row_count_ = 0;
    std::vector<Part> parts_;
    Buffer<std::uint64_t> row_key_;
    Buffer<std::uint32_t> row_start_;
    CountedVector<Giant> giants_;
};

template <Real T, int D>
template <class F>
void BoxGrid<T, D>::for_each_run(const Box<float, D>& box, const F& f) const {
    const Span rows = span(box);
    const std::uint64_t first = row_key(rows.lo), last = row_key(rows.hi);
    const std::uint64_t* keys = row_key_.data();
    std::size_t r =
        static_cast<std::size_t>(std::lower_bound(keys, keys + row_count_, first) - keys);
    // From the bin of the box's lower side minus the longest entry; nextafter() covers the
    // rounding of the difference.
    constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
    const std::int32_t from =
        cells_.cell(std::nextafter(box.lo[0] - longest_, minus_infinity), 0);
    const std::int32_t to = cells_.cell(box.hi[0], 0);
    const auto before = [&](std::int32_t bin) {
        return [this, bin](float begin) { return cells_.cell(begin, 0) < bin; };
    };
    while (r < row_count_ && keys[r] <= last) {
        Row row;
        bool inside = true;
        std::uint64_t key = keys[r], next = 0;
        for (std::size_t a = 0; a < row_axes; ++a) {
            const unsigned bits = cells_.bits[a + 1];
            row[a] = static_cast<std::int32_t>(key & ((std::uint64_t{1} << bits) - 1));
            key >>= bits;
        }
        // Rows are contiguous along the first row axis; outside its range, skip to the next row
        // inside.
        if (row[0] < rows.lo[0] || row[0] > rows.hi[0]) {
            Row leap = row;
            if (row[0] > rows.hi[0] && row_axes > 1) ++leap[row_axes - 1];
            leap[0] = rows.lo[0];
            next = row_key(leap);
            inside = false;
        }
        if (!inside) {
            r = static_cast<std::size_t>(
                std::lower_bound(keys + r + 1, keys + row_count_, next) - keys);
            continue;
        }
        unsigned bits = 0;
        for (std::size_t a = 0; a < row_axes; ++a)
            if (row[a] > rows.lo[a]) bits |= lowest_row_bit(a);
        const float* begin = lo_[0].data() + row_start_[r];
        const float* end = lo_[0].data() + row_start_[r + 1];
        const float* low = std::partition_point(begin, end, before(from));
        const float* high = std::partition_point(low, end, before(to + 1));
        if (low < high)
            f(static_cast<std::uint32_t>(low - lo_[0].data()),
              static_cast<std::uint32_t>(high - lo_[0].data()), static_cast<Bits>(bits));
        ++r;
    }
}

}  // namespace vicinal::inline VICINAL_API
