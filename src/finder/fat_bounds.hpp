// Fat bounds: the bodies enlarged by half the skin. As long as every body stays within its fat
// bounds, only pairs whose fat bounds overlap can touch.
//
// The fat bounds of boxes and of moving bodies are boxes, those of round bodies at rest are
// balls. If the lattice changes by dH, image m moves by m dH, which the fat bounds must cover
// as well.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/buffer.hpp"
#include "scene/scene.hpp"

#include <vicinal/bodies.hpp>
#include <vicinal/domain.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class FatBounds {
  public:
    enum class Kind : std::uint8_t {
        boxes,   // at rest
        round,   // at rest
        proxies  // the boxes of the scene; every near pair is decided from the caller's arrays
    };

    // True if these bodies can have fat bounds.
    static bool possible(const Bodies<T, D>& bodies, const Domain<D>& domain);
    // Encloses the bodies of the scene, none of which is shifted, with a skin of at most
    // `width`. False if that is impossible.
    bool enclose(const Scene<T, D>& scene, double width);

    // The fat bounds as bodies: their pairs are the list.
    const Bodies<T, D>& bodies() const { return fat_; }
    // The bodies enclosed; their arrays are no longer valid.
    const Bodies<T, D>& enclosed() const { return enclosed_; }
    Kind kind() const { return kind_; }
    bool round() const { return kind_ == Kind::round; }
    double width() const { return width_; }
    T half_width() const { return half_width_; }                   // how far a body may move
    T max_reach() const { return max_reach_; }                     // of round bodies, enlarged
    const T* lower(std::size_t a) const { return lo_[a].data(); }  // round: centres
    const T* upper(std::size_t a) const { return hi_[a].data(); }
    const T* radius() const { return radius_.data(); }  // as enclosed

    // True if the bodies of this scene have the same number and kind as those enclosed.
    bool same_kind(const Scene<T, D>& scene) const;
    // Computes the part of the skin that the change of the lattice uses; the rest is available
    // for the motion of bodies. False if the skin is too narrow.
    bool cover_lattice(const Scene<T, D>& scene);
    // True if body i of the scene, at its shift, is within its fat bounds, reduced by the slack
    // and the lattice change.
    bool holds(const Scene<T, D>& scene, Index i) const {
        return round() ? holds_ball(scene, i) : holds_box(scene, i);
    }
    // The shift by whole periods that brings a body nearest to its position when enclosed.
    Shift<D> periods_off(const Scene<T, D>& scene, Index i) const;

  private:
    struct Extent;  // result of measure()

    void limit_width(const Scene<T, D>& scene);
    void measure(const Scene<T, D>& scene);
    T reach_share(T raw) const;
    void make_round(const Scene<T, D>& scene);
    void make_boxes(const Scene<T, D>& scene);
    bool holds_ball(const Scene<T, D>& scene, Index i) const;
    bool holds_box(const Scene<T, D>& scene, Index i) const;

    Kind kind_ = Kind::boxes;
    double width_ = 0;
    T half_width_ = 0;
    double slack_ = 0;                     // rounding of shifted coordinates
    std::array<double, D> budget_used_{};  // part of the width used by the lattice change
    std::array<double, D> max_images_{};
    T max_reach_ = 0;
    Bodies<T, D> enclosed_, fat_;
    Lattice<T, D> lattice_;  // when enclosed
    std::array<Buffer<T>, D> lo_, hi_;
    Buffer<T> radius_, wide_radius_;
};

// Inline: every step in a periodic domain checks every body.
template <Real T, int D>
bool FatBounds<T, D>::holds_ball(const Scene<T, D>& scene, Index i) const {
    const Bodies<T, D>& view = scene.view();
    const Vector<T, D> s = scene.lattice().shift(scene.shift(i));
    double square = 0, used = 0;
    for (std::size_t a = 0; a < D; ++a) {
        const double by = static_cast<double>(view.position.axis[a][i]) +
                          static_cast<double>(s[a]) - static_cast<double>(lo_[a][i]);
        square += by * by;
        used += budget_used_[a] * budget_used_[a];
    }
    const double grown =
        has_radius(view)
            ? static_cast<double>(view.radius[i]) - static_cast<double>(radius_[i])
            : (static_cast<double>(view.cutoff) - static_cast<double>(enclosed_.cutoff)) / 2;
    const double budget =
        static_cast<double>(half_width_) - std::sqrt(used) / 2 - std::max(grown, 0.0);
    return budget >= 0 && square <= budget * budget;
}

template <Real T, int D>
bool FatBounds<T, D>::holds_box(const Scene<T, D>& scene, Index i) const {
    const Bodies<T, D>& view = scene.view();
    const Vector<T, D> s = scene.lattice().shift(scene.shift(i));
    Box<T, D> box;
    if (kind_ == Kind::proxies) box = scene.box(i);
    bool inside = true;
    for (std::size_t a = 0; a < D; ++a) {
        auto lo = static_cast<double>(box.lo[a]), hi = static_cast<double>(box.hi[a]);
        if (kind_ == Kind::boxes) {
            lo = static_cast<double>(view.position.axis[a][i]) + static_cast<double>(s[a]);
            hi = static_cast<double>(view.upper.axis[a][i]) + static_cast<double>(s[a]);
        }
        const double spare = slack_ + budget_used_[a] / 2;
        inside = inside && lo - static_cast<double>(lo_[a][i]) >= spare &&
                 static_cast<double>(hi_[a][i]) - hi >= spare;
    }
    return inside;
}

}  // namespace vicinal::inline VICINAL_API
