// The bodies of one step plus their ghosts: copies seen across periodic or sheared faces. To
// a method every instance, body or ghost, is a box; no method knows about domains.
//
// A body has an instance at every shift m (integers, relative to the coordinates as given)
// at which its own box meets the primary cell. Two bodies that meet, meet somewhere; some
// shift brings that place into the primary cell, and there both have an instance. So every
// pair (i, j, n) appears at least once as instances (i, m), (j, m + n). The shifts of a body
// are a product of integer ranges, one per axis, so the smallest m that serves both is known
// axis by axis: the pair counts where, on every axis, one of the two has its lowest shift
// ("home"). One bit per axis and instance; integers only, never coordinates.
//
// Where the reach spans many periods, ghosts would far outnumber bodies and every two bodies
// meet many times over: then there are none, and core/images.hpp goes pair by pair. Nor are
// there any where the method joins what faces each other by itself (Method::joins_faces).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "core/lattice.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal {

template <Real T, int D>
struct Box {
    Vector<T, D> lo;
    Vector<T, D> hi;
};

// Bits by which each pair is reported once. The first D say on which axes an instance has
// the lowest shift of its body; the rest belong to methods that put a body in several places.
using Bits = std::uint16_t;

template <Real T, int D>
class Scene {
  public:
    static constexpr Bits image_bits = (1u << D) - 1;

    // The view must outlive the scene's use. Bodies have been checked.
    void assign(const Bodies<T, D>& bodies, const Domain<D>& domain, int threads);
    // Needed unless faces are joined; queries share the primary cell of the scene they are put
    // to.
    void add_ghosts(std::uint64_t max_bytes, const Scene* same_cell = nullptr);

    // With ghosts of the caller's choice, who has each pair once and writes the shifts of the
    // bodies and then of the ghosts; none in an open domain.
    std::span<Image<D>> assign_placed(const Bodies<T, D>& bodies, const Domain<D>& domain,
                                      int threads, std::span<const Index> ghosts);

    const Bodies<T, D>& view() const { return view_; }
    const Lattice<T, D>& lattice() const { return lattice_; }
    int threads() const { return threads_; }
    bool imaged() const { return !lattice_.open; }
    // No ghosts, for either reason: see above.
    bool by_images() const { return by_images_; }
    bool joined() const { return imaged() && !ghosted_; }

    std::size_t bodies() const { return view_.size(); }
    std::size_t size() const { return view_.size() + ghost_body_.size(); }  // instances

    // Instances 0 ... bodies() - 1 are the bodies themselves, at their lowest shifts.
    Index body(Index k) const { return k < bodies() ? k : ghost_body_[k - bodies()]; }
    Bits home(Index k) const { return k < bodies() ? image_bits : ghost_home_[k - bodies()]; }
    // Where there are images, which one.
    const Image<D>& image(Index k) const { return shift_[k]; }
    Shift<D> shift(Index k) const {
        Shift<D> n{};
        if (ghosted_)
            for (std::size_t a = 0; a < D; ++a) n[a] = shift_[k][a];
        return n;
    }

    // Where the centre of a round body is, or the lower corner of a box.
    std::array<double, D> centre(Index k) const {
        const Index i = body(k);
        std::array<double, D> x;
        for (std::size_t a = 0; a < D; ++a)
            x[a] = static_cast<double>(view_.position.axis[a][i]);
        if (shifted(k)) {
            const Vector<T, D> s = lattice_.shift(shift(k));
            for (std::size_t a = 0; a < D; ++a) x[a] += static_cast<double>(s[a]);
        }
        return x;
    }
    // Is an instance elsewhere than the body is given?
    bool shifted(Index k) const {
        int any = 0;
        if (ghosted_)
            for (const std::int16_t component : shift_[k]) any |= component;
        return any != 0;
    }
    // Is any of the bodies begin ... end - 1? In vectors.
    bool any_shifted(std::size_t begin, std::size_t end) const {
        if (!ghosted_ || !bodies_shifted_) return false;
        const std::int16_t* const components = shift_[begin].data();
        std::int16_t any = 0;
        for (std::size_t k = 0; k < (end - begin) * D; ++k) any |= components[k];
        return any != 0;
    }
    // No instance is shifted farther than this along any coordinate axis.
    double longest_shift() const;

    // What instance k covers during the whole step, widened so that two bodies the contract's
    // formula may accept always have boxes that meet (closed).
    Box<T, D> box(Index k) const {
        if (imaged() || view_.swept()) return widened_box(k);
        Box<T, D> same;  // nothing is rounded
        for (std::size_t a = 0; a < D; ++a) same.lo[a] = view_.position.axis[a][k];
        if (view_.shape != Shape::boxes)
            return round_box(same.lo, view_.shape == Shape::spheres ? view_.radius[k] : 0);
        for (std::size_t a = 0; a < D; ++a) same.hi[a] = view_.upper.axis[a][k];
        return same;
    }
    // The same of a point or sphere at rest in an open domain, from what a method has copied.
    Box<T, D> round_box(const Vector<T, D>& centre, T radius) const {
        constexpr T eps = std::numeric_limits<T>::epsilon();
        constexpr T most = std::numeric_limits<T>::max();  // methods need finite sides
        const T h = half_size(radius);
        Box<T, D> box;
        for (std::size_t a = 0; a < D; ++a) {
            // Each side is rounded to within half an ulp; an eps of it covers that and the
            // next subtraction's own.
            const T lo = centre[a] - h, hi = centre[a] + h;
            box.lo[a] = std::max(lo - eps * std::abs(lo), -most);
            box.hi[a] = std::min(hi + eps * std::abs(hi), most);
        }
        return box;
    }

    // Sends for what box() and the decision will need: the caller's order is not a method's.
    // Inline by force: g++ drops calls of functions that only prefetch, for they have no
    // effect.
    [[gnu::always_inline]] void prefetch(Index k) const {
        prefetch_body(body(k));
        if (ghosted_) __builtin_prefetch(shift_.data() + k);
    }
    [[gnu::always_inline]] void prefetch_image(Index k) const {
        __builtin_prefetch(shift_.data() + k);
        if (k >= bodies()) __builtin_prefetch(ghost_body_.data() + (k - bodies()));
    }
    [[gnu::always_inline]] void prefetch_body(Index i) const {
        for (std::size_t a = 0; a < D; ++a) {
            __builtin_prefetch(&view_.position.axis[a][i]);
            if (view_.shape == Shape::boxes) __builtin_prefetch(&view_.upper.axis[a][i]);
        }
        if (view_.shape == Shape::spheres) __builtin_prefetch(&view_.radius[i]);
    }

    struct Shifts {  // from lowest to highest, both included
        Shift<D> lo{}, hi{};
        std::uint64_t count() const {
            std::uint64_t product = 1;
            for (std::size_t a = 0; a < D; ++a)
                product *= static_cast<std::uint64_t>(hi[a] - lo[a] + 1);
            return product;
        }
    };

    struct Extent {  // what a body covers during the step, ghosts apart
        std::array<double, D> centre, half;
    };

    // Every image n at which body j may touch body i of `first`, and a few more; hi < lo on
    // some axis if there is none. Touching ones bring the origin into `apart`, where j is seen
    // from i.
    struct Images {
        Shifts shifts;
        Extent apart;
    };
    Images images(const Scene& first, Index i, Index j) const;

    // The image of a pair is the difference of two shifts: throws if any such difference
    // between an instance of `other` and one of this scene does not fit 16 bits.
    void check_images(const Scene& other) const;

    std::size_t bytes() const {
        return ghost_body_.bytes() + ghost_home_.bytes() + shift_.bytes() + outer_.bytes() +
               first_ghost_.bytes();
    }

  private:
    Box<T, D> widened_box(Index k) const;
    // Half the side of a round body's box. The formula rounds a few times, so it may accept a
    // little more than the reach; and where squares underflow, anything below sqrt(smallest
    // normal) may pass. The radius serves all reach rules, and probes, whose reach is the sum.
    T half_size(T radius) const {
        constexpr T eps = std::numeric_limits<T>::epsilon();
        const T h = view_.shape == Shape::spheres ? radius : view_.cutoff / 2;
        return std::max(h * (1 + 8 * eps), least_half_);
    }
    T half_size(Index body) const {
        if (view_.shape == Shape::boxes) return 0;
        return half_size(view_.shape == Shape::spheres ? view_.radius[body] : T{0});
    }
    // During the step a shear moves images, also those of bodies at rest.
    bool moving() const { return view_.swept() || lattice_.change != 0; }
    Vector<T, D> displacement(Index body) const {
        Vector<T, D> u{};
        if (view_.swept())
            for (std::size_t a = 0; a < D; ++a) u[a] = view_.displacement.axis[a][body];
        return u;
    }
    std::array<double, D> fractional(const std::array<double, D>& x) const;
    std::array<double, D> cell_of_bulk() const;
    Extent extent(Index body) const;
    struct Span {  // in fractional terms
        std::array<double, D> lo, hi;
    };
    using Inverse = std::array<std::array<double, D>, D>;
    Span span_at(const std::array<double, D>& f, const std::array<double, D>& off,
                 const std::array<double, D>& half, const Inverse& inverse) const;
    Shifts shifts_into(const Extent& extent, const std::array<double, D>& cell, double width,
                       Index body) const;
    Shifts shifts_of(Index body) const;
    std::array<double, D> choose_cell() const;
    std::array<double, D> margin() const;
    void find_outer(bool cell_is_ours);
    void fill_ghosts(Index body, const Shifts& shifts, std::uint64_t at);

    inline static const T least_half_ = std::sqrt(std::numeric_limits<T>::min());
    Bodies<T, D> view_;
    Lattice<T, D> lattice_;
    int threads_ = 1;
    bool by_images_ = false;
    bool ghosted_ = false;         // have shifts been asked for, and are there any?
    bool bodies_shifted_ = false;  // is any body elsewhere than it is given?
    std::array<double, D>
        cell_{};  // the primary cell is [cell_, cell_ + 1) in fractional terms
    std::array<double, D> margin_{};  // see margin()
    bool quick_ = false;              // it serves all bodies near the primary cell
    Shifts spread_;                   // the lowest and highest shifts of all
    Buffer<Index> ghost_body_;
    Buffer<Bits> ghost_home_;
    Buffer<Image<D>> shift_;             // of every instance
    Buffer<Index> outer_;                // bodies that may have a shift other than zero
    Buffer<Shifts> outer_shifts_;        // theirs
    Buffer<std::uint64_t> first_ghost_;  // scratch: where the ghosts of each of them go
};

}  // namespace vicinal
