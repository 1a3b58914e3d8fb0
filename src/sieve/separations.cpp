#include "sieve/separations.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/parallel.hpp"
#include "sieve/decide.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <int D>
Shift<D> shift_from(const Image<D>& image) {
    Shift<D> n;
    for (std::size_t a = 0; a < D; ++a) n[a] = image[a];
    return n;
}

// The place of an image with components -1, 0, 1 in the table; others are out of range.
template <int D>
std::size_t near_number(const Image<D>& image) {
    unsigned number = 0, far = 0;
    for (std::size_t a = 0; a < D; ++a) {
        const auto n = static_cast<unsigned>(image[a] + 1);
        far |= unsigned{n > 2};
        number = number * 3 + n;
    }
    return far != 0 ? 27 : number;
}

}  // namespace

template <Real T, int D>
void check_columns(Columns columns, const Bodies<T, D>& first, const Bodies<T, D>& second) {
    if (!has_vectors(columns) && !has_distances(columns)) return;
    if (is_box(first) || is_box(second))
        throw Error(Error::Kind::option,
                    "boxes have no vectors and distances (columns D and d); request only i, j "
                    "and S, or search their centres as points");
}

template <Real T, int D>
Separations<T, D>::Separations(Columns columns, const Bodies<T, D>& first,
                               const Bodies<T, D>& second, const Lattice<T, D>& lattice,
                               std::uint64_t pairs, Buffer<Position<T, D>>& positions,
                               int threads)
    : columns_(columns),
      first_(first),
      second_(second),
      lattice_(lattice),
      moving_(first.swept() || second.swept()) {
    if (!any()) return;
    if (pairs >= second.size()) {
        positions.resize(second.size());
        positions_ = positions.data();
        parallel_for(threads, second.size(),
                     [to = positions.data(), x = second.position](std::size_t i) {
                         for (std::size_t a = 0; a < D; ++a) to[i].x[a] = x.axis[a][i];
                     });
    }
    if (lattice.open) return;
    Shift<D> one;
    one.fill(1);
    Shift<D> minus;
    minus.fill(-1);
    for_each_between(minus, one, [&](const Shift<D>& n) {
        Image<D> image;
        for (std::size_t a = 0; a < D; ++a) image[a] = static_cast<std::int16_t>(n[a]);
        near_shifts_[near_number<D>(image)] = lattice.shift(n);
    });
}

// Calls complete(d, k, pair), which adds the image's shift and motion, for the difference of
// every pair, and stores the result. `readable` pairs may be prefetched.
template <Real T, int D>
template <class PairAt, class Complete>
void Separations<T, D>::store(const PairAt& pair_at, std::size_t count, std::size_t readable,
                              Vector<T, D>* vectors, T* distances,
                              const Complete& complete) const {
    // Neighbours lie anywhere in the caller's arrays: about as many lines are loaded at a time
    // as a core can wait for.
    constexpr std::size_t ahead = 64;
    const Vectors<T, D> from = first_.position, to = second_.position;  // avoids reloads
    const Position<T, D>* const copied = positions_;
    const bool one_set = &first_ == &second_;
    for (std::size_t k = 0; k < count; ++k) {
        if (copied != nullptr && k + ahead < readable) {
            const Pair next = pair_at(k + ahead);
            __builtin_prefetch(copied + next.j);
            if (one_set) __builtin_prefetch(copied + next.i);
        }
        const Pair pair = pair_at(k);
        Vector<T, D> d;
        for (std::size_t a = 0; a < D; ++a) {
            const T xj = copied != nullptr ? copied[pair.j].x[a] : to.axis[a][pair.j];
            const T xi =
                copied != nullptr && one_set ? copied[pair.i].x[a] : from.axis[a][pair.i];
            d[a] = xj - xi;
        }
        complete(d, k, pair);
        if (vectors != nullptr) vectors[k] = d;
        if (distances != nullptr) distances[k] = std::sqrt(dot(d, d));
    }
}

template <Real T, int D>
template <class PairAt>
void Separations<T, D>::fill(const PairAt& pair_at, const Image<D>* images, std::size_t count,
                             std::size_t readable, Vector<T, D>* vectors, T* distances) const {
    const auto add_shift = [this, images](Vector<T, D>& d, std::size_t k) {
        const std::size_t number = near_number<D>(images[k]);
        const Vector<T, D> s = number < near_shifts_.size()
                                   ? near_shifts_[number]
                                   : lattice_.shift(shift_from<D>(images[k]));
        for (std::size_t a = 0; a < D; ++a) d[a] = d[a] + s[a];
    };
    const auto store_all = [&](const auto& complete) {
        store(pair_at, count, readable, vectors, distances, complete);
    };
    if (moving_)
        store_all([&](Vector<T, D>& d, std::size_t k, const Pair& pair) {
            if (images != nullptr)
                add_shift(d, k);
            else
                for (std::size_t a = 0; a < D; ++a) d[a] = d[a] + T{0};
            const Image<D> image = images != nullptr ? images[k] : Image<D>{};
            d = closest_approach<T, D>(d, relative_motion(pair, image));
        });
    else if (images != nullptr)
        store_all([&](Vector<T, D>& d, std::size_t k, const Pair&) { add_shift(d, k); });
    else
        store_all([](Vector<T, D>& d, std::size_t, const Pair&) {  // s = 0 turns -0 into +0
            for (std::size_t a = 0; a < D; ++a) d[a] = d[a] + T{0};
        });
}

template <Real T, int D>
Vector<T, D> Separations<T, D>::relative_motion(const Pair& pair, const Image<D>& image) const {
    const Vector<T, D> drift = lattice_.drift(shift_from<D>(image));
    Vector<T, D> v;
    for (std::size_t a = 0; a < D; ++a) {
        const T ui = first_.swept() ? first_.displacement.axis[a][pair.i] : T{0};
        const T uj = second_.swept() ? second_.displacement.axis[a][pair.j] : T{0};
        v[a] = (uj - ui) + drift[a];
    }
    return v;
}

template <Real T, int D>
void Separations<T, D>::of_pairs(const Pair* pairs, const Image<D>* images, std::size_t count,
                                 Vector<T, D>* vectors, T* distances) const {
    fill([pairs](std::size_t k) { return pairs[k]; }, images, count, count, vectors, distances);
}

template <Real T, int D>
void Separations<T, D>::of_rows(Rows<T, D>& rows, std::size_t begin, std::size_t end) const {
    const std::uint64_t last = rows.offsets[end];
    const auto at = [](auto& column, std::uint64_t entry) {
        return column.empty() ? nullptr : column.data() + entry;
    };
    for (std::size_t k = begin; k < end; ++k) {
        const std::uint64_t first = rows.offsets[k];
        const Index i = rows.body(k);
        fill([i, j = rows.indices.data() + first](std::size_t e) { return Pair{i, j[e]}; },
             at(rows.images, first), rows.offsets[k + 1] - first, last - first,
             at(rows.vectors, first), at(rows.distances, first));
    }
}

#define VICINAL_INSTANTIATE(T, D)     \
    template class Separations<T, D>; \
    template void check_columns(Columns, const Bodies<T, D>&, const Bodies<T, D>&);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
