// Boxes quantised to a coarse grid, with one bit field per axis, so that many fit the cache and
// two are compared in a few instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/box.hpp"

namespace vicinal::inline VICINAL_API {

// The highest bit of each lane is a guard.
template <int D>
struct QuantisedBox {
    static constexpr unsigned lane = 32 / D;
    static constexpr std::uint32_t max_cell = (1u << (lane - 1)) - 1;
    static constexpr std::uint32_t guard = D == 2 ? 0x80008000u : 1u << 29 | 1u << 19 | 1u << 9;
    std::uint32_t lo = 0, hi = 0;

    // A lane that is not less than another keeps its guard bit.
    bool overlaps(const QuantisedBox& other) const {
        return (((hi | guard) - other.lo) & ((other.hi | guard) - lo) & guard) == guard;
    }
};

// The grid. Coordinates outside are clamped to its border cells.
template <Real T, int D>
class BoxQuantiser {
  public:
    void set_axis(std::size_t a, T low, T high) {
        low_[a] = static_cast<double>(low);
        const double edge = static_cast<double>(high) - low_[a];
        const double scale = QuantisedBox<D>::max_cell / edge;
        scale_[a] = std::isfinite(scale) ? scale : 0;
    }

    // Bounds the union of both boxes.
    QuantisedBox<D> operator()(const Box<T, D>& one, const Box<T, D>& other) const {
        QuantisedBox<D> result;
        for (std::size_t a = 0; a < D; ++a) {
            const auto shift = static_cast<unsigned>(a) * QuantisedBox<D>::lane;
            result.lo |= cell(std::min(one.lo[a], other.lo[a]), a) << shift;
            result.hi |= cell(std::max(one.hi[a], other.hi[a]), a) << shift;
        }
        return result;
    }

  private:
    std::uint32_t cell(T x, std::size_t a) const {
        const double c = (static_cast<double>(x) - low_[a]) * scale_[a];
        return static_cast<std::uint32_t>(
            std::min(std::max(0.0, c), static_cast<double>(QuantisedBox<D>::max_cell)));
    }

    std::array<double, D> low_{}, scale_{};
};

}  // namespace vicinal::inline VICINAL_API
