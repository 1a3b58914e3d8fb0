// The update of a world; the idea is at the top of state.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "world/state.hpp"

namespace vicinal::inline VICINAL_API {

namespace {

constexpr std::uint8_t updates_until_sleep = 16;
constexpr std::size_t lists_per_task = 512, probes_per_task = 64;

std::uint64_t key_of_pair(Index i, Index j) {
    return std::uint64_t{std::min(i, j)} << 32 | std::max(i, j);
}

}  // namespace

template <Real T, int D>
void World<T, D>::State::Part::clear() {
    began.clear();
    ended.clear();
    candidates.clear();
    kept = dropped = 0;
}

// The margin is a share of the side, and wider if the body moves; the box is extended by a few
// displacements ahead. Neither exceeds the side, so a fat box has at most a constant number of
// the candidates that boxes of the same proportions could have without overlapping.
template <Real T, int D>
Box<T, D> World<T, D>::State::fat_box(Handle h) const {
    constexpr T max_value = std::numeric_limits<T>::max();
    const Box<T, D>& box = body[h].box;
    Box<T, D> wide = box;
    for (std::size_t k = 0; k < D; ++k) {
        T u = 0;
        if (body[h].is(guided))
            u = displacement[h][k];
        else if (!body[h].is(added))
            u = box.lo[k] / 2 + box.hi[k] / 2 - (before[h].lo[k] / 2 + before[h].hi[k] / 2);
        const T side = std::min(box.hi[k] - box.lo[k], max_value);
        const T margin = std::clamp(std::abs(u), side / 32, side / 2);
        const T ahead = std::clamp(8 * u, -side, side);
        wide.lo[k] = std::max(box.lo[k] - margin + std::min(ahead, T{0}), -max_value);
        wide.hi[k] = std::min(box.hi[k] + margin + std::max(ahead, T{0}), max_value);
    }
    return wide;
}

// The boxes are fat boxes. After an update that failed, some bodies are outside theirs, and
// loose_bodies does not contain all of them.
template <Real T, int D>
void World<T, D>::State::build_tree() {
    handles.clear();
    for (Handle h = 0; h < body.size(); ++h)
        if (body[h].is(alive)) handles.push_back(h);
    tree.build({handles.data(), handles.size()}, threads,
               [&](Handle h) { return united(fat[h], body[h].box); });
    tree_built = true;
}

// Which bodies have left their fat boxes, are new or gone; which wake.
template <Real T, int D>
void World<T, D>::State::find_renewed() {
    renewals.clear();
    wakers.clear();
    for (const Handle h : touched) {
        Body& b = body[h];
        if (!b.is(awake)) wakers.push_back(h);
        b.flags |= awake;
        if (b.is(added) || !b.is(alive) || !encloses(fat[h], b.box)) renewals.push_back(h);
    }
}

// The lists that contain a body which wakes become active: those of bodies whose fat boxes
// overlap its own, as they were at the last update.
template <Real T, int D>
void World<T, D>::State::wake() {
    const auto activate = [&](Handle h) {
        if (active[h] != 0) return;
        active[h] = 1;
        active_list.push_back(h);
    };
    for (const Handle h : wakers) activate(h);
    if (wakers.size() > size / 8) {
        for (Handle h = 0; h < body.size(); ++h)
            if (list[h].count > 0) activate(h);
        return;
    }
    if (wakers.empty()) return;
    if (!tree_built) build_tree();
    for (const Handle h : wakers) tree.overlapping(fat[h], activate);
}

template <Real T, int D>
void World<T, D>::State::renew(bool all) {
    if (all) {
        parallel_for(threads, body.size(), [&](std::size_t h) {
            if (body[h].flags == 0) return;
            body[h].flags |= renewed;
            if (body[h].is(alive)) fat[h] = fat_box(static_cast<Handle>(h));
        });
        tree_built = false;
        return;
    }
    parallel_for(threads, renewals.size(), [&](std::size_t k) {
        const Handle h = renewals[k];
        body[h].flags |= renewed;
        if (body[h].is(alive)) fat[h] = fat_box(h);
    });
    if (!tree_built || tree.needs_build()) return build_tree();
    for (const Handle h : renewals)
        if (body[h].is(alive))
            tree.set(h, fat[h]);
        else
            tree.remove(h);
}

// Tests the candidates of active lists, and drops those of renewed bodies.
template <Real T, int D>
void World<T, D>::State::test_lists(bool all) {
    const std::size_t tasks = (active_list.size() + lists_per_task - 1) / lists_per_task;
    if (parts.size() < tasks) parts.resize(tasks);
    for (Part& part : parts) part.clear();
    parallel_tasks(threads, tasks, [&](std::size_t t, int) {
        Part& part = parts[t];
        const std::size_t end = std::min(active_list.size(), (t + 1) * lists_per_task);
        for (std::size_t k = t * lists_per_task; k < end; ++k) {
            const Handle i = active_list[k];
            const Body& own = body[i];
            Candidate* const first = pool.data() + list[i].begin;
            Candidate* kept = first;
            std::uint8_t either = own.flags;
            for (const Candidate *c = first, *last = first + list[i].count; c < last; ++c) {
                const Handle j = *c >> 1;
                const Body& other = body[j];
                const Index was = *c & 1;
                const Index now =
                    Index{overlaps(own.box, other.box)} & (own.flags & other.flags & alive);
                const bool dropped = ((own.flags | other.flags) & renewed) != 0;
                if (was != now || dropped) {
                    if (was > now) part.ended.push_back(key_of_pair(i, j));
                    if (dropped) continue;
                    if (was < now) part.began.push_back(key_of_pair(i, j));
                }
                either |= other.flags;
                *kept++ = j << 1 | now;
            }
            const auto count = static_cast<Index>(kept - first);
            part.dropped += list[i].count - count;
            list[i].count = count;
            active[i] = (either & awake) != 0 ? 1 : 0;
        }
    });
    for (const Part& part : parts) candidates -= part.dropped;
    if (!all) std::erase_if(active_list, [&](Handle h) { return active[h] == 0; });
}

// New lists of renewed bodies, from the tree.
template <Real T, int D>
void World<T, D>::State::probe_tree() {
    const std::size_t tasks = (renewals.size() + probes_per_task - 1) / probes_per_task;
    if (parts.size() < tasks) parts.resize(tasks);
    for (Part& part : parts) part.candidates.clear();
    parallel_tasks(threads, tasks, [&](std::size_t t, int) {
        Part& part = parts[t];
        const std::size_t end = std::min(renewals.size(), (t + 1) * probes_per_task);
        for (std::size_t k = t * probes_per_task; k < end; ++k) {
            const Handle i = renewals[k];
            list[i].count = 0;
            if (!body[i].is(alive)) continue;
            const std::size_t begin = part.candidates.size();
            tree.overlapping(fat[i], [&](Handle j) {
                if (j == i || (body[j].is(renewed) && j < i) || !may_pair(i, j) ||
                    !overlaps(fat[i], fat[j]))
                    return;
                const bool now = overlaps(body[i].box, body[j].box);
                if (now && !paired(i, j)) part.began.push_back(key_of_pair(i, j));
                part.candidates.push_back(j << 1 | Index{now});
            });
            list[i].begin = begin;
            list[i].count = static_cast<Index>(part.candidates.size() - begin);
        }
    });
    std::size_t total = pool.size();
    for (std::size_t t = 0; t < tasks; ++t) {
        const std::size_t end = std::min(renewals.size(), (t + 1) * probes_per_task);
        for (std::size_t k = t * probes_per_task; k < end; ++k)
            list[renewals[k]].begin += total;
        total += parts[t].candidates.size();
        candidates += parts[t].candidates.size();
    }
    for (std::size_t t = 0; t < tasks; ++t)
        pool.insert(pool.end(), parts[t].candidates.begin(), parts[t].candidates.end());
}

// After an update that failed, the lists are incomplete, but boxes, flags and `before` are
// still those of the last update that did not. The next search finds all pairs of that one,
// too.
template <Real T, int D>
void World<T, D>::State::search_again() {
    active_list.clear();
    for (Part& part : parts) part.clear();
    parallel_for(threads, body.size(), [&](std::size_t h) {
        list[h].count = 0;
        active[h] = 0;
        if (body[h].flags == 0 || body[h].is(added)) return;
        fat[h] = body[h].is(alive) ? united(fat[h], before[h]) : before[h];
    });
}

// All lists, from a search of the fat boxes. If it recovers, also the removed bodies' ones.
template <Real T, int D>
void World<T, D>::State::search(bool recovers) {
    if (finder == nullptr) {
        Options<D> options;
        options.threads = threads;
        finder = std::make_unique<Finder<T, D>>(options);
    }
    handles.clear();
    for (Handle h = 0; h < body.size(); ++h)
        if (body[h].is(alive) || (recovers && body[h].flags != 0)) handles.push_back(h);
    const std::size_t n = handles.size();
    lower.resize(n);
    upper.resize(n);
    groups.resize(uses_groups ? n : 0);
    masks.resize(uses_groups ? n : 0);
    parallel_for(threads, n, [&](std::size_t k) {
        const Handle h = handles[k];
        lower[k] = fat[h].lo;
        upper[k] = fat[h].hi;
        if (!uses_groups) return;
        groups[k] = filter[h].group;
        masks[k] = filter[h].mask;
    });
    Bodies<T, D> bodies = boxes<D>(lower, upper);
    if (uses_groups) bodies = bodies.grouped(groups, masks);
    adopt_rows(finder->neighbours(bodies, Columns::ij, RowKind::half), recovers);
}

template <Real T, int D>
void World<T, D>::State::adopt_rows(const Rows<T, D>& rows, bool recovers) {
    parallel_for(threads, body.size(), [&](std::size_t h) { list[h].count = 0; });
    candidates = rows.indices.size();
    pool.resize(candidates);
    const std::size_t n = handles.size(), tasks = (n + lists_per_task - 1) / lists_per_task;
    if (parts.size() < tasks) parts.resize(tasks);
    parallel_tasks(threads, tasks, [&](std::size_t t, int) {
        const std::size_t end = std::min(n, (t + 1) * lists_per_task);
        for (std::size_t k = t * lists_per_task; k < end; ++k) {
            const Handle i = handles[k];
            list[i] = {rows.offsets[k], static_cast<Index>(rows[k].size())};
            Candidate* to = pool.data() + list[i].begin;
            for (const Index other : rows[k]) {
                const Handle j = handles[other];
                const bool now = overlaps(body[i].box, body[j].box) &&
                                 (body[i].flags & body[j].flags & alive) != 0;
                if (now && !paired(i, j)) parts[t].began.push_back(key_of_pair(i, j));
                if (recovers && !now && paired(i, j))
                    parts[t].ended.push_back(key_of_pair(i, j));
                *to++ = j << 1 | Index{now};
            }
        }
    });
}

// The bodies' boxes become those of the last update; removed handles become free.
template <Real T, int D>
void World<T, D>::State::finish(bool all) {
    const auto rest = [&](Handle h) {
        Body& b = body[h];
        if (b.is(moved | added)) {
            before[h] = b.box;
            b.rest = 0;
        } else if (b.rest < updates_until_sleep) {
            ++b.rest;
            if (b.rest == updates_until_sleep) b.flags &= static_cast<std::uint8_t>(~awake);
        }
        b.flags &= static_cast<std::uint8_t>(~(added | moved | renewed | guided | loose));
    };
    if (all) {
        active_list.clear();
        for (const Handle h : handles) {
            active_list.push_back(h);
            active[h] = 1;
        }
    } else {
        for (const Handle h : renewals)
            if (active[h] == 0 && body[h].is(alive)) {
                active[h] = 1;
                active_list.push_back(h);
            }
    }
    parallel_for(threads, active_list.size(), [&](std::size_t k) { rest(active_list[k]); });
    for (const Handle h : removed) {
        body[h].flags = 0;
        list[h].count = 0;
        active[h] = 0;
        free.push_back(h);
    }
    if (!removed.empty()) std::erase_if(active_list, [&](Handle h) { return active[h] == 0; });
    removed.clear();
    touched.clear();
    loose_bodies.clear();
}

// Events in ascending order.
template <Real T, int D>
void World<T, D>::State::join_events() {
    const auto join = [&](auto Part::* events, std::vector<PairKey<D>>& to) {
        keys.clear();
        for (const Part& part : parts)
            keys.insert(keys.end(), (part.*events).begin(), (part.*events).end());
        std::sort(keys.begin(), keys.end());
        to.resize(keys.size());
        for (std::size_t k = 0; k < keys.size(); ++k)
            to[k] = {static_cast<Index>(keys[k] >> 32), static_cast<Index>(keys[k]), {}};
    };
    join(&Part::began, changes.began);
    join(&Part::ended, changes.ended);
}

// Removes the gaps between lists once they are most of the pool.
template <Real T, int D>
void World<T, D>::State::compact() {
    if (broken || pool.size() < 2 * candidates + 4096) return;
    spare_pool.clear();
    spare_pool.reserve(candidates);  // what follows must not fail
    for (Handle h = 0; h < body.size(); ++h) {
        if (list[h].count == 0) continue;
        const Candidate* const first = pool.data() + list[h].begin;
        list[h].begin = spare_pool.size();
        spare_pool.insert(spare_pool.end(), first, first + list[h].count);
    }
    pool.swap(spare_pool);
}

template <Real T, int D>
void World<T, D>::State::update() {
    compact();
    // What finish() needs, which must not fail.
    active_list.reserve(body.size());
    free.reserve(free.size() + removed.size());
    find_renewed();
    if (!broken) wake();
    // Measured: a probe and the change of the tree take about as long as the search of 30
    // bodies.
    const bool all = broken || renewals.size() > size / 16 + 16;
    const bool recovers = std::exchange(broken, true);
    if (all && !recovers) {
        // Every list is tested and replaced.
        for (Handle h = 0; h < body.size(); ++h)
            if (list[h].count > 0 && active[h] == 0) {
                active[h] = 1;
                active_list.push_back(h);
            }
    }
    renew(all);
    if (recovers)
        search_again();
    else
        test_lists(all);
    if (all)
        search(recovers);
    else
        probe_tree();
    join_events();
    finish(all);
    broken = false;
    tree_current.store(tree_built, std::memory_order_relaxed);
}

template <Real T, int D>
void World<T, D>::State::update_or_break() {
    listed = false;
    try {
        update();
    } catch (...) {
        tree_built = false;
        tree_current.store(false, std::memory_order_relaxed);
        throw;
    }
}

template struct World<float, 2>::State;
template struct World<float, 3>::State;
template struct World<double, 2>::State;
template struct World<double, 3>::State;

}  // namespace vicinal::inline VICINAL_API
