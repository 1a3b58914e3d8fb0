// The columns D and d of pairs that have been found: the vectors and distances that the formula
// compares, computed again from the caller's coordinates.
#pragma once

#include <array>

#include "base/buffer.hpp"
#include "scene/lattice.hpp"
#include "simd/columns.hpp"
#include "simd/targets.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/pairs.hpp>

namespace vicinal::inline VICINAL_API {

// Boxes have no such vectors: an Error.
template <Real T, int D>
void check_columns(Columns columns, const Bodies<T, D>& first, const Bodies<T, D>& second);

// How columns are written: through the caches, or past them if they are larger.
enum class Stores { cached, streamed };
inline Stores stores_for(std::uint64_t bytes) {
    constexpr std::uint64_t cached = 16 << 20;  // a core's share of most L3 caches
    return bytes > cached ? Stores::streamed : Stores::cached;
}

// i is a body of `first`, j of `second`. The views must outlive the object.
template <Real T, int D>
class Separations {
  public:
    // If about `pairs` pairs are worth it, `positions` receives those of the bodies; it must
    // outlive the object too.
    Separations(Columns columns, const Bodies<T, D>& first, const Bodies<T, D>& second,
                const Lattice<T, D>& lattice, std::uint64_t pairs,
                Buffer<Position<T, D>>& positions, const Execution& execution);
    // The same bodies in another domain.
    Separations(const Separations& other, const Lattice<T, D>& lattice);

    Columns columns() const { return columns_; }
    bool any() const { return has_vectors(columns_) || has_distances(columns_); }

    // `count` pairs; images are null in an open domain. Columns that are not requested may be
    // null.
    void of_pairs(const Pair* pairs, const Image<D>* images, std::size_t count,
                  Vector<T, D>* vectors, T* distances, Stores stores) const;
    // Fills the columns D and d, where they are not empty, of the rows begin ... end - 1.
    void of_rows(Rows<T, D>& rows, std::size_t begin, std::size_t end, Stores stores) const;

  private:
    static constexpr std::size_t stage_size = PairRun<T, D>::max_count;
    struct Stage;
    void tabulate_shifts();
    PairRun<T, D> run_of(const Index* i, const Index* j, std::size_t step,
                         const Image<D>* images, std::size_t count,
                         std::size_t readable) const {
        return {first_positions_, second_positions_, i, j, step, images, count, readable};
    }
    void compute(const PairRun<T, D>& run, T* vectors) const;
    Vector<T, D> difference(const Pair& pair, const Image<D>& image) const;
    Vector<T, D> relative_motion(const Pair& pair, const Image<D>& image) const;

    const Columns columns_;
    const Bodies<T, D>&first_, &second_;
    // Both null if the coordinates have not been copied.
    const Position<T, D>*first_positions_ = nullptr, *second_positions_ = nullptr;
    const Lattice<T, D>& lattice_;
    const bool moving_;
    const ColumnKernels<T, D> kernels_;
    NearShifts<T, D> near_shifts_{};
};

}  // namespace vicinal::inline VICINAL_API
