// Persistent sweep and prune (Baraff 1992; I-COLLIDE, Cohen et al. 1995; Avril et al.'s
// "persistent" form): the end points of all boxes stay sorted along every axis, and the set of
// overlapping pairs is kept. A step is an insertion sort of the lists; where two ends are
// swapped, an overlap may begin or end. Cost: the number of swaps, and a check of every body.
// Wins if little moves; else it sorts and sweeps from scratch, as sweep_axis does, and reports
// so. With scratch=never it keeps its lists at any cost, as published.
#include "methods/registry.hpp"

#include <algorithm>

#include "structures/end_lists.hpp"
#include "structures/sweep_order.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class SweepPersistent final : public Method<T, D> {
  public:
    explicit SweepPersistent(const Choice& choice)
        : SweepPersistent(choice.word("scratch") == "never") {}

    void build(const Scene<T, D>& scene) override {
        if (scene.periodic() != imaged_) {
            const std::uint64_t sorts = sorts_;
            *this = SweepPersistent(keep_lists_);
            imaged_ = scene.periodic();
            sorts_ = sorts;
        }
        slots_.match(scene);
        if (keep_lists_ && slots_.size() >= none / 2)
            throw Error(
                Error::Kind::limit,
                "sweep_persistent(scratch=never): too many bodies for 32-bit numbers of "
                "their ends; choose another method");
        const UpdateMode upkeep = choose_upkeep(scene.size());
        swapped_ = 0;
        if (upkeep == UpdateMode::move_ends) {
            swapped_ = lists_.update(slots_, axis_, scene.threads());
        } else {
            for (const Index slot : slots_.changed()) slots_.advance(slot);
            for (const Index slot : slots_.fresh()) slots_.advance(slot);
            if (upkeep == UpdateMode::make_lists) {
                axis_ = axis_of_largest_variance(scene);
                lists_.assign(slots_, axis_, scene.threads());
            }
            ++sorts_;
        }
        listed_ = upkeep != UpdateMode::sort;
        known_ = true;
        if (listed_)
            fill_slots(scene);
        else
            order_.assign(scene, packed_);
    }

    std::size_t tasks() const override {
        return listed_ ? (lists_.pairs().size() + pairs_per_task - 1) / pairs_per_task
                       : (packed_.size() + entries_per_task - 1) / entries_per_task;
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, listed_ ? packed_slots_ : packed_);

        for (std::size_t t = tasks.begin; t < tasks.end; ++t) {
            if (listed_) {
                const std::span<const EntryPair> all = lists_.pairs();
                const std::size_t begin = t * pairs_per_task;
                sieve.overlapping(
                    all.subspan(begin, std::min(pairs_per_task, all.size() - begin)));
                continue;
            }
            const std::size_t end = std::min((t + 1) * entries_per_task, packed_.size());
            for (std::size_t e = t * entries_per_task; e < end; ++e)
                sieve.one(e, order_.after(e));
        }
    }

    // The lists have no order that helps queries: every query tests all bodies.
    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, listed_ ? packed_slots_ : packed_);

        for (std::size_t q = instances.begin; q < instances.end; ++q) {
            const auto query = static_cast<Index>(q);
            const Box<T, D> box = queries.box(query);
            if (!listed_) {
                sieve.probe_one(query, order_.around(box));
                continue;
            }
            for (std::size_t s = 0; s < slots_.size(); ++s)
                if (slots_.instance(s) != none && overlaps(box, slots_.box(s)))
                    sieve.test(query, slots_.instance(s));
        }
    }

    Statistics statistics() const override {
        return {{"lists kept", listed_ ? 1.0 : 0.0},
                {"ends swapped", static_cast<double>(swapped_)},
                {"sorts", static_cast<double>(sorts_)}};
    }

  private:
    explicit SweepPersistent(bool keep_lists) : keep_lists_(keep_lists) {}

    static constexpr Index none = BoxSlots<T, D>::none;
    static constexpr std::size_t pairs_per_task = 1 << 14, entries_per_task = 256;

    enum class UpdateMode {
        sort,        // sort and sweep from scratch, without lists
        make_lists,  // build the lists, and find all pairs once
        move_ends    // update the lists of the last step
    };

    // Costs in units of a sweep candidate, as measured: swapping two ends, comparing and moving
    // a changed box, inserting or removing one, sorting a body, sampling one for the choice of
    // the axis. New lists must pay off within a few steps.
    UpdateMode choose_upkeep(std::uint64_t n) const {
        constexpr std::uint64_t swap = 9, change = 300, insert = 900, sort = 250, choose = 600;
        const std::uint64_t replaced = slots_.fresh().size() + slots_.gone().size();
        if (keep_lists_) return listed_ ? UpdateMode::move_ends : UpdateMode::make_lists;
        if (!known_ || replaced > n / 16 || slots_.size() >= none / 2) return UpdateMode::sort;
        const std::uint64_t scratch =
            candidates() + sort * n + choose * std::min<std::uint64_t>(n, 1024);
        const std::uint64_t moves =
            swap * swaps() + change * slots_.changed().size() + insert * replaced;
        if (listed_ && moves < scratch) return UpdateMode::move_ends;
        return moves < scratch / 3 * 2 ? UpdateMode::make_lists : UpdateMode::sort;
    }

    // Estimates how many ends will be swapped. Without lists, the order of the last sweep gives
    // the estimate for one axis.
    std::uint64_t swaps() const {
        if (listed_)
            return sum_of_sample(slots_.changed(),
                                 [&](Index s) { return lists_.swap_distance(slots_, s); });
        return 4 * D * sum_of_sample(slots_.changed(), [&](Index s) {
                   const std::size_t a = order_.axis();
                   const std::size_t from = order_.begun(slots_.box(s).lo[a]);
                   const std::size_t to = order_.begun(slots_.next_box(s).lo[a]);
                   return from < to ? to - from : from - to;
               });
    }

    // Sums over a fixed sample of some slots, scaled to all of them.
    template <class F>
    static std::uint64_t sum_of_sample(std::span<const Index> slots, const F& f) {
        const std::size_t count = std::min<std::size_t>(slots.size(), 32);
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < count; ++k) sum += f(slots[k * slots.size() / count]);
        return count == 0 ? 0 : sum * slots.size() / count;
    }

    // Estimates the number of candidates of a sweep.
    std::uint64_t candidates() const {
        const std::size_t n = listed_ ? lists_.boxes() : packed_.size();
        const std::size_t count = std::min<std::size_t>(n, 32);
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < count; ++k)
            sum += listed_ ? lists_.begun_within(axis_, k * n / count)
                           : order_.after(k * n / count).size();
        return count == 0 ? 0 : sum * n / count;
    }

    // The sieve's entries while there are lists: an entry is a slot.
    void fill_slots(const Scene<T, D>& scene) {
        const std::size_t n = slots_.size();
        const bool plain =
            scene.packed_kind() == PackedKind::boxes;  // overlapping boxes are pairs
        const auto instances = slots_.instances();
        const auto entries = packed_slots_.entries(n);
        std::copy(instances.begin(), instances.end(), entries.begin());
        if (!plain) {
            const auto bits = packed_slots_.own_bits(n);
            for (std::size_t s = 0; s < n; ++s)
                bits[s] =
                    instances[s] == none ? Bits{0} : scene.lowest_image_flags(instances[s]);
        }
        packed_slots_.fill_nothing(!plain);
    }

    bool keep_lists_;      // never sorts from scratch
    bool imaged_ = false;  // the last scene was periodic
    bool known_ = false, listed_ = false;
    std::size_t axis_ = 0;  // along which the lists are swept
    BoxSlots<T, D> slots_;
    EndLists<T, D> lists_;
    Packed<T, D> packed_slots_;
    // From scratch:
    SweepOrder<T, D> order_;
    Packed<T, D> packed_;
    std::uint64_t swapped_ = 0, sorts_ = 0;
};

}  // namespace

MethodEntry describe_sweep_persistent() {
    return describe_method<SweepPersistent>(
        {"sweep_persistent",
         "sorted endpoints of boxes and the overlapping pairs, kept between steps",
         {{"scratch",
           "auto",
           "sort and sweep from scratch where that is less work; never: only insertion sort, "
           "as "
           "published, quadratic if all bodies move far",
           0,
           0,
           {"auto", "never"}}}});
}

}  // namespace vicinal::inline VICINAL_API
