// The strip join: points of one row of cells against the adjacent rows. This is the library's
// fastest kernel, and its own idea (see docs/fast-path.md).
//
// Points are quantised to a lattice of up to 16384 units per cell, and only the low 16 bits of
// each coordinate are kept: between points in the same or adjacent cells differences are exact
// modulo 2^16, and fit 16 bits. The sum of three rounded 16-bit squares is compared with two
// bounds. Up to `accept` the contract's formula accepts, above `reject` it does not; pairs in
// between (a few per thousand) are undecided, and the formula decides them on the caller's
// coordinates. So the kernel is the same for float and double, for bodies and ghosts.
#pragma once

#include <array>
#include <cstdint>

#include "base/buffer.hpp"
#include "output/blocks.hpp"
#include "row_grid/row_marks.hpp"
#include "scene/pair_classes.hpp"

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

constexpr unsigned unit_bits = 14;  // at most 2^14 units per cell

// Entries sorted by (row, cell along x), and the occupied cells in the same order.
template <int D>
struct QuantisedPoints {
    std::array<const std::uint16_t*, D> axis;
    const std::uint16_t* cell;  // along x
    const Index* instance;
    const Index* marked;         // with flag bits (see below); null if all are unshifted bodies
    const PairClasses* classes;  // null: none; else `instance` and `marked` have class bits
    const std::uint32_t* cell_x;
    const std::uint32_t* cell_start;  // entries; one more than there are cells
    // Per cell: the axes on which at least one entry is the lowest image (see scene/scene.hpp),
    // and has_ghosts if any entry is a ghost or a shifted body. Null without ghosts.
    const std::uint8_t* cell_flags;
    // Native periodicity: true if some axis wraps around. Then the periods in units, modulo
    // 2^16, and the last cell along x, or 0 if x does not wrap around.
    bool joined;
    std::array<std::uint16_t, D> period;
    std::uint32_t last_x;
    // Bounds of the sum of rounded squares, and of the exact sum in units squared.
    std::int16_t accept, reject;
    std::int64_t accept_square, reject_square;
};

constexpr std::uint8_t has_ghosts = 0x80;

struct CellRange {
    std::uint32_t begin = 0, end = 0;
};

// With native periodicity, points across a periodic face are one period away. In a strip their
// instances carry these bits and `needs_resolve`: along x up or down, along y and z in the
// strip's directions (StripFaces::down).
constexpr unsigned face_shift = 27;
constexpr Index face_up = Index{1} << face_shift, face_y = face_up << 1, face_z = face_up << 2,
                face_down = face_up << 3;
constexpr Index face_bits = face_up | face_y | face_z | face_down;
constexpr std::uint8_t face_y_down = 1, face_z_down = 2;

// The image that these bits encode: of the second body, or of the first if the pair is swapped.
template <int D>
struct FaceImages {
    static constexpr std::size_t marks = (face_bits >> face_shift) + 1;
    std::array<Image<D>, 2 * marks> images{};

    const Image<D>& of(Index marked, bool swapped) const {
        return images[((marked & face_bits) >> face_shift) + (swapped ? marks : 0)];
    }

    constexpr explicit FaceImages(unsigned down) {
        for (std::size_t mark = 0; mark < marks; ++mark) {
            const Index faces = static_cast<Index>(mark) << face_shift;
            const std::array<int, 3> image{
                int{(faces & face_up) != 0} - int{(faces & face_down) != 0},
                (faces & face_y) != 0 ? ((down & face_y_down) != 0 ? -1 : 1) : 0,
                (faces & face_z) != 0 ? ((down & face_z_down) != 0 ? -1 : 1) : 0};
            for (std::size_t a = 0; a < D; ++a) {
                images[mark][a] = static_cast<std::int16_t>(image[a]);
                images[marks + mark][a] = static_cast<std::int16_t>(-image[a]);
            }
        }
    }
    static const FaceImages& towards(unsigned down) {
        static constexpr std::array<FaceImages, 4> all{FaceImages(0), FaceImages(1),
                                                       FaceImages(2), FaceImages(3)};
        return all[down];
    }
};

// Neighbours of a row across periodic faces: which of the other rows are across one, and single
// cells along x.
template <std::size_t rows>
struct StripFaces {
    struct Cell {
        std::uint32_t cell;
        Index faces;
    };
    std::array<Index, rows> crossed{};  // faces between this row and each of the others
    std::array<Cell, rows> low;         // before the first cell
    std::array<Cell, rows + 1> high;    // after the last cell
    std::uint8_t lows = 0, highs = 0;   // how many
    // face_y_down, face_z_down: the directions in which faces across y and z are crossed. One
    // each, because a row with another row on either side lies at one face at most.
    std::uint8_t down = 0;
};

// Half stencil: part of a row of cells and the rows above it. Entries `first` to `last` - 1 are
// joined with the entries that follow them in their cell, with the next cell, and with the
// cells of the other rows that differ by at most one along x.
template <int D>
struct HalfStrip {
    std::uint32_t first, last;
    CellRange own;  // the cells of these entries; `row_end` ends the row
    std::uint32_t row_end;
    static constexpr std::size_t rows = D == 2 ? 1 : 4;
    std::array<CellRange, rows> others;  // cells from own x - 1 on
    StripFaces<rows> faces;              // with native periodicity
};

// Full stencil: the same with all adjacent rows, its own included, for the neighbours of each
// entry.
template <int D>
struct FullStrip {
    std::uint32_t first, last;
    CellRange own;
    static constexpr std::size_t rows = D == 2 ? 3 : 9;
    std::array<CellRange, rows> all;  // cells from own x - 1 on
    StripFaces<rows> faces;           // with native periodicity
};

struct UndecidedPair {
    Index first, second;  // instances
};

// Bit 31: resolve this entry individually (ghost or shifted body). Bits 28-30: axes on which it
// is not the lowest image. Nearly all flagged instances are one period up along exactly these
// axes: their low bits hold the body. Otherwise the low bits hold the instance number of a
// ghost, or the number of instances plus k for a shifted body k.
constexpr Index needs_resolve = Index{1} << 31;
constexpr unsigned ghost_axis_shift = 28;
constexpr Index ghost_axis_mask = Index{7} << ghost_axis_shift;

// Below all flags: the class of the body, if pairs are filtered by classes. The bits that
// remain must suffice for the number. All bits of an instance in a strip:
//
//     domain   31             30 to 28         27    below 27
//     open     -              -                -     class, body (without classes, the body
//                                                    may use all bits up to 30)
//     native   needs_resolve  faces            face  class, body
//     ghosts   needs_resolve  ghost_axis_mask  -     class, number
inline unsigned class_shift(const PairClasses& classes) {
    return face_shift - classes.bits();
}
inline Index class_mask(const PairClasses& classes) {
    return (Index{1} << face_shift) - (Index{1} << class_shift(classes));
}
inline unsigned class_of(const PairClasses& classes, Index marked) {
    return (marked & class_mask(classes)) >> class_shift(classes);
}
inline Index without_class(const PairClasses& classes, Index marked) {
    return marked & ~class_mask(classes);
}

// Entries begin ... end - 1, copied to entry `to` of a strip; `faces` are the periodic faces
// they lie across.
struct StripPiece {
    std::uint32_t begin, end, to;
    Index faces;
};

// Scratch of one worker.
template <int D>
struct StripScratch {
    std::array<Buffer<std::uint16_t>, D> axis;  // coordinates of the other rows, slab by slab
    Buffer<std::uint16_t> cell;                 // cells along x of points that are not in slabs
    Buffer<Index> value;  // their instances, with flag bits if there are any
    Buffer<StripPiece> pieces;
    Buffer<std::uint32_t> slab_x, slab_start;
    Buffer<std::uint8_t> slab_flags;    // union of its cells' flags
    Buffer<std::uint32_t> slab_middle;  // where the cell of the middle row begins in a slab
    Buffer<Index> hits;
};

// Receives hits.
template <int D>
class StripSink {
  public:
    virtual ~StripSink() = default;
    // Pairs within reach; at least one of the two has needs_resolve, and on every axis one of
    // the two is the lowest image.
    virtual void resolve_marked(const Index* first, const Index* second, std::size_t count) = 0;
    // Undecided pairs, possibly with flag bits, for the formula; the array may be reused
    // afterwards.
    virtual void decide(const UndecidedPair* pairs, std::size_t count) = 0;
    // Decides a pair of bodies immediately; call prefetch() some time before.
    virtual bool decide(Index first, Index second) = 0;
    virtual void prefetch(Index first, Index second) = 0;
    BlockWriter<D>* writer = nullptr;
    HitMaskStream* stream = nullptr;   // for rows
    std::uint64_t* lengths = nullptr;  // of each entry's row
};

// Pairs, each once.
template <int D>
using StripJoin = void (*)(const QuantisedPoints<D>&, const HalfStrip<D>&, StripScratch<D>&,
                           StripSink<D>&);
template <int D>
StripJoin<D> strip_join(std::int64_t target);

// Neighbour rows of a scene without ghosts: the first pass, and the second.
template <int D>
struct StripRowKernels {
    void (*mark)(const QuantisedPoints<D>&, const FullStrip<D>&, StripScratch<D>&,
                 StripSink<D>&);
    RowFill<D> fill;
};
template <int D>
StripRowKernels<D> strip_row_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
