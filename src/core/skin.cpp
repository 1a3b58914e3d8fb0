#include "core/skin.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/cells.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"

namespace vicinal {
namespace {

template <Real T>
constexpr T eps = std::numeric_limits<T>::epsilon();

// Where squares underflow, any two bodies nearer than this may pair.
template <Real T>
T tiny() {
    return std::sqrt(std::numeric_limits<T>::min());
}

template <Real T>
T finite(double x) {
    constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(std::clamp(x, -most, most));
}

// A body that is wrapped by more periods than this since the list was made needs a new one:
// its coordinates are rounded more coarsely than the slack allows for.
constexpr std::int32_t most_wraps = 2;
// Those may need a few images more, and images have 16 bits.
constexpr double max_listed_images = 32000;

template <Real T, int D>
std::size_t record_size(bool round) {
    return round ? round_width : 2 * box_half<D>;
}

}  // namespace

template <Real T, int D>
bool Skin<T, D>::same_kind(const Bodies<T, D>& bodies) const {
    return bodies.size() == entry_.size() && bodies.shape == kind_of_.shape &&
           bodies.rule == kind_of_.rule && bodies.swept() == kind_of_.swept() &&
           scene_.lattice().periodic == lattice_.periodic;
}

// A reach so large that with a skin its square might overflow is not enlarged.
template <Real T, int D>
bool Skin<T, D>::fits(const Bodies<T, D>& bodies) const {
    if (bodies.size() == 0) return false;
    const T most = std::sqrt(std::numeric_limits<T>::max()) / 8;
    return bodies.shape != Shape::points || bodies.cutoff <= most;
}

template <Real T, int D>
bool Skin<T, D>::keep(const Bodies<T, D>& bodies, const Domain<D>& domain, int threads) {
    threads_ = threads;
    domain_ = domain;
    domain_.shear_change = 0;
    shift_ = scene_.assign_placed(bodies, domain_, threads, ghost_body_.span());
    // Images that move by themselves during the step are not fenced.
    fits_ = fits(bodies) && !(bodies.swept() && domain.shear_change != 0);
    if (!asked_) note_motion(bodies);
    if (!listed_ || !fits_ || !same_kind(bodies)) return false;
    // Whoever rests inside a fence in an open domain is finite: refresh() finds that out.
    if (scene_.imaged() || kind_ == Kind::proxies)
        check_values(bodies, shape_name(bodies.shape), threads);
    if (!refresh()) return false;
    ++since_;
    return true;
}

template <Real T, int D>
bool Skin<T, D>::renew(std::uint64_t pairs) {
    // How fast bodies were, as the list met it. One that was made and did not last a step or
    // two was a mistake: go without for a while, longer each time.
    if (std::exchange(listed_, false)) {
        pace_ = width_ / 2 / static_cast<double>(since_ + 1);
        wait_ = since_ >= 2 ? 1 : std::min<std::uint64_t>(2 * wait_, 64);
        rest_ = since_ >= 2 ? 0 : wait_;
    }
    since_ = 0;
    width_ = 0;
    if (!fits_) return false;
    if (asked_) {
        width_ = *asked_;
    } else {
        if (moved_ < 0) return false;  // nothing is known yet
        if (rest_ > 0) {
            --rest_;
            pace_ = -1;
            return false;
        }
        bool worth = false;
        width_ = choose_width(pace_ >= 0 ? pace_ : moved_, pairs, worth);
        if (!worth) {
            pace_ = -1;
            width_ = 0;
            return false;
        }
    }
    width_ =
        std::min(width_, static_cast<double>(std::sqrt(std::numeric_limits<T>::max()) / 64));
    const Bodies<T, D>& bodies = scene_.view();
    kind_ = bodies.swept()                 ? Kind::proxies
            : bodies.shape == Shape::boxes ? Kind::boxes
            : bodies.shape == Shape::spheres && bodies.rule != ReachRule::sum && scene_.imaged()
                ? Kind::proxies
                : Kind::round;
    if (make_fences()) return true;
    width_ = 0;
    return false;
}

// The largest motion of a sample since the last step, whole periods apart, and the mean size.
// Values that are none do no harm: nothing is made of them.
template <Real T, int D>
void Skin<T, D>::note_motion(const Bodies<T, D>& bodies) {
    constexpr std::size_t most = 1024;
    const std::size_t n = bodies.size(), count = std::min(n, most);
    const bool known = bodies_then_ == n && sample_.size() == count && n > 0;
    sample_.resize(count);
    bodies_then_ = n;
    double largest = 0, size = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const std::size_t i = s * n / count;
        Sample now, by;
        for (std::size_t a = 0; a < D; ++a) {
            now[a] = static_cast<double>(bodies.position.axis[a][i]);
            by[a] = now[a] - sample_[s][a];
            if (bodies.shape == Shape::boxes)
                size += (static_cast<double>(bodies.upper.axis[a][i]) - now[a]) / D;
        }
        if (bodies.shape == Shape::spheres) size += 2 * static_cast<double>(bodies.radius[i]);
        if (bodies.shape == Shape::points) size += static_cast<double>(bodies.cutoff);
        const Lattice<T, D>& lattice = scene_.lattice();
        std::array<double, D> f{};
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t a = 0; a < D; ++a) f[k] += by[a] * lattice.inverse[a][k];
        for (std::size_t a = 0; a < D; ++a) {
            double x = by[a];
            for (std::size_t k = 0; k < D; ++k)
                if (lattice.periodic[k])
                    x -= std::round(f[k]) * static_cast<double>(lattice.h[k][a]);
            largest = std::max(largest, std::abs(x));
        }
        sample_[s] = now;
    }
    size_ = size / static_cast<double>(std::max<std::size_t>(count, 1));
    moved_ = known ? largest : -1;
}

// Work in units of one listed pair, from counts; what the rest costs in them is a property of
// the code, measured once: to look at a body each step, to list and to order it, to search it
// from scratch.
template <Real T, int D>
double Skin<T, D>::choose_width(double motion, std::uint64_t pairs, bool& worth) const {
    constexpr double look = 4, make = 60, order = 8, scratch = 28, longest = 500;
    const auto n = static_cast<double>(bodies_then_);
    const auto found = static_cast<double>(pairs);
    const double alone = scratch * n + found;
    double best = std::numeric_limits<double>::infinity(), width = 0;
    for (double share = 0.04; share < 2; share *= 1.25) {
        const double listed = std::max(found, n / 8) * std::pow(1 + share, D);
        const double steps =
            motion > 0 ? std::min(longest, share * size_ / (2 * motion)) : longest;
        const double cost =
            look * n + listed + (make * n + order * listed) / std::max(steps, 1.0);
        if (cost >= best) continue;
        best = cost;
        width = share * size_;
    }
    worth = best < 0.9 * alone && width > 0;
    return width;
}

// How far bodies reach, in lengths and in periods: from that, how many periods apart two may be
// that are near, and how coarsely shifted coordinates are rounded.
template <Real T, int D>
void Skin<T, D>::measure() {
    slack_ = 0;
    most_images_ = {};
    if (!scene_.imaged()) return;
    struct Part {
        std::array<double, D> lo, hi;
        double far = 0;
    };
    Part all;
    all.lo.fill(std::numeric_limits<double>::infinity());
    all.hi.fill(-std::numeric_limits<double>::infinity());
    PerPiece<Part> parts(piece_count(threads_, scene_.bodies()), all);
    parallel_ranges(threads_, scene_.bodies(), [&](Range r, std::size_t p) {
        Part part = all;
        for (std::size_t i = r.begin; i < r.end; ++i) {
            const Box<T, D> box = scene_.box(static_cast<Index>(i));
            for (std::size_t k = 0; k < D; ++k) {
                double centre = 0, half = 0;
                for (std::size_t a = 0; a < D; ++a) {
                    const auto lo = static_cast<double>(box.lo[a]),
                               hi = static_cast<double>(box.hi[a]);
                    centre += (lo / 2 + hi / 2) * lattice_.inverse[a][k];
                    half += (hi / 2 - lo / 2 + width_) * std::abs(lattice_.inverse[a][k]);
                    part.far = std::max({part.far, std::abs(lo), std::abs(hi)});
                }
                part.lo[k] = std::min(part.lo[k], centre - half);
                part.hi[k] = std::max(part.hi[k], centre + half);
            }
        }
        parts[p] = part;
    });
    for (const Part& part : parts) {
        all.far = std::max(all.far, part.far);
        for (std::size_t k = 0; k < D; ++k) {
            all.lo[k] = std::min(all.lo[k], part.lo[k]);
            all.hi[k] = std::max(all.hi[k], part.hi[k]);
        }
    }
    double length = all.far;
    for (std::size_t k = 0; k < D; ++k) {
        if (!lattice_.periodic[k]) continue;
        most_images_[k] = std::floor(1.02 * (all.hi[k] - all.lo[k]) + 0.02);
        double longest = 0;
        for (const T h : lattice_.h[k]) longest = std::max(longest, std::abs(double{h}));
        length += (most_images_[k] + 6) * longest;
    }
    slack_ = 64 * static_cast<double>(eps<T>) * length;
}

// What a body adds to the reach of a pair, enlarged: two of them hold the reach, the whole
// skin, and what the formula may accept beyond by rounding when listed and now.
template <Real T, int D>
T Skin<T, D>::reach_share(T raw) const {
    const bool alone = kind_of_.shape == Shape::spheres && kind_of_.rule != ReachRule::sum;
    const double add = (alone ? 1 : 0.5) * width_;
    return static_cast<T>((static_cast<double>(raw) + add) *
                              (1 + 64 * static_cast<double>(eps<T>)) +
                          8 * static_cast<double>(tiny<T>()) + 2 * slack_);
}

// False if there can be no list: where bodies are so many periods apart that rounding takes a
// good part of the skin, or that images, wrapped bodies' too, would not fit 16 bits.
template <Real T, int D>
bool Skin<T, D>::make_fences() {
    const Bodies<T, D> bodies = scene_.view();
    const std::size_t n = bodies.size();
    kind_of_ = bodies;
    lattice_ = scene_.lattice();
    if (scene_.imaged()) {
        // Wider than a period makes no sense, and thousands of ghosts.
        for (std::size_t k = 0; k < D; ++k) {
            double square = 0;
            for (std::size_t a = 0; a < D; ++a)
                square += lattice_.inverse[a][k] * lattice_.inverse[a][k];
            if (lattice_.periodic[k]) width_ = std::min(width_, 0.5 / std::sqrt(square));
        }
        std::fill(shift_.begin(), shift_.end(), Image<D>{});
    }
    measure();
    if (!(slack_ <= width_ / 4)) return false;
    for (const double images : most_images_)
        if (!(images <= max_listed_images)) return false;
    half_ = static_cast<T>(width_ / 2);
    if (static_cast<double>(half_) > width_ / 2) half_ = std::nextafter(half_, T{0});
    const bool round = kind_ == Kind::round;
    fences_ = {};
    for (std::size_t a = 0; a < D; ++a) {
        lo_[a].resize(n);
        if (!round) hi_[a].resize(n);
        fences_.position.axis[a] = Column<T>(lo_[a].data(), n);
        if (!round) fences_.upper.axis[a] = Column<T>(hi_[a].data(), n);
    }
    fences_.shape = round ? bodies.shape : Shape::boxes;
    fences_.rule = bodies.rule;
    const bool spheres = round && bodies.shape == Shape::spheres;
    if (spheres) {
        radius_.resize(n);
        wide_.resize(n);
        fences_.radius = Column<T>(wide_.data(), n);
    } else if (round) {
        fences_.cutoff = 2 * reach_share(bodies.cutoff / 2);
    }
    const double wider = static_cast<double>(half_) + slack_;
    PerPiece<T> largest(piece_count(threads_, n), T{0});
    parallel_ranges(threads_, n, [&](Range r, std::size_t p) {
        for (std::size_t i = r.begin; i < r.end; ++i) {
            if (spheres) {
                radius_[i] = bodies.radius[i];
                wide_[i] = reach_share(radius_[i]);
                largest[p] = std::max(largest[p], wide_[i]);
            }
            if (round) {
                for (std::size_t a = 0; a < D; ++a) lo_[a][i] = bodies.position.axis[a][i];
                continue;
            }
            const Box<T, D> box = scene_.box(static_cast<Index>(i));
            const bool exact = kind_ == Kind::boxes;
            for (std::size_t a = 0; a < D; ++a) {
                const T lo = exact ? bodies.position.axis[a][i] : box.lo[a];
                const T hi = exact ? bodies.upper.axis[a][i] : box.hi[a];
                lo_[a][i] = finite<T>(static_cast<double>(lo) - wider);
                hi_[a][i] = finite<T>(static_cast<double>(hi) + wider);
            }
        }
    });
    most_radius_ = round && !spheres ? fences_.cutoff : T{0};
    for (const T one : largest) most_radius_ = std::max(most_radius_, one);
    return true;
}

// The entry of a body's image: in the order in which the list first names them, so that what is
// listed together lies together.
template <Real T, int D>
Index Skin<T, D>::entry_of(Index body, const Image<D>& image) {
    const auto entry = static_cast<Index>(instances_.size());
    if (image == Image<D>{}) {
        if (entry_[body] != none) return entry_[body];
        instances_.push_back(body);
        return entry_[body] = entry;
    }
    // A body may have thousands of images: they are found by a hash.
    if (2 * ghosts_.size() >= ghost_slots_.size()) grow_ghost_slots();
    std::size_t slot = ghost_slot(body, image);
    for (Index g = ghost_slots_[slot]; g != none; g = ghost_slots_[slot]) {
        if (ghosts_[g].body == body && ghosts_[g].image == image) return ghosts_[g].entry;
        slot = (slot + 1) & (ghost_slots_.size() - 1);
    }
    const auto ghost = static_cast<Index>(ghosts_.size());
    ghosts_.push_back({body, entry, image});
    instances_.push_back(static_cast<Index>(entry_.size()) + ghost);
    ghost_slots_[slot] = ghost;
    return entry;
}

template <Real T, int D>
std::size_t Skin<T, D>::ghost_slot(Index body, const Image<D>& image) const {
    std::uint64_t key = body;
    for (const std::int16_t n : image)
        key = key * 0x9e3779b97f4a7c15 + static_cast<std::uint16_t>(n);
    return mixed(key) & (ghost_slots_.size() - 1);
}

template <Real T, int D>
void Skin<T, D>::grow_ghost_slots() {
    ghost_slots_.assign(std::max<std::size_t>(2 * ghost_slots_.size(), 1024), none);
    for (std::size_t g = 0; g < ghosts_.size(); ++g) {
        std::size_t slot = ghost_slot(ghosts_[g].body, ghosts_[g].image);
        while (ghost_slots_[slot] != none) slot = (slot + 1) & (ghost_slots_.size() - 1);
        ghost_slots_[slot] = static_cast<Index>(g);
    }
}

template <Real T, int D>
bool Skin<T, D>::take(const PairList<D>& list) {
    const Bodies<T, D> bodies = scene_.view();
    const std::size_t n = bodies.size();
    entry_.resize(n);
    std::fill(entry_.span().begin(), entry_.span().end(), none);
    std::fill(ghost_slots_.begin(), ghost_slots_.end(), none);
    instances_.clear();
    ghosts_.clear();
    pairs_.resize(list.size());
    std::size_t at = 0;
    for (const Block<D>& block : list.blocks())
        for (std::size_t p = 0; p < block.pairs.size(); ++p) {
            const Image<D> image = block.images.empty() ? Image<D>{} : block.images[p];
            const Index first = entry_of(block.pairs[p].i, {});
            pairs_[at++] = {first, entry_of(block.pairs[p].j, image)};
        }
    ghost_body_.resize(ghosts_.size());
    for (std::size_t g = 0; g < ghosts_.size(); ++g) ghost_body_[g] = ghosts_[g].body;
    const auto entries = packed_.entries(instances_.size());
    std::copy(instances_.begin(), instances_.end(), entries.begin());
    const bool plain = kind_ != Kind::proxies && !scene_.imaged();
    bits_ = plain ? std::span<Bits>{} : packed_.own_bits(entries.size());
    packed_.fill_nothing(!plain);
    // A multiple of a cache line, so that no record lies across two.
    records_.resize(record_size<T, D>(kind_ == Kind::round) * entries.size());
    shift_ = scene_.assign_placed(bodies, domain_, threads_, ghost_body_.span());
    ++rebuilds_;
    return listed_ = n + ghosts_.size() < none && refresh();
}

// Leaves to the bodies what of the skin the change of the lattice does not need.
template <Real T, int D>
bool Skin<T, D>::cover_lattice() {
    spent_ = {};
    if (!scene_.imaged()) return true;
    const Lattice<T, D>& now = scene_.lattice();
    for (std::size_t k = 0; k < D; ++k) {
        std::array<double, D> change{};
        for (std::size_t a = 0; a < D; ++a) {
            change[a] =
                static_cast<double>(now.h[k][a]) - static_cast<double>(lattice_.h[k][a]);
            spent_[a] += most_images_[k] * std::abs(change[a]);
        }
        for (std::size_t m = 0; m < D; ++m) {
            double f = 0;
            for (std::size_t a = 0; a < D; ++a)
                f += std::abs(change[a] * lattice_.inverse[a][m]);
            if (!(f <= 0.005)) return false;  // the images counted are no longer sure to be all
        }
    }
    for (const double spent : spent_)
        if (!(spent <= 2 * static_cast<double>(half_))) return false;
    return true;
}

template <Real T, int D>
bool Skin<T, D>::refresh() {
    if (!cover_lattice()) return false;
    const std::size_t n = scene_.bodies();
    std::atomic<bool> good = true;
    parallel_ranges(threads_, n, [&](Range r, std::size_t) {
        constexpr std::size_t stretch = 4096;  // bodies looked at before the next doubt
        for (; r.begin < r.end && good.load(std::memory_order_relaxed); r.begin += stretch) {
            const Range some{r.begin, std::min(r.end, r.begin + stretch)};
            const bool fenced = scene_.imaged() || kind_ == Kind::proxies ? place(some)
                                : kind_ == Kind::boxes                    ? place_boxes(some)
                                                                          : place_round(some);
            if (!fenced) good.store(false, std::memory_order_relaxed);
        }
    });
    if (!good) return false;
    parallel_for(threads_, ghosts_.size(), [&](std::size_t g) {
        const Image<D>& body = shift_[ghosts_[g].body];
        for (std::size_t a = 0; a < D; ++a)
            shift_[n + g][a] = static_cast<std::int16_t>(body[a] + ghosts_[g].image[a]);
        record(static_cast<Index>(n + g), ghosts_[g].entry);
    });
    return true;
}

// Bodies are read in the caller's order and written where the list wants them. What is no good
// number is in no fence.
template <Real T, int D>
bool Skin<T, D>::place_boxes(Range bodies) {
    constexpr std::size_t half = box_half<D>;
    const Vectors<T, D> lower = scene_.view().position, upper = scene_.view().upper;
    const Index* const entry = entry_.data();
    T* const records = records_.data();
    std::array<const T*, D> from, to;
    for (std::size_t a = 0; a < D; ++a) {
        from[a] = lo_[a].data();
        to[a] = hi_[a].data();
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
    const bool spheres = view.shape == Shape::spheres;
    const T half_cutoff = view.cutoff / 2, most = largest_reach<T>() / 2;
    // Rounding of the sum is within the margin of reach_share().
    const T grown = std::max((view.cutoff - kind_of_.cutoff) / 2, T{0});
    unsigned outside = 0;
    for (std::size_t i = bodies.begin; i < bodies.end; ++i) {
        std::array<T, round_width> one{};
        T square = 0;
        for (std::size_t a = 0; a < D; ++a) {
            one[a] = view.position.axis[a][i];
            square += (one[a] - lo_[a][i]) * (one[a] - lo_[a][i]);
        }
        one[D] = spheres ? view.radius[i] : half_cutoff;
        const T left = half_ - (spheres ? std::max(one[D] - radius_[i], T{0}) : grown);
        outside |= unsigned{!(left >= 0)} | unsigned{!(square <= left * left)} |
                   unsigned{!(one[D] >= 0)} | unsigned{!(one[D] <= most)};
        if (entry_[i] != none)
            std::copy(one.begin(), one.end(), records_.data() + round_width * entry_[i]);
    }
    return outside == 0;
}

// Any kind in any domain: a body that is outside its fence may have been wrapped.
template <Real T, int D>
bool Skin<T, D>::place(Range bodies) {
    for (std::size_t b = bodies.begin; b < bodies.end; ++b) {
        const auto i = static_cast<Index>(b);
        if (scene_.imaged()) shift_[i] = {};
        if (!inside(i)) {
            if (!scene_.imaged()) return false;
            const Shift<D> k = periods_off(i);
            for (std::size_t a = 0; a < D; ++a) {
                if (std::abs(k[a]) > most_wraps) return false;
                shift_[i][a] = static_cast<std::int16_t>(k[a]);
            }
            if (k == Shift<D>{} || !inside(i)) return false;
        }
        if (entry_[i] != none) record(i, entry_[i]);
    }
    return true;
}

// Is the body, at its shift, within its fence, less what slack and lattice need of it?
template <Real T, int D>
bool Skin<T, D>::inside(Index i) const {
    const Bodies<T, D>& view = scene_.view();
    const Vector<T, D> s = scene_.lattice().shift(scene_.shift(i));
    if (kind_ == Kind::round) {
        const bool spheres = view.shape == Shape::spheres;
        double square = 0, spent = 0;
        for (std::size_t a = 0; a < D; ++a) {
            const double by = static_cast<double>(view.position.axis[a][i]) +
                              static_cast<double>(s[a]) - static_cast<double>(lo_[a][i]);
            square += by * by;
            spent += spent_[a] * spent_[a];
        }
        const double grown =
            spheres
                ? static_cast<double>(view.radius[i]) - static_cast<double>(radius_[i])
                : (static_cast<double>(view.cutoff) - static_cast<double>(kind_of_.cutoff)) / 2;
        const double left =
            static_cast<double>(half_) - std::sqrt(spent) / 2 - std::max(grown, 0.0);
        return left >= 0 && square <= left * left;
    }
    Box<T, D> box;
    if (kind_ == Kind::proxies) box = scene_.box(i);
    bool yes = true;
    for (std::size_t a = 0; a < D; ++a) {
        auto lo = static_cast<double>(box.lo[a]), hi = static_cast<double>(box.hi[a]);
        if (kind_ == Kind::boxes) {
            lo = static_cast<double>(view.position.axis[a][i]) + static_cast<double>(s[a]);
            hi = static_cast<double>(view.upper.axis[a][i]) + static_cast<double>(s[a]);
        }
        const double spare = slack_ + spent_[a] / 2;
        yes = yes && lo - static_cast<double>(lo_[a][i]) >= spare &&
              static_cast<double>(hi_[a][i]) - hi >= spare;
    }
    return yes;
}

// The whole periods that bring a body nearest to where it was when listed.
template <Real T, int D>
Shift<D> Skin<T, D>::periods_off(Index i) const {
    const Bodies<T, D>& view = scene_.view();
    const Lattice<T, D>& lattice = scene_.lattice();
    std::array<double, D> by;
    for (std::size_t a = 0; a < D; ++a) {
        auto then = static_cast<double>(lo_[a][i]),
             now = static_cast<double>(view.position.axis[a][i]);
        if (kind_ != Kind::round) {
            const Box<T, D> box = scene_.box(i);
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

// A body where it is given has its own coordinates, which decide; any other has a box or ball
// that is sure to hold it.
template <Real T, int D>
void Skin<T, D>::record(Index instance, Index entry) {
    const Bodies<T, D>& view = scene_.view();
    const Index i = scene_.body(instance);
    const bool plain = kind_ != Kind::proxies && !scene_.shifted(instance);
    bits_[entry] =
        static_cast<Bits>(Scene<T, D>::image_bits | (plain ? unsigned{plain_bit} : 0u));
    const bool boxes = kind_ == Kind::boxes;
    const Box<T, D> box = plain && boxes ? Box<T, D>{} : scene_.box(instance);
    if (kind_ != Kind::round) {
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
    T radius = view.shape == Shape::spheres ? view.radius[i] : view.cutoff / 2;
    // What the other one's reach may be rounded by, too.
    if (!plain) radius = 16 * eps<T> * most_radius_;
    for (std::size_t a = 0; a < D; ++a) {
        one[a] = plain ? view.position.axis[a][i] : box.lo[a] / 2 + box.hi[a] / 2;
        if (!plain) one[D] = std::max({one[D], one[a] - box.lo[a], box.hi[a] - one[a]});
    }
    one[D] += radius;
    std::copy(one.begin(), one.end(), records_.data() + round_width * entry);
}

template <Real T, int D>
void Skin<T, D>::search(std::size_t task, Sieve<T, D>& sieve) const {
    const std::size_t begin = task * pairs_per_task;
    const std::size_t count = std::min(pairs_per_task, pairs_.size() - begin);
    const bool alone = kind_of_.shape == Shape::spheres;
    sieve.list({records_.data(), kind_ != Kind::round, alone ? kind_of_.rule : ReachRule::sum},
               {pairs_.data() + begin, count});
}

template <Real T, int D>
std::size_t Skin<T, D>::bytes() const {
    std::size_t sum = radius_.bytes() + wide_.bytes() + entry_.bytes() +
                      ghost_slots_.capacity() * sizeof(Index) + ghost_body_.bytes() +
                      pairs_.bytes() + records_.bytes() + scene_.bytes() + packed_.bytes() +
                      ghosts_.capacity() * sizeof(Ghost) +
                      instances_.capacity() * sizeof(Index);
    for (std::size_t a = 0; a < D; ++a) sum += lo_[a].bytes() + hi_[a].bytes();
    return sum;
}

template <Real T, int D>
Figures Skin<T, D>::figures() const {
    return {{"rebuilds", static_cast<double>(rebuilds_)},
            {"steps since", static_cast<double>(since_)},
            {"skin", listed_ ? width_ : 0},
            {"listed", listed_ ? static_cast<double>(pairs_.size()) : 0}};
}

template class Skin<float, 2>;
template class Skin<float, 3>;
template class Skin<double, 2>;
template class Skin<double, 3>;

}  // namespace vicinal
