// Receives pairs from the box kernels. Pairs that the float boxes decide are written directly
// to the output; all others are decided here.
#pragma once

#include <utility>

#include "row_grid/box_sweep.hpp"
#include "scene/packed.hpp"
#include "sieve/pair_emitter.hpp"
#include "sieve/sieve.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class HitSink final : private BoxSink<D> {
  public:
    HitSink(const SearchContext<T, D>& context, const Packed<T, D>& packed,
            const BoxKernels<D>& kernels, const BoxRows<D>& rows, BoxScratch& scratch);

    // Sweeps part of a row: each box against those that follow it. A pair is accepted if each
    // bit of owner.either is set for one of the two.
    void sweep(std::uint32_t first, std::uint32_t last, std::uint32_t row_end, Owner owner);
    // Tests the box of an instance (of the query scene, if there is one) against a run of
    // entries.
    void probe_one(Index instance, const Box<float, D>& box, Run run, Owner owner);
    // Tests two instances.
    void test(Index first, Index second) { emitter_.test(first, second); }

  private:
    void hits(const Index* first, const Index* second, std::size_t count) override;
    void count_candidates() override {
        out_.count_candidates(std::exchange(this->box_candidates, 0));
    }
    const BoxRows<D>& with_bits(unsigned needed);

    const Scene<T, D>&scene_, &first_scene_;
    BlockWriter<D>& out_;
    PairEmitter<T, D> emitter_;
    const BoxKernels<D>& kernels_;
    BoxRows<D> rows_;
    BoxScratch& scratch_;
};

}  // namespace vicinal::inline VICINAL_API
