// Filters pairs by group masks, common vertices and exclusions. The filter is applied to whole
// blocks of pairs after they are found, so methods need not know it. Only group masks may be
// tested earlier, by a kernel that has the classes of the bodies at hand (see ClassTester).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "output/blocks.hpp"
#include "scene/exclusions.hpp"
#include "scene/pair_classes.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
class PairFilter final : public BlockFilter<D> {
  public:
    // Pairs of one set of bodies. Exclusions are kept between calls.
    template <Real T>
    void assign(const Bodies<T, D>& bodies, std::int64_t target) {
        const Set set = set_of(bodies);
        assign(set, set, bodies.excluded, true, target);
    }
    // Pairs (i of a, j of b).
    template <Real T>
    void assign(const Bodies<T, D>& a, const Bodies<T, D>& b, std::int64_t target) {
        assign(set_of(a), set_of(b), a.excluded, false, target);
    }

    bool active() const { return grouped_ || has_vertices() || !exclusions_.empty(); }
    bool allows(Index i, Index j) const;
    // Null if groups are not given, all may pair, or there are too many classes.
    const PairClasses* classes() const { return grouped_ && classified_ ? &classes_ : nullptr; }

    // The part of the filter that the output applies, null if there is none. Kernels may have
    // tested the classes already.
    const BlockFilter<D>* for_output(bool classes_tested);
    std::size_t keep_allowed(Pair* pairs, Image<D>* images, std::size_t count) const override;

  private:
    struct Set {
        std::size_t bodies = 0;
        Groups groups;
        const std::uint32_t* vertices = nullptr;  // vertices_per_body numbers of each body
        std::size_t vertices_per_body = 0;

        const std::uint32_t* vertices_of(Index i) const {
            return vertices + i * vertices_per_body;
        }
    };
    template <Real T>
    static Set set_of(const Bodies<T, D>& bodies) {
        return {bodies.size(),
                {bodies.group, bodies.mask},
                bodies.vertices.data(),
                bodies.vertices_per_body};
    }

    void assign(const Set& a, const Set& b, std::span<const Pair> excluded, bool one_set,
                std::int64_t target);
    bool has_vertices() const { return a_.vertices_per_body > 0 && b_.vertices_per_body > 0; }
    void test(std::span<const Pair> pairs, std::uint64_t* keep) const;
    void test_groups(std::span<const Pair> pairs, std::uint64_t* keep) const;
    void test_vertices(std::span<const Pair> pairs, std::uint64_t* keep) const;

    PairMaskKernels kernels_{};
    Set a_, b_;
    bool grouped_ = false;     // some pairs are not allowed by their groups
    bool classified_ = false;  // only for one set, whose pairs pay for the pass over all bodies
    bool classes_tested_ = false;
    PairClasses classes_;
    Exclusions exclusions_;
};

}  // namespace vicinal::inline VICINAL_API
