// Points on the fine lattice of the strip join (simd/strips.hpp), as records to be sorted by
// their cells.
#pragma once

#include <array>
#include <cstdint>

#include "core/flat.hpp"
#include "simd/strips.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal {

// All that is needed of a point, in two words: its cell, and of its place in units the low 16
// bits, which are what the kernels want.
struct FineRecord {
    std::uint64_t place;  // the cell, a bit for ghosts and such, x
    std::uint64_t rest;   // the instance, z, y

    static constexpr unsigned cell_shift = 17, instance_shift = 32;
    static constexpr unsigned cell_bits = (64 - cell_shift) / 3;  // for an axis
    static constexpr std::uint64_t elsewhere = std::uint64_t{1} << 16;

    std::uint64_t cell() const { return place >> cell_shift; }
    // Its part along x, which has so many bits.
    std::uint16_t cell_x(unsigned bits) const {
        return static_cast<std::uint16_t>(cell() & ((1u << bits) - 1));
    }
    std::uint16_t x() const { return static_cast<std::uint16_t>(place); }
    std::uint16_t y() const { return static_cast<std::uint16_t>(rest); }
    std::uint16_t z() const { return static_cast<std::uint16_t>(rest >> 16); }
    Index instance() const { return static_cast<Index>(rest >> instance_shift); }
};

template <int D>
struct FineLattice {
    std::array<double, D> origin{};
    double units = 1;               // per length
    std::array<double, D> cells{};  // the same, of cells
    // A cell is (z, y, x) from the highest bits to the lowest; so many for each.
    std::array<unsigned, D> bits{};

    unsigned all_bits() const {
        unsigned sum = 0;
        for (const unsigned b : bits) sum += b;
        return sum;
    }
    // Places are rounded down; nothing is below the origin.
    FineRecord record(const std::array<double, D>& x, Index instance) const {
        std::array<std::uint32_t, 3> at{};
        std::uint64_t cell = 0;
        for (std::size_t a = D; a-- > 0;) {
            const double from = x[a] - origin[a];
            at[a] = static_cast<std::uint32_t>(static_cast<std::int32_t>(from * units));
            cell = cell << bits[a] | static_cast<std::uint64_t>(from * cells[a]);
        }
        return {cell << FineRecord::cell_shift | (at[0] & 0xffff),
                std::uint64_t{instance} << FineRecord::instance_shift | (at[2] & 0xffff) << 16 |
                    (at[1] & 0xffff)};
    }
};

// Where what sorted records hold is written to, one array each.
template <int D>
struct FineColumns {
    std::array<std::uint16_t*, D> axis;
    std::uint16_t* cell;  // along x
    Index* instance;
};

template <Real T, int D>
struct FineKernels {
    // The same for a batch of points, instances from `first` on.
    void (*records)(const FineLattice<D>&, const PointBatch<T, D>&, Index first,
                    FineRecord* out);
    // Takes apart the records from[order[0]], from[order[1]], ..., at most a batch; they are
    // left behind the first of `in_order`, which is the one before them. A bit for each that is
    // the first of its cell.
    std::uint64_t (*part)(const FineLattice<D>&, const FineRecord* from,
                          const std::uint32_t* order, std::size_t count,
                          const FineColumns<D>& to, FineRecord* in_order);
};

template <Real T, int D>
FineKernels<T, D> fine_kernels(std::int64_t target);

}  // namespace vicinal
