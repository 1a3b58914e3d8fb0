// Compares the pairs of two steps: which began, which ended, and which persist under another
// image.
#pragma once

#include <span>

#include "base/ledger.hpp"
#include "scene/lattice.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/changes.hpp>
#include <vicinal/pairs.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class ChangeLog {
  public:
    const Changes<D>& update(const PairList<D>& list, const Bodies<T, D>& bodies,
                             const Lattice<T, D>& lattice);

    // Memory of the changes, which no ledger counts.
    std::uint64_t bytes_of_changes() const {
        return heap_bytes(changes_.began) + heap_bytes(changes_.ended) +
               heap_bytes(changes_.renamed);
    }

  private:
    struct Body {  // the position of a body in a step
        Index id;
        std::array<double, D> place;
    };
    struct Persisting {  // a pair of the last step, and its key in this one
        PairKey<D> now, then;
    };

    void name_pairs(const PairList<D>& list, const Bodies<T, D>& bodies);
    void note_bodies(const Bodies<T, D>& bodies);
    void rename(const Lattice<T, D>& lattice);
    Shift<D> wraps(Index id, const Lattice<T, D>& lattice) const;

    Changes<D> changes_;
    CountedVector<PairKey<D>> pairs_, then_;
    CountedVector<Persisting> persisting_;
    CountedVector<Body> bodies_, bodies_then_;  // by id
    Lattice<T, D> lattice_then_;
};

}  // namespace vicinal::inline VICINAL_API
