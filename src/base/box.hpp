// Axis-aligned boxes (AABBs), closed.
#pragma once

#include <algorithm>
#include <limits>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
struct Box {
    Vector<T, D> lo;
    Vector<T, D> hi;
};

template <Real T, int D>
bool overlaps(const Box<T, D>& a, const Box<T, D>& b) {
    unsigned yes = 1;  // branch-free
    for (std::size_t k = 0; k < D; ++k)
        yes &= unsigned{a.lo[k] <= b.hi[k]} & unsigned{b.lo[k] <= a.hi[k]};
    return yes != 0;
}

template <Real T, int D>
Box<T, D> empty_box() {
    Box<T, D> none;
    none.lo.fill(std::numeric_limits<T>::max());
    none.hi.fill(std::numeric_limits<T>::lowest());
    return none;
}

template <Real T, int D>
void extend(Box<T, D>& sum, const Box<T, D>& box) {
    for (std::size_t k = 0; k < D; ++k) {
        sum.lo[k] = std::min(sum.lo[k], box.lo[k]);
        sum.hi[k] = std::max(sum.hi[k], box.hi[k]);
    }
}

// The midpoint of a side without overflow.
template <Real T>
double midpoint(T lo, T hi) {
    return static_cast<double>(lo) / 2 + static_cast<double>(hi) / 2;
}

}  // namespace vicinal::inline VICINAL_API
