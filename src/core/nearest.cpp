#include "core/nearest.hpp"

#include <cmath>

namespace vicinal {
namespace {

// Images are 16-bit integers.
constexpr double most_periods = std::numeric_limits<std::int16_t>::max();

[[noreturn]] void too_many_periods(Index query) {
    throw Error(
        Error::Kind::input,
        "query " + std::to_string(query) +
            ": a neighbour would be more than 32767 periods away, and images are 16-bit "
            "integers; wrap it back into the box, or ask for fewer neighbours",
        query);
}

}  // namespace

template <Real T, int D>
NearestQuery<T, D>::NearestQuery(const NearestQuestion<T, D>& question)
    : question_(question),
      columns_(question.packed != nullptr &&
               question.packed->kind() != Packed<T, D>::Kind::nothing &&
               question.packed->kind() != Packed<T, D>::Kind::proxies) {
    const auto& inverse = question.scene->lattice().inverse;
    for (std::size_t k = 0; k < D; ++k) {
        double square = 0;
        for (std::size_t a = 0; a < D; ++a) square += inverse[a][k] * inverse[a][k];
        height_[k] = 1 / std::sqrt(square);
    }
}

template <Real T, int D>
void NearestQuery<T, D>::begin(Index i) {
    best_.clear();
    bound_ = static_cast<double>(question_.limit);
    number_ = i;
    const Item<T, D> item(*question_.queries, i, true);
    lo_ = item.lo;
    hi_ = item.hi;
    image_ = {};
    for (std::size_t a = 0; a < D; ++a) {
        place_.lo[a] = static_cast<double>(lo_[a]);
        place_.hi[a] = static_cast<double>(hi_[a]);
    }
    const Lattice<T, D>& lattice = question_.scene->lattice();
    for (std::size_t k = 0; k < D && !lattice.open; ++k) {
        double apart = 0;
        reach_[k] = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const auto low = static_cast<double>(question_.region.lo[a]),
                       high = static_cast<double>(question_.region.hi[a]);
            const double inverse = lattice.inverse[a][k];
            apart += (place_.lo[a] / 2 + place_.hi[a] / 2 - (low / 2 + high / 2)) * inverse;
            reach_[k] +=
                (high / 2 - low / 2 + place_.hi[a] / 2 - place_.lo[a] / 2) * std::abs(inverse);
        }
        nearest_image_[k] = 0;
        if (!lattice.periodic[k]) continue;
        if (!(std::abs(apart) <= most_periods)) too_many_periods(i);
        nearest_image_[k] = static_cast<std::int32_t>(std::lround(apart));
    }
}

// Else one would look for ever.
template <Real T, int D>
bool NearestQuery<T, D>::anyone_allowed() const {
    for (Index j = 0; j < question_.scene->bodies(); ++j)
        if (!question_.filter->active() || question_.filter->allows(number_, j)) return true;
    return false;
}

// Images that are `shell` periods away from the nearest one along some axis, and no more along
// any: is there anything in them that counts?
template <Real T, int D>
bool NearestQuery<T, D>::open(std::int32_t shell) {
    const Lattice<T, D>& lattice = question_.scene->lattice();
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < D; ++k) {
        shell_.lo[k] = shell_.hi[k] = 0;
        if (!lattice.periodic[k]) continue;
        shell_.lo[k] = nearest_image_[k] - shell;
        shell_.hi[k] = nearest_image_[k] + shell;
        // Half a period for the nearest image; the rest of the slack is for rounding.
        gap = std::min(gap, (shell - 0.501 - 1.001 * reach_[k]) * height_[k]);
    }
    if (shell == 2 && best_.empty() && !anyone_allowed()) return false;
    return gap <= 0 || !too_far(gap * gap * (1 - 64 * eps));
}

template <Real T, int D>
bool NearestQuery<T, D>::on_shell(const Shift<D>& n, std::int32_t shell) const {
    std::int32_t farthest = 0;
    for (std::size_t k = 0; k < D; ++k)
        if (question_.scene->lattice().periodic[k])
            farthest = std::max(farthest, std::abs(n[k] - nearest_image_[k]));
    return farthest == shell;
}

template <Real T, int D>
bool NearestQuery<T, D>::move(const Shift<D>& n) {
    const Lattice<T, D>& lattice = question_.scene->lattice();
    image_ = n;
    const double longest = question_.scene->longest_shift();
    for (std::size_t a = 0; a < D; ++a) {
        // The shift of an image is a rounded sum, and so is a difference of places with it.
        double shift = 0, lengths = longest;
        for (std::size_t m = 0; m < D; ++m) {
            const auto h = static_cast<double>(lattice.h[m][a]);
            shift += n[m] * h;
            lengths += (std::abs(n[m]) + 1) * std::abs(h);
        }
        const double slack = 32 * eps * lengths;
        place_.lo[a] = static_cast<double>(lo_[a]) - shift - slack;
        place_.hi[a] = static_cast<double>(hi_[a]) - shift + slack;
    }
    return !too_far(square_to(question_.region));
}

template <Real T, int D>
void NearestQuery<T, D>::offer_entry(std::size_t entry) {
    const Packed<T, D>& packed = *question_.packed;
    const Index instance = packed.instance(entry);
    if (!columns_) {
        // A ghost is an image of a body, which has its turn there.
        if (instance < question_.scene->bodies()) offer_body(instance);
        return;
    }
    const bool box = packed.kind() == Packed<T, D>::Kind::boxes;
    Vector<T, D> lo, hi;
    for (std::size_t a = 0; a < D; ++a) {
        lo[a] = packed.column(a)[entry];
        hi[a] = box ? packed.column(D + a)[entry] : lo[a];
    }
    consider(instance, {}, lo, hi);
}

template <Real T, int D>
void NearestQuery<T, D>::offer_body(Index body) {
    const Item<T, D> item(question_.scene->view(), body, true);
    Shift<D> n = question_.scene->shift(body);
    for (std::size_t a = 0; a < D; ++a) n[a] += image_[a];
    consider(body, n, item.lo, item.hi);
}

template <Real T, int D>
void NearestQuery<T, D>::consider(Index body, const Shift<D>& n, const Vector<T, D>& lo,
                                  const Vector<T, D>& hi) {
    const Lattice<T, D>& lattice = question_.scene->lattice();
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
    Neighbour<T, D> one{squared_gap<T, D>(a, b, {}, T{0}), body, {}};
    if (!(one.square <= question_.limit)) return;
    const bool full = best_.size() == question_.k;
    if (full && one.square > best_.back().square) return;
    if (question_.own && body == number_ && n == Shift<D>{}) return;
    if (question_.filter->active() && !question_.filter->allows(number_, body)) return;
    for (std::size_t k = 0; k < D; ++k) {
        if (std::abs(n[k]) > most_periods) too_many_periods(number_);
        one.image[k] = static_cast<std::int16_t>(n[k]);
    }
    const auto at = std::lower_bound(best_.begin(), best_.end(), one);
    // A body with several entries is offered several times.
    if (at == best_.end() ? full : !(one < *at)) return;
    const auto place = at - best_.begin();
    if (full) best_.pop_back();
    best_.insert(best_.begin() + place, one);
    if (best_.size() == question_.k) bound_ = static_cast<double>(best_.back().square);
}

template class NearestQuery<float, 2>;
template class NearestQuery<float, 3>;
template class NearestQuery<double, 2>;
template class NearestQuery<double, 3>;

}  // namespace vicinal
