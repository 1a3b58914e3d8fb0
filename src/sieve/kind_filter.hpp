// Cut-offs by kind. Methods search with the largest cut-off of the table; this filter drops the
// pairs whose kinds have a smaller one and are farther apart than that, by the contract's
// formula. So no method needs to know kinds.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "output/blocks.hpp"
#include "scene/scene.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class KindFilter final : public BlockFilter<D> {
  public:
    // Before a search of pairs (i of `first`, j of `second`), which may be the same: the filter
    // of its output. That is `next` if the points have no kinds, otherwise this filter and then
    // `next`, which may be null. The scenes must outlive the search.
    const BlockFilter<D>* begin_search(const Scene<T, D>& first, const Scene<T, D>& second,
                                       const BlockFilter<D>* next);

    std::size_t keep_allowed(Pair* pairs, Image<D>* images, std::size_t count) const override;

  private:
    bool within_cutoff(Pair pair, const Image<D>& image, T cutoff) const;

    const Scene<T, D>*first_ = nullptr, *second_ = nullptr;
    const BlockFilter<D>* next_ = nullptr;
    std::span<const T> table_;
    std::size_t kinds_ = 0;
    T largest_ = 0;
    bool moving_ = false;
    // A byte per body stays in cache where the caller's column would not.
    Buffer<std::uint8_t> first_kinds_, second_kinds_;
    const std::uint8_t* second_kind_ = nullptr;
};

}  // namespace vicinal::inline VICINAL_API
