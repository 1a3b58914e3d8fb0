// Filters pairs by group masks, common vertices and exclusions. The filter is applied to whole
// blocks of pairs after they are found, so no method and no kernel knows it.
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
    // Pairs of one set of bodies. Exclusions are kept between calls: an unchanged list costs
    // only a comparison.
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
    // Returns the number of pairs left; their order is preserved.
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
    // columns would not. Only for one set, which has enough pairs to pay for the pass over all
    // bodies.
    static constexpr std::size_t max_classes = 32;
    bool classified_ = false;
    Buffer<std::uint8_t> classes_;
    std::array<std::uint32_t, max_classes> class_allows_{};

    // Excluded pairs as compressed rows (CSR) by their first body, within one set the smaller
    // index. Two tests reject nearly all pairs before the rows are read. First, no excluded
    // pair has j - i above max_gap_: bonded bodies usually have nearby indices. Second, each
    // row has a signature of 16 bits with one bit per partner. If max_gap_ is below 16, it is
    // bit j - i and the test is exact; else it is a hash of j, as in a Bloom filter.
    using Signature = std::uint16_t;
    static constexpr Index signature_bits = 16;
    static Index hash_bit(Index j) { return j * 0x9E3779B9u >> 28; }
    bool adjacent() const { return max_gap_ < signature_bits; }
    Buffer<Pair> excluded_;  // as given
    Buffer<std::uint64_t> offsets_;
    static constexpr std::size_t compared_at_once = 4;
    Buffer<Index> partners_;  // plus padding: compared_at_once more are read
    Buffer<Signature> signatures_;
    Index max_gap_ = 0;
};

}  // namespace vicinal::inline VICINAL_API
