// The bodies of one step and their ghosts: copies seen across periodic or sheared faces. To a
// method every instance, body or ghost, is a box; no method knows about domains.
//
// A body has an instance at every shift m (integers, relative to the coordinates as given) at
// which its own box overlaps the primary cell. If two bodies touch at a point, some shift
// brings that point into the primary cell, and there both have an instance. So every pair
// (i, j, n) appears at least once as instances (i, m), (j, m + n). The shifts of a body are a
// product of integer ranges, one per axis. So the pair is reported only at the smallest common
// m: where, on every axis, one of the two instances is the lowest image of its body. This takes
// one flag per axis and instance; integers only, never coordinates.
//
// Ghosts are one of four ways to represent images: see Images.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/box.hpp"
#include "base/buffer.hpp"
#include "scene/extent.hpp"
#include "scene/lattice.hpp"
#include "scene/shape.hpp"
#include "simd/targets.hpp"

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// Flag bits that ensure that each pair is reported once. The first D are the lowest-image
// flags: the axes on which an instance has the lowest shift of its body. The rest are for
// methods that put a body in several cells.
using Bits = std::uint16_t;

// How the images of a periodic, sheared or triclinic domain are represented during a step.
// Decided once, when the scene is made.
enum class Images : std::uint8_t {
    none,    // the domain is open
    ghosts,  // copies across faces, for any method
    native,  // native periodicity of the method (structures/method.hpp)
    direct,  // direct images, pair by pair (sieve/direct_images.hpp): the reach spans so many
             // periods that ghosts would far outnumber bodies
};

template <Real T, int D>
class Scene {
  public:
    static constexpr Bits image_bits = (1u << D) - 1;

    // The view must outlive the scene's use. Bodies have been checked. Images, if there are
    // any, are native until add_ghosts() is called.
    void assign(const Bodies<T, D>& bodies, const Domain<D>& domain,
                const Execution& execution);
    // Makes ghosts, or chooses direct images. A query scene shares the primary cell of the
    // scene it is tested against.
    void add_ghosts(std::uint64_t max_bytes, const Scene* same_cell = nullptr);

    // Uses the given ghosts (their bodies). The caller ensures that each pair appears once, and
    // writes the shifts of the bodies, then of the ghosts, to the returned span (empty in an
    // open domain).
    std::span<Image<D>> assign_placed(const Bodies<T, D>& bodies, const Domain<D>& domain,
                                      const Execution& execution,
                                      std::span<const Index> ghosts);

    const Bodies<T, D>& view() const { return view_; }
    const Lattice<T, D>& lattice() const { return lattice_; }
    int threads() const { return execution_.threads; }
    std::int64_t target() const { return execution_.target; }  // of kernels
    Images images() const { return images_; }
    bool periodic() const { return images_ != Images::none; }

    std::size_t bodies() const { return view_.size(); }
    std::size_t size() const { return view_.size() + ghost_body_.size(); }  // instances

    // Instances 0 ... bodies() - 1 are the bodies themselves, at their lowest shifts.
    Index body(Index k) const { return k < bodies() ? k : ghost_body_[k - bodies()]; }
    Bits lowest_image_flags(Index k) const {
        return k < bodies() ? image_bits : ghost_flags_[k - bodies()];
    }
    // The image of instance k; only with ghosts.
    const Image<D>& image(Index k) const { return shift_[k]; }
    Shift<D> shift(Index k) const {
        Shift<D> n{};
        if (has_ghosts())
            for (std::size_t a = 0; a < D; ++a) n[a] = shift_[k][a];
        return n;
    }

    // The centre of a round body, or the lower corner of a box.
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
    // True if the shift of the instance is not zero.
    bool shifted(Index k) const {
        int any = 0;
        if (has_ghosts())
            for (const std::int16_t component : shift_[k]) any |= component;
        return any != 0;
    }
    // True if any of the bodies begin ... end - 1 is shifted. Vectorised.
    bool any_shifted(std::size_t begin, std::size_t end) const {
        if (!has_ghosts() || !bodies_shifted_) return false;
        const std::int16_t* const components = shift_[begin].data();
        std::int16_t any = 0;
        for (std::size_t k = 0; k < (end - begin) * D; ++k) any |= components[k];
        return any != 0;
    }
    // Upper bound of the shift of any instance along any coordinate axis.
    double longest_shift() const;

    // Conservative bounds of instance k during the whole step, widened so that any two bodies
    // that the contract's formula may accept have overlapping boxes (closed).
    Box<T, D> box(Index k) const {
        return periodic() || view_.swept() ? widened_box(k) : box_at_rest(view_, k);
    }
    // What packed columns of this scene hold.
    PackedKind packed_kind() const {
        return periodic() || view_.swept() ? PackedKind::proxies
                                           : traits_of(view_.shape).packed;
    }
    // True if bodies or images move during the step. A changing shear also moves the images of
    // bodies at rest.
    bool moving() const { return view_.swept() || lattice_.change != 0; }
    // True if nothing moves and all pairs have the same reach, the cut-off.
    bool one_reach_at_rest() const { return is_point(view_) && !moving(); }

    // Prefetches what box() and the decision will read, because a method's order is not the
    // caller's. Forced inline, as prefetch_body() is.
    [[gnu::always_inline]] void prefetch(Index k) const {
        prefetch_body(view_, body(k));
        if (has_ghosts()) __builtin_prefetch(shift_.data() + k);
    }
    [[gnu::always_inline]] void prefetch_image(Index k) const {
        __builtin_prefetch(shift_.data() + k);
        if (k >= bodies()) __builtin_prefetch(ghost_body_.data() + (k - bodies()));
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

    // A superset of the images n at which body j may touch body i of `first`; hi < lo on some
    // axis if there is none. `apart` is the extent of j relative to i: where they touch, it
    // contains the origin.
    struct ImageRange {
        Shifts shifts;
        Extent<D> apart;
    };
    ImageRange image_range(const Scene& first, Index i, Index j) const;

    // The image of a pair is the difference of two shifts: throws if any such difference
    // between an instance of `other` and one of this scene does not fit 16 bits.
    void check_images(const Scene& other) const;

  private:
    // Images are 16-bit integers.
    static constexpr std::int64_t max_periods = std::numeric_limits<std::int16_t>::max();
    [[noreturn]] static void throw_too_far(Index body, std::size_t axis, double periods);

    bool has_ghosts() const { return images_ == Images::ghosts; }
    Box<T, D> widened_box(Index k) const;
    Vector<T, D> displacement(Index body) const {
        Vector<T, D> u{};
        if (view_.swept())
            for (std::size_t a = 0; a < D; ++a) u[a] = view_.displacement.axis[a][body];
        return u;
    }
    std::array<double, D> fractional(const std::array<double, D>& x) const {
        std::array<double, D> f{};
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a) f[k] += x[a] * lattice_.inverse[a][k];
        return f;
    }
    std::array<double, D> median_cell() const;
    struct Span {  // in fractional coordinates
        std::array<double, D> lo, hi;
    };
    using Inverse = std::array<std::array<double, D>, D>;
    Span span_at(const std::array<double, D>& f, const std::array<double, D>& off,
                 const std::array<double, D>& half, const Inverse& inverse) const;
    Shifts shifts_into(const Extent<D>& extent, const std::array<double, D>& cell, double width,
                       Index body) const;
    Shifts shifts_of(Index body) const;
    std::array<double, D> choose_cell() const;
    std::array<double, D> margin() const;
    void find_boundary_bodies(bool may_move_cell);
    void choose_images(double ghosts, std::uint64_t max_bytes, const Scene* same_cell);
    void fill_ghosts(Index body, const Shifts& shifts, std::uint64_t at);

    Bodies<T, D> view_;
    Lattice<T, D> lattice_;
    Execution execution_;
    Images images_ = Images::none;
    bool bodies_shifted_ = false;     // some body may be shifted
    std::array<double, D> cell_{};    // the primary cell is [cell_, cell_ + 1), fractional
    std::array<double, D> margin_{};  // see margin()
    bool margin_suffices_ = false;    // margin_ suffices for all bodies near the primary cell
    Shifts shift_bounds_;             // the lowest and highest shifts of all
    Buffer<Index> ghost_body_;
    Buffer<Bits> ghost_flags_;
    Buffer<Image<D>> shift_;             // of every instance
    Buffer<Index> outer_;                // bodies that may have a non-zero shift
    Buffer<Shifts> outer_shifts_;        // shifts of the bodies in outer_
    Buffer<std::uint64_t> first_ghost_;  // scratch: the first ghost of each body in outer_
};

}  // namespace vicinal::inline VICINAL_API
