// Receives pairs of points from the strip kernels. Most are written directly to the output;
// ghosts, pairs across periodic faces and undecided pairs are resolved here.
#pragma once

#include "row_grid/strips.hpp"
#include "sieve/pair_emitter.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class PointSink final : private StripSink<D> {
  public:
    // `instances` are those of the entries, with class bits if the context has classes.
    PointSink(const SearchContext<T, D>& context, const Index* instances,
              StripJoin<D> join_kernel, StripScratch<D>& scratch)
        : scene_(*context.scene),
          instances_(instances),
          classes_(context.classes),
          out_(*context.writer),
          emitter_(context),
          join_(join_kernel),
          scratch_(scratch) {
        this->writer = &out_;
    }
    // For neighbour rows: hit masks go to `marks`, their counts to `row_lengths`.
    PointSink(const SearchContext<T, D>& context, const Index* instances,
              const StripRowKernels<D>& kernels, StripScratch<D>& scratch, HitMaskStream& marks,
              std::uint64_t* row_lengths)
        : PointSink(context, instances, nullptr, scratch) {
        mark_ = kernels.mark;
        this->stream = &marks;
        this->lengths = row_lengths;
    }

    // Joins part of a row of quantised points with itself and the rows above (half stencil).
    void join(const QuantisedPoints<D>& points, const HalfStrip<D>& row);
    // Writes the hit masks of part of a row against all adjacent rows (full stencil).
    void mark(const QuantisedPoints<D>& points, const FullStrip<D>& strip);

  private:
    void resolve_marked(const Index* first, const Index* second, std::size_t count) override;
    void emit_periodic(const Index* first, const Index* second, std::size_t count);
    void emit_ghosts(const Index* first, const Index* second, std::size_t count);
    void decide(const UndecidedPair* pairs, std::size_t count) override;
    bool decide(Index first, Index second) override {
        if (faces_ == nullptr) return emitter_.touches(first, second);
        return emitter_.touches(body_image_of(first), body_image_of(second));
    }
    void prefetch(Index first, Index second) override {
        for (const Index k : {first, second})
            if (faces_ == nullptr)
                scene_.prefetch(k);
            else
                prefetch_body(scene_.view(), body_image_of(k).body);
    }
    BodyImage<D> body_image_of(Index marked) const;
    Index instance_of(Index number) const;
    void write_marked(Index first, Index second);

    const Scene<T, D>& scene_;
    const Index* const instances_;
    const PairClasses* const classes_;
    BlockWriter<D>& out_;
    PairEmitter<T, D> emitter_;
    StripJoin<D> join_;
    decltype(StripRowKernels<D>::mark) mark_ = nullptr;
    StripScratch<D>& scratch_;
    QuantisedPoints<D> points_{};
    const FaceImages<D>* faces_ = nullptr;  // with native periodicity: the images of this strip
};

}  // namespace vicinal::inline VICINAL_API
