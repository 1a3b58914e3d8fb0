// Computes fat bounds, with a margin for pairs that the formula accepts beyond exact geometry
// and for the rounding of shifted coordinates, and allows for changes of the lattice.
#include "finder/fat_bounds.hpp"

#include <limits>

#include "base/parallel.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T>
constexpr T eps = std::numeric_limits<T>::epsilon();

// Where squares underflow, the formula may accept any distance below this.
template <Real T>
T underflow_distance() {
    return std::sqrt(std::numeric_limits<T>::min());
}

template <Real T>
T finite(double x) {
    constexpr auto largest = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(std::clamp(x, -largest, largest));
}

// Below the limit of 16 bits, because wrapped bodies may need a few images more.
constexpr double max_listed_images = 32000;

template <Real T, int D>
typename FatBounds<T, D>::Kind kind_of(const Scene<T, D>& scene) {
    using Kind = typename FatBounds<T, D>::Kind;
    const Bodies<T, D>& bodies = scene.view();
    if (bodies.swept()) return Kind::proxies;
    if (is_box(bodies)) return Kind::boxes;
    const bool sum = half_reach_rule(bodies) == ReachRule::sum;
    return is_round(bodies) && (sum || !scene.periodic()) ? Kind::round : Kind::proxies;
}

}  // namespace

// False if the square of the reach plus a skin might overflow, or if images move during the
// step, which fat bounds do not cover.
template <Real T, int D>
bool FatBounds<T, D>::possible(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    if (bodies.size() == 0 || (bodies.swept() && domain.shear_change() != 0)) return false;
    const T max_cutoff = std::sqrt(std::numeric_limits<T>::max()) / 8;
    return !is_point(bodies) || bodies.cutoff <= max_cutoff;
}

template <Real T, int D>
bool FatBounds<T, D>::same_kind(const Scene<T, D>& scene) const {
    const Bodies<T, D>& bodies = scene.view();
    return bodies.size() == enclosed_.size() && bodies.shape == enclosed_.shape &&
           bodies.rule == enclosed_.rule && bodies.swept() == enclosed_.swept() &&
           scene.lattice().periodic == lattice_.periodic;
}

// False if bodies are so many periods apart that rounding uses a large part of the skin, or
// that images, including those of wrapped bodies, would not fit 16 bits.
template <Real T, int D>
bool FatBounds<T, D>::enclose(const Scene<T, D>& scene, double width) {
    kind_ = kind_of(scene);
    width_ = width;
    enclosed_ = scene.view();
    lattice_ = scene.lattice();
    limit_width(scene);
    measure(scene);
    if (!(slack_ <= width_ / 4)) return false;
    for (const double images : max_images_)
        if (!(images <= max_listed_images)) return false;
    half_width_ = static_cast<T>(width_ / 2);
    if (static_cast<double>(half_width_) > width_ / 2)
        half_width_ = std::nextafter(half_width_, T{0});
    fat_ = {};
    fat_.rule = enclosed_.rule;
    max_reach_ = 0;
    if (round())
        make_round(scene);
    else
        make_boxes(scene);
    return true;
}

// The square of the width must not overflow. A skin wider than a period is useless, and would
// create thousands of ghosts.
template <Real T, int D>
void FatBounds<T, D>::limit_width(const Scene<T, D>& scene) {
    width_ =
        std::min(width_, static_cast<double>(std::sqrt(std::numeric_limits<T>::max()) / 64));
    if (!scene.periodic()) return;
    for (std::size_t k = 0; k < D; ++k) {
        double square = 0;
        for (std::size_t a = 0; a < D; ++a)
            square += lattice_.inverse[a][k] * lattice_.inverse[a][k];
        if (lattice_.periodic[k]) width_ = std::min(width_, 0.5 / std::sqrt(square));
    }
}

// The extent of all bodies, in periods and in lengths.
template <Real T, int D>
struct FatBounds<T, D>::Extent {
    std::array<double, D> lo, hi;  // fractional
    double max_coordinate = 0;     // in magnitude

    Extent() {
        lo.fill(std::numeric_limits<double>::infinity());
        hi.fill(-std::numeric_limits<double>::infinity());
    }
    void extend(const Box<T, D>& box, double width, const Lattice<T, D>& lattice) {
        for (std::size_t k = 0; k < D; ++k) {
            double centre = 0, half = 0;
            for (std::size_t a = 0; a < D; ++a) {
                const auto from = static_cast<double>(box.lo[a]),
                           to = static_cast<double>(box.hi[a]);
                centre += (from / 2 + to / 2) * lattice.inverse[a][k];
                half += (to / 2 - from / 2 + width) * std::abs(lattice.inverse[a][k]);
                max_coordinate = std::max({max_coordinate, std::abs(from), std::abs(to)});
            }
            lo[k] = std::min(lo[k], centre - half);
            hi[k] = std::max(hi[k], centre + half);
        }
    }
    void extend(const Extent& other) {
        max_coordinate = std::max(max_coordinate, other.max_coordinate);
        for (std::size_t k = 0; k < D; ++k) {
            lo[k] = std::min(lo[k], other.lo[k]);
            hi[k] = std::max(hi[k], other.hi[k]);
        }
    }
};

// Measures the extent of the bodies. It bounds how many periods apart two bodies within reach
// may be, and the rounding error of shifted coordinates.
template <Real T, int D>
void FatBounds<T, D>::measure(const Scene<T, D>& scene) {
    slack_ = 0;
    max_images_ = {};
    if (!scene.periodic()) return;
    Extent all;
    PerPiece<Extent> parts(piece_count(scene.threads(), scene.bodies()), all);
    parallel_ranges(scene.threads(), scene.bodies(), [&](Range r, std::size_t p) {
        Extent part;
        for (std::size_t i = r.begin; i < r.end; ++i)
            part.extend(scene.box(static_cast<Index>(i)), width_, lattice_);
        parts[p] = part;
    });
    for (const Extent& part : parts) all.extend(part);
    double length = all.max_coordinate;
    for (std::size_t k = 0; k < D; ++k) {
        if (!lattice_.periodic[k]) continue;
        max_images_[k] = std::floor(1.02 * (all.hi[k] - all.lo[k]) + 0.02);
        double longest = 0;
        for (const T h : lattice_.h[k]) longest = std::max(longest, std::abs(double{h}));
        length += (max_images_[k] + 6) * longest;
    }
    slack_ = 64 * static_cast<double>(eps<T>) * length;
}

// A body's enlarged share of the reach of a pair. Two shares cover the reach, the whole skin,
// and the rounding of the formula, both when the list is made and when it is used.
template <Real T, int D>
T FatBounds<T, D>::reach_share(T raw) const {
    const double add = (half_reach_rule(enclosed_) == ReachRule::sum ? 0.5 : 1) * width_;
    return static_cast<T>((static_cast<double>(raw) + add) *
                              (1 + 64 * static_cast<double>(eps<T>)) +
                          8 * static_cast<double>(underflow_distance<T>()) + 2 * slack_);
}

template <Real T, int D>
void FatBounds<T, D>::make_round(const Scene<T, D>& scene) {
    const Bodies<T, D>& bodies = scene.view();
    const std::size_t n = bodies.size();
    const bool spheres = has_radius(bodies);
    fat_.shape = bodies.shape;
    for (std::size_t a = 0; a < D; ++a) {
        lo_[a].resize(n);
        fat_.position.axis[a] = Column<T>(lo_[a].data(), n);
    }
    if (spheres) {
        radius_.resize(n);
        wide_radius_.resize(n);
        fat_.radius = Column<T>(wide_radius_.data(), n);
    } else {
        fat_.cutoff = max_reach_ = 2 * reach_share(bodies.cutoff / 2);
    }
    PerPiece<T> largest(piece_count(scene.threads(), n), T{0});
    parallel_ranges(scene.threads(), n, [&](Range r, std::size_t p) {
        for (std::size_t i = r.begin; i < r.end; ++i) {
            for (std::size_t a = 0; a < D; ++a) lo_[a][i] = bodies.position.axis[a][i];
            if (!spheres) continue;
            radius_[i] = bodies.radius[i];
            wide_radius_[i] = reach_share(radius_[i]);
            largest[p] = std::max(largest[p], wide_radius_[i]);
        }
    });
    for (const T one : largest) max_reach_ = std::max(max_reach_, one);
}

template <Real T, int D>
void FatBounds<T, D>::make_boxes(const Scene<T, D>& scene) {
    const Bodies<T, D>& bodies = scene.view();
    const std::size_t n = bodies.size();
    Vectors<T, D> lower, upper;
    for (std::size_t a = 0; a < D; ++a) {
        lo_[a].resize(n);
        hi_[a].resize(n);
        lower.axis[a] = Column<T>(lo_[a].data(), n);
        upper.axis[a] = Column<T>(hi_[a].data(), n);
    }
    fat_ = boxes<D>(lower, upper);
    const double wider = static_cast<double>(half_width_) + slack_;
    const bool exact = kind_ == Kind::boxes;
    parallel_ranges(scene.threads(), n, [&](Range r, std::size_t) {
        for (std::size_t i = r.begin; i < r.end; ++i) {
            const Box<T, D> box = scene.box(static_cast<Index>(i));
            for (std::size_t a = 0; a < D; ++a) {
                const T lo = exact ? bodies.position.axis[a][i] : box.lo[a];
                const T hi = exact ? bodies.upper.axis[a][i] : box.hi[a];
                lo_[a][i] = finite<T>(static_cast<double>(lo) - wider);
                hi_[a][i] = finite<T>(static_cast<double>(hi) + wider);
            }
        }
    });
}

template <Real T, int D>
bool FatBounds<T, D>::cover_lattice(const Scene<T, D>& scene) {
    budget_used_ = {};
    if (!scene.periodic()) return true;
    const Lattice<T, D>& now = scene.lattice();
    for (std::size_t k = 0; k < D; ++k) {
        std::array<double, D> change{};
        for (std::size_t a = 0; a < D; ++a) {
            change[a] =
                static_cast<double>(now.h[k][a]) - static_cast<double>(lattice_.h[k][a]);
            budget_used_[a] += max_images_[k] * std::abs(change[a]);
        }
        for (std::size_t m = 0; m < D; ++m) {
            double f = 0;
            for (std::size_t a = 0; a < D; ++a)
                f += std::abs(change[a] * lattice_.inverse[a][m]);
            if (!(f <= 0.005)) return false;  // max_images_ may no longer cover all images
        }
    }
    for (const double used : budget_used_)
        if (!(used <= 2 * static_cast<double>(half_width_))) return false;
    return true;
}

template <Real T, int D>
Shift<D> FatBounds<T, D>::periods_off(const Scene<T, D>& scene, Index i) const {
    const Lattice<T, D>& lattice = scene.lattice();
    std::array<double, D> by;
    for (std::size_t a = 0; a < D; ++a) {
        auto then = static_cast<double>(lo_[a][i]),
             now = static_cast<double>(scene.view().position.axis[a][i]);
        if (!round()) {
            const Box<T, D> box = scene.box(i);
            then = then / 2 + static_cast<double>(hi_[a][i]) / 2;
            now = static_cast<double>(box.lo[a]) / 2 + static_cast<double>(box.hi[a]) / 2;
        }
        by[a] = then - now;
    }
    Shift<D> k{};
    for (std::size_t m = 0; m < D; ++m) {
        double f = 0;
        for (std::size_t a = 0; a < D; ++a) f += by[a] * lattice.inverse[a][m];
        if (lattice.periodic[m])
            k[m] = static_cast<std::int32_t>(std::clamp(std::round(f), -1e6, 1e6));
    }
    return k;
}

template class FatBounds<float, 2>;
template class FatBounds<float, 3>;
template class FatBounds<double, 2>;
template class FatBounds<double, 3>;

}  // namespace vicinal::inline VICINAL_API
