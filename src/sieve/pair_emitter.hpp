// Decides two instances by the contract's formula, from the caller's arrays, and writes the
// pair. Kernels use it for pairs that they leave undecided.
#pragma once

#include "sieve/decide.hpp"
#include "sieve/search_context.hpp"

namespace vicinal::inline VICINAL_API {

// One image of a body.
template <int D>
struct BodyImage {
    Index body;
    Image<D> image;
};

// `first` is an instance of the query scene if there is one, `second` of the scene.
template <Real T, int D>
class PairEmitter {
  public:
    explicit PairEmitter(const SearchContext<T, D>& context)
        : scene_(*context.scene),
          first_scene_(context.first_scene()),
          writer_(*context.writer),
          rule_(context.rule),
          ignore_cutoff_(context.ignore_cutoff),
          one_set_(context.one_set()),
          moving_(context.moving()) {}

    bool touches(Index first, Index second) const;
    bool touches(const BodyImage<D>& first, const BodyImage<D>& second) const;

    // Writes a pair that is decided.
    void emit(Index first, Index second);
    // The same, unless the lowest-image flags assign the pair to another combination of images.
    void emit_if_owner(Index first, Index second) {
        const unsigned lowest =
            first_scene_.lowest_image_flags(first) | scene_.lowest_image_flags(second);
        if (lowest == Scene<T, D>::image_bits) emit(first, second);
    }
    void write(const BodyImage<D>& first, const BodyImage<D>& second);

    // Decides two instances that are proposed only once.
    void test(Index first, Index second) {
        writer_.count_candidates(1);
        if (touches(first, second)) emit_if_owner(first, second);
    }

  private:
    const Scene<T, D>&scene_, &first_scene_;
    BlockWriter<D>& writer_;
    const ReachRule rule_;
    const bool ignore_cutoff_, one_set_, moving_;
};

}  // namespace vicinal::inline VICINAL_API
