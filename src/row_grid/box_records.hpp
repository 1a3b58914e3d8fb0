// Boxes in rows (row_grid/box_grid.hpp) as records to be sorted by row and bin: made from the
// caller's arrays, and unpacked into columns in sorted order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "base/flat.hpp"
#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

// Maps coordinates to cells: bins along the sweep axis, rows along the others.
template <int D>
struct BoxCells {
    static constexpr std::size_t row_axes = D - 1;
    std::array<std::size_t, D> axes{};  // in order, but the sweep axis is swapped with 0
    std::array<float, D> origin{}, per_length{};
    std::array<float, D> max_cell{};  // the highest cell
    std::array<unsigned, D> bits{};

    // Monotone; the search relies on nothing else. Coordinates far outside the quantile bounds
    // are clamped to the first or the last cell, and NaN to the first: that is the difference
    // of an infinite coordinate and an infinite length, from which a run may begin anywhere.
    std::int32_t cell(float x, std::size_t axis) const {
        const float c = (x - origin[axis]) * per_length[axis];
        return static_cast<std::int32_t>(std::min(std::max(0.0f, c), max_cell[axis]));
    }
};

template <class Key, int D>
struct BoxEntry;

template <class Key, int D>
struct BoxRecord {
    Box<float, D> box;  // the sweep axis first
    Index instance;
    Key key;  // row, bin, lowest-row flags, from the highest bit to the lowest

    BoxRecord& operator=(const BoxEntry<Key, D>& entry);
};

// A batch of boxes. Entries in the first two rows along each row axis are written branch-free,
// because whether a box crosses into the next row is unpredictable; few boxes touch more rows.
template <class Key, int D>
struct BoxBatch {
    // The row axes, in the low (near) and the high (far) bits of keys; in 2-D the only one is
    // far.
    static constexpr std::size_t near = 1, far = D - 1;
    static constexpr unsigned bin_shift = BoxCells<D>::row_axes;
    static constexpr Key near_home = D == 3 ? 1 : 0, far_home = Key{1} << (bin_shift - 1);

    explicit BoxBatch(const BoxCells<D>& cells)
        : near_shift(bin_shift + cells.bits[0]),
          far_shift(near_shift + (D == 3 ? cells.bits[near] : 0)),
          next_near(Key{1} << near_shift),
          next_far(Key{1} << far_shift) {}
    const unsigned near_shift, far_shift;
    const Key next_near, next_far;

    // A record's words except its key.
    std::array<std::array<std::uint32_t, 4>, batch_size> front;
    std::array<std::array<std::uint32_t, D == 3 ? 4 : 2>, batch_size> back;
    std::array<Key, batch_size> key;  // of the first row
    // The first cell, and how many more above it.
    std::array<std::array<std::int32_t, batch_size>, D> cell, more;
    std::uint64_t wide;  // a bit for each box in more than two rows along an axis
    float longest;       // along the sweep axis
    // Box by box, with padding for a vector of overrun.
    std::array<Key, 4 * batch_size + 4> entry_key;
    std::array<std::uint32_t, 4 * batch_size + 4> entry_box;
    std::size_t entries;
};

// A box's record in one of its rows.
template <class Key, int D>
struct BoxEntry {
    const BoxBatch<Key, D>& batch;
    std::uint32_t box;
    Key key;
};

// Copies vectors: word by word, the compiler would assemble the record in memory, and loading
// it again would stall.
template <class Key, int D>
inline BoxRecord<Key, D>& BoxRecord<Key, D>::operator=(const BoxEntry<Key, D>& entry) {
    const auto& first = entry.batch.front[entry.box];
    const auto& rest = entry.batch.back[entry.box];
    static_assert(sizeof first + sizeof rest <= sizeof *this);
    auto* const bytes = reinterpret_cast<std::byte*>(this);
    std::memcpy(bytes, &first, sizeof first);
    std::memcpy(bytes + sizeof first, &rest, sizeof rest);
    key = entry.key;
    return *this;
}

// Destination columns of unpacked records.
template <class Key, int D>
struct BoxColumns {
    std::array<float*, D> lo, hi;
    Index* instance;
    Key* key;
};

template <Real T, class Key, int D>
struct BoxRecordKernels {
    // Makes a batch of `count` boxes, instances from `first` on; sides are in the caller's
    // precision and order of axes.
    void (*make)(const BoxCells<D>&, const PointBatch<T, D>& lo, const PointBatch<T, D>& hi,
                 Index first, std::size_t count, BoxBatch<Key, D>&);
    // The same for balls at rest: the boxes of round_box().
    void (*make_balls)(const BoxCells<D>&, const PointBatch<T, D>& centre, const T* radius,
                       Index first, std::size_t count, BoxBatch<Key, D>&);
    // Unpacks records[order[k]] for all k < count into columns.
    void (*unpack)(const BoxRecord<Key, D>* records, const std::uint32_t* order,
                   std::size_t count, const BoxColumns<Key, D>&);
};

// For 32-bit and 64-bit keys.
template <Real T, int D>
using AllBoxRecordKernels =
    std::tuple<BoxRecordKernels<T, std::uint32_t, D>, BoxRecordKernels<T, std::uint64_t, D>>;
template <Real T, int D>
AllBoxRecordKernels<T, D> all_box_record_kernels(std::int64_t target);

template <Real T, class Key, int D>
BoxRecordKernels<T, Key, D> box_record_kernels(std::int64_t target) {
    return std::get<BoxRecordKernels<T, Key, D>>(all_box_record_kernels<T, D>(target));
}

}  // namespace vicinal::inline VICINAL_API
