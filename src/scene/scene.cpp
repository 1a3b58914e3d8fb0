// The bodies of a step and the boxes of their instances. Which images a body has is in
// shifts.cpp, ghosts in ghosts.cpp.
#include "scene/scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T>
constexpr T eps = std::numeric_limits<T>::epsilon();

}  // namespace

template <Real T, int D>
void Scene<T, D>::assign(const Bodies<T, D>& bodies, const Domain<D>& domain,
                         const Execution& execution) {
    view_ = bodies;
    lattice_ = Lattice<T, D>(domain);
    execution_ = execution;
    ghost_body_.resize(0);
    ghost_flags_.resize(0);
    shift_.resize(0);
    images_ = lattice_.open ? Images::none : Images::native;
}

template <Real T, int D>
std::span<Image<D>> Scene<T, D>::assign_placed(const Bodies<T, D>& bodies,
                                               const Domain<D>& domain,
                                               const Execution& execution,
                                               std::span<const Index> ghosts) {
    view_ = bodies;
    lattice_ = Lattice<T, D>(domain);
    execution_ = execution;
    images_ = lattice_.open ? Images::none : Images::ghosts;
    bodies_shifted_ = true;  // the caller may write any shift to the span
    ghost_body_.resize(ghosts.size());
    ghost_flags_.resize(ghosts.size());
    std::copy(ghosts.begin(), ghosts.end(), ghost_body_.span().begin());
    std::fill(ghost_flags_.span().begin(), ghost_flags_.span().end(), image_bits);
    shift_.resize(periodic() ? bodies.size() + ghosts.size() : 0);
    return shift_.span();
}

template <Real T, int D>
Box<T, D> Scene<T, D>::widened_box(Index k) const {
    const Index i = body(k);
    const Shift<D> n = shift(k);
    const T h = half_size(view_, i);
    const Vector<T, D> motion = displacement(i);
    Vector<T, D> s{}, drift{};
    if (periodic()) {
        s = lattice_.shift(n);
        drift = lattice_.drift(n);
    }
    Box<T, D> box;
    for (std::size_t a = 0; a < D; ++a) {
        const T x = lower_corner(view_, i, a);
        T lo = x - h;
        T hi = upper_corner(view_, i, a) + h;
        T pad = 0;  // error of the decision itself, beyond rounding of lo and hi
        if (moving()) {
            const T u = motion[a] + drift[a];
            // Both are rounded; for a body that moves with the shear they cancel.
            pad += 16 * eps<T> * (std::abs(motion[a]) + std::abs(drift[a]) + h);
            lo += std::min(u, T{0});
            hi += std::max(u, T{0});
        }
        if (periodic()) {
            // x + s is rounded, and s itself is a rounded sum of whole lattice vectors.
            T lengths = std::abs(x);
            for (std::size_t m = 0; m < D; ++m)
                lengths += static_cast<T>(std::abs(n[m]) + 1) * std::abs(lattice_.h[m][a]);
            pad += 8 * eps<T> * (lengths + h);
            lo += s[a];
            hi += s[a];
        }
        // lo and hi are each rounded to within half an ulp per operation above.
        constexpr T ulp = 4 * eps<T>;
        constexpr T largest = std::numeric_limits<T>::max();  // methods need finite sides
        const T low = lo - (pad + ulp * std::abs(lo)), high = hi + (pad + ulp * std::abs(hi));
        // If a shift overflows they may be NaN.
        box.lo[a] = low >= -largest ? std::min(low, largest) : -largest;
        box.hi[a] = high <= largest ? std::max(high, -largest) : largest;
    }
    return box;
}

template class Scene<float, 2>;
template class Scene<float, 3>;
template class Scene<double, 2>;
template class Scene<double, 3>;

}  // namespace vicinal::inline VICINAL_API
