// A query against the boxes of a world. Bodies are decided by the formulas of the contract
// (sieve/decide.hpp), nodes of the tree by a faster test that never excludes a body which the
// formula accepts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/box.hpp"
#include "sieve/decide.hpp"

#include <vicinal/world.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class Cast {
  public:
    explicit Cast(const Query<T, D>& query) : query_(query) {
        for (std::size_t k = 0; k < D; ++k) {
            const T u = query.along[k];
            moving_ = moving_ || u != 0;
            // Outside this range 1 / u has too few digits: that axis excludes no node.
            const bool usable = std::abs(u) >= 1 / largest && std::abs(u) <= largest;
            axis_[k] = u == 0 ? Axis::still : usable ? Axis::moving : Axis::unbounded;
            inverse_[k] = axis_[k] == Axis::moving ? 1 / u : T{0};
        }
    }

    // A lower bound of the fraction at which the query enters any body inside this box, or -1
    // if it enters none. Without a radius, differences and quotients are those of the formula
    // but for the rounding of a product instead of a quotient; all are monotone in the box.
    T entry(const Box<T, D>& box) const {
        T enter = 0, leave = 1;
        for (std::size_t k = 0; k < D; ++k) {
            T a = box.lo[k] - query_.upper[k], b = box.hi[k] - query_.lower[k];
            if (query_.radius > 0) {
                const T size = std::max(std::abs(a), std::abs(b)) + std::abs(query_.along[k]);
                const T wide = query_.radius * (1 + 8 * eps) + 8 * eps * size + tiny;
                a -= wide;
                b += wide;
            }
            if (axis_[k] == Axis::still) {
                if (!(a <= 0 && b >= 0)) return -1;
            } else if (axis_[k] == Axis::moving) {
                const T x = a * inverse_[k], y = b * inverse_[k];
                enter = std::max(enter, std::min(x, y));
                leave = std::min(leave, std::max(x, y));
            }
        }
        enter = enter - (enter * 4 * eps + smallest);
        leave = leave + (std::abs(leave) * 4 * eps + smallest);
        return enter <= leave ? std::max(enter, T{0}) : T{-1};
    }

    // The fraction at which the query touches the box, or -1.
    T hit(const Box<T, D>& box) const {
        Vector<T, D> a, b, v{};
        for (std::size_t k = 0; k < D; ++k) {
            a[k] = box.lo[k] - query_.upper[k];
            b[k] = box.hi[k] - query_.lower[k];
            if (moving_) v[k] = -query_.along[k];
        }
        if (query_.radius > 0) return round_hit(a, b, v);
        if (!box_touches_box<T, D>(a, b, v, moving_)) return -1;
        T enter = 0;  // as in the formula
        for (std::size_t k = 0; k < D; ++k)
            if (v[k] != 0) enter = std::max(enter, v[k] > 0 ? -b[k] / v[k] : -a[k] / v[k]);
        return enter;
    }

  private:
    enum class Axis : std::uint8_t { still, moving, unbounded };
    static constexpr T eps = std::numeric_limits<T>::epsilon();
    static constexpr T smallest = std::numeric_limits<T>::min();
    static constexpr T largest = 1 / (4 * smallest);
    // The square of a smaller distance underflows.
    static constexpr T tiny = std::is_same_v<T, float> ? T(2e-19) : T(2e-154);

    bool touches(const Vector<T, D>& a, const Vector<T, D>& b, Vector<T, D> v, T part) const {
        for (T& component : v) component *= part;
        return round_touches_moving_box<T, D>(a, b, v, query_.radius);
    }

    // The least part of the way on which the query touches the box, by bisection: parts are
    // fractions between two adjacent numbers at its end.
    T round_hit(const Vector<T, D>& a, const Vector<T, D>& b, const Vector<T, D>& v) const {
        if (squared_gap<T, D>(a, b, v, T{0}) <= query_.radius * query_.radius) return 0;
        if (!moving_ || !touches(a, b, v, 1)) return -1;
        T before = 0, after = 1;
        for (T middle = T(0.5); middle > before && middle < after;
             middle = before + (after - before) / 2)
            (touches(a, b, v, middle) ? after : before) = middle;
        return after;
    }

    Query<T, D> query_;
    Vector<T, D> inverse_{};
    std::array<Axis, D> axis_{};
    bool moving_ = false;
};

}  // namespace vicinal::inline VICINAL_API
