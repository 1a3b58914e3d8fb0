// The list of the skin: when it is reused or rebuilt, and the records that each step writes.
#include "finder/skin.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "scene/check.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// If a body has been wrapped by more periods than this since the list was made, a new list is
// needed: the rounding of its coordinates exceeds the slack.
constexpr std::int32_t max_wraps = 2;

template <int D>
std::size_t record_size(bool round) {
    return round ? round_width : 2 * box_half<D>;
}

}  // namespace

template <Real T, int D>
bool Skin<T, D>::try_reuse(const Bodies<T, D>& bodies, const Domain<D>& domain,
                           const Execution& execution) {
    execution_ = execution;
    domain_ = domain.at_rest();
    shift_ = scene_.assign_placed(bodies, domain_, execution_, ghost_body_.span());
    possible_ = FatBounds<T, D>::possible(bodies, domain);
    policy_.note_motion(bodies, scene_.lattice());
    if (!listed_ || !possible_ || !fat_.same_kind(scene_)) return false;
    // In an open domain bodies at rest need no check: refresh() ensures that they are within
    // their fat bounds, and so finite.
    if (scene_.periodic() || fat_.kind() == Kind::proxies)
        check_values(bodies, traits_of(bodies.shape).name, execution_);
    if (!refresh()) return false;
    ++since_;
    return true;
}

template <Real T, int D>
bool Skin<T, D>::begin_rebuild(std::uint64_t pairs) {
    if (std::exchange(listed_, false)) policy_.note_end(fat_.width(), since_);
    since_ = 0;
    if (!possible_) return false;
    const std::optional<double> width = policy_.choose_width(pairs);
    if (!width) return false;
    std::fill(shift_.begin(), shift_.end(), Image<D>{});
    return fat_.enclose(scene_, *width);
}

template <Real T, int D>
bool Skin<T, D>::finish_rebuild(const PairList<D>& list) {
    const Bodies<T, D> bodies = scene_.view();
    const std::size_t n = bodies.size();
    entries_.reset(n);
    pairs_.resize(list.size());
    std::size_t at = 0;
    for (const Block<D>& block : list.blocks()) {
        poll_cancelled(block.pairs.size());
        for (std::size_t p = 0; p < block.pairs.size(); ++p) {
            const Image<D> image = block.images.empty() ? Image<D>{} : block.images[p];
            const Index first = entries_.add(block.pairs[p].i, {});
            pairs_[at++] = {first, entries_.add(block.pairs[p].j, image)};
        }
    }
    const auto ghosts = entries_.ghosts();
    ghost_body_.resize(ghosts.size());
    for (std::size_t g = 0; g < ghosts.size(); ++g) ghost_body_[g] = ghosts[g].body;
    const auto instances = entries_.instances();
    const auto packed = packed_.entries(instances.size());
    std::copy(instances.begin(), instances.end(), packed.begin());
    const bool plain = fat_.kind() != Kind::proxies && !scene_.periodic();
    bits_ = plain ? std::span<Bits>{} : packed_.own_bits(packed.size());
    packed_.fill_nothing(!plain);
    // Record sizes divide a cache line, so that no record straddles two.
    records_.resize(record_size<D>(fat_.round()) * packed.size());
    shift_ = scene_.assign_placed(bodies, domain_, execution_, ghost_body_.span());
    ++rebuilds_;
    return listed_ = n + ghosts.size() < none && refresh();
}

// Writes the records of this step. False if the list no longer holds every pair.
template <Real T, int D>
bool Skin<T, D>::refresh() {
    if (!fat_.cover_lattice(scene_)) return false;
    const std::size_t n = scene_.bodies();
    const Kind kind = fat_.kind();
    std::atomic<bool> good = true;
    parallel_ranges(execution_.threads, n, [&](Range r, std::size_t) {
        constexpr std::size_t segment = 4096;  // bodies between two checks of `good`
        for (; r.begin < r.end && good.load(std::memory_order_relaxed); r.begin += segment) {
            const Range some{r.begin, std::min(r.end, r.begin + segment)};
            const bool inside = scene_.periodic() || kind == Kind::proxies ? place(some)
                                : kind == Kind::boxes                      ? place_boxes(some)
                                                                           : place_round(some);
            if (!inside) good.store(false, std::memory_order_relaxed);
        }
    });
    if (!good) return false;
    const auto ghosts = entries_.ghosts();
    parallel_for(execution_.threads, ghosts.size(), [&](std::size_t g) {
        const Image<D>& body = shift_[ghosts[g].body];
        for (std::size_t a = 0; a < D; ++a)
            shift_[n + g][a] = static_cast<std::int16_t>(body[a] + ghosts[g].image[a]);
        record(static_cast<Index>(n + g), ghosts[g].entry);
    });
    return true;
}

// Bodies are read in the caller's order and written to the list's entries. NaN and infinite
// values are outside any fat bounds.
template <Real T, int D>
bool Skin<T, D>::place_boxes(Range bodies) {
    constexpr std::size_t half = box_half<D>;
    const Vectors<T, D> lower = scene_.view().position, upper = scene_.view().upper;
    const Index* const entry = entries_.of_bodies();
    T* const records = records_.data();
    std::array<const T*, D> from, to;
    for (std::size_t a = 0; a < D; ++a) {
        from[a] = fat_.lower(a);
        to[a] = fat_.upper(a);
    }
    unsigned outside = 0;
    for (std::size_t i = bodies.begin; i < bodies.end; ++i) {
        constexpr std::size_t ahead = 48;
        if (const Index e = entry[std::min(i + ahead, bodies.end - 1)]; e != none)
            __builtin_prefetch(records + 2 * half * e, 1);
        std::array<T, 2 * half> one{};
        for (std::size_t a = 0; a < D; ++a) {
            const T lo = lower.axis[a][i], hi = upper.axis[a][i];
            outside |= unsigned{!(lo >= from[a][i])} | unsigned{!(hi <= to[a][i])} |
                       unsigned{!(lo <= hi)};
            one[a] = lo;
            one[half + a] = -hi;
        }
        if (entry[i] != none) std::copy(one.begin(), one.end(), records + 2 * half * entry[i]);
    }
    return outside == 0;
}

template <Real T, int D>
bool Skin<T, D>::place_round(Range bodies) {
    const Bodies<T, D> view = scene_.view();
    const bool spheres = has_radius(view);
    const T half_cutoff = view.cutoff / 2, max_radius = largest_reach<T>() / 2;
    // Rounding of the sum is within the margin of reach_share().
    const T grown = std::max((view.cutoff - fat_.enclosed().cutoff) / 2, T{0});
    const Index* const entry = entries_.of_bodies();
    T* const records = records_.data();
    const T* const radius = fat_.radius();
    std::array<const T*, D> centre;
    for (std::size_t a = 0; a < D; ++a) centre[a] = fat_.lower(a);
    const T half_width = fat_.half_width();
    unsigned outside = 0;
    for (std::size_t i = bodies.begin; i < bodies.end; ++i) {
        std::array<T, round_width> one{};
        T square = 0;
        for (std::size_t a = 0; a < D; ++a) {
            one[a] = view.position.axis[a][i];
            square += (one[a] - centre[a][i]) * (one[a] - centre[a][i]);
        }
        one[D] = spheres ? view.radius[i] : half_cutoff;
        const T left = half_width - (spheres ? std::max(one[D] - radius[i], T{0}) : grown);
        outside |= unsigned{!(left >= 0)} | unsigned{!(square <= left * left)} |
                   unsigned{!(one[D] >= 0)} | unsigned{!(one[D] <= max_radius)};
        if (entry[i] != none)
            std::copy(one.begin(), one.end(), records + round_width * entry[i]);
    }
    return outside == 0;
}

// Any kind in any domain: a body outside its fat bounds may have been wrapped.
template <Real T, int D>
bool Skin<T, D>::place(Range bodies) {
    const Index* const entry = entries_.of_bodies();
    for (std::size_t b = bodies.begin; b < bodies.end; ++b) {
        const auto i = static_cast<Index>(b);
        if (scene_.periodic()) shift_[i] = {};
        if (!fat_.holds(scene_, i)) {
            if (!scene_.periodic()) return false;
            const Shift<D> k = fat_.periods_off(scene_, i);
            for (std::size_t a = 0; a < D; ++a) {
                if (std::abs(k[a]) > max_wraps) return false;
                shift_[i][a] = static_cast<std::int16_t>(k[a]);
            }
            if (k == Shift<D>{} || !fat_.holds(scene_, i)) return false;
        }
        if (entry[i] != none) record(i, entry[i]);
    }
    return true;
}

// The record of an unshifted body holds its exact coordinates, from which pairs are decided;
// that of any other instance holds a conservative box or ball.
template <Real T, int D>
void Skin<T, D>::record(Index instance, Index entry) {
    const Bodies<T, D>& view = scene_.view();
    const Index i = scene_.body(instance);
    const bool plain = fat_.kind() != Kind::proxies && !scene_.shifted(instance);
    bits_[entry] =
        static_cast<Bits>(Scene<T, D>::image_bits | (plain ? unsigned{unshifted_bit} : 0u));
    const bool boxes = fat_.kind() == Kind::boxes;
    const Box<T, D> box = plain && boxes ? Box<T, D>{} : scene_.box(instance);
    if (!fat_.round()) {
        constexpr std::size_t half = box_half<D>;
        std::array<T, 2 * half> one{};
        for (std::size_t a = 0; a < D; ++a) {
            one[a] = plain ? view.position.axis[a][i] : box.lo[a];
            one[half + a] = -(plain ? view.upper.axis[a][i] : box.hi[a]);
        }
        std::copy(one.begin(), one.end(), records_.data() + 2 * half * entry);
        return;
    }
    std::array<T, round_width> one{};
    T radius = half_reach(view, i);
    // Also covers the rounding of the other body's reach.
    if (!plain) radius = 16 * std::numeric_limits<T>::epsilon() * fat_.max_reach();
    for (std::size_t a = 0; a < D; ++a) {
        one[a] = plain ? view.position.axis[a][i] : box.lo[a] / 2 + box.hi[a] / 2;
        if (!plain) one[D] = std::max({one[D], one[a] - box.lo[a], box.hi[a] - one[a]});
    }
    one[D] += radius;
    std::copy(one.begin(), one.end(), records_.data() + round_width * entry);
}

template <Real T, int D>
void Skin<T, D>::search(std::size_t task, const SearchContext<T, D>& context) const {
    Sieve<T, D> sieve(context, packed_);
    const std::size_t begin = task * pairs_per_task;
    const std::size_t count = std::min(pairs_per_task, pairs_.size() - begin);
    sieve.list({records_.data(), !fat_.round(), half_reach_rule(fat_.enclosed())},
               {pairs_.data() + begin, count});
}

template <Real T, int D>
Statistics Skin<T, D>::statistics() const {
    return {{"rebuilds", static_cast<double>(rebuilds_)},
            {"steps since", static_cast<double>(since_)},
            {"skin", listed_ ? fat_.width() : 0},
            {"listed", listed_ ? static_cast<double>(pairs_.size()) : 0}};
}

template class Skin<float, 2>;
template class Skin<float, 3>;
template class Skin<double, 2>;
template class Skin<double, 3>;

}  // namespace vicinal::inline VICINAL_API
