// Which bodies may pair at all: group masks, vertices in common, exclusions. The filter is
// applied to whole blocks of pairs after they are found, so no method and no kernel knows it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

class PairFilter {
  public:
    // Pairs of one set of bodies. Exclusions are kept between calls: the same list again costs
    // one comparison with the last.
    template <Real T, int D>
    void assign(const Bodies<T, D>& bodies) {
        const Set set = set_of(bodies);
        assign(set, set, bodies.excluded, true);
    }
    // Pairs (i of a, j of b).
    template <Real T, int D>
    void assign(const Bodies<T, D>& a, const Bodies<T, D>& b) {
        assign(set_of(a), set_of(b), a.excluded, false);
    }

    bool active() const { return grouped_ || has_vertices() || excluded_.size() > 0; }
    bool allows(Index i, Index j) const;

    // Removes the pairs that are not allowed, and their images unless that pointer is null.
    // Returns the number of pairs left; their order stays.
    template <int D>
    std::size_t keep_allowed(Pair* pairs, Image<D>* images, std::size_t count) const;

  private:
    struct Set {
        std::size_t bodies = 0;
        Column<std::uint32_t> group, mask;        // not given: all bits set
        const std::uint32_t* vertices = nullptr;  // vertices_per_body numbers of each body
        std::size_t vertices_per_body = 0;

        std::uint32_t group_of(Index i) const { return group.given() ? group[i] : ~0u; }
        std::uint32_t mask_of(Index i) const { return mask.given() ? mask[i] : ~0u; }
        bool grouped() const { return group.given() || mask.given(); }
        const std::uint32_t* vertices_of(Index i) const {
            return vertices + i * vertices_per_body;
        }
    };
    template <Real T, int D>
    static Set set_of(const Bodies<T, D>& bodies) {
        return {bodies.size(), bodies.group, bodies.mask, bodies.vertices.data(),
                bodies.vertices_per_body};
    }

    void assign(const Set& a, const Set& b, std::span<const Pair> excluded, bool one_set);
    bool assign_classes();
    bool same_exclusions(const Set& a, const Set& b, std::span<const Pair> excluded,
                         bool one_set) const;
    void assign_exclusions(std::span<const Pair> excluded);
    bool groups_allow(Index i, Index j) const {
        return (a_.group_of(i) & b_.mask_of(j)) != 0 && (b_.group_of(j) & a_.mask_of(i)) != 0;
    }
    bool has_vertices() const { return a_.vertices_per_body > 0 && b_.vertices_per_body > 0; }
    template <int D>
    std::size_t keep_without_common_vertex(Pair* pairs, Image<D>* images,
                                           std::size_t count) const;
    bool excludes(Pair pair) const;
    std::size_t find_excluded(std::span<const Pair> pairs, std::uint16_t* found) const;

    Set a_, b_;
    bool one_set_ = true;
    bool grouped_ = false;

    // Bodies with the same group and mask are of one class; bit d of class_allows_[c] says
    // whether classes c and d may pair. A byte per body stays in cache where the caller's
    // columns would not. Only for one set: its blocks pay for the pass over all bodies.
    static constexpr std::size_t max_classes = 32;
    bool classified_ = false;
    Buffer<std::uint8_t> classes_;
    std::array<std::uint32_t, max_classes> class_allows_{};

    // Excluded pairs as compressed rows by their first body, which in one set is the smaller
    // one. Two tests spare nearly all pairs a look at the rows. No excluded pair has j - i
    // above max_gap_: bonded bodies mostly have adjacent numbers. And each row has a signature
    // of 16 bits, one per partner: bit j - i if all gaps are that small, which then decides;
    // else a bit from a hash of j, as in a Bloom filter.
    using Signature = std::uint16_t;
    static constexpr Index signature_bits = 16;
    static Index hash_bit(Index j) { return j * 0x9E3779B9u >> 28; }
    bool adjacent() const { return max_gap_ < signature_bits; }
    Buffer<Pair> excluded_;  // as given
    Buffer<std::uint64_t> offsets_;
    static constexpr std::size_t compared_at_once = 4;
    Buffer<Index> partners_;  // and as many more that may be read
    Buffer<Signature> signatures_;
    Index max_gap_ = 0;
};

}  // namespace vicinal::inline VICINAL_API
