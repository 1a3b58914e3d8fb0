// Splits bodies into parts that independent processes search: jobs of an array, tasks of a
// cluster, ranks of MPI. A part holds its own bodies and copies of those of other parts that
// reach into its region. It searches them like any bodies, in the same domain, and reports the
// pairs that PartFilter selects. Together, all parts report exactly the pairs of the whole set,
// each once.
//
//     for (const vicinal::Part& part : vicinal::split(bodies, domain, 64)) {
//         // Somewhere else: gather part.bodies of your arrays, search them, and of each pair:
//         vicinal::PartFilter filter(part.number, part.bodies.size(), part.holders);
//         if (filter.reports(i, j)) use(part.bodies[i], part.bodies[j], image);
//     }
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <vicinal/bodies.hpp>
#include <vicinal/domain.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

using PartNumber = std::uint32_t;

// The bodies that several parts hold, and these parts, in ascending order: the owner of the
// body, and every part whose closed region meets the bounds of the body in any image. All other
// bodies are held by their owners alone.
struct Holders {
    // The only entry of a body that more than max_listed parts would hold: all parts do.
    static constexpr PartNumber all_parts = ~PartNumber{0};
    static constexpr std::size_t max_listed = 64;

    std::vector<Index> bodies;              // ascending
    std::vector<std::uint64_t> offsets{0};  // bodies + 1
    std::vector<PartNumber> parts;

    std::size_t size() const { return bodies.size(); }
    // The parts that hold bodies[k].
    std::span<const PartNumber> operator[](std::size_t k) const {
        return {parts.data() + offsets[k], parts.data() + offsets[k + 1]};
    }
    void add(Index body, std::span<const PartNumber> holders) {
        bodies.push_back(body);
        parts.insert(parts.end(), holders.begin(), holders.end());
        offsets.push_back(parts.size());
    }
};

// A set of ascending bodies: a bit for each body, small enough to stay in cache, and the place
// of each member.
class BodySet {
  public:
    BodySet() = default;
    BodySet(std::size_t bodies, std::span<const Index> members) : words_(bodies / 64 + 1) {
        for (const Index body : members)
            words_[body / 64].bits |= std::uint64_t{1} << body % 64;
        std::uint64_t before = 0;
        for (Word& word : words_) {
            word.before = before;
            before += static_cast<std::uint64_t>(std::popcount(word.bits));
        }
    }
    std::uint64_t contains(Index body) const {  // 1 or 0
        return words_[body / 64].bits >> body % 64 & 1;
    }
    std::size_t place(Index body) const {  // of a member
        const Word& word = words_[body / 64];
        const std::uint64_t lower = (std::uint64_t{1} << body % 64) - 1;
        return word.before + static_cast<std::size_t>(std::popcount(word.bits & lower));
    }

  private:
    struct Word {
        std::uint64_t bits = 0;
        std::uint64_t before = 0;  // members in the words before
    };
    std::vector<Word> words_;
};

// Which pairs a part reports: those of which it is the first common holder. Integers only, so
// that all parts agree.
class VICINAL_EXPORT PartFilter {
  public:
    // The holders of the `bodies` bodies of part `number`, by their numbers there. They must
    // outlive the filter.
    PartFilter(PartNumber number, std::size_t bodies, const Holders& holders);

    bool reports(Index i, Index j) const {
        return (marked_.contains(i) & marked_.contains(j)) == 0 || reports_marked(i, j);
    }
    // The bodies that a lower part holds too, by their places in the holders, ascending. A pair
    // is reported unless both are among them.
    std::span<const std::size_t> marked() const { return places_; }
    // Keeps the pairs that are reported, and their images unless null; returns their number.
    template <int D>
    std::size_t retain(Pair* pairs, Image<D>* images, std::size_t count) const {
        std::size_t kept = 0;
        for (std::size_t begin = 0; begin < count; begin += batch) {
            const std::size_t end = begin + batch < count ? begin + batch : count;
            if (kept == begin && reports_all({pairs + begin, end - begin})) {
                kept = end;
                continue;
            }
            for (std::size_t k = begin; k < end; ++k) {
                const Pair pair = pairs[k];
                pairs[kept] = pair;
                if (images != nullptr) images[kept] = images[k];
                kept += std::size_t{reports(pair.i, pair.j)};
            }
        }
        return kept;
    }
    // True if no pair is of two marked bodies.
    bool reports_all(std::span<const Pair> pairs) const {
        std::uint64_t both = 0;  // branch-free
        for (const Pair pair : pairs)
            both |= marked_.contains(pair.i) & marked_.contains(pair.j);
        return both == 0;
    }

  private:
    static constexpr std::size_t batch = 256;  // pairs

    bool reports_marked(Index i, Index j) const;
    PartNumber first_common(std::size_t a, std::size_t b) const;

    PartNumber number_;
    const Holders* holders_;
    BodySet marked_;  // the bodies that a lower part holds too
    // Of the marked bodies: their places in `holders`, and a bit for each lower part that holds
    // the body too. If there are more than 64 lower parts, some share a bit, and the words are
    // not exact.
    std::vector<std::size_t> places_;
    std::vector<std::uint64_t> lower_;
    bool exact_ = true;
};

// A tree of cuts that divides space, or the cell of a periodic domain, into one closed region
// per part. Its coordinates are those of cell_positions().
template <int D>
class VICINAL_EXPORT Regions {
  public:
    using Point = Vector<double, D>;
    struct Sides {
        Point lower, upper;
    };

    Regions() = default;  // one part
    // Recursive coordinate bisection: about equal weights of the positions in all regions. No
    // weights: all are 1. `lengths` are those of the unit vectors.
    Regions(std::span<const Point> positions, std::span<const double> weights,
            std::size_t parts, const Point& lengths);
    // From the sides of the regions: boxes that recursive bisection has made.
    explicit Regions(std::span<const Sides> boxes);

    std::size_t parts() const { return cuts_.size() + 1; }
    // The region of a point; of several, the last one.
    PartNumber part_at(const Point& x) const;
    // The regions, along open axes up to infinity.
    std::vector<Sides> sides() const;
    // Appends the parts whose closed regions meet a closed box.
    void find_meeting(const Sides& box, std::vector<PartNumber>& found) const;

  private:
    // The sides of a cut: another cut, or ~(a part).
    struct Cut {
        std::size_t axis;
        double at;
        std::int32_t below, above;
    };
    std::int32_t root() const { return cuts_.empty() ? ~0 : 0; }
    struct Bisection;
    struct Reconstruction;

    std::vector<Cut> cuts_;
};

// The positions of bodies in the coordinates of Regions. Along periodic axes one period is the
// interval [0, 1], into which they are wrapped.
template <Real T, int D>
VICINAL_EXPORT std::vector<Vector<double, D>> cell_positions(const Bodies<T, D>& bodies,
                                                             const Domain<D>& domain);
// The lengths of the unit vectors of these coordinates.
template <Real T, int D>
VICINAL_EXPORT Vector<double, D> cell_lengths(const Domain<D>& domain);

// The work that each body causes, estimated from counts: one for the body itself, and two for
// each other body in the same cell of a grid with cells as long as the bounds of a typical
// body.
template <Real T, int D>
VICINAL_EXPORT std::vector<double> work_estimates(const Bodies<T, D>& bodies,
                                                  const Domain<D>& domain);

// The bodies that several parts hold. `owners` has one number for each body, or one for all.
// With bounds that are widened by `margin`, they stay valid while are_within() holds.
template <Real T, int D>
VICINAL_EXPORT Holders find_holders(const Bodies<T, D>& bodies, const Domain<D>& domain,
                                    const Regions<D>& regions,
                                    std::type_identity_t<std::span<const PartNumber>> owners,
                                    int threads = 0, double margin = 0);
// True if the bounds of each body are within those of `before`, widened by `margin`.
template <Real T, int D>
VICINAL_EXPORT bool are_within(const Bodies<T, D>& bodies, const Bodies<T, D>& before,
                               double margin, int threads = 0);

struct Part {
    PartNumber number = 0;
    std::size_t own = 0;        // the first of `bodies` are its own, the others are copies
    std::vector<Index> bodies;  // indices in the whole set; both sections ascend
    Holders holders;            // of these bodies
};

// Parts of about equal weight. No weights: work_estimates().
template <Real T, int D>
VICINAL_EXPORT std::vector<Part> split(
    const Bodies<T, D>& bodies, const Domain<D>& domain, std::size_t parts,
    std::type_identity_t<std::span<const double>> weights = {});

#define VICINAL_DECLARE(T, D)                                                                  \
    extern template std::vector<Vector<double, D>> cell_positions<T, D>(const Bodies<T, D>&,   \
                                                                        const Domain<D>&);     \
    extern template Vector<double, D> cell_lengths<T, D>(const Domain<D>&);                    \
    extern template std::vector<double> work_estimates(const Bodies<T, D>&, const Domain<D>&); \
    extern template Holders find_holders(const Bodies<T, D>&, const Domain<D>&,                \
                                         const Regions<D>&, std::span<const PartNumber>, int,  \
                                         double);                                              \
    extern template bool are_within(const Bodies<T, D>&, const Bodies<T, D>&, double, int);    \
    extern template std::vector<Part> split(const Bodies<T, D>&, const Domain<D>&,             \
                                            std::size_t, std::span<const double>);
VICINAL_DECLARE(float, 2)
VICINAL_DECLARE(float, 3)
VICINAL_DECLARE(double, 2)
VICINAL_DECLARE(double, 3)
#undef VICINAL_DECLARE
extern template class Regions<2>;
extern template class Regions<3>;

}  // namespace vicinal::inline VICINAL_API
