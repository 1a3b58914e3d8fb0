#include "scene/lattice.hpp"

#include <string>

#include "base/text.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(Error::Kind::input, "domain: " + message);
}

void check_length(double length, std::size_t axis) {
    if (!(length > 0) || !std::isfinite(length))
        refuse("the period along " + std::string(1, "xyz"[axis]) + " is " +
               number_text(length) + "; a period must be positive and finite");
}

}  // namespace

template <int D>
Domain<D> Domain<D>::orthogonal(const Lengths& lengths, const Axes& periodic) {
    Domain domain;
    domain.periodic_ = periodic;
    for (std::size_t a = 0; a < D; ++a) {
        if (!periodic[a]) continue;
        check_length(lengths[a], a);
        domain.lattice_[a][a] = lengths[a];
    }
    return domain;
}

template <int D>
Domain<D> Domain<D>::sheared(const Lengths& lengths, double offset, double change,
                             const Axes& periodic) {
    if (!periodic[0] || !periodic[1])
        refuse("a sheared domain is not periodic along x and y; make both periodic");
    if (!std::isfinite(offset) || !std::isfinite(change))
        refuse("the shear offset or its change is not finite; give finite numbers");
    Domain domain = orthogonal(lengths, periodic);
    // remainder() is exact, so any two offsets that differ by whole periods in y and are
    // representable give the same lattice.
    domain.lattice_[0][1] = std::remainder(offset, lengths[1]);
    domain.shear_change_ = change;
    return domain;
}

template <int D>
Domain<D> Domain<D>::triclinic(const Lattice& vectors, const Axes& periodic) {
    Domain domain;
    domain.lattice_ = vectors;
    domain.periodic_ = periodic;
    return domain;
}

template <int D>
template <Real T>
Vector<T, D> Domain<D>::shift(const Image<D>& image) const {
    Shift<D> n;
    for (std::size_t k = 0; k < D; ++k) n[k] = image[k];
    return lattice_shift(vectors_in<T, D>(lattice_), n);
}

template class Domain<2>;
template class Domain<3>;
template Vector<float, 2> Domain<2>::shift<float>(const Image<2>&) const;
template Vector<double, 2> Domain<2>::shift<double>(const Image<2>&) const;
template Vector<float, 3> Domain<3>::shift<float>(const Image<3>&) const;
template Vector<double, 3> Domain<3>::shift<double>(const Image<3>&) const;

}  // namespace vicinal::inline VICINAL_API

namespace vicinal::inline VICINAL_API {
namespace {

using Matrix2 = std::array<std::array<double, 2>, 2>;
using Matrix3 = std::array<std::array<double, 3>, 3>;

double determinant(const Matrix2& m) {
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

double determinant(const Matrix3& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Adjugate over determinant.
Matrix2 adjugate_over(const Matrix2& m, double det) {
    return {{{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}};
}

Matrix3 adjugate_over(const Matrix3& m, double det) {
    Matrix3 r;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3,
                              d = (i + 2) % 3;
            r[i][j] = (m[a][c] * m[b][d] - m[a][d] * m[b][c]) / det;
        }
    return r;
}

template <class Matrix>
Matrix inverted(const Matrix& m, const char* when) {
    const double det = determinant(m);
    if (!std::isfinite(1 / det) || !std::isfinite(det))
        throw Error(Error::Kind::input,
                    "domain: the lattice vectors span a volume of " + number_text(det) + when +
                        "; they must be independent (not all in one plane or line)");
    return adjugate_over(m, det);
}

}  // namespace

template <Real T, int D>
Lattice<T, D>::Lattice(const Domain<D>& domain) : periodic(domain.periodic()) {
    open = domain.is_open();
    change = static_cast<T>(domain.shear_change());
    h = vectors_in<T, D>(domain.lattice());
    std::array<std::array<double, D>, D> wide;
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t d = 0; d < D; ++d) {
            wide[k][d] = static_cast<double>(h[k][d]);
            if (!std::isfinite(wide[k][d]))
                throw Error(Error::Kind::input,
                            "domain: component " + std::string(1, "xyz"[d]) +
                                " of lattice vector " + std::to_string(k) +
                                " is not a finite number of this precision; choose a smaller "
                                "one or double precision");
        }
    if (!std::isfinite(static_cast<double>(change)))
        throw Error(
            Error::Kind::input,
            "domain: the change of the shear offset is not finite; give a finite number");
    if (!periodic[0]) change = 0;  // without images it moves nothing
    // Along an open axis the vector only completes the basis: files often give it as zero.
    for (std::size_t k = 0; k < D; ++k)
        if (!periodic[k] && wide[k] == std::array<double, D>{}) wide[k][k] = 1;
    inverse = inverted(wide, "");
    if (change == 0) return;
    auto last = wide;
    last[0][1] += static_cast<double>(change);
    last_inverse = inverted(last, " at the end of the step");
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t m = 0; m < D; ++m) {
            advance[k][m] = 0;
            for (std::size_t a = 0; a < D; ++a)
                advance[k][m] += wide[k][a] * last_inverse[a][m];
        }
}

template struct Lattice<float, 2>;
template struct Lattice<float, 3>;
template struct Lattice<double, 2>;
template struct Lattice<double, 3>;

}  // namespace vicinal::inline VICINAL_API
