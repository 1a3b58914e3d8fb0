// The lattice vectors in the scalar type of the bodies, and the shifts computed from them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/image.hpp"

#include <vicinal/domain.hpp>
#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
using LatticeVectors = std::array<Vector<T, D>, D>;  // rows H0, H1, ...

// The vectors of a domain in the scalar type of the bodies.
template <Real T, int D>
LatticeVectors<T, D> vectors_in(const typename Domain<D>::Lattice& given) {
    LatticeVectors<T, D> h;
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t d = 0; d < D; ++d) h[k][d] = static_cast<T>(given[k][d]);
    return h;
}

// (n0*H0 + n1*H1) + n2*H2, in this order: the formula of the contract.
template <Real T, std::size_t D>
Vector<T, static_cast<int>(D)> lattice_shift(const std::array<std::array<T, D>, D>& h,
                                             const std::array<std::int32_t, D>& n) {
    std::array<T, D> s;
    for (std::size_t d = 0; d < D; ++d) {
        s[d] = static_cast<T>(n[0]) * h[0][d];
        for (std::size_t k = 1; k < D; ++k) s[d] += static_cast<T>(n[k]) * h[k][d];
    }
    return s;
}

template <Real T, int D>
struct Lattice {
    LatticeVectors<T, D> h{};
    std::array<bool, D> periodic{};
    T change = 0;                                    // of the shear offset during the step
    std::array<std::array<double, D>, D> inverse{};  // x * inverse: fractional coordinates
    // If the shear offset changes: the inverse at the end of the step, and the matrix that maps
    // fractional coordinates at the beginning to those at the end.
    std::array<std::array<double, D>, D> last_inverse{}, advance{};
    bool open = true;

    Lattice() = default;
    explicit Lattice(const Domain<D>& domain);

    // Does each vector lie along its own axis?
    bool rectangular() const {
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t d = 0; d < D; ++d)
                if (k != d && h[k][d] != 0) return false;
        return true;
    }

    Vector<T, D> shift(const Shift<D>& n) const { return lattice_shift(h, n); }

    // Displacement of image n relative to its body during the step, due to the shear.
    Vector<T, D> drift(const Shift<D>& n) const {
        Vector<T, D> s{};
        s[1] = static_cast<T>(n[0]) * change;
        return s;
    }
};

}  // namespace vicinal::inline VICINAL_API
