#include "scene/check.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "base/flat.hpp"
#include "base/text.hpp"
#include "scene/shape.hpp"
#include "simd/coordinates.hpp"
#include "simd/targets.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

[[noreturn]] void refuse(const std::string& message,
                         std::optional<std::uint64_t> element = {}) {
    throw Error(Error::Kind::input, message, element);
}

template <Real T>
bool all_ordered(const T* lo, const T* hi, std::size_t n) {
    int wrong = 0;
    for (std::size_t k = 0; k < n; ++k) wrong |= lo[k] > hi[k];
    return wrong == 0;
}

// True if all values are finite and, if upper corners are given, lower <= upper everywhere. One
// parallel loop that reads each value once from memory. False also if the arrays are not
// contiguous.
template <Real T, int D>
bool well_formed(const Vectors<T, D>& lower_corners, const Vectors<T, D>* upper_corners,
                 const Execution& execution) {
    const bool boxes = upper_corners != nullptr;
    const Flat<T, D> lower = flat_of(lower_corners);
    const Flat<T, D> upper = boxes ? flat_of(*upper_corners) : Flat<T, D>{};
    if (lower.count == 0 || (boxes && lower.count != upper.count)) return false;
    const auto finite = coordinate_kernels<T, D>(execution.target).finite;
    std::atomic<bool> all = true;
    parallel_groups(execution.threads, lower.arrays[0].size(), [&](Range range, std::size_t) {
        constexpr std::size_t block = 2048;  // of both corners, in L1
        bool good = true;
        for (std::size_t f = 0; f < lower.count; ++f)
            for (std::size_t begin = range.begin; begin < range.end && good; begin += block) {
                const std::size_t n = std::min(block, range.end - begin);
                const T* const lo = lower.arrays[f].data() + begin;
                good = finite(lo, n);
                if (!boxes) continue;
                const T* const hi = upper.arrays[f].data() + begin;
                good = good && finite(hi, n) && all_ordered(lo, hi, n);
            }
        if (!good) all.store(false, std::memory_order_relaxed);
    });
    return all;
}

// A fast check of contiguous arrays comes first; the faulty element is searched for only if it
// fails.
template <Real T, int D>
class Checker {
  public:
    Checker(const Bodies<T, D>& bodies, const std::string& who, const Execution& execution)
        : bodies_(bodies),
          traits_(traits_of(bodies.shape)),
          who_(who + ": "),
          n_(bodies.size()),
          execution_(execution) {}

    void arrays() const {
        if (n_ > std::numeric_limits<Index>::max())
            throw Error(Error::Kind::limit, who_ + std::to_string(n_) +
                                                " bodies are more than the 4294967295 that fit "
                                                "32-bit indices; split the set");
        check_columns(bodies_.position, traits_.position);
        if (traits_.upper) check_columns(bodies_.upper, "upper corner");
        if (traits_.radius) check_radius_column();
        if (traits_.point) check_cutoff();
        check_kinds();
        if (bodies_.swept()) check_columns(bodies_.displacement, "displacement");
        if (bodies_.group.given()) check_column(bodies_.group, "group");
        if (bodies_.mask.given()) check_column(bodies_.mask, "mask");
        if (bodies_.id.given()) check_column(bodies_.id, "id");
        check_vertices();
    }

    void values() const {
        const Vectors<T, D>* const upper = traits_.upper ? &bodies_.upper : nullptr;
        if (!well_formed<T, D>(bodies_.position, upper, execution_)) {
            check_finite(bodies_.position, traits_.position);
            if (traits_.upper) check_corners();
        }
        if (traits_.radius) check_radii();
        if (bodies_.kind.given()) check_kind_values();
        if (bodies_.swept()) check_displacements();
    }

  private:
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

    void check_radius_column() const {
        const Radii<T>& radius = bodies_.radius;
        if (!radius.equal()) return check_column(radius.each(), "radius");
        if (radius.count() != n_)
            refuse(who_ + "the radius is for " + std::to_string(radius.count()) +
                   " spheres, but there are " + std::to_string(n_) + "; make the view again");
    }

    // The table, and the number of kinds; the kinds themselves are values.
    void check_kinds() const {
        if (!bodies_.kind.given() && bodies_.cutoffs.empty()) return;
        if (!traits_.point)
            refuse(who_ + "only points have kinds; spheres and boxes have sizes of their own");
        if (bodies_.kind.count() != n_ || (bodies_.kind.null() && n_ > 0))
            refuse(who_ + "there are " + std::to_string(bodies_.kind.count()) + " kinds for " +
                   std::to_string(n_) + " bodies; give one per body");
        const std::span<const T> table = bodies_.cutoffs;
        const std::size_t kinds = kind_count(table.size());
        if (kinds == 0)
            refuse(who_ + "the table of cut-offs has " + std::to_string(table.size()) +
                   " numbers; give K * K for K kinds, from 1 to 256");
        for (std::size_t a = 0; a < kinds; ++a)
            for (std::size_t b = 0; b < kinds; ++b) {
                const T c = table[a * kinds + b];
                const auto of = [&](std::size_t x, std::size_t y) {
                    return std::string("the cut-off of kinds ") + std::to_string(x) + " and " +
                           std::to_string(y) + " is " + number_text(table[x * kinds + y]);
                };
                if (!(c <= largest_reach<T>()))
                    refuse(who_ + of(a, b) + "; it must be a number up to " +
                           number_text(largest_reach<T>()) +
                           " (beyond that its square overflows), or negative for never");
                if (c > bodies_.cutoff)
                    refuse(who_ + of(a, b) +
                           ", larger than when the view was made; make the "
                           "view again after changing the table");
                if (b < a && c != table[b * kinds + a])
                    refuse(who_ + of(a, b) + ", but " + of(b, a) +
                           "; make the table symmetric");
            }
    }

    void check_kind_values() const {
        const auto kinds = static_cast<std::int64_t>(kind_count(bodies_.cutoffs.size()));
        const std::size_t bad = find_first(execution_.threads, n_, [&](std::size_t i) {
            return bodies_.kind[i] < 0 || bodies_.kind[i] >= kinds;
        });
        if (bad < n_)
            refuse(who_ + "the kind of body " + std::to_string(bad) + " is " +
                       std::to_string(bodies_.kind[bad]) + ", but the table has kinds 0 to " +
                       std::to_string(kinds - 1) + "; give a larger table or other kinds",
                   bad);
    }

    void check_vertices() const {
        const std::size_t given = bodies_.vertices.size(), each = bodies_.vertices_per_body;
        if (given == 0 && each == 0) return;
        if (each < 1 || each > 8)
            refuse(who_ + "vertices: " + std::to_string(each) +
                   " per body; give each body from 1 to 8");
        if (given != n_ * each)
            refuse(who_ + "vertices has " + std::to_string(given) + " values for " +
                   std::to_string(n_) + " bodies; give " + std::to_string(each) +
                   " per body, consecutively");
        if (bodies_.vertices.data() == nullptr && given > 0)
            refuse(who_ + "vertices is a null pointer with a count of " +
                   std::to_string(given) + "; give the array");
    }

    void check_columns(const Vectors<T, D>& vectors, const char* what) const {
        for (std::size_t a = 0; a < D; ++a) check_column(vectors.axis[a], name_of(what, a));
    }

    void check_finite(const Vectors<T, D>& vectors, const char* what) const {
        for (std::size_t a = 0; a < D; ++a) {
            const std::string name = name_of(what, a);
            const Column<T>& column = vectors.axis[a];
            const std::size_t bad = find_first(execution_.threads, n_, [&](std::size_t i) {
                return !std::isfinite(column[i]);
            });
            if (bad < n_)
                refuse(who_ + name + " of body " + std::to_string(bad) + " is " +
                           number_text(column[bad]) +
                           "; every coordinate must be a finite number",
                       bad);
        }
    }

    void check_corners() const {
        check_finite(bodies_.upper, "upper corner");
        for (std::size_t a = 0; a < D; ++a) {
            const Column<T>&lo = bodies_.position.axis[a], &hi = bodies_.upper.axis[a];
            const std::size_t bad = find_first(execution_.threads, n_,
                                               [&](std::size_t i) { return lo[i] > hi[i]; });
            if (bad < n_)
                refuse(who_ + "body " + std::to_string(bad) + " has lower " + "xyz"[a] + " " +
                           number_text(lo[bad]) + " above upper " + "xyz"[a] + " " +
                           number_text(hi[bad]) + "; give the lower corner first",
                       bad);
        }
    }

    void check_radii() const {
        const Radii<T>& r = bodies_.radius;
        const T max_radius = largest_reach<T>() / 2;  // the reach is the sum of two
        const std::size_t bad = find_first(execution_.threads, n_, [&](std::size_t i) {
            return !(r[i] >= 0 && r[i] <= max_radius);
        });
        if (bad < n_)
            refuse(who_ + "radius of body " + std::to_string(bad) + " is " +
                       number_text(r[bad]) + "; a radius must be a number from 0 to " +
                       number_text(max_radius) + " (beyond that its square overflows)",
                   bad);
    }

    void check_cutoff() const {
        const T max_cutoff = largest_reach<T>();
        if (!(bodies_.cutoff >= 0 && bodies_.cutoff <= max_cutoff))
            refuse(who_ + "the cut-off is " + number_text(bodies_.cutoff) +
                   "; it must be a number from 0 to " + number_text(max_cutoff) +
                   " (beyond that its square overflows)");
    }

    void check_displacements() const {
        if (!well_formed<T, D>(bodies_.displacement, nullptr, execution_))
            check_finite(bodies_.displacement, "displacement");
        const T max_displacement =
            largest_reach<T>() / 8;  // the square of a difference of two, over all axes
        for (std::size_t a = 0; a < D; ++a) {
            const Column<T>& u = bodies_.displacement.axis[a];
            const std::size_t bad = find_first(execution_.threads, n_, [&](std::size_t i) {
                return std::abs(u[i]) > max_displacement;
            });
            if (bad < n_)
                refuse(who_ + "displacement " + "xyz"[a] + " of body " + std::to_string(bad) +
                           " is " + number_text(u[bad]) + "; it must stay within " +
                           number_text(max_displacement) +
                           " (beyond that its square overflows)",
                       bad);
        }
    }

    const Bodies<T, D>& bodies_;
    const ShapeTraits traits_;
    std::string who_;
    std::size_t n_;
    Execution execution_;
};

}  // namespace

template <Real T, int D>
void check_arrays(const Bodies<T, D>& bodies, const std::string& who) {
    Checker<T, D>(bodies, who, {}).arrays();
}

template <Real T, int D>
void check_values(const Bodies<T, D>& bodies, const std::string& who,
                  const Execution& execution) {
    Checker<T, D>(bodies, who, execution).values();
}

template <Real T, int D>
void check_same_kind(const Bodies<T, D>& others, const Bodies<T, D>& bodies) {
    if (others.shape != bodies.shape)
        refuse(std::string("two sets: the first holds ") + traits_of(others.shape).name +
               " and the second " + traits_of(bodies.shape).name +
               "; give both the same shape");
    // By the tables: the kinds of an empty set may be null.
    if (!std::ranges::equal(others.cutoffs, bodies.cutoffs))
        refuse(
            "two sets: the tables of cut-offs differ, or only one set has kinds; give both "
            "sets kinds with the same table");
    if (is_point(others) && others.cutoff != bodies.cutoff)
        refuse("two sets: the cut-offs " + number_text(others.cutoff) + " and " +
               number_text(bodies.cutoff) + " differ; give both sets the same");
    if (has_radius(others) && others.rule != bodies.rule)
        refuse("two sets: the reach rules differ; give both sets the same");
}

template <Real T, int D>
std::uint64_t checksum(const Bodies<T, D>& bodies) {
    std::uint64_t sum = bodies.size();
    const auto add = [&](const auto& column, std::size_t count) {
        using Value = std::remove_cvref_t<decltype(column[0])>;
        using Word = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;
        static_assert(sizeof(Word) == sizeof(Value));
        for (std::size_t i = 0; i < count; ++i)
            sum = (sum ^ std::bit_cast<Word>(column[i])) * 0x9E3779B97F4A7C15u + 1;
    };
    for (const Vectors<T, D>* vectors : {&bodies.position, &bodies.upper, &bodies.displacement})
        for (const Column<T>& column : vectors->axis) add(column, column.count);
    add(bodies.radius, bodies.radius.count());
    add(bodies.kind, bodies.kind.count());
    add(bodies.cutoffs, bodies.cutoffs.size());
    for (const auto* column : {&bodies.group, &bodies.mask, &bodies.id})
        add(*column, column->count);
    return sum;
}

#define VICINAL_INSTANTIATE(T, D)                                                          \
    template std::uint64_t checksum(const Bodies<T, D>&);                                  \
    template void check_arrays(const Bodies<T, D>&, const std::string&);                   \
    template void check_values(const Bodies<T, D>&, const std::string&, const Execution&); \
    template void check_same_kind(const Bodies<T, D>&, const Bodies<T, D>&);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API
