// The coordinates in which space is cut into regions: fractions of the lattice vectors, or of
// the unit vectors along open axes.
//
// A lattice that is rectangular except for the offset of a shear is cut in its rectangular
// cell: an image across the x face is wrapped in x, shifted in y, and wrapped in y. So the
// regions stay where they are while the offset changes, and bounds are not enlarged by slanted
// coordinates. The shift is in the units of y per period in x.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/box.hpp"
#include "scene/check.hpp"
#include "scene/extent.hpp"

#include <vicinal/domain.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class Cell {
  public:
    explicit Cell(const Domain<D>& domain) : lattice_(domain), to_cell_(lattice_.inverse) {
        if (!rectangular_but_sheared()) return;
        const auto length = static_cast<double>(lattice_.h[1][1]);
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t m = 0; m < D; ++m)
                if (k != m) to_cell_[k][m] = 0;
        shift_ = static_cast<double>(lattice_.h[0][1]) / length;
        last_shift_ = shift_ + static_cast<double>(lattice_.change) / length;
    }

    std::array<double, D> wrapped(const std::array<double, D>& x) const {
        std::array<double, D> u = in_cell(x);
        for (std::size_t k = 0; k < D; ++k) {
            if (!lattice_.periodic[k]) continue;
            const double n = std::floor(u[k]);
            u[k] -= n;
            if (k == 0) u[1] -= n * shift_;
        }
        for (double& component : u)  // of a body too far away: any region may own it
            if (!std::isfinite(component)) component = 0;
        return u;
    }

    // Lengths of the unit vectors.
    std::array<double, D> lengths() const {
        std::array<double, D> lengths;
        for (std::size_t k = 0; k < D; ++k) {
            double square = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const auto h = static_cast<double>(lattice_.h[k][a]);
                square += (k == a || shift_ == 0) ? h * h : 0;
            }
            lengths[k] = square > 0 ? std::sqrt(square) : 1;  // an open axis may have none
        }
        return lengths;
    }

    // Calls f(box) for the bounds of the extent in every image that meets the cell, which is
    // closed. Rounding only enlarges the boxes, or adds one.
    template <class F>
    void for_each_image(const Extent<D>& extent, const F& f) const {
        images_from(0, bounds(extent), f);
    }

    // Extents within this box meet no other region than this one, in no image: the region,
    // narrowed by the rounding that bounds() adds to a body inside it. In coordinates as given;
    // empty if those of the cell are slanted.
    Box<double, D> interior(const Box<double, D>& region) const {
        Box<double, D> box = empty_box<double, D>();
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a)
                if (k != a && to_cell_[k][a] != 0) return box;
        // Such a body is at most one period long, and at most one away from the origin.
        std::array<double, D> periods{};
        for (std::size_t k = 0; k < D; ++k) periods[k] = lattice_.periodic[k] ? 4 : 0;
        periods[1] += 4 * largest_shift();
        const std::array<double, D> rounding = shift_rounding(lattice_, periods);
        for (std::size_t k = 0; k < D; ++k) {
            const double low =
                lattice_.periodic[k] ? std::max(region.lo[k], 0.0) : region.lo[k];
            const double high =
                lattice_.periodic[k] ? std::min(region.hi[k], 1.0) : region.hi[k];
            const double a = low / to_cell_[k][k], b = high / to_cell_[k][k];
            const double margin =
                rounding[k] + 64 * epsilon * periods[k] / std::abs(to_cell_[k][k]);
            box.lo[k] = std::min(a, b) + margin;
            box.hi[k] = std::max(a, b) - margin;
        }
        return box;
    }
    static bool contains(const Box<double, D>& interior, const Extent<D>& extent) {
        unsigned yes = 1;  // branch-free
        for (std::size_t k = 0; k < D; ++k) {
            const double half = extent.half[k] + 64 * epsilon * std::abs(extent.centre[k]);
            yes &= unsigned{extent.centre[k] - half > interior.lo[k]} &
                   unsigned{extent.centre[k] + half < interior.hi[k]};
        }
        return yes != 0;
    }

  private:
    static constexpr double epsilon = std::numeric_limits<double>::epsilon();
    using Matrix = std::array<std::array<double, D>, D>;

    bool rectangular_but_sheared() const {
        if (!lattice_.periodic[0] || !lattice_.periodic[1]) return false;
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a)
                if (k != a && !(k == 0 && a == 1) && lattice_.h[k][a] != 0) return false;
        return lattice_.h[0][1] != 0 || lattice_.change != 0;
    }

    std::array<double, D> in_cell(const std::array<double, D>& x) const {
        std::array<double, D> u{};
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a) u[k] += x[a] * to_cell_[a][k];
        return u;
    }

    double largest_shift() const { return std::max(std::abs(shift_), std::abs(last_shift_)); }

    // Widened by the rounding in T of the shifts to the cell, and by that of this class.
    Box<double, D> bounds(const Extent<D>& extent) const {
        const std::array<double, D> u = in_cell(extent.centre);
        std::array<double, D> half{}, periods{};
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a)
                half[k] += (extent.half[a] + 32 * epsilon * std::abs(extent.centre[a])) *
                           std::abs(to_cell_[a][k]);
        for (std::size_t k = 0; k < D; ++k) {
            if (!lattice_.periodic[k]) continue;
            periods[k] = std::abs(u[k]) + half[k] + 2;
            if (k == 1) periods[1] += largest_shift() * periods[0];
        }
        const std::array<double, D> rounding = shift_rounding(lattice_, periods);
        Box<double, D> box;
        for (std::size_t k = 0; k < D; ++k) {
            for (std::size_t a = 0; a < D; ++a)
                half[k] += rounding[a] * std::abs(to_cell_[a][k]);
            half[k] += 16 * epsilon * periods[k];  // of wrapping
            box.lo[k] = u[k] - half[k];
            box.hi[k] = u[k] + half[k];
        }
        return box;
    }

    // The images along axis k and the following ones. A body as long as a period meets the
    // whole cell; so does, to be safe, one that is very far away. (If the lattice is sheared,
    // its images in x meet the whole cell in y also.)
    template <class F>
    void images_from(std::size_t k, const Box<double, D>& box, const F& f) const {
        if (k == D) return f(box);
        if (!lattice_.periodic[k]) return images_from(k + 1, box, f);
        constexpr double far = 1e9;
        const bool few = box.hi[k] - box.lo[k] < 1 && box.lo[k] > -far && box.hi[k] < far;
        if (!few) {
            Box<double, D> whole = box;
            whole.lo[k] = 0;
            whole.hi[k] = 1;
            if (k == 0 && (shift_ != 0 || last_shift_ != 0)) {
                whole.lo[1] = 0;
                whole.hi[1] = 1;
            }
            return images_from(k + 1, whole, f);
        }
        const double last = std::floor(box.hi[k]);
        for (double n = std::ceil(box.lo[k] - 1); n <= last; ++n) {
            Box<double, D> image = box;
            image.lo[k] -= n;
            image.hi[k] -= n;
            if (k == 0) {  // the two may touch at any time of the step
                image.lo[1] -= std::max(n * shift_, n * last_shift_);
                image.hi[1] -= std::min(n * shift_, n * last_shift_);
            }
            images_from(k + 1, image, f);
        }
    }

    Lattice<T, D> lattice_;
    Matrix to_cell_;
    double shift_ = 0, last_shift_ = 0;  // of y, at the beginning and the end of the step
};

// For bodies whose arrays it checks, but not their values. The change of the shear moves images
// only if bodies move.
template <Real T, int D>
Cell<T, D> cell_of(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    check_arrays(bodies, traits_of(bodies.shape).name);
    return Cell<T, D>(bodies.swept() ? domain : domain.at_rest());
}

}  // namespace vicinal::inline VICINAL_API
