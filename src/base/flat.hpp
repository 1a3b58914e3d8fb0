// Contiguous columns as plain arrays, so that loops over them vectorise: one array per axis, or
// a single one with all axes interleaved.
#pragma once

#include <span>

#include "base/parallel.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// Value k of array a belongs to axis a + k % period.
template <Real T, int D>
struct Flat {
    std::array<std::span<const T>, D> arrays{};
    std::size_t count = 0;  // number of arrays; 0 if the vectors are not contiguous
    std::size_t period = 1;
};

template <Real T, int D>
Flat<T, D> flat_of(const Vectors<T, D>& vectors) {
    if (vectors.size() == 0) return {};
    bool interleaved = true, apart = true;
    for (std::size_t a = 0; a < D; ++a) {
        const Column<T>& column = vectors.axis[a];
        interleaved = interleaved && column.data == vectors.axis[0].data + a &&
                      column.stride == std::ptrdiff_t{D * sizeof(T)};
        apart = apart && column.stride == std::ptrdiff_t{sizeof(T)};
    }
    Flat<T, D> flat;
    if (interleaved) {
        flat.arrays[0] = {vectors.axis[0].data, D * vectors.size()};
        flat.count = 1;
        flat.period = D;
    } else if (apart) {
        for (std::size_t a = 0; a < D; ++a)
            flat.arrays[a] = {vectors.axis[a].data, vectors.size()};
        flat.count = D;
    }
    return flat;
}

// A multiple of every period: loops advance in groups of this size.
constexpr std::size_t flat_group = 6;

// Calls f(range, piece) on ranges that cover 0 ... n - 1 and begin at multiples of flat_group.
template <class F>
void parallel_groups(int threads, std::size_t n, const F& f) {
    const std::size_t groups = (n + flat_group - 1) / flat_group;
    parallel_ranges(threads, groups, [&](Range r, std::size_t piece) {
        f(Range{r.begin * flat_group, std::min(r.end * flat_group, n)}, piece);
    });
}

// Points are read in batches of this size, with coordinates interleaved or one array per axis.
constexpr std::size_t batch_size = 64;

template <Real T, int D>
struct PointBatch {
    std::array<const T*, D> axis;  // coordinates of the first point
    bool interleaved;
};

// Makes batches of points from any layout.
template <Real T, int D>
class BatchReader {
  public:
    explicit BatchReader(const Vectors<T, D>& vectors)
        : vectors_(vectors), flat_(flat_of(vectors)) {}

    // Points k ... k + count - 1, padded with copies of the last one. Valid until the next
    // read().
    PointBatch<T, D> read(std::size_t k, std::size_t count) {
        PointBatch<T, D> batch{};
        const bool in_place = count == batch_size && flat_.count > 0;
        batch.interleaved = in_place && flat_.count == 1;
        for (std::size_t a = 0; a < D; ++a) {
            batch.axis[a] = batch.interleaved ? flat_.arrays[0].data() + D * k + a
                            : in_place        ? flat_.arrays[a].data() + k
                                              : copy_[a].data();
            for (std::size_t i = 0; i < batch_size && !in_place; ++i)
                copy_[a][i] = vectors_.axis[a][k + std::min(i, count - 1)];
        }
        return batch;
    }

  private:
    Vectors<T, D> vectors_;
    Flat<T, D> flat_;
    std::array<std::array<T, batch_size>, D> copy_;
};

}  // namespace vicinal::inline VICINAL_API
