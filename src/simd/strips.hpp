// The strip join: points of one row of cells against those of the rows beside it, the fastest
// kernel we have (own idea, see docs/performance.md).
//
// Points lie on a fine lattice of up to 16384 units per cell, and only the low 16 bits of their
// coordinates are kept: between points in the same or adjacent cells differences are exact
// modulo 2^16, and fit 16 bits. The sum of three rounded 16-bit squares is compared with two
// bounds: below `sure` the contract's formula accepts, above `perhaps` it does not, and what
// lies between (a few per thousand) is decided by the formula itself, on the caller's
// coordinates. So the kernel is the same for float and double, for bodies and ghosts.
#pragma once

#include <array>
#include <cstdint>

#include "core/blocks.hpp"
#include "core/buffer.hpp"
#include "core/packed.hpp"
#include "core/row_marks.hpp"

#include <vicinal/types.hpp>

namespace vicinal {

constexpr unsigned fine_bits = 14;  // at most 2^14 units per cell

// Entries sorted by (row, cell along x); cells that hold something, in the same order.
template <int D>
struct FinePoints {
    std::array<const std::uint16_t*, D> axis;
    const std::uint16_t* cell;  // along x
    const Index* instance;
    const Index* marked;  // the same, marked (see below); null where all are plain bodies
    const std::uint32_t* cell_x;
    const std::uint32_t* cell_start;  // entries; one more than there are cells
    // Where there are images, of every cell: the axes on which one of its entries is at home
    // (see core/scene.hpp), and mixed_cell if one must be looked at by itself: it is a ghost,
    // or elsewhere than its body. Else null.
    const std::uint8_t* cell_homes;
    bool all_mixed;  // every hit must be looked at: groups, exclusions
    // Are faces of a periodic box joined? Then its periods in units, as far as 16 bits go, and
    // the last cell along x, or 0 if those faces are not.
    bool joined;
    std::array<std::uint16_t, D> period;
    std::uint32_t last_x;
    // Bounds of the sum of rounded squares, and of the exact sum in units squared.
    std::int16_t sure, perhaps;
    std::int64_t sure_square, perhaps_square;
};

constexpr std::uint8_t mixed_cell = 0x80;

struct CellRange {
    std::uint32_t begin = 0, end = 0;
};

// Beyond the joined faces of a periodic box points are a period away. In a strip their
// instances are marked with these bits, and with `look_bit`: along x up or down, along y as the
// strip says, along z up, for only rows above are joined.
constexpr unsigned face_shift = 27;
constexpr Index face_up = Index{1} << face_shift, face_y = face_up << 1, face_z = face_up << 2,
                face_down = face_up << 3;
constexpr Index face_bits = face_up | face_y | face_z | face_down;

// What such a mark means: an image of the second body, or of the first if they are turned.
template <int D>
struct FaceImages {
    static constexpr std::size_t marks = (face_bits >> face_shift) + 1;
    std::array<Image<D>, 2 * marks> images{};

    const Image<D>& of(Index marked, bool turned) const {
        return images[((marked & face_bits) >> face_shift) + (turned ? marks : 0)];
    }

    constexpr explicit FaceImages(bool down) {
        for (std::size_t mark = 0; mark < marks; ++mark) {
            const Index faces = static_cast<Index>(mark) << face_shift;
            const std::array<int, 3> image{
                int{(faces & face_up) != 0} - int{(faces & face_down) != 0},
                (faces & face_y) != 0 ? (down ? -1 : 1) : 0, (faces & face_z) != 0 ? 1 : 0};
            for (std::size_t a = 0; a < D; ++a) {
                images[mark][a] = static_cast<std::int16_t>(image[a]);
                images[marks + mark][a] = static_cast<std::int16_t>(-image[a]);
            }
        }
    }
    static const FaceImages& towards(bool down) {
        static constexpr std::array<FaceImages, 2> both{FaceImages(false), FaceImages(true)};
        return both[down ? 1 : 0];
    }
};

// What lies beyond faces of a row: which of the other rows do, and single cells along x.
template <std::size_t rows>
struct StripFaces {
    struct Cell {
        std::uint32_t cell;
        Index faces;
    };
    std::array<Index, rows> crossed{};  // on the way to each of the others
    std::array<Cell, rows> low;         // before the first cell
    std::array<Cell, rows + 1> high;    // behind the last
    std::uint8_t lows = 0, highs = 0;   // how many
    bool down = false;                  // along y
};

// Part of a row of cells, and the rows above it. Entries `first` to `last` - 1 of the own row
// are joined with what follows them in their cell, with the next cell, and with the cells of
// the other rows that differ by at most one along x.
template <int D>
struct StripRow {
    std::uint32_t first, last;
    CellRange own;  // the cells of these entries; `row_end` ends the row
    std::uint32_t row_end;
    static constexpr std::size_t rows = D == 2 ? 1 : 4;
    std::array<CellRange, rows> others;  // cells from own x - 1 on
    StripFaces<rows> faces;              // where they are joined
};

// The same with the rows all around, the own one among them, for the neighbours of each entry.
template <int D>
struct StripRing {
    std::uint32_t first, last;
    CellRange own;
    std::array<CellRange, D == 2 ? 3 : 9> all;  // cells from own x - 1 on
};

struct MaybePair {
    Index first, second;  // instances
};

// Where some hits must be looked at by themselves, this bit of an instance says that its own
// must: it is not a plain body, or groups or exclusions ask for it. The bits below it say on
// which axes it is not at home, unless all are looked at anyway. Nearly all instances are one
// period up along these: then the body stands for the instance. Of others, a ghost has its own
// number, and a body that of all instances and its own together.
constexpr Index look_bit = Index{1} << 31;
constexpr unsigned away_shift = 28;
constexpr Index away_bits = Index{7} << away_shift;

// Entries begin ... end - 1, that go to entries from `to` on of a strip, from beyond faces.
struct StripPiece {
    std::uint32_t begin, end, to;
    Index faces;
};

// A worker's own arrays.
template <int D>
struct StripScratch {
    std::array<Buffer<std::uint16_t>, D> axis;  // the others, slab by slab
    Buffer<std::uint16_t> cell;                 // the same of points that are not in slabs
    Buffer<Index> value;                        // their instances, marked where any is
    Buffer<StripPiece> pieces;
    Buffer<std::uint32_t> slab_x, slab_start;
    Buffer<std::uint8_t> slab_homes;    // of all its cells together
    Buffer<std::uint32_t> slab_middle;  // where in it the cell of the middle row begins
    Buffer<Index> hits;

    std::size_t bytes() const {
        std::size_t sum = value.bytes() + slab_x.bytes() + slab_start.bytes() +
                          slab_homes.bytes() + slab_middle.bytes() + cell.bytes() +
                          hits.bytes() + pieces.bytes();
        for (const auto& a : axis) sum += a.bytes();
        return sum;
    }
};

// Where hits go.
template <int D>
class StripSink {
  public:
    virtual ~StripSink() = default;
    // Instances near to each other, as they are marked: at least one of the two is. Unless all
    // are, the two are at home on every axis, one or the other.
    virtual void look(const Index* first, const Index* second, std::size_t count) = 0;
    // Pairs that the formula must decide, perhaps marked; the array may be reused afterwards.
    virtual void decide(const MaybePair* pairs, std::size_t count) = 0;
    // Two bodies, at once; best some time after they were expected.
    virtual bool decide(Index first, Index second) = 0;
    virtual void expect(Index first, Index second) = 0;
    BlockWriter<D>* writer = nullptr;
    MarkTape* tape = nullptr;          // for rows
    std::uint64_t* lengths = nullptr;  // of each entry's row
};

template <int D>
struct StripKernels {
    // Pairs, each once.
    void (*join)(const FinePoints<D>&, const StripRow<D>&, StripScratch<D>&, StripSink<D>&);
    // The first pass of neighbour rows, where no hit must be looked at by itself.
    void (*mark)(const FinePoints<D>&, const StripRing<D>&, StripScratch<D>&, StripSink<D>&);
};

// The kernels for an instruction set (see simd/targets.hpp).
template <int D>
decltype(StripKernels<D>::join) strip_join(std::int64_t target);
template <int D>
decltype(StripKernels<D>::mark) strip_mark(std::int64_t target);
template <int D>
StripKernels<D> strip_kernels(std::int64_t target) {
    return {strip_join<D>(target), strip_mark<D>(target)};
}
RowFill strip_fill(std::int64_t target);  // of what mark() has marked

}  // namespace vicinal
