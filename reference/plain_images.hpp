// The images that a plain evaluation must test: for two bodies, every integer shift that could
// bring them within reach. Computed in double from the inverse of the lattice, with generous
// bounds: an extra shift costs a test, a missing shift would be a wrong result.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <vicinal/bodies.hpp>
#include <vicinal/domain.hpp>
#include <vicinal/error.hpp>

namespace vicinal::reference {

// Prevents deduction: D of std::array is a std::size_t, ours is an int.
template <int D>
using Shift = std::type_identity_t<std::array<int, D>>;

template <int D>
bool is_home(const Shift<D>& n) {
    for (const int k : n)
        if (k != 0) return false;
    return true;
}

// Gauss-Jordan with pivoting.
template <std::size_t D>
std::array<std::array<double, D>, D> inverse(std::array<std::array<double, D>, D> m) {
    std::array<std::array<double, D>, D> result{};
    for (std::size_t k = 0; k < D; ++k) result[k][k] = 1;
    for (std::size_t k = 0; k < D; ++k) {
        std::size_t pivot = k;
        for (std::size_t r = k + 1; r < D; ++r)
            if (std::abs(m[r][k]) > std::abs(m[pivot][k])) pivot = r;
        std::swap(m[k], m[pivot]);
        std::swap(result[k], result[pivot]);
        const double scale = m[k][k];
        for (std::size_t c = 0; c < D; ++c) m[k][c] /= scale, result[k][c] /= scale;
        for (std::size_t r = 0; r < D; ++r) {
            if (r == k) continue;
            const double factor = m[r][k];
            for (std::size_t c = 0; c < D; ++c)
                m[r][c] -= factor * m[k][c], result[r][c] -= factor * result[k][c];
        }
    }
    return result;
}

template <Real T, int D>
class PlainImages {
  public:
    // `moving`: true if either set moves; otherwise the shear does not change.
    PlainImages(const Domain<D>& domain, bool moving)
        : lattice_(domain.lattice()), periodic_(domain.periodic()), open_(domain.is_open()) {
        if (moving && periodic_[0]) change_ = domain.shear_change();
        for (std::size_t k = 0; k < D; ++k) {
            if (periodic_[k]) continue;
            // An open axis may have any lattice vector; its coefficient is zero.
            if (lattice_[k] == std::array<double, D>{}) lattice_[k][k] = 1;
        }
        inverse_ = inverse(lattice_);
        auto last = lattice_;
        last[0][1] += change_;
        last_inverse_ = inverse(last);
    }

    // Calls visit(n) for every shift of j that may bring it within reach of i, in increasing
    // order.
    template <class Visit>
    void for_each(const Bodies<T, D>& a, Index i, const Bodies<T, D>& b, Index j,
                  const Visit& visit) const {
        if (open_) return visit(Shift<D>{});
        const auto [first, last] = range(window(a, i, b, j));
        Shift<D> n = first;
        for (;;) {
            visit(n);
            std::size_t k = D;
            while (k > 0 && n[k - 1] == last[k - 1]) --k, n[k] = first[k];
            if (k == 0) return;
            ++n[k - 1];
        }
    }

  private:
    using Lengths = std::array<double, D>;

    // The positions of j relative to i at which the two can touch: centre and half width per
    // axis, and the magnitude of the numbers involved, which determines the rounding error.
    struct Window {
        Lengths centre, half, size;
    };

    static double width(const Bodies<T, D>& bodies, Index i) {
        if (bodies.shape == Shape::spheres) return static_cast<double>(bodies.radius[i]);
        return bodies.shape == Shape::points ? static_cast<double>(bodies.cutoff) : 0;
    }

    static Window window(const Bodies<T, D>& a, Index i, const Bodies<T, D>& b, Index j) {
        const auto& upper_i = a.shape == Shape::boxes ? a.upper : a.position;
        const auto& upper_j = b.shape == Shape::boxes ? b.upper : b.position;
        // For two radii the sum is the widest rule; for two points it is twice the cut-off.
        const double reach = width(a, i) + width(b, j);
        Window w;
        for (int x = 0; x < D; ++x) {
            const auto axis = static_cast<std::size_t>(x);
            const double lo_i = a.position(i, x), hi_i = upper_i(i, x);
            const double lo_j = b.position(j, x), hi_j = upper_j(j, x);
            const double u = (a.swept() ? std::abs(double{a.displacement(i, x)}) : 0) +
                             (b.swept() ? std::abs(double{b.displacement(j, x)}) : 0);
            const double low = lo_j - hi_i - reach - u, high = hi_j - lo_i + reach + u;
            w.centre[axis] = (low + high) / 2;
            w.half[axis] = (high - low) / 2;
            w.size[axis] = std::max(std::abs(lo_i), std::abs(hi_i)) +
                           std::max(std::abs(lo_j), std::abs(hi_j)) + reach + u;
        }
        return w;
    }

    // j + n H is in the mirrored window: n = -p H^-1 for some p in the window. While the shear
    // changes, n of a given p is monotone (for H0 = (Lx, delta), H1 = (0, Ly), n1 is linear in
    // delta), so the first and the last moment bound it.
    std::pair<Lengths, Lengths> solve(const Window& w) const {
        Lengths low{}, high{};
        for (std::size_t k = 0; k < D; ++k) {
            if (!periodic_[k]) continue;
            bool first = true;
            for (const auto* at : {&inverse_, &last_inverse_}) {
                double centre = 0, half = 0;
                for (std::size_t x = 0; x < D; ++x) {
                    centre -= w.centre[x] * (*at)[x][k];
                    half += w.half[x] * std::abs((*at)[x][k]);
                }
                low[k] = first ? centre - half : std::min(low[k], centre - half);
                high[k] = first ? centre + half : std::max(high[k], centre + half);
                first = false;
            }
        }
        return {low, high};
    }

    std::pair<Shift<D>, Shift<D>> range(Window w) const {
        const auto [low, high] = solve(w);
        for (std::size_t x = 0; x < D; ++x) {
            double size = w.size[x];
            for (std::size_t k = 0; k < D; ++k)
                size += largest(low[k], high[k]) * std::abs(lattice_[k][x]);
            if (x == 1) size += (largest(low[0], high[0]) + 1) * std::abs(change_);
            // Covers distances whose squares underflow, which also pair.
            w.half[x] += 16 * double{std::numeric_limits<T>::epsilon()} * size +
                         std::sqrt(double{std::numeric_limits<T>::min()});
        }
        return whole(solve(w));
    }

    static double largest(double low, double high) {
        return std::max(std::abs(low), std::abs(high));
    }

    // The window already covers rounding; the half on either side is an extra margin.
    std::pair<Shift<D>, Shift<D>> whole(const std::pair<Lengths, Lengths>& real) const {
        Shift<D> first{}, last{};
        for (std::size_t k = 0; k < D; ++k) {
            if (!periodic_[k]) continue;
            const double low = std::ceil(real.first[k] - 0.5);
            const double high = std::floor(real.second[k] + 0.5);
            if (!(low > -1e6 && high < 1e6))
                throw Error(Error::Kind::input,
                            "two bodies are more than a million periods apart "
                            "on axis " +
                                std::to_string(k) + "; wrap the coordinates first");
            first[k] = static_cast<int>(low);
            last[k] = static_cast<int>(high);
        }
        return {first, last};
    }

    typename Domain<D>::Lattice lattice_;
    typename Domain<D>::Axes periodic_;
    double change_ = 0;  // of the shear offset
    bool open_;
    std::array<std::array<double, D>, D> inverse_,
        last_inverse_;  // at the beginning and the end of the step
};

}  // namespace vicinal::reference
