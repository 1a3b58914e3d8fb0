#include "sieve/kind_filter.hpp"

#include "base/parallel.hpp"
#include "scene/check.hpp"
#include "sieve/decide.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
void read_kinds(const Scene<T, D>& scene, Buffer<std::uint8_t>& to) {
    const Integers kind = scene.view().kind;
    to.resize(kind.count());
    parallel_for(scene.threads(), kind.count(),
                 [&](std::size_t i) { to[i] = static_cast<std::uint8_t>(kind[i]); });
}

}  // namespace

template <Real T, int D>
const BlockFilter<D>* KindFilter<T, D>::begin_search(const Scene<T, D>& first,
                                                     const Scene<T, D>& second,
                                                     const BlockFilter<D>* next) {
    if (second.view().cutoffs.empty()) return next;
    first_ = &first;
    second_ = &second;
    next_ = next;
    table_ = second.view().cutoffs;
    kinds_ = kind_count(table_.size());
    largest_ = second.view().cutoff;
    moving_ = first.view().swept() || second.view().swept();
    read_kinds(first, first_kinds_);
    if (&first != &second) read_kinds(second, second_kinds_);
    second_kind_ = (&first != &second ? second_kinds_ : first_kinds_).data();
    return this;
}

template <Real T, int D>
bool KindFilter<T, D>::within_cutoff(Pair pair, const Image<D>& image, T cutoff) const {
    Item<T, D> i(first_->view(), pair.i, false), j(second_->view(), pair.j, false);
    i.radius = j.radius = cutoff;
    Vector<T, D> s{}, sv{};
    if (image != Image<D>{}) {
        Shift<D> n;
        for (std::size_t a = 0; a < D; ++a) n[a] = image[a];
        s = second_->lattice().shift(n);
        sv = second_->lattice().drift(n);
    }
    return touch<T, D>(i, j, s, sv, ReachRule::max, moving_);
}

// The pairs are in cache, the coordinates are not.
template <Real T, int D>
std::size_t KindFilter<T, D>::keep_allowed(Pair* pairs, Image<D>* images,
                                           std::size_t count) const {
    constexpr std::size_t ahead = 16;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
        if (k + ahead < count) {
            prefetch_body(first_->view(), pairs[k + ahead].i);
            prefetch_body(second_->view(), pairs[k + ahead].j);
        }
        const Pair pair = pairs[k];
        const Image<D> image = images != nullptr ? images[k] : Image<D>{};
        const T cutoff = table_[first_kinds_[pair.i] * kinds_ + second_kind_[pair.j]];
        // The search has decided pairs with the largest cut-off.
        const bool stays =
            cutoff == largest_ || (cutoff >= 0 && within_cutoff(pair, image, cutoff));
        pairs[kept] = pair;
        if (images != nullptr) images[kept] = image;
        kept += stays ? 1 : 0;
    }
    return next_ != nullptr ? next_->keep_allowed(pairs, images, kept) : kept;
}

template class KindFilter<float, 2>;
template class KindFilter<float, 3>;
template class KindFilter<double, 2>;
template class KindFilter<double, 3>;

}  // namespace vicinal::inline VICINAL_API
