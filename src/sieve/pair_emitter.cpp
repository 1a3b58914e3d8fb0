#include "sieve/pair_emitter.hpp"

#include <utility>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
bool PairEmitter<T, D>::touches(Index first, Index second) const {
    BodyImage<D> one{first_scene_.body(first), {}}, other{scene_.body(second), {}};
    if (scene_.periodic()) {
        one.image = first_scene_.image(first);
        other.image = scene_.image(second);
    }
    return touches(one, other);
}

template <Real T, int D>
bool PairEmitter<T, D>::touches(const BodyImage<D>& first, const BodyImage<D>& second) const {
    const Item<T, D> i(first_scene_.view(), first.body, ignore_cutoff_);
    const Item<T, D> j(scene_.view(), second.body, ignore_cutoff_);
    Vector<T, D> s{}, sv{};
    if (scene_.periodic()) {
        Shift<D> n;
        for (std::size_t a = 0; a < D; ++a) n[a] = second.image[a] - first.image[a];
        s = scene_.lattice().shift(n);
        sv = scene_.lattice().drift(n);
    }
    return touch<T, D>(i, j, s, sv, rule_, moving_);
}

template <Real T, int D>
void PairEmitter<T, D>::emit(Index first, Index second) {
    Index i = first_scene_.body(first), j = scene_.body(second);
    if (scene_.periodic())
        return write({i, first_scene_.image(first)}, {j, scene_.image(second)});
    if (one_set_ && i > j) std::swap(i, j);
    writer_.push({i, j});
}

// The smaller index comes first if both are of one set. Whether a pair is swapped is
// unpredictable, so the code is branch-free.
template <Real T, int D>
void PairEmitter<T, D>::write(const BodyImage<D>& first, const BodyImage<D>& second) {
    const Index i = first.body, j = second.body;
    Image<D> image;
    for (std::size_t a = 0; a < D; ++a)
        image[a] = static_cast<std::int16_t>(second.image[a] - first.image[a]);
    bool swapped = i > j;
    if (i == j) [[unlikely]]
        swapped = image < Image<D>{};
    swapped = swapped && one_set_;
    const int sign = swapped ? -1 : 0;
    for (std::int16_t& n : image) n = static_cast<std::int16_t>((n ^ sign) - sign);
    // A body is its own neighbour only in another image.
    VICINAL_ASSERT(!one_set_ || i != j || image > Image<D>{});
    writer_.push({swapped ? j : i, swapped ? i : j}, image);
}

template class PairEmitter<float, 2>;
template class PairEmitter<float, 3>;
template class PairEmitter<double, 2>;
template class PairEmitter<double, 3>;

}  // namespace vicinal::inline VICINAL_API
