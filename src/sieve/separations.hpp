// The columns D and d of pairs that have been found: the vectors and distances that the formula
// compares, computed again from the caller's coordinates.
#pragma once

#include <array>

#include "base/buffer.hpp"
#include "scene/lattice.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/pairs.hpp>

namespace vicinal::inline VICINAL_API {

// Boxes have no such vectors: an Error.
template <Real T, int D>
void check_columns(Columns columns, const Bodies<T, D>& first, const Bodies<T, D>& second);

// The position of a body in one cache line, whatever the caller's layout.
template <Real T, int D>
struct alignas(D == 3 ? 4 * sizeof(T) : 2 * sizeof(T)) Position {
    Vector<T, D> x;
};

// i is a body of `first`, j of `second`. The views must outlive the object.
template <Real T, int D>
class Separations {
  public:
    // If about `pairs` pairs are worth it, `positions` receives those of `second`; it must
    // outlive the object too.
    Separations(Columns columns, const Bodies<T, D>& first, const Bodies<T, D>& second,
                const Lattice<T, D>& lattice, std::uint64_t pairs,
                Buffer<Position<T, D>>& positions, int threads);

    Columns columns() const { return columns_; }
    bool any() const { return has_vectors(columns_) || has_distances(columns_); }

    // `count` pairs; images are null in an open domain. Columns that are not requested may be
    // null.
    void of_pairs(const Pair* pairs, const Image<D>* images, std::size_t count,
                  Vector<T, D>* vectors, T* distances) const;
    // Fills the columns D and d, where they are not empty, of the rows begin ... end - 1.
    void of_rows(Rows<T, D>& rows, std::size_t begin, std::size_t end) const;

  private:
    template <class PairAt>
    void fill(const PairAt& pair_at, const Image<D>* images, std::size_t count,
              std::size_t readable, Vector<T, D>* vectors, T* distances) const;
    template <class PairAt, class Complete>
    void store(const PairAt& pair_at, std::size_t count, std::size_t readable,
               Vector<T, D>* vectors, T* distances, const Complete& complete) const;
    Vector<T, D> relative_motion(const Pair& pair, const Image<D>& image) const;

    const Columns columns_;
    const Bodies<T, D>&first_, &second_;
    const Position<T, D>* positions_ = nullptr;  // of `second`; null if not copied
    const Lattice<T, D>& lattice_;
    const bool moving_;
    // The shifts of the images -1, 0, 1 on each axis, which nearly all pairs have.
    std::array<Vector<T, D>, 27> near_shifts_{};
};

}  // namespace vicinal::inline VICINAL_API
