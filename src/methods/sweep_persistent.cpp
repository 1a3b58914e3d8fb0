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
            for (const Index slot : changed_) move(slot, next_box_[slot]);
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
                sieve.list({records_.data(), true, ReachRule::sum},
                           all.subspan(begin, std::min(pairs_per_task, all.size() - begin)));
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
            records_.bytes() + next_box_.bytes() + box_.capacity() * sizeof(Box<T, D>) +
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
        for (std::size_t s = 0; s < box_.size(); ++s) {
            if (instance_[s] == none) {
                if (alive_[s]) gone_.push_back(static_cast<Index>(s));
                continue;
            }
            const Box<T, D> box = next_box_[s] = scene.box(instance_[s]);
            bool changed = false;
            for (std::size_t a = 0; a < D; ++a)
                changed = changed || box.lo[a] != box_[s].lo[a] || box.hi[a] != box_[s].hi[a];
            if (!alive_[s])
                fresh_.push_back(static_cast<Index>(s));
            else if (changed)
                changed_.push_back(static_cast<Index>(s));
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
        for (std::size_t s = 0; s < box_.size(); ++s)
            if (alive_[s]) box_[s] = next_box_[s];
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
                sum += apart(where_[a][2 * s], rank(a, {next_box_[s].lo[a], 2 * s}));
                sum += apart(where_[a][2 * s + 1], rank(a, {next_box_[s].hi[a], 2 * s + 1}));
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

    std::size_t rank(std::size_t axis, const End& end) const {
        const auto& ends = ends_[axis];
        return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), end) -
                                        ends.begin());
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
        });
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
        recorded_ = false;
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

    void move(Index slot, const Box<T, D>& to) {
        const Box<T, D> from = std::exchange(box_[slot], to);
        for (std::size_t a = 0; a < D; ++a) {
            // So that the two ends of the box never pass each other.
            const bool up = to.hi[a] > from.hi[a];
            for (const bool top : {up, !up})
                move_end(a, {top ? to.hi[a] : to.lo[a], 2 * slot + Index{top}});
        }
    }

    // Whether two boxes meet is asked of where all boxes will be in the end: whoever passes
    // last gives the right answer.
    void move_end(std::size_t axis, const End& end) {
        std::vector<End>& ends = ends_[axis];
        std::vector<Index>& where = where_[axis];
        const Index slot = end.tag / 2;
        const bool top = (end.tag & 1u) != 0;
        std::size_t at = where[end.tag];
        const auto pass = [&](const End& other, bool upwards) {
            ends[at] = other;
            where[other.tag] = static_cast<Index>(at);
            ++swaps_;
            if (((other.tag & 1u) != 0) == top || other.tag / 2 == slot) return;
            // An upper side that goes up over a lower one: they begin to meet along this axis.
            if (top == upwards) {
                if (boxes_meet(next_box_[slot], next_box_[other.tag / 2]))
                    pairs_.insert(slot, other.tag / 2);
            } else {
                pairs_.erase(slot, other.tag / 2);
            }
        };
        for (; at > 0 && end < ends[at - 1]; --at) pass(ends[at - 1], false);
        for (; at + 1 < ends.size() && ends[at + 1] < end; ++at) pass(ends[at + 1], true);
        ends[at] = end;
        where[end.tag] = static_cast<Index>(at);
    }

    // All that came, in one pass over the lists.
    void insert_fresh() {
        if (fresh_.empty()) return;
        std::vector<std::uint8_t> is_new(box_.size(), 0);
        for (const Index slot : fresh_) {
            box_[slot] = next_box_[slot];
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
        if (2 * box_half<D> * n != records_.size()) recorded_ = false;  // they may have moved
        records_.resize(2 * box_half<D> * n);
        if (!recorded_) {
            for (std::size_t s = 0; s < n; ++s) record(static_cast<Index>(s));
        } else {
            for (const Index slot : changed_) record(slot);
            for (const Index slot : fresh_) record(slot);
        }
        recorded_ = true;
    }

    void record(Index slot) {
        constexpr std::size_t half = box_half<D>;
        std::array<T, 2 * half> one{};
        for (std::size_t a = 0; a < D; ++a) {
            one[a] = box_[slot].lo[a];
            one[half + a] = -box_[slot].hi[a];
        }
        std::copy(one.begin(), one.end(), records_.data() + 2 * half * slot);
    }

    // Slots:
    std::vector<Box<T, D>> box_;  // at the last step; while moving, of those that have moved
    Buffer<Box<T, D>> next_box_;  // at this one
    std::vector<Index> instance_, body_, next_;  // next: of the same body
    std::vector<Shift<D>> image_;
    std::vector<std::uint8_t> alive_;
    std::vector<Index> first_;  // of each body
    std::vector<Index> free_, fresh_, gone_, changed_;
    // Lists:
    bool imaged_ = false, known_ = false, listed_ = false;
    bool recorded_ = false;  // are all records those of the slots' boxes?
    std::array<std::vector<End>, D> ends_;
    std::array<std::vector<Index>, D> where_;  // by tag
    PairSet pairs_;
    Buffer<T> records_;
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
