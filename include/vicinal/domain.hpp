// The domain: a lattice with any subset of its axes periodic. Only the lattice vectors matter,
// not the origin of the box, because images are relative to the coordinates as given.
#pragma once

#include <array>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

template <int D>
struct VICINAL_EXPORT Domain {
    using Lengths = std::array<double, D>;
    using Axes = std::array<bool, D>;
    using Lattice = std::array<std::array<double, D>, D>;  // rows H0, H1, ...

    Lattice lattice = identity();
    Axes periodic{};          // none: open
    double shear_change = 0;  // change of the shear offset during the step (where bodies move)

    static Domain open() { return {}; }

    // Box of side lengths `lengths`; an axis that is not periodic ignores its length.
    static Domain orthogonal(const Lengths& lengths, const Axes& periodic = all());

    // Lees-Edwards / shearing sheet: crossing the box in x shifts y by `offset`, which changes
    // by `change` during the step. Any offset is allowed: it is reduced modulo the length in y,
    // and images refer to the reduced lattice (Report::lattice). x and y must be periodic. The
    // change matters only if bodies, others or queries move; at rest it has no effect.
    static Domain sheared(const Lengths& lengths, double offset, double change = 0,
                          const Axes& periodic = all());

    // Rows are the lattice vectors; they must form a right-handed system.
    static Domain triclinic(const Lattice& vectors, const Axes& periodic = all());

    bool is_open() const {
        for (bool p : periodic)
            if (p) return false;
        return true;
    }

  private:
    static constexpr Axes all() {
        Axes axes{};
        for (bool& a : axes) a = true;
        return axes;
    }
    static constexpr Lattice identity() {
        Lattice h{};
        for (std::size_t a = 0; a < D; ++a) h[a][a] = 1;
        return h;
    }
};

extern template struct Domain<2>;
extern template struct Domain<3>;

}  // namespace vicinal::inline VICINAL_API
