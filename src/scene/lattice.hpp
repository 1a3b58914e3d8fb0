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
struct Lattice {
    std::array<Vector<T, D>, D> h{};  // rows H0, H1, ...
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

    // (n0*H0 + n1*H1) + n2*H2, in this order: the formula of the contract.
    Vector<T, D> shift(const Shift<D>& n) const {
        Vector<T, D> s;
        for (std::size_t d = 0; d < D; ++d) {
            s[d] = static_cast<T>(n[0]) * h[0][d];
            for (std::size_t k = 1; k < D; ++k) s[d] += static_cast<T>(n[k]) * h[k][d];
        }
        return s;
    }

    // Displacement of image n relative to its body during the step, due to the shear.
    Vector<T, D> drift(const Shift<D>& n) const {
        Vector<T, D> s{};
        s[1] = static_cast<T>(n[0]) * change;
        return s;
    }
};

}  // namespace vicinal::inline VICINAL_API
