// The domain: a lattice with any subset of its axes periodic. Only the lattice vectors matter,
// not the origin of the box, because images are relative to the coordinates as given.
//
//     options.domain = vicinal::Domain<3>::orthogonal({10, 10, 10});
#pragma once

#include <array>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// Made by the named functions only.
template <int D>
class VICINAL_EXPORT Domain {
  public:
    using Lengths = std::array<double, D>;
    using Axes = std::array<bool, D>;
    using Lattice = std::array<std::array<double, D>, D>;  // rows H0, H1, ...

    static Domain open() { return Domain(); }

    // Box of side lengths `lengths`; an axis that is not periodic ignores its length.
    static Domain orthogonal(const Lengths& lengths, const Axes& periodic = all());

    // Lees-Edwards / shearing sheet: crossing the box in x shifts y by `offset`, which changes
    // by `change` during the step. Any offset is allowed: it is reduced modulo the length in y,
    // and images refer to the reduced lattice, lattice(). x and y must be periodic. The change
    // matters only if bodies, others or queries move; at rest it has no effect.
    static Domain sheared(const Lengths& lengths, double offset, double change = 0,
                          const Axes& periodic = all());

    // Rows are the lattice vectors, right-handed or left-handed; they must be independent.
    static Domain triclinic(const Lattice& vectors, const Axes& periodic = all());

    const Lattice& lattice() const { return lattice_; }
    const Axes& periodic() const { return periodic_; }
    bool is_open() const { return periodic_ == Axes{}; }
    double shear_change() const { return shear_change_; }
    // The same lattice, which does not change during the step.
    Domain at_rest() const {
        Domain result = *this;
        result.shear_change_ = 0;
        return result;
    }

    // The shift of an image, (n0*H0 + n1*H1) + n2*H2, computed in T as the library does: if the
    // bodies are of type T, a pair's vector is D = (xj - xi) + shift<T>(image), bit for bit.
    template <Real T>
    Vector<T, D> shift(const Image<D>& image) const;

  private:
    Domain() = default;
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

    Lattice lattice_ = identity();
    Axes periodic_{};          // none: open
    double shear_change_ = 0;  // of the shear offset, during the step
};

extern template class Domain<2>;
extern template class Domain<3>;

#define VICINAL_DECLARE(D)                                                           \
    extern template Vector<float, D> Domain<D>::shift<float>(const Image<D>&) const; \
    extern template Vector<double, D> Domain<D>::shift<double>(const Image<D>&) const;
VICINAL_DECLARE(2)
VICINAL_DECLARE(3)
#undef VICINAL_DECLARE

}  // namespace vicinal::inline VICINAL_API
