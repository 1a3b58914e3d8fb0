// The box sweep: in a row of boxes ordered by their lower sides along the sweep axis, each box
// against those that follow it, until they begin beyond its upper side.
//
// Sides are rounded to float, whatever the precision of the bodies. Rounding is monotone, so
// boxes that meet still meet; where float boxes are not the bodies themselves, the pair must be
// decided from the caller's arrays.
#pragma once

#include <array>
#include <cstdint>

#include "core/blocks.hpp"
#include "core/buffer.hpp"
#include "core/scene.hpp"

#include <vicinal/types.hpp>

namespace vicinal {

// Entries sorted by (row, bin of the lower side along the sweep axis).
template <int D>
struct BoxRows {
    std::array<const float*, D> lo, hi;  // the sweep axis first
    // An entry that begins more than `bin` beyond some place, and between these two, is in a
    // later bin than that place. (Outside, bins are clamped.)
    float bin = 0;
    float bins_begin = 0, bins_end = 0;
    // A pair counts only if each of the needed bits is set for one of its entries.
    const Index* instance = nullptr;
    const Bits* bits = nullptr;
    Bits needed = 0;
    // What the boxes are: float boxes that decide by themselves, boxes around balls at rest,
    // which mostly do, or anything.
    enum class Kind : std::uint8_t { boxes, balls, anything };
    Kind kind = Kind::anything;
    ReachRule rule = ReachRule::sum;  // of balls
};

// Where pairs of instances go whose float boxes meet.
template <int D>
class BoxSink {
  public:
    virtual ~BoxSink() = default;
    // Those that are not yet decided.
    virtual void hits(const Index* first, const Index* second, std::size_t count) = 0;
    BlockWriter<D>* box_writer = nullptr;  // for those that are pairs
    std::uint64_t box_candidates = 0;
};

struct BoxScratch {
    struct Group {  // entries that meet an instance
        Index first;
        std::uint32_t own_bits, own_entry;
        std::uint32_t entry, hits;  // a bit for each entry from this one on
    };
    Buffer<Group> groups;
    Buffer<Index> first, second;
    std::size_t bytes() const { return groups.bytes() + first.bytes() + second.bytes(); }
};

template <int D>
struct BoxKernels {
    // Entries first ... last - 1 of a row, each against those that follow it before row_end.
    void (*sweep)(const BoxRows<D>&, std::uint32_t first, std::uint32_t last,
                  std::uint32_t row_end, BoxScratch&, BoxSink<D>&);
    // An instance, its box and its bits, against entries begin ... end - 1.
    void (*ask)(const BoxRows<D>&, Index instance, const Box<float, D>&, Bits,
                std::uint32_t begin, std::uint32_t end, BoxScratch&, BoxSink<D>&);
};

template <int D>
BoxKernels<D> box_kernels(std::int64_t target);

}  // namespace vicinal
