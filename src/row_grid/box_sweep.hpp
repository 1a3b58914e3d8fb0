// The box sweep: in a row of boxes ordered by lower side along the sweep axis, each box is
// tested against those that follow it, until they begin beyond its upper side.
//
// Sides are rounded to float for any precision of the bodies. Rounding is monotone, so
// overlapping boxes still overlap; unless the float boxes are the bodies themselves, the pair
// must be decided from the caller's arrays.
#pragma once

#include <array>
#include <cstdint>

#include "base/buffer.hpp"
#include "output/blocks.hpp"
#include "scene/scene.hpp"

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// Entries sorted by (row, bin of the lower side along the sweep axis).
template <int D>
struct BoxRows {
    std::array<const float*, D> lo, hi;  // the sweep axis first
    // An entry that begins more than `bin` beyond a coordinate, between bins_begin and
    // bins_end, is in a later bin than that coordinate. (Outside, bins are clamped.)
    float bin = 0;
    float bins_begin = 0, bins_end = 0;
    // A pair is accepted only if each of the needed bits is set for one of its entries.
    const Index* instance = nullptr;
    const Bits* bits = nullptr;
    Bits needed = 0;
    // What the boxes are: exactly the bodies; bounds of balls at rest, which are enough to
    // decide most pairs; or any conservative bounds.
    enum class Kind : std::uint8_t { boxes, balls, anything };
    Kind kind = Kind::anything;
    ReachRule rule = ReachRule::sum;  // of balls
};

// Receives pairs of instances whose float boxes overlap.
template <int D>
class BoxSink {
  public:
    virtual ~BoxSink() = default;
    // Undecided pairs.
    virtual void hits(const Index* first, const Index* second, std::size_t count) = 0;
    // Reports box_candidates to the output and resets them; a long sweep does so now and then.
    virtual void count_candidates() = 0;
    BlockWriter<D>* box_writer = nullptr;  // for accepted pairs
    std::uint64_t box_candidates = 0;
};

struct BoxScratch {
    struct Group {  // entries whose boxes overlap an instance's
        Index first;
        std::uint32_t own_bits, own_entry;
        std::uint32_t entry, hits;  // hit mask of the entries from this one on
    };
    Buffer<Group> groups;
    Buffer<Index> first, second;
};

template <int D>
struct BoxKernels {
    // Tests entries first ... last - 1 of a row, each against those that follow it before
    // row_end.
    void (*sweep)(const BoxRows<D>&, std::uint32_t first, std::uint32_t last,
                  std::uint32_t row_end, BoxScratch&, BoxSink<D>&);
    // Tests an instance, its box and its bits, against entries begin ... end - 1.
    void (*probe_one)(const BoxRows<D>&, Index instance, const Box<float, D>&, Bits,
                      std::uint32_t begin, std::uint32_t end, BoxScratch&, BoxSink<D>&);
};

template <int D>
BoxKernels<D> box_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
