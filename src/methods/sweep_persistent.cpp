// Persistent sweep and prune (Baraff 1992; I-COLLIDE, Cohen et al. 1995; P2's "persistent"
// form): the ends of all boxes stay sorted along every axis, and the set of pairs whose boxes
// meet is kept. A step moves the ends of the boxes that changed to their new places; where one
// end passes another, a pair may begin or end. Cost: the ends passed, and a look at every body.
// Wins where little moves; else it sorts and sweeps from scratch, as sweep_axis does, and says
// so.
//
// Ends are tied to slots. A slot belongs to a body at one shift, so that a ghost that is there
// in two steps is the same box in both.
#include "methods/registry.hpp"

#include <algorithm>
#include <cmath>

#include "core/bounds.hpp"
#include "core/pair_set.hpp"
#include "core/sweep_order.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class SweepPersistent final : public Method<T, D> {
  public:
    SweepPersistent() = default;
    explicit SweepPersistent(const Choice&) {}

    void build(const Scene<T, D>& scene) override {
        swaps_ = 0;
        match(scene);
        const std::uint64_t n = scene.size();
        const bool few = fresh_.size() + gone_.size() <= n / 16 && box_.size() < none / 2;
        // In units of a candidate of the sweep: passing an end, a box that comes or goes, and a
        // sorted body cost about so much. New lists must pay within a few steps.
        constexpr std::uint64_t pass = 40, come = 400, sorted = 160;
        const std::uint64_t scratch = abreast() + sorted * n;
        const std::uint64_t kept =
            few ? pass * passes() + come * (fresh_.size() + gone_.size()) : ~std::uint64_t{0};
        const bool cheap = kept < scratch / 4 || (listed_ && kept < scratch);
        if (!known_ || !cheap) {
            listed_ = false;
            take_boxes();
            ++sorts_;
        } else if (!listed_) {
            take_boxes();
            list_all(scene.threads());
            ++sorts_;
        } else {
            drop_gone();
            for (const Index slot : changed_) sketch_[slot] = sketch(slot);
            move_changed();
            for (const Index slot : changed_) take(slot);
            insert_fresh();
        }
        known_ = true;
        if (listed_)
            fill_kept(scene);
        else
            order_.assign(scene, packed_);
    }

    const Packed<T, D>& packed() const override { return listed_ ? kept_ : packed_; }

    std::size_t tasks() const override {
        return listed_ ? (pairs_.members().size() + pairs_per_task - 1) / pairs_per_task
                       : (packed_.size() + entries_per_task - 1) / entries_per_task;
    }

    void search(Range tasks, Sieve<T, D>& sieve) const override {
        for (std::size_t t = tasks.begin; t < tasks.end; ++t) {
            if (listed_) {
                const std::span<const EntryPair> all = pairs_.members();
                const std::size_t begin = t * pairs_per_task;
                sieve.meeting(all.subspan(begin, std::min(pairs_per_task, all.size() - begin)));
                continue;
            }
            const std::size_t end = std::min((t + 1) * entries_per_task, packed_.size());
            for (std::size_t e = t * entries_per_task; e < end; ++e)
                sieve.one(e, order_.after(e));
        }
    }

    // The lists have no order that serves queries: they go through all bodies.
    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const auto query = static_cast<Index>(q);
            const Box<T, D> box = queries.box(query);
            if (!listed_) {
                sieve.ask(query, order_.around(box));
                continue;
            }
            for (std::size_t s = 0; s < box_.size(); ++s)
                if (instance_[s] != none && boxes_meet(box, box_[s]))
                    sieve.one(query, instance_[s]);
        }
    }

    std::size_t bytes() const override {
        std::size_t sum =
            packed_.bytes() + kept_.bytes() + order_.bytes() + pairs_.bytes() +
            (box_.capacity() + next_box_.capacity()) * sizeof(Box<T, D>) +
            sketch_.capacity() * sizeof(Sketch) +
            (instance_.capacity() + next_.capacity() + first_.capacity()) * sizeof(Index) +
            image_.capacity() * sizeof(Shift<D>);
        for (std::size_t a = 0; a < D; ++a)
            sum += ends_[a].capacity() * sizeof(End) + where_[a].capacity() * sizeof(Index);
        return sum;
    }

    Figures figures() const override {
        return {{"lists kept", listed_ ? 1.0 : 0.0},
                {"ends passed", static_cast<double>(swaps_)},
                {"sorts", static_cast<double>(sorts_)}};
    }

  private:
    static constexpr Index none = ~Index{0};
    static constexpr std::size_t pairs_per_task = 1 << 14, entries_per_task = 256;

    // A box in whole cells of a coarse grid, a lane of bits per axis, so that many fit the
    // cache; the highest bit of each lane is free.
    struct Sketch {
        static constexpr unsigned lane = 32 / D;
        static constexpr std::uint32_t most = (1u << (lane - 1)) - 1;
        static constexpr std::uint32_t guard =
            D == 2 ? 0x80008000u : 1u << 29 | 1u << 19 | 1u << 9;
        std::uint32_t lo = 0, hi = 0;

        // A lane that is no less than another keeps the bit in front of it.
        std::uint32_t meets(const Sketch& other) const {
            return ((hi | guard) - other.lo) & ((other.hi | guard) - lo) & guard;
        }
    };

    struct End {
        T value;
        Index tag;  // 2 * slot, + 1 for the upper side
        // Touching boxes meet: at one place boxes begin before others end.
        friend bool operator<(const End& a, const End& b) {
            if (a.value != b.value) return a.value < b.value;
            const Index top_a = a.tag & 1u, top_b = b.tag & 1u;
            return top_a != top_b ? top_a < top_b : a.tag < b.tag;
        }
    };

    // Finds the slot of every instance: which are new, which are gone, which have changed.
    void match(const Scene<T, D>& scene) {
        fresh_.clear();
        gone_.clear();
        changed_.clear();
        if (scene.imaged() != imaged_) {
            const std::uint64_t sorts = sorts_;
            *this = SweepPersistent();
            imaged_ = scene.imaged();
            sorts_ = sorts;
        }
        if (imaged_)
            match_images(scene);
        else
            match_bodies(scene.bodies());
        next_box_.resize(box_.size());
        sketch_.resize(box_.size());
        for (std::size_t s = 0; s < box_.size(); ++s) {
            if (instance_[s] == none) {
                if (alive_[s]) gone_.push_back(static_cast<Index>(s));
                continue;
            }
            const Box<T, D> box = scene.box(instance_[s]);
            unsigned changed = 0;  // without branches
            for (std::size_t a = 0; a < D; ++a)
                changed |=
                    unsigned{box.lo[a] != box_[s].lo[a]} | unsigned{box.hi[a] != box_[s].hi[a]};
            if (changed == 0 && alive_[s]) continue;
            next_box_[s] = box;
            (alive_[s] ? changed_ : fresh_).push_back(static_cast<Index>(s));
        }
        for (const Index slot : gone_) {
            alive_[slot] = 0;
            if (imaged_) free_slot(slot);
        }
        for (const Index slot : fresh_) alive_[slot] = 1;
    }

    // In an open domain a body's slot is its number.
    void match_bodies(std::size_t n) {
        const std::size_t then = instance_.size();
        for (std::size_t k = 0; k < std::min(n, then); ++k)
            instance_[k] = static_cast<Index>(k);
        for (std::size_t k = n; k < then; ++k) instance_[k] = none;
        for (std::size_t k = then; k < n; ++k) {
            instance_.push_back(static_cast<Index>(k));
            box_.emplace_back();
            alive_.push_back(0);
        }
    }

    void match_images(const Scene<T, D>& scene) {
        if (first_.size() < scene.bodies()) first_.resize(scene.bodies(), none);
        std::fill(instance_.begin(), instance_.end(), none);
        for (std::size_t k = 0; k < scene.size(); ++k) {
            const auto instance = static_cast<Index>(k);
            const Index body = scene.body(instance);
            const Shift<D> shift = scene.shift(instance);
            Index slot = first_[body];
            while (slot != none && image_[slot] != shift) slot = next_[slot];
            if (slot == none) slot = add_slot(body, shift);
            instance_[slot] = instance;
        }
    }

    Index add_slot(Index body, const Shift<D>& shift) {
        Index slot;
        if (free_.empty()) {
            slot = static_cast<Index>(box_.size());
            box_.emplace_back();
            instance_.push_back(none);
            body_.push_back(body);
            image_.push_back(shift);
            next_.push_back(none);
            alive_.push_back(0);
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        body_[slot] = body;
        image_[slot] = shift;
        next_[slot] = first_[body];
        first_[body] = slot;
        return slot;
    }

    void free_slot(Index slot) {
        Index* at = &first_[body_[slot]];
        while (*at != slot) at = &next_[*at];
        *at = next_[slot];
        free_.push_back(slot);
    }

    void take_boxes() {
        for (const Index slot : changed_) take(slot);
        for (const Index slot : fresh_) take(slot);
    }

    void take(Index slot) {
        box_[slot] = next_box_[slot];
        sketch_[slot] = sketch(slot);
    }

    // Around where the box was and where it will be.
    Sketch sketch(Index slot) const {
        Sketch result;
        for (std::size_t a = 0; a < D; ++a) {
            const auto cell = [&](T x) {
                const double c = (static_cast<double>(x) - grid_low_[a]) * grid_scale_[a];
                return static_cast<std::uint32_t>(
                    std::min(std::max(0.0, c), static_cast<double>(Sketch::most)));
            };
            const auto shift = static_cast<unsigned>(a) * Sketch::lane;
            result.lo |= cell(std::min(box_[slot].lo[a], next_box_[slot].lo[a])) << shift;
            result.hi |= cell(std::max(box_[slot].hi[a], next_box_[slot].hi[a])) << shift;
        }
        return result;
    }

    // Sums over a fixed sample of some slots, scaled to all of them.
    template <class F>
    static std::uint64_t sum_of_sample(const std::vector<Index>& slots, const F& f) {
        const std::size_t count = std::min<std::size_t>(slots.size(), 128);
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < count; ++k) sum += f(slots[k * slots.size() / count]);
        return count == 0 ? 0 : sum * slots.size() / count;
    }

    static std::uint64_t apart(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

    // How many ends the changed boxes will pass. While there are no lists, the order of the
    // last sweep tells for one axis.
    std::uint64_t passes() const {
        if (!known_) return 0;
        if (!listed_)
            return 4 * D * sum_of_sample(changed_, [&](Index s) {
                       const std::size_t a = order_.axis();
                       return apart(order_.begun(box_[s].lo[a]),
                                    order_.begun(next_box_[s].lo[a]));
                   });
        return sum_of_sample(changed_, [&](Index s) {
            std::uint64_t sum = 0;
            for (std::size_t a = 0; a < D; ++a) {
                sum += way(a, {next_box_[s].lo[a], 2 * s});
                sum += way(a, {next_box_[s].hi[a], 2 * s + 1});
            }
            return sum;
        });
    }

    // How many candidates a sweep would have.
    std::uint64_t abreast() const {
        const std::size_t n = listed_ ? ends_[0].size() / 2 : packed_.size();
        if (!known_ || n == 0) return 0;
        const std::size_t count = std::min<std::size_t>(n, 128), axis = order_.axis();
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < count; ++k) {
            if (!listed_) {
                sum += order_.after(k * n / count).size();
                continue;
            }
            const Index slot = ends_[axis][2 * (k * n / count)].tag / 2;
            sum += (where_[axis][2 * slot + 1] - where_[axis][2 * slot]) / 2;
        }
        return sum * n / count;
    }

    // How many ends this one has to pass to get to its new place: likely few.
    std::uint64_t way(std::size_t axis, const End& end) const {
        const auto& ends = ends_[axis];
        const auto here = ends.begin() + where_[axis][end.tag];
        std::ptrdiff_t step = 1;
        if (*here < end) {
            while (step < ends.end() - here && *(here + step) < end) step *= 2;
            const auto last = here + std::min(step, ends.end() - here);
            return static_cast<std::uint64_t>(std::lower_bound(here + step / 2, last, end) -
                                              here - 1);
        }
        while (step < here - ends.begin() && end < *(here - step)) step *= 2;
        const auto first = here - std::min(step, here - ends.begin());
        return static_cast<std::uint64_t>(here - std::lower_bound(first, here, end));
    }

    // Lists of all ends, and all pairs that meet, by one sweep.
    void list_all(int threads) {
        std::vector<Index> slots;
        for (std::size_t s = 0; s < box_.size(); ++s)
            if (alive_[s]) slots.push_back(static_cast<Index>(s));
        parallel_tasks(threads, D, [&](std::size_t a, int) {
            ends_[a].clear();
            for (const Index s : slots) {
                ends_[a].push_back({box_[s].lo[a], 2 * s});
                ends_[a].push_back({box_[s].hi[a], 2 * s + 1});
            }
            std::sort(ends_[a].begin(), ends_[a].end());
            note_places(a);
            if (slots.empty()) return;
            grid_low_[a] = static_cast<double>(ends_[a].front().value);
            const double edge = static_cast<double>(ends_[a].back().value) - grid_low_[a];
            const double scale = Sketch::most / edge;
            grid_scale_[a] = std::isfinite(scale) ? scale : 0;
        });
        for (const Index slot : slots) sketch_[slot] = sketch(slot);
        pairs_.clear();
        const std::size_t axis = order_.axis();
        const auto begins_before = [&](Index a, Index b) {
            return End{box_[a].lo[axis], 2 * a} < End{box_[b].lo[axis], 2 * b};
        };
        std::sort(slots.begin(), slots.end(), begins_before);
        std::array<std::vector<T>, 2 * D> sides;
        for (std::size_t a = 0; a < D; ++a)
            for (const Index s : slots) {
                sides[a].push_back(box_[s].lo[a]);
                sides[D + a].push_back(box_[s].hi[a]);
            }
        std::vector<std::uint8_t> meet(slots.size());
        for (std::size_t e = 0; e < slots.size(); ++e) {
            const auto end =
                std::upper_bound(sides[axis].begin(), sides[axis].end(), sides[D + axis][e]);
            const auto last = static_cast<std::size_t>(end - sides[axis].begin());
            std::fill(meet.begin() + static_cast<std::ptrdiff_t>(e),
                      meet.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
            for (std::size_t a = 0; a < D; ++a) {
                const T lo = sides[a][e], hi = sides[D + a][e];
                const T *const from = sides[a].data(), *const to = sides[D + a].data();
                std::uint8_t* const yes = meet.data();
                for (std::size_t j = e + 1; j < last && a != axis; ++j)
                    yes[j] &= static_cast<std::uint8_t>((from[j] <= hi) & (to[j] >= lo));
            }
            for (std::size_t j = e + 1; j < last; ++j)
                if (meet[j] != 0) pairs_.insert(slots[e], slots[j]);
        }
        listed_ = true;
    }

    void note_places(std::size_t axis) {
        where_[axis].resize(2 * box_.size());
        for (std::size_t p = 0; p < ends_[axis].size(); ++p)
            where_[axis][ends_[axis][p].tag] = static_cast<Index>(p);
    }

    void drop_gone() {
        if (gone_.empty()) return;
        std::vector<std::uint8_t> gone(box_.size(), 0);
        for (const Index slot : gone_) gone[slot] = 1;
        for (auto& ends : ends_)
            std::erase_if(ends, [&](const End& end) { return gone[end.tag / 2] != 0; });
        for (std::size_t a = 0; a < D; ++a) note_places(a);
        pairs_.erase_if([&](Index a, Index b) { return (gone[a] | gone[b]) != 0; });
    }

    // What a move needs lies anywhere, in three steps: the places of its ends, the ends around
    // them, the bodies of those that it will pass. Each is sent for some moves ahead.
    void move_changed() {
        constexpr std::size_t ends = 4, passed = 8, now = 10;  // moves after the places
        constexpr std::ptrdiff_t around = 8;                   // ends: a cache line
        const std::size_t count = changed_.size();
        for (std::size_t k = 0; k < count + now; ++k) {
            if (k < count)
                for (std::size_t a = 0; a < D; ++a)
                    __builtin_prefetch(&where_[a][2 * changed_[k]]);
            if (const std::size_t m = k - ends; m < count)
                for (std::size_t a = 0; a < D; ++a)
                    for (const Index tag : {2 * changed_[m], 2 * changed_[m] + 1}) {
                        const End* const end = ends_[a].data() + where_[a][tag];
                        __builtin_prefetch(end - around);
                        __builtin_prefetch(end);
                        __builtin_prefetch(end + around);
                    }
            if (const std::size_t m = k - passed; m < count) send_for_passed(changed_[m]);
            if (const std::size_t m = k - now; m < count) move(changed_[m]);
        }
    }

    void send_for_passed(Index slot) const {
        for (std::size_t a = 0; a < D; ++a)
            for (const bool top : {false, true}) {
                const End end{top ? next_box_[slot].hi[a] : next_box_[slot].lo[a],
                              2 * slot + Index{top}};
                const std::vector<End>& ends = ends_[a];
                const auto send = [&](const End& other) {
                    __builtin_prefetch(&sketch_[other.tag / 2]);
                    __builtin_prefetch(&where_[a][other.tag], 1);
                };
                std::size_t at = where_[a][end.tag];
                for (; at > 0 && end < ends[at - 1]; --at) send(ends[at - 1]);
                for (; at + 1 < ends.size() && ends[at + 1] < end; ++at) send(ends[at + 1]);
            }
    }

    void move(Index slot) {
        const Box<T, D>&from = box_[slot], &to = next_box_[slot];
        for (std::size_t a = 0; a < D; ++a) {
            // So that the two ends of the box never pass each other.
            const bool up = to.hi[a] > from.hi[a];
            for (const bool top : {up, !up})
                move_end(a, {top ? to.hi[a] : to.lo[a], 2 * slot + Index{top}});
        }
    }

    // A pair begins or ends only where a lower side and an upper one pass each other. Of those
    // that do, most are far apart along another axis, as their sketches tell.
    void move_end(std::size_t axis, const End& end) {
        std::vector<End>& ends = ends_[axis];
        std::vector<Index>& where = where_[axis];
        const Index slot = end.tag / 2;
        const Sketch own = sketch_[slot];
        const std::size_t from = where[end.tag];
        std::size_t at = from;
        const auto pass = [&](const End& other) {
            ends[at] = other;
            where[other.tag] = static_cast<Index>(at);
            const bool near = own.meets(sketch_[other.tag / 2]) == Sketch::guard;
            if (near && ((other.tag ^ end.tag) & 1u) != 0) settle(slot, other.tag / 2);
        };
        for (; at > 0 && end < ends[at - 1]; --at) pass(ends[at - 1]);
        for (; at + 1 < ends.size() && ends[at + 1] < end; ++at) pass(ends[at + 1]);
        swaps_ += apart(from, at);
        ends[at] = end;
        where[end.tag] = static_cast<Index>(at);
    }

    // By where the boxes were and will be when all have moved: the order of moves is nothing.
    void settle(Index one, Index other) {
        if (one == other) return;
        const bool then = boxes_meet(box_[one], box_[other]);
        const bool now = boxes_meet(next_box_[one], next_box_[other]);
        if (now && !then) pairs_.insert(one, other);
        if (then && !now) pairs_.erase(one, other);
    }

    // All that came, in one pass over the lists.
    void insert_fresh() {
        if (fresh_.empty()) return;
        std::vector<std::uint8_t> is_new(box_.size(), 0);
        for (const Index slot : fresh_) {
            take(slot);
            is_new[slot] = 1;
        }
        for (std::size_t a = 0; a < D; ++a) {
            const auto old = static_cast<std::ptrdiff_t>(ends_[a].size());
            for (const Index s : fresh_) {
                ends_[a].push_back({box_[s].lo[a], 2 * s});
                ends_[a].push_back({box_[s].hi[a], 2 * s + 1});
            }
            std::sort(ends_[a].begin() + old, ends_[a].end());
            std::inplace_merge(ends_[a].begin(), ends_[a].begin() + old, ends_[a].end());
            note_places(a);
        }
        // Along one axis, the boxes that are open at each place, old and new apart.
        std::array<std::vector<Index>, 2> open;
        std::vector<Index> place(box_.size());
        for (const End& end : ends_[order_.axis()]) {
            const Index slot = end.tag / 2;
            std::vector<Index>& own = open[is_new[slot]];
            if ((end.tag & 1u) != 0) {
                place[own.back()] = place[slot];
                own[place[slot]] = own.back();
                own.pop_back();
                continue;
            }
            const auto meet_all = [&](const std::vector<Index>& others) {
                for (const Index other : others)
                    if (boxes_meet(box_[slot], box_[other])) pairs_.insert(slot, other);
            };
            meet_all(open[1]);
            if (is_new[slot] != 0) meet_all(open[0]);
            place[slot] = static_cast<Index>(own.size());
            own.push_back(slot);
        }
    }

    // What the sieve sees while lists are kept: an entry is a slot.
    void fill_kept(const Scene<T, D>& scene) {
        const std::size_t n = box_.size();
        const bool plain = scene.view().shape == Shape::boxes && !scene.imaged() &&
                           !scene.view().swept();  // the boxes decide
        const auto entries = kept_.entries(n);
        std::copy(instance_.begin(), instance_.end(), entries.begin());
        if (!plain) {
            const auto bits = kept_.own_bits(n);
            for (std::size_t s = 0; s < n; ++s)
                bits[s] = instance_[s] == none ? Bits{0} : scene.home(instance_[s]);
        }
        kept_.fill_nothing(!plain);
    }

    // Slots:
    std::vector<Box<T, D>> box_;                 // at the last step
    std::vector<Box<T, D>> next_box_;            // at this one
    std::vector<Sketch> sketch_;                 // of both
    std::vector<Index> instance_, body_, next_;  // next: of the same body
    std::vector<Shift<D>> image_;
    std::vector<std::uint8_t> alive_;
    std::vector<Index> first_;  // of each body
    std::vector<Index> free_, fresh_, gone_, changed_;
    // Lists:
    bool imaged_ = false, known_ = false, listed_ = false;
    std::array<double, D> grid_low_{}, grid_scale_{};  // of the sketches
    std::array<std::vector<End>, D> ends_;
    std::array<std::vector<Index>, D> where_;  // by tag
    PairSet pairs_;
    Packed<T, D> kept_;
    // From scratch:
    SweepOrder<T, D> order_;
    Packed<T, D> packed_;
    std::uint64_t swaps_ = 0, sorts_ = 0;
};

}  // namespace

MethodEntry describe_sweep_persistent() {
    return describe_method<SweepPersistent>(
        {"sweep_persistent",
         "sorted ends of boxes and the pairs that meet, kept between steps",
         {}});
}

}  // namespace vicinal
