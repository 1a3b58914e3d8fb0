#include "sieve/nearest.hpp"

#include <cmath>

#include "base/text.hpp"
#include "scene/bounds.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Images are 16-bit integers.
constexpr double max_periods = std::numeric_limits<std::int16_t>::max();

[[noreturn]] void too_many_periods(Index query) {
    throw Error(
        Error::Kind::input,
        "query " + std::to_string(query) +
            ": a neighbour would be more than 32767 periods away, and images are 16-bit "
            "integers; wrap the query into the box, or request fewer neighbours",
        query);
}

}  // namespace

template <Real T, int D>
Box<double, D> box_without_reach(const Scene<T, D>& scene, Index body) {
    constexpr double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    const Bodies<T, D>& view = scene.view();
    const auto low = scene.centre(body);
    Box<double, D> box;
    for (std::size_t a = 0; a < D; ++a) {
        const auto x = static_cast<double>(view.position.axis[a][body]);
        const double size = static_cast<double>(upper_corner(view, body, a)) - x;
        const double slack = 8 * eps * (std::abs(x) + std::abs(low[a]) + size);
        box.lo[a] = low[a] - slack;
        box.hi[a] = low[a] + size + slack;
    }
    return box;
}

template <Real T, int D>
Box<double, D> bounds_without_reach(const Scene<T, D>& scene) {
    PerPiece<Box<double, D>> parts(piece_count(scene.threads(), scene.bodies()),
                                   empty_box<double, D>());
    parallel_ranges(scene.threads(), scene.bodies(), [&](Range r, std::size_t p) {
        Box<double, D> part = empty_box<double, D>();
        for (std::size_t i = r.begin; i < r.end; ++i)
            extend(part, box_without_reach(scene, static_cast<Index>(i)));
        parts[p] = part;
    });
    Box<double, D> all = empty_box<double, D>();
    for (const Box<double, D>& part : parts) extend(all, part);
    return all;
}

template <Real T, int D>
NearestQuery<T, D>::NearestQuery(const NearestContext<T, D>& context)
    : context_(context),
      columns_(context.packed != nullptr && context.packed->kind() != PackedKind::nothing &&
               context.packed->kind() != PackedKind::proxies),
      plain_(columns_ && context.packed->kind() != PackedKind::boxes &&
             !context.packed->owned() && context.scene->lattice().open &&
             is_round(*context.queries) && !context.filter->active() &&
             context.k <= max_inserted) {
    const auto& inverse = context.scene->lattice().inverse;
    for (std::size_t k = 0; k < D; ++k) {
        double square = 0;
        for (std::size_t a = 0; a < D; ++a) square += inverse[a][k] * inverse[a][k];
        height_[k] = 1 / std::sqrt(square);
    }
    while (inner_ + 1 < D && !context.scene->lattice().periodic[inner_]) ++inner_;
}

template <Real T, int D>
void NearestQuery<T, D>::begin(Index i) {
    best_.clear();
    more_.clear();
    work_ = next_check_ = 0;
    bound_ = static_cast<double>(context_.limit);
    query_index_ = i;
    const Item<T, D> item(*context_.queries, i, true);
    lo_ = item.lo;
    hi_ = item.hi;
    image_ = {};
    for (std::size_t a = 0; a < D; ++a) {
        query_box_.lo[a] = static_cast<double>(lo_[a]);
        query_box_.hi[a] = static_cast<double>(hi_[a]);
    }
}

template <Real T, int D>
void NearestQuery<T, D>::begin_region(const Box<double, D>& region) {
    const Lattice<T, D>& lattice = context_.scene->lattice();
    for (std::size_t k = 0; k < D; ++k) {
        double apart = 0;
        reach_[k] = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const double low = region.lo[a] / 2, high = region.hi[a] / 2;
            const auto from = static_cast<double>(lo_[a]) / 2,
                       to = static_cast<double>(hi_[a]) / 2;
            const double inverse = lattice.inverse[a][k];
            apart += (from + to - (low + high)) * inverse;
            reach_[k] += (high - low + to - from) * std::abs(inverse);
        }
        nearest_image_[k] = 0;
        if (!lattice.periodic[k]) continue;
        if (!(std::abs(apart) <= max_periods)) too_many_periods(query_index_);
        nearest_image_[k] = static_cast<std::int32_t>(std::lround(apart));
    }
}

template <Real T, int D>
bool NearestQuery<T, D>::allows(Index body) const {
    return !context_.filter->active() || context_.filter->allows(query_index_, body);
}

// If the filter rejects all bodies, the search would never end.
template <Real T, int D>
bool NearestQuery<T, D>::has_allowed_body() const {
    for (Index j = 0; j < context_.scene->bodies(); ++j)
        if (allows(j)) return true;
    return false;
}

template <Real T, int D>
void NearestQuery<T, D>::too_much_work() const {
    throw Error(
        Error::Kind::limit,
        "query " + std::to_string(query_index_) + ": to find its " +
            std::to_string(context_.k) + " nearest neighbours, more than " +
            number_text(std::floor(context_.max_tests)) +
            " images would have to be visited one by one; request fewer neighbours or a "
            "smaller distance, choose a larger or less skewed box, or raise max_pairs",
        query_index_);
}

// Ends a query that takes too long, or a call that was cancelled.
template <Real T, int D>
void NearestQuery<T, D>::check_work() {
    const double max_work = context_.scene->periodic()
                                ? context_.max_tests
                                : std::numeric_limits<double>::infinity();
    if (work_ > max_work) too_much_work();
    poll_cancelled(work_per_poll);
    next_check_ = std::min(work_ + static_cast<double>(work_per_poll), max_work);
}

// Sets the range of the shell's images. False if none of them can hold a neighbour.
template <Real T, int D>
bool NearestQuery<T, D>::begin_shell(std::int32_t shell) {
    const Lattice<T, D>& lattice = context_.scene->lattice();
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < D; ++k) {
        shell_.lo[k] = shell_.hi[k] = 0;
        if (!lattice.periodic[k]) continue;
        shell_.lo[k] = nearest_image_[k] - shell;
        shell_.hi[k] = nearest_image_[k] + shell;
        // Half a period for the nearest image; the rest of the slack is for rounding.
        gap = std::min(gap, (shell - 0.501 - 1.001 * reach_[k]) * height_[k]);
    }
    if (shell == 2 && best_.empty() && more_.empty() && !has_allowed_body()) return false;
    return gap <= 0 || !too_far(gap * gap * (1 - 64 * eps));
}

template <Real T, int D>
bool NearestQuery<T, D>::move_to_image(const Shift<D>& n, const Box<double, D>& region) {
    spend(image_work);
    const Lattice<T, D>& lattice = context_.scene->lattice();
    image_ = n;
    const double longest = context_.scene->longest_shift();
    for (std::size_t a = 0; a < D; ++a) {
        // The shift of an image is a rounded sum, and so is a difference of coordinates plus
        // that shift.
        double shift = 0, lengths = longest;
        for (std::size_t m = 0; m < D; ++m) {
            const auto h = static_cast<double>(lattice.h[m][a]);
            shift += n[m] * h;
            lengths += (std::abs(n[m]) + 1) * std::abs(h);
        }
        const double slack = 32 * eps * lengths;
        query_box_.lo[a] = static_cast<double>(lo_[a]) - shift - slack;
        query_box_.hi[a] = static_cast<double>(hi_[a]) - shift + slack;
    }
    return !too_far(square_to(region));
}

template <Real T, int D>
void NearestQuery<T, D>::offer_entry(std::size_t entry) {
    const Packed<T, D>& packed = *context_.packed;
    const Index instance = packed.instance(entry);
    if (!columns_) {
        // Ghosts are skipped: the image of a body is offered when that image is visited.
        if (instance < context_.scene->bodies()) offer_body(instance);
        return;
    }
    const bool box = packed.kind() == PackedKind::boxes;
    Vector<T, D> lo, hi;
    for (std::size_t a = 0; a < D; ++a) {
        lo[a] = packed.column(a)[entry];
        hi[a] = box ? packed.column(D + a)[entry] : lo[a];
    }
    consider(instance, {}, lo, hi);
}

// The same as offer_entry() for each. First the squares of all, which the compiler vectorises.
template <Real T, int D>
void NearestQuery<T, D>::offer_points(Run entries) {
    const Packed<T, D>& packed = *context_.packed;
    constexpr std::size_t at_once = 32;
    std::array<T, at_once> squares;
    spend(static_cast<double>(entries.size()));
    for (std::size_t begin = entries.begin; begin < entries.end; begin += at_once) {
        const std::size_t count = std::min(at_once, entries.end - begin);
        for (std::size_t e = 0; e < count; ++e) {
            Vector<T, D> d;
            for (std::size_t a = 0; a < D; ++a) d[a] = packed.column(a)[begin + e] - lo_[a];
            squares[e] = dot(d, d);
        }
        for (std::size_t e = 0; e < count; ++e)
            if (static_cast<double>(squares[e]) <= bound_)
                insert({squares[e], packed.instance(begin + e), {}});
    }
}

// For up to max_inserted neighbours of a body that is offered once.
template <Real T, int D>
void NearestQuery<T, D>::insert(const Neighbour<T, D>& one) {
    if (context_.own && one.body == query_index_) return;
    if (best_.size() < context_.k)
        best_.push_back(one);
    else if (!(one < best_.back()))
        return;
    std::size_t p = best_.size() - 1;
    for (; p > 0 && one < best_[p - 1]; --p) best_[p] = best_[p - 1];
    best_[p] = one;
    if (best_.size() == context_.k) bound_ = static_cast<double>(best_.back().square);
}

template <Real T, int D>
void NearestQuery<T, D>::offer_body(Index body) {
    const Item<T, D> item(context_.scene->view(), body, true);
    Shift<D> n = context_.scene->shift(body);
    for (std::size_t a = 0; a < D; ++a) n[a] += image_[a];
    consider(body, n, item.lo, item.hi);
}

template <Real T, int D>
void NearestQuery<T, D>::consider(Index body, const Shift<D>& n, const Vector<T, D>& lo,
                                  const Vector<T, D>& hi) {
    const Lattice<T, D>& lattice = context_.scene->lattice();
    Vector<T, D> a, b;
    for (std::size_t k = 0; k < D; ++k) {
        a[k] = lo[k] - hi_[k];
        b[k] = hi[k] - lo_[k];
    }
    if (!lattice.open) {
        const Vector<T, D> s = lattice.shift(n);
        for (std::size_t k = 0; k < D; ++k) {
            a[k] = a[k] + s[k];
            b[k] = b[k] + s[k];
        }
    }
    spend(1);
    Neighbour<T, D> one{squared_gap<T, D>(a, b, {}, T{0}), body, {}};
    if (!(one.square <= context_.limit)) return;
    const bool full = best_.size() == context_.k;
    if (full && one.square > best_.back().square) return;
    if (context_.own && body == query_index_ && n == Shift<D>{}) return;
    if (!allows(body)) return;
    for (std::size_t k = 0; k < D; ++k) {
        if (std::abs(n[k]) > max_periods) too_many_periods(query_index_);
        one.image[k] = static_cast<std::int16_t>(n[k]);
    }
    if (context_.k > max_inserted) {
        spend(sort_work);
        more_.push_back(one);
        if (more_.size() >= std::max(context_.k, 4 * max_inserted)) merge();
        return;
    }
    const auto at = std::lower_bound(best_.begin(), best_.end(), one);
    // A body with several entries is offered several times.
    if (at == best_.end() ? full : !(one < *at)) return;
    const auto place = at - best_.begin();
    if (full) best_.pop_back();
    best_.insert(best_.begin() + place, one);
    if (best_.size() == context_.k) bound_ = static_cast<double>(best_.back().square);
}

template <Real T, int D>
void NearestQuery<T, D>::merge() {
    if (more_.empty()) return;
    const auto sorted = static_cast<std::ptrdiff_t>(best_.size());
    std::sort(more_.begin(), more_.end());
    best_.insert(best_.end(), more_.begin(), more_.end());
    more_.clear();
    std::inplace_merge(best_.begin(), best_.begin() + sorted, best_.end());
    const auto same = [](const Neighbour<T, D>& a, const Neighbour<T, D>& b) {
        return !(a < b);  // for consecutive elements of a sorted array
    };
    best_.erase(std::unique(best_.begin(), best_.end(), same), best_.end());
    if (best_.size() < context_.k) return;
    best_.resize(context_.k);
    bound_ = static_cast<double>(best_.back().square);
}

template class NearestQuery<float, 2>;
template class NearestQuery<float, 3>;
template class NearestQuery<double, 2>;
template class NearestQuery<double, 3>;
template Box<double, 2> bounds_without_reach(const Scene<float, 2>&);
template Box<double, 3> bounds_without_reach(const Scene<float, 3>&);
template Box<double, 2> bounds_without_reach(const Scene<double, 2>&);
template Box<double, 3> bounds_without_reach(const Scene<double, 3>&);
template Box<double, 2> box_without_reach(const Scene<float, 2>&, Index);
template Box<double, 3> box_without_reach(const Scene<float, 3>&, Index);
template Box<double, 2> box_without_reach(const Scene<double, 2>&, Index);
template Box<double, 3> box_without_reach(const Scene<double, 3>&, Index);

}  // namespace vicinal::inline VICINAL_API
