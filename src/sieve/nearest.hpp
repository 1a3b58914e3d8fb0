// The search for the k nearest bodies of a query. The criterion is the squared gap between the
// query and a body (docs/promises.md), evaluated in T like every decision; a method only needs
// to know which boxes are too far.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "base/parallel.hpp"
#include "scene/pair_filter.hpp"
#include "sieve/decide.hpp"
#include "sieve/sieve.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
struct Neighbour {
    T square;  // of the distance
    Index body;
    Image<D> image;

    // Nearest first; ties in the order of pairs.
    bool operator<(const Neighbour& other) const {
        if (square != other.square) return square < other.square;
        return std::tie(body, image) < std::tie(other.body, other.image);
    }
};

// Shared by all queries of one call.
template <Real T, int D>
struct NearestContext {
    const Scene<T, D>* scene = nullptr;
    const Packed<T, D>* packed = nullptr;  // null: no method was built (Images::direct)
    const Bodies<T, D>* queries = nullptr;
    const PairFilter<D>* filter = nullptr;
    std::span<const Index> order;  // of the queries, for the sake of the cache; empty: as given
    bool own = false;  // the queries are the bodies; a body is not its own neighbour
    std::size_t k = 1;
    T limit = 0;              // square of the largest distance
    Box<double, D> region{};  // bounds of all bodies, at their shifts
    double max_tests = 0;     // of bodies, per query in a periodic domain

    Index query(std::size_t at) const {
        return order.empty() ? static_cast<Index>(at) : order[at];
    }
};

// Bounds of one body, or of all, with round bodies as points.
template <Real T, int D>
Box<double, D> box_without_reach(const Scene<T, D>& scene, Index body);
template <Real T, int D>
Box<double, D> bounds_without_reach(const Scene<T, D>& scene);

template <Real T, int D>
class NearestQuery {
  public:
    explicit NearestQuery(const NearestContext<T, D>& context);

    // Finds the neighbours of query i: calls visit() for every image of the bodies that may
    // hold one of them, the nearest images first. visit() must offer every body that is not too
    // far. Without a method each body is searched separately, because bodies may be many
    // periods apart.
    template <class Visit>
    std::span<const Neighbour<T, D>> find(Index i, const Visit& visit) {
        begin(i);
        if (!context_.scene->periodic()) {
            visit();
        } else if (context_.packed != nullptr) {
            find_images(context_.region, visit);
        } else {
            for (Index j = 0; j < context_.scene->bodies(); ++j)
                if (allows(j))
                    find_images(box_without_reach(*context_.scene, j), [&] { offer_body(j); });
        }
        merge();
        poll_cancelled(static_cast<std::size_t>(work_) + 16);
        return best_;
    }

    // Lower bound of the squared distance to any body whose Scene::box lies within this box.
    template <Real S>
    double square_to(const Box<S, D>& box) const {
        double sum = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const double above = static_cast<double>(box.lo[a]) - query_box_.hi[a];
            const double below = query_box_.lo[a] - static_cast<double>(box.hi[a]);
            // Without branches, which would mispredict.
            const double outside = above > below ? above : below;
            const double gap = outside > 0 ? outside : 0.0;
            sum += gap * gap;
        }
        return sum * (1 - 16 * eps) - 4 * static_cast<double>(std::numeric_limits<T>::min());
    }
    // True if everything at this squared distance is too far; false for NaN (from overflow).
    bool too_far(double square) const { return square > bound_; }

    void offer(Run entries) {
        if (plain_) return offer_points(entries);
        for (std::size_t e = entries.begin; e < entries.end; ++e) offer_entry(e);
    }
    void offer_entry(std::size_t entry);
    void offer_body(Index body);  // without a packed copy

  private:
    static constexpr double eps = static_cast<double>(std::numeric_limits<T>::epsilon());

    // Up to this many neighbours are kept in order by insertion; more are sorted in batches.
    static constexpr std::size_t max_inserted = 64;

    void begin(Index i);
    void offer_points(Run entries);
    void insert(const Neighbour<T, D>& one);
    // Visits the images of a region shell by shell: a shell holds the images that are `shell`
    // periods away from the nearest one along some axis, and no more along any.
    template <class Visit>
    void find_images(const Box<double, D>& region, const Visit& visit) {
        begin_region(region);
        for (std::int32_t shell = 0; begin_shell(shell); ++shell) {
            auto first = shell_.lo, last = shell_.hi;
            last[inner_] = first[inner_];
            for_each_between(first, last, [&](Shift<D> n) {
                std::int32_t step = 2 * shell;  // along the inner axis, from face to face
                for (std::size_t k = 0; k < D; ++k)
                    if (k != inner_ && std::abs(n[k] - nearest_image_[k]) == shell &&
                        shell_.lo[k] < shell_.hi[k])
                        step = 1;
                spend(image_work);
                for (; n[inner_] <= shell_.hi[inner_]; n[inner_] += std::max(step, 1))
                    if (move_to_image(n, region)) visit();
            });
        }
    }
    void begin_region(const Box<double, D>& region);
    bool begin_shell(std::int32_t shell);
    bool allows(Index body) const;
    bool has_allowed_body() const;
    bool move_to_image(const Shift<D>& n, const Box<double, D>& region);
    // Measured work in units of one body test: visiting an image, and sorting a candidate.
    static constexpr double image_work = 0.25, sort_work = 1;
    void spend(double work) {
        work_ += work;
        if (work_ > next_check_) [[unlikely]]
            check_work();
    }
    void check_work();
    [[noreturn]] void too_much_work() const;
    void merge();
    void consider(Index body, const Shift<D>& n, const Vector<T, D>& lo,
                  const Vector<T, D>& hi);

    const NearestContext<T, D> context_;
    const bool columns_;  // true if the packed columns hold the caller's coordinates
    const bool plain_;    // points in an open domain, each in one entry, without a filter
    Index query_index_ = 0;
    Vector<T, D> lo_{}, hi_{};
    // The query relative to the current image, widened by the absolute rounding error of a
    // distance. (square_to() allows for the relative error.)
    Box<double, D> query_box_{};
    Shift<D> image_{};  // current image
    typename Scene<T, D>::Shifts shell_{};
    std::size_t inner_ = 0;           // a periodic axis
    Shift<D> nearest_image_{};        // of the region
    std::array<double, D> reach_{};   // of region and query together, in periods
    std::array<double, D> height_{};  // of a period
    double bound_ = 0;                // squared; anything farther is rejected
    double work_ = 0;
    double next_check_ = 0;  // of the work
    std::vector<Neighbour<T, D>> best_;
    std::vector<Neighbour<T, D>> more_;  // for large k: not yet merged into best_
};

// All queries of a call, in parallel. `visit` offers a query the bodies that a method finds
// (see NearestQuery), except to those whose neighbours are `known` already. Fills rows with
// indices, images and distances; `columns` are those that will be needed in the end.
template <Real T, int D, class Known, class Visit>
void collect_nearest(const NearestContext<T, D>& context, int threads, const Limits& limits,
                     Columns columns, Rows<T, D>& rows, const Known& known,
                     const Visit& visit) {
    constexpr std::size_t queries_per_task = 256;
    const std::size_t n = context.queries->size();
    std::vector<std::vector<Neighbour<T, D>>> parts((n + queries_per_task - 1) /
                                                    queries_per_task);
    rows.offsets.resize(n + 1);
    rows.offsets[n] = 0;
    parallel_tasks(threads, parts.size(), [&](std::size_t t, int) {
        NearestQuery<T, D> query(context);
        const std::size_t begin = t * queries_per_task;
        for (std::size_t q = begin; q < std::min(n, begin + queries_per_task); ++q) {
            const Index i = context.query(q);
            const auto found =
                known.has(i) ? known.of(i) : query.find(i, [&] { visit(query); });
            rows.offsets[i] = found.size();
            parts[t].insert(parts[t].end(), found.begin(), found.end());
        }
    });
    const std::uint64_t total =
        exclusive_scan(threads, std::span(rows.offsets.data(), rows.offsets.size()));
    const bool imaged = context.scene->periodic();
    const std::uint64_t each = sizeof(Index) + sizeof(T) + (imaged ? sizeof(Image<D>) : 0) +
                               (has_vectors(columns) ? sizeof(Vector<T, D>) : 0);
    if (total > limits.max_pairs || total > limits.max_bytes / each)
        throw Error(Error::Kind::limit,
                    "there are " + std::to_string(total) + " nearest neighbours of " +
                        std::to_string(each) +
                        " bytes each, more than max_pairs or max_bytes allows; raise that "
                        "limit or request fewer neighbours");
    rows.indices.resize(total);
    rows.distances.resize(total);
    if (imaged) rows.images.resize(total);
    parallel_tasks(threads, parts.size(), [&](std::size_t t, int) {
        const Neighbour<T, D>* one = parts[t].data();
        const std::size_t begin = t * queries_per_task;
        for (std::size_t q = begin; q < std::min(n, begin + queries_per_task); ++q) {
            const Index i = context.query(q);
            for (std::size_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at, ++one) {
                rows.indices[at] = one->body;
                rows.distances[at] = std::sqrt(one->square);
                if (imaged) rows.images[at] = one->image;
            }
        }
    });
}

}  // namespace vicinal::inline VICINAL_API
