#include "core/check.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "core/flat.hpp"
#include "core/text.hpp"
#include "simd/places.hpp"
#include "simd/targets.hpp"

namespace vicinal {
namespace {

[[noreturn]] void refuse(const std::string& message,
                         std::optional<std::uint64_t> element = {}) {
    throw Error(Error::Kind::input, message, element);
}

template <Real T, int D>
bool all_finite(std::span<const T> values, int threads) {
    std::atomic<bool> finite = true;
    parallel_groups(threads, values.size(), [&](Range r, std::size_t) {
        if (!place_kernels<T, D>(first_target()).finite(values.data() + r.begin, r.size()))
            finite.store(false, std::memory_order_relaxed);
    });
    return finite;
}

template <Real T>
bool all_ordered(std::span<const T> lo, std::span<const T> hi, int threads) {
    std::atomic<bool> ordered = true;
    parallel_groups(threads, lo.size(), [&](Range r, std::size_t) {
        const T *const from = lo.data(), *const to = hi.data();
        int wrong = 0;
        for (std::size_t k = r.begin; k < r.end; ++k) wrong |= from[k] > to[k];
        if (wrong != 0) ordered.store(false, std::memory_order_relaxed);
    });
    return ordered;
}

// The checks first look quickly whether all is well, where arrays allow it, and search for the
// culprit only if not.
template <Real T, int D>
class Checker {
  public:
    Checker(const Bodies<T, D>& bodies, const std::string& who, int threads)
        : bodies_(bodies), who_(who + ": "), n_(bodies.size()), threads_(threads) {}

    void arrays() const {
        if (n_ > std::numeric_limits<Index>::max())
            throw Error(Error::Kind::limit, who_ + std::to_string(n_) +
                                                " bodies are more than the 4294967295 that fit "
                                                "32-bit indices; split the set");
        check_columns(bodies_.position, box() ? "lower corner" : "coordinate");
        if (box()) check_columns(bodies_.upper, "upper corner");
        if (bodies_.shape == Shape::spheres) check_column(bodies_.radius, "radius");
        if (bodies_.shape == Shape::points) check_cutoff();
        if (bodies_.swept()) check_columns(bodies_.displacement, "displacement");
        if (bodies_.group.given()) check_column(bodies_.group, "group");
        if (bodies_.mask.given()) check_column(bodies_.mask, "mask");
        if (bodies_.id.given()) check_column(bodies_.id, "id");
    }

    void values() const {
        finite_vectors(bodies_.position, box() ? "lower corner" : "coordinate");
        if (box()) check_corners();
        if (bodies_.shape == Shape::spheres) check_radii();
        if (bodies_.swept()) check_displacements();
    }

  private:
    bool box() const { return bodies_.shape == Shape::boxes; }
    static std::string name_of(const char* what, std::size_t axis) {
        return std::string(what) + " " + "xyz"[axis];
    }

    template <class C>
    void check_column(const Column<C>& column, const std::string& what) const {
        if (column.count != n_)
            refuse(who_ + what + " has " + std::to_string(column.count) + " values for " +
                   std::to_string(n_) + " bodies; give one per body");
        if (column.data == nullptr && n_ > 0)
            refuse(who_ + what + " is a null pointer with a count of " + std::to_string(n_) +
                   "; give the array");
    }

    void check_columns(const Vectors<T, D>& vectors, const char* what) const {
        for (std::size_t a = 0; a < D; ++a) check_column(vectors.axis[a], name_of(what, a));
    }

    void finite_vectors(const Vectors<T, D>& vectors, const char* what) const {
        const Flat<T, D> flat = flat_of(vectors);
        bool finite = flat.count > 0;
        for (std::size_t f = 0; f < flat.count; ++f)
            finite = finite && all_finite<T, D>(flat.arrays[f], threads_);
        for (std::size_t a = 0; a < D && !finite; ++a) {
            const std::string name = name_of(what, a);
            const Column<T>& column = vectors.axis[a];
            const std::size_t bad = find_first(
                threads_, n_, [&](std::size_t i) { return !std::isfinite(column[i]); });
            if (bad < n_)
                refuse(who_ + name + " of body " + std::to_string(bad) + " is " +
                           number_text(column[bad]) +
                           "; every coordinate must be a finite number",
                       bad);
        }
    }

    void check_corners() const {
        finite_vectors(bodies_.upper, "upper corner");
        const Flat<T, D> lower = flat_of(bodies_.position), upper = flat_of(bodies_.upper);
        bool ordered = lower.count > 0 && lower.count == upper.count;
        for (std::size_t f = 0; f < lower.count; ++f)
            ordered = ordered && all_ordered(lower.arrays[f], upper.arrays[f], threads_);
        for (std::size_t a = 0; a < D && !ordered; ++a) {
            const Column<T>&lo = bodies_.position.axis[a], &hi = bodies_.upper.axis[a];
            const std::size_t bad =
                find_first(threads_, n_, [&](std::size_t i) { return lo[i] > hi[i]; });
            if (bad < n_)
                refuse(who_ + "body " + std::to_string(bad) + " has lower " + "xyz"[a] + " " +
                           number_text(lo[bad]) + " above upper " + "xyz"[a] + " " +
                           number_text(hi[bad]) + "; give the lower corner first",
                       bad);
        }
    }

    void check_radii() const {
        const Column<T>& r = bodies_.radius;
        const T most = largest_reach<T>() / 2;  // the reach is the sum of two
        const std::size_t bad = find_first(
            threads_, n_, [&](std::size_t i) { return !(r[i] >= 0 && r[i] <= most); });
        if (bad < n_)
            refuse(who_ + "radius of body " + std::to_string(bad) + " is " +
                       number_text(r[bad]) + "; a radius must be a number from 0 to " +
                       number_text(most) + " (beyond that its square overflows)",
                   bad);
    }

    void check_cutoff() const {
        const T most = largest_reach<T>();
        if (!(bodies_.cutoff >= 0 && bodies_.cutoff <= most))
            refuse(who_ + "the cut-off is " + number_text(bodies_.cutoff) +
                   "; it must be a number from 0 to " + number_text(most) +
                   " (beyond that its square overflows)");
    }

    void check_displacements() const {
        finite_vectors(bodies_.displacement, "displacement");
        const T most =
            largest_reach<T>() / 8;  // the square of a difference of two, over all axes
        for (std::size_t a = 0; a < D; ++a) {
            const Column<T>& u = bodies_.displacement.axis[a];
            const std::size_t bad =
                find_first(threads_, n_, [&](std::size_t i) { return std::abs(u[i]) > most; });
            if (bad < n_)
                refuse(who_ + "displacement " + "xyz"[a] + " of body " + std::to_string(bad) +
                           " is " + number_text(u[bad]) + "; it must stay within " +
                           number_text(most) + " (beyond that its square overflows)",
                       bad);
        }
    }

    const Bodies<T, D>& bodies_;
    std::string who_;
    std::size_t n_;
    int threads_;
};

}  // namespace

template <Real T, int D>
void check_arrays(const Bodies<T, D>& bodies, const std::string& who) {
    Checker<T, D>(bodies, who, 1).arrays();
}

template <Real T, int D>
void check_values(const Bodies<T, D>& bodies, const std::string& who, int threads) {
    Checker<T, D>(bodies, who, threads).values();
}

template <Real T, int D>
void check_same_kind(const Bodies<T, D>& others, const Bodies<T, D>& bodies) {
    if (others.shape != bodies.shape)
        refuse("two sets: the first holds " + shape_name(others.shape) + " and the second " +
               shape_name(bodies.shape) + "; both must be of one shape");
    if (others.shape == Shape::points && others.cutoff != bodies.cutoff)
        refuse("two sets: the cut-offs " + number_text(others.cutoff) + " and " +
               number_text(bodies.cutoff) + " differ; give both sets the same");
    if (others.shape == Shape::spheres && others.rule != bodies.rule)
        refuse("two sets: the reach rules differ; give both sets the same");
}

#define VICINAL_INSTANTIATE(T, D)                                             \
    template void check_arrays(const Bodies<T, D>&, const std::string&);      \
    template void check_values(const Bodies<T, D>&, const std::string&, int); \
    template void check_same_kind(const Bodies<T, D>&, const Bodies<T, D>&);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal
