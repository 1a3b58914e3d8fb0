// The policy of the skin: samples how far bodies move, measures how long lists last, and weighs
// the cost of a list against a search from scratch.
#include "finder/skin_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/shape.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// The largest component of a displacement, reduced by whole periods.
template <Real T, int D>
double largest_component(const std::array<double, D>& by, const Lattice<T, D>& lattice) {
    std::array<double, D> f{};
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t a = 0; a < D; ++a) f[k] += by[a] * lattice.inverse[a][k];
    double largest = 0;
    for (std::size_t a = 0; a < D; ++a) {
        double x = by[a];
        for (std::size_t k = 0; k < D; ++k)
            if (lattice.periodic[k])
                x -= std::round(f[k]) * static_cast<double>(lattice.h[k][a]);
        largest = std::max(largest, std::abs(x));
    }
    return largest;
}

}  // namespace

// Records the largest motion of a sample since the last step, and the mean size. Invalid values
// do no harm: a step with invalid values is rejected.
template <Real T, int D>
void SkinPolicy<T, D>::note_motion(const Bodies<T, D>& bodies, const Lattice<T, D>& lattice) {
    if (fixed_width_) return;
    constexpr std::size_t max_samples = 1024;
    const std::size_t n = bodies.size(), count = std::min(n, max_samples);
    const bool known = bodies_then_ == n && sample_.size() == count && n > 0;
    sample_.resize(count);
    bodies_then_ = n;
    double largest = 0, size = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const std::size_t i = s * n / count;
        Sample now, by;
        for (std::size_t a = 0; a < D; ++a) {
            now[a] = static_cast<double>(bodies.position.axis[a][i]);
            by[a] = now[a] - sample_[s][a];
            size += (static_cast<double>(upper_corner(bodies, i, a)) -
                     static_cast<double>(lower_corner(bodies, i, a))) /
                    D;
        }
        size += 2 * static_cast<double>(half_reach(bodies, i));
        largest = std::max(largest, largest_component<T, D>(by, lattice));
        sample_[s] = now;
    }
    size_ = size / static_cast<double>(std::max<std::size_t>(count, 1));
    moved_ = known ? largest : -1;
}

// Measures the speed by the steps that the list lasted. After a list that did not last two
// steps, exponential back-off.
template <Real T, int D>
void SkinPolicy<T, D>::note_end(double width, std::uint64_t steps) {
    speed_ = width / 2 / static_cast<double>(steps + 1);
    back_off_ = steps >= 2 ? 1 : std::min<std::uint64_t>(2 * back_off_, 64);
    rest_ = steps >= 2 ? 0 : back_off_;
}

template <Real T, int D>
std::optional<double> SkinPolicy<T, D>::choose_width(std::uint64_t pairs) {
    if (fixed_width_) return fixed_width_;
    if (moved_ < 0) return std::nullopt;  // no motion measured yet
    double width = 0;
    if (rest_ > 0)
        --rest_;
    else
        width = cheapest_width(speed_ >= 0 ? speed_ : moved_, pairs);
    if (width > 0) return width;
    speed_ = -1;
    return std::nullopt;
}

// Cost in units of one listed pair, from counts. The constants are properties of the code,
// measured once: checking a body in a step, listing a body, ordering a listed pair, searching a
// body from scratch. 0 if no width is worth a list.
template <Real T, int D>
double SkinPolicy<T, D>::cheapest_width(double motion, std::uint64_t pairs) const {
    constexpr double check = 4, make = 60, order = 8, scratch = 28, max_steps = 500;
    const auto n = static_cast<double>(bodies_then_);
    const auto found = static_cast<double>(pairs);
    const double alone = scratch * n + found;
    double best = std::numeric_limits<double>::infinity(), width = 0;
    for (double share = 0.04; share < 2; share *= 1.25) {
        const double listed = std::max(found, n / 8) * std::pow(1 + share, D);
        const double steps =
            motion > 0 ? std::min(max_steps, share * size_ / (2 * motion)) : max_steps;
        const double cost =
            check * n + listed + (make * n + order * listed) / std::max(steps, 1.0);
        if (cost >= best) continue;
        best = cost;
        width = share * size_;
    }
    return best < 0.9 * alone ? width : 0;
}

template class SkinPolicy<float, 2>;
template class SkinPolicy<float, 3>;
template class SkinPolicy<double, 2>;
template class SkinPolicy<double, 3>;

}  // namespace vicinal::inline VICINAL_API
