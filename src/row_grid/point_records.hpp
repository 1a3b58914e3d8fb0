// Quantised points of the strip join (row_grid/strips.hpp), as records to be sorted by cell.
#pragma once

#include <array>
#include <cstdint>

#include "base/flat.hpp"
#include "row_grid/strips.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// A point in two words: its cell, its instance, and the low 16 bits of its coordinates in
// units, which is what the kernels read.
struct PointRecord {
    std::uint64_t place;  // cell, a bit for ghosts and shifted bodies, x
    std::uint64_t rest;   // instance, z, y

    static constexpr unsigned cell_shift = 17, instance_shift = 32;
    static constexpr unsigned cell_bits = (64 - cell_shift) / 3;  // for an axis
    static constexpr std::uint64_t shifted = std::uint64_t{1} << 16;

    std::uint64_t cell() const { return place >> cell_shift; }
    // The cell's coordinate along x, which has this many bits.
    std::uint16_t cell_x(unsigned bits) const {
        return static_cast<std::uint16_t>(cell() & ((1u << bits) - 1));
    }
    std::uint16_t x() const { return static_cast<std::uint16_t>(place); }
    std::uint16_t y() const { return static_cast<std::uint16_t>(rest); }
    std::uint16_t z() const { return static_cast<std::uint16_t>(rest >> 16); }
    Index instance() const { return static_cast<Index>(rest >> instance_shift); }
};

template <int D>
struct PointLattice {
    std::array<double, D> origin{};
    double units = 1;               // per length
    std::array<double, D> cells{};  // cells per length
    // A cell number is (z, y, x) from the highest bits to the lowest, with this many bits each.
    std::array<unsigned, D> bits{};

    unsigned all_bits() const {
        unsigned sum = 0;
        for (const unsigned b : bits) sum += b;
        return sum;
    }
    // Coordinates are rounded down; nothing is below the origin.
    PointRecord record(const std::array<double, D>& x, Index instance) const {
        std::array<std::uint32_t, 3> at{};
        std::uint64_t cell = 0;
        for (std::size_t a = D; a-- > 0;) {
            const double from = x[a] - origin[a];
            at[a] = static_cast<std::uint32_t>(static_cast<std::int32_t>(from * units));
            cell = cell << bits[a] | static_cast<std::uint64_t>(from * cells[a]);
        }
        return {cell << PointRecord::cell_shift | (at[0] & 0xffff),
                std::uint64_t{instance} << PointRecord::instance_shift |
                    (at[2] & 0xffff) << 16 | (at[1] & 0xffff)};
    }
};

// Destination columns of unpacked records.
template <int D>
struct PointColumns {
    std::array<std::uint16_t*, D> axis;
    std::uint16_t* cell;  // along x
    Index* instance;
};

template <Real T, int D>
struct PointRecordKernels {
    // PointLattice::record() for a batch of points, instances from `first` on.
    void (*records)(const PointLattice<D>&, const PointBatch<T, D>&, Index first,
                    PointRecord* out);
    // Unpacks the records from[order[0]], from[order[1]], ..., at most a batch, into columns.
    // Copies them to in_order + 1 as well; in_order[0] is the record before them. Returns a bit
    // for each record that is the first of its cell.
    std::uint64_t (*unpack)(const PointLattice<D>&, const PointRecord* from,
                            const std::uint32_t* order, std::size_t count,
                            const PointColumns<D>& to, PointRecord* in_order);
};

template <Real T, int D>
PointRecordKernels<T, D> point_record_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
