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
                               const Execution& execution)
    : columns_(columns),
      first_(first),
      second_(second),
      lattice_(lattice),
      moving_(first.swept() || second.swept()),
      kernels_(column_kernels<T, D>(execution.target)) {
    if (!any()) return;
    const bool one_set = &first == &second;
    const std::size_t copied = second.size() + (one_set ? 0 : first.size());
    if (pairs >= copied) {
        positions.resize(copied);
        const auto copy = [&](const Bodies<T, D>& bodies, Position<T, D>* to) {
            parallel_for(execution.threads, bodies.size(),
                         [to, x = bodies.position](std::size_t i) {
                             to[i] = {};
                             for (std::size_t a = 0; a < D; ++a) to[i].x[a] = x.axis[a][i];
                         });
        };
        copy(second, positions.data());
        second_positions_ = first_positions_ = positions.data();
        if (!one_set) {
            copy(first, positions.data() + second.size());
            first_positions_ = positions.data() + second.size();
        }
    }
    tabulate_shifts();
}

template <Real T, int D>
Separations<T, D>::Separations(const Separations& other, const Lattice<T, D>& lattice)
    : columns_(other.columns_),
      first_(other.first_),
      second_(other.second_),
      first_positions_(other.first_positions_),
      second_positions_(other.second_positions_),
      lattice_(lattice),
      moving_(other.moving_),
      kernels_(other.kernels_) {
    tabulate_shifts();
}

template <Real T, int D>
void Separations<T, D>::tabulate_shifts() {
    if (lattice_.open) return;
    Shift<D> minus, one;
    minus.fill(-1);
    one.fill(1);
    std::size_t number = 0;
    for_each_between(minus, one, [&](const Shift<D>& n) {
        const Vector<T, D> shift = lattice_.shift(n);
        std::copy(shift.begin(), shift.end(), near_shifts_[number++].x.begin());
    });
}

// Columns are computed in cache, a stage at a time, and then written.
template <Real T, int D>
struct Separations<T, D>::Stage {
    // Null: the column is not requested.
    Stage(const ColumnKernels<T, D>& all_kernels, Vector<T, D>* vectors_out, T* distances_out,
          Stores how)
        : kernels(all_kernels),
          to_vectors(vectors_out),
          to_distances(distances_out),
          stores(how) {}

    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage() {
        if (stores == Stores::streamed) flush_streams();
    }

    // The first `count` vectors, and their lengths.
    void write(std::size_t count) {
        if (to_distances != nullptr) {
            kernels.lengths(vectors.data(), count, distances.data());
            copy(distances.data(), count, to_distances);
            to_distances += count;
        }
        if (to_vectors != nullptr) {
            copy(vectors.data(), D * count, to_vectors->data());
            to_vectors += count;
        }
    }
    void copy(const T* from, std::size_t count, T* to) const {
        if (stores == Stores::streamed)
            kernels.stream(from, count, to);
        else
            std::copy_n(from, count, to);
    }

    const ColumnKernels<T, D>& kernels;
    Vector<T, D>* to_vectors;
    T* to_distances;
    const Stores stores;
    std::array<T, D * stage_size + 1> vectors;  // with padding for overrun
    std::array<T, stage_size> distances;
};

template <Real T, int D>
void Separations<T, D>::compute(const PairRun<T, D>& run, T* vectors) const {
    const bool computed =
        run.second != nullptr && kernels_.differences(run, near_shifts_, vectors);
    if (computed && !moving_) return;
    for (std::size_t k = 0; k < run.count; ++k) {
        const Pair pair{run.i[k * run.step], run.j[k * run.step]};
        const Image<D> image = run.images != nullptr ? run.images[k] : Image<D>{};
        Vector<T, D> d;
        if (computed)
            std::copy_n(vectors + D * k, D, d.begin());
        else
            d = difference(pair, image);
        if (moving_) d = closest_approach<T, D>(d, relative_motion(pair, image));
        std::copy(d.begin(), d.end(), vectors + D * k);
    }
}

// (xj - xi) + s from the caller's coordinates.
template <Real T, int D>
Vector<T, D> Separations<T, D>::difference(const Pair& pair, const Image<D>& image) const {
    const Vector<T, D> s = lattice_.shift(shift_from<D>(image));
    Vector<T, D> d;
    for (std::size_t a = 0; a < D; ++a)
        d[a] = (second_.position.axis[a][pair.j] - first_.position.axis[a][pair.i]) + s[a];
    return d;
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
                                 Vector<T, D>* vectors, T* distances, Stores stores) const {
    Stage stage(kernels_, vectors, distances, stores);
    for (std::size_t k = 0; k < count; k += stage_size) {
        const std::size_t some = std::min(count - k, stage_size);
        compute(run_of(&pairs[k].i, &pairs[k].j, sizeof(Pair) / sizeof(Index),
                       images != nullptr ? images + k : nullptr, some, count - k),
                stage.vectors.data());
        stage.write(some);
    }
}

template <Real T, int D>
void Separations<T, D>::of_rows(Rows<T, D>& rows, std::size_t begin, std::size_t end,
                                Stores stores) const {
    const std::uint64_t last = rows.offsets[end];
    const auto at = [](auto& column, std::uint64_t e) {
        return column.empty() ? nullptr : column.data() + e;
    };
    std::uint64_t e = rows.offsets[begin];
    Stage stage(kernels_, at(rows.vectors, e), at(rows.distances, e), stores);
    constexpr std::size_t group = 8;
    std::array<Index, stage_size + group> bodies;  // of the rows of the entries
    for (std::size_t k = begin; e < last;) {
        const std::size_t some = std::min<std::uint64_t>(last - e, stage_size);
        for (std::size_t filled = 0; filled < some;) {
            while (rows.offsets[k + 1] <= e + filled) ++k;
            const std::size_t to = std::min<std::uint64_t>(rows.offsets[k + 1] - e, some);
            // In groups of fixed size, which need no branches: the next row overwrites the
            // rest.
            for (const Index body = rows.body(k); filled < to; filled += group)
                std::fill_n(bodies.data() + filled, group, body);
            filled = to;
        }
        compute(run_of(bodies.data(), rows.indices.data() + e, 1, at(rows.images, e), some,
                       last - e),
                stage.vectors.data());
        stage.write(some);
        e += some;
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
