// The state of a world between updates.
//
// Every body has a fat box: its box with a margin, extended along its expected motion. A
// *candidate* is a pair of bodies whose fat boxes overlap; while both stay inside theirs, no
// other pair of them can begin. Each candidate stands in the list of one of the two. A body
// that leaves its fat box is *renewed*: it gets another fat box and, from the tree of fat
// boxes, a new list that takes over all its candidates. If many are renewed, one search of a
// Finder makes all lists.
//
// A step tests the lists in which something may change. A body that has not moved for a while
// is asleep; a list is *active* while its owner or a body in it is awake. When a body wakes,
// the lists that contain it become active again.
//
// Events. A pair that ends stands in the old list of one of the two. A pair that begins stands
// there too if neither is renewed, else in the new list of a renewed one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/box.hpp"
#include "base/buffer.hpp"
#include "base/ledger.hpp"
#include "world/cast.hpp"
#include "world/dynamic_tree.hpp"

#include <vicinal/finder.hpp>
#include <vicinal/world.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
struct World<T, D>::State {
    explicit State(int given) : threads(checked_threads(given)) {}

    Handle add(const Box<T, D>& box, std::uint32_t group, std::uint32_t mask,
               std::uint64_t user);
    void move(Handle body, const Box<T, D>& box, const Vector<T, D>* displacement);
    void remove(Handle body);
    void check(Handle body) const;
    void check(const Vector<T, D>& low, const Vector<T, D>& high, const char* what) const;

    // If it fails, the next one finds all changes since the last that did not.
    void update_or_break();
    void update();
    void list_pairs();
    void pairs_of(Handle body, std::vector<Handle>& others);
    // F(hit) returns the fraction up to which more hits are wanted.
    template <class F>
    void cast(const Query<T, D>& query, const F& f);
    std::uint64_t bytes();

    static constexpr std::uint8_t alive = 1;    // not removed
    static constexpr std::uint8_t added = 2;    // since the last update
    static constexpr std::uint8_t moved = 4;    // since the last update, or removed
    static constexpr std::uint8_t renewed = 8;  // in this update; also added or removed
    static constexpr std::uint8_t awake = 16;
    static constexpr std::uint8_t guided = 32;  // moved with a displacement
    static constexpr std::uint8_t loose = 64;   // the tree may not cover its present box

    // What the test of a candidate reads, in one place.
    struct Body {
        Box<T, D> box;  // the present one
        std::uint8_t flags;
        std::uint8_t rest;  // updates since the body moved
        bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
    };
    struct List {
        std::size_t begin;
        Index count;
    };
    struct Filter {
        std::uint32_t group, mask;
    };
    // 2 * body + whether the two boxes overlap.
    using Candidate = Index;

    struct Part {                                   // of an update, by one task
        CountedVector<std::uint64_t> began, ended;  // i << 32 | j
        CountedVector<Candidate> candidates;        // of renewed bodies, list after list
        std::size_t kept = 0, dropped = 0;          // candidates
        void clear();
    };

    bool may_pair(Handle i, Handle j) const {
        return (filter[i].group & filter[j].mask) != 0 &&
               (filter[j].group & filter[i].mask) != 0;
    }
    bool paired(Handle i, Handle j) const {  // at the last update
        return !body[i].is(added) && !body[j].is(added) && overlaps(before[i], before[j]) &&
               may_pair(i, j);
    }

    Box<T, D> fat_box(Handle body) const;
    void build_tree();
    void find_renewed();
    void wake();
    void renew(bool all);
    void test_lists(bool all);
    void probe_tree();
    void search_again();
    void search(bool recovers);
    void adopt_rows(const Rows<T, D>& rows, bool recovers);
    void finish(bool all);
    void join_events();
    void compact();
    // Brings the tree up to date with the bodies' present boxes, for queries.
    void update_tree();
    void loosen(Handle h);

    MemoryLedger ledger;  // first, because all the others are charged to it
    int threads;
    std::size_t size = 0;      // bodies
    bool uses_groups = false;  // of some body, not all bits are set
    CountedVector<Body> body;
    CountedVector<Box<T, D>> before;  // boxes at the last update
    CountedVector<Box<T, D>> fat;
    CountedVector<Vector<T, D>> displacement;  // of guided bodies
    CountedVector<Filter> filter;
    CountedVector<std::uint64_t> user;
    CountedVector<List> list;
    CountedVector<std::uint8_t> active;  // the body's list is
    CountedVector<Handle> free;          // can be given to new bodies
    CountedVector<Handle> touched;       // added, moved or removed since the last update
    CountedVector<Handle> removed;       // since the last update
    CountedVector<Handle> renewals, wakers, active_list, handles;
    CountedVector<Candidate> pool, spare_pool;  // of all lists, with gaps
    std::size_t candidates = 0;                 // in all lists
    CountedVector<Part> parts;
    CountedVector<std::uint64_t> keys;  // of events
    CountedVector<Vector<T, D>> lower, upper;
    CountedVector<std::uint32_t> groups, masks;
    std::unique_ptr<Finder<T, D>> finder;  // of fat boxes
    Changes<D> changes;
    std::vector<Pair> pairs;
    bool broken = false;  // an update has failed: the lists are not to be used
    bool listed = false;  // pairs are those of the last update

    DynamicTree<T, D> tree;  // of the fat boxes, some of them enlarged
    bool tree_built = true;  // false: it has to be built anew
    // The first query after a change brings the tree up to date, for all threads that ask.
    CountedVector<Handle> loose_bodies;
    std::mutex tree_mutex;
    std::atomic<bool> tree_current = true;
};

}  // namespace vicinal::inline VICINAL_API
