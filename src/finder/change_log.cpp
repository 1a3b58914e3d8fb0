#include "finder/change_log.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
std::size_t ChangeLog<T, D>::Step::first_from(std::uint64_t id) const {
    if (!identified) return static_cast<std::size_t>(std::min<std::uint64_t>(id, bodies));
    const auto all = ids.span();
    return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), id) - all.begin());
}

// Numbers the bodies in the order of their ids.
template <Real T, int D>
void ChangeLog<T, D>::number_bodies(const Bodies<T, D>& bodies, int threads) {
    const std::size_t n = now_.bodies = bodies.size();
    now_.identified = bodies.id.given();
    numbers_.resize(0);
    now_.ids.resize(0);
    if (!now_.identified) return;
    now_.ids.resize(n);
    const Column<Index>& id = bodies.id;
    const bool ascending =
        find_first(threads, n, [&](std::size_t i) { return i > 0 && id[i - 1] >= id[i]; }) == n;
    if (ascending) return parallel_for(threads, n, [&](std::size_t i) { now_.ids[i] = id[i]; });
    sorter_.records.resize(n);
    parallel_for(threads, n,
                 [&](std::size_t i) { sorter_.records[i] = {id[i], static_cast<Index>(i)}; });
    sorter_.sort(8 * sizeof(Index), threads, [](const KeyedIndex& r) { return r.key; });
    const auto sorted = sorter_.records.span();
    const std::size_t twice = find_first(
        threads, n, [&](std::size_t k) { return k > 0 && sorted[k - 1].key == sorted[k].key; });
    if (twice < n)
        throw Error(Error::Kind::input, "two bodies have the id " +
                                            std::to_string(sorted[twice].key) +
                                            "; give every body a unique id");
    numbers_.resize(n);
    parallel_for(threads, n, [&](std::size_t k) {
        now_.ids[k] = static_cast<Index>(sorted[k].key);
        numbers_[sorted[k].value] = static_cast<Index>(k);
    });
}

template <Real T, int D>
void ChangeLog<T, D>::note_positions(const Bodies<T, D>& bodies, const Lattice<T, D>& lattice,
                                     int threads) {
    now_.lattice = lattice;
    now_.positions.resize(bodies.size());
    parallel_for(threads, bodies.size(), [&](std::size_t i) {
        auto& to = now_.positions[numbers_.size() > 0 ? numbers_[i] : i];
        for (std::size_t a = 0; a < D; ++a)
            to[a] = static_cast<double>(bodies.position.axis[a][i]);
    });
}

// The whole periods by which a body has been wrapped since the last step. Wrapping does not
// move a body.
template <Real T, int D>
Shift<D> ChangeLog<T, D>::wraps(std::size_t then, std::size_t now) const {
    const Lattice<T, D>& lattice = now_.lattice;
    Shift<D> k{};
    for (std::size_t m = 0; m < D; ++m) {
        double f = 0;
        for (std::size_t a = 0; a < D; ++a)
            f += (now_.positions[now][a] - then_.positions[then][a]) * lattice.inverse[a][m];
        if (lattice.periodic[m])
            k[m] = static_cast<std::int32_t>(std::clamp(std::round(f), -1e6, 1e6));
    }
    return k;
}

// The same lattice may have new vectors, because a shear offset is reduced modulo the period.
template <Real T, int D>
void ChangeLog<T, D>::note_lattice() {
    const Lattice<T, D>& lattice = now_.lattice;
    new_vectors_ = false;
    for (std::size_t k = 0; k < D; ++k)
        for (std::size_t m = 0; m < D; ++m) {
            double f = 0;
            for (std::size_t a = 0; a < D; ++a)
                f += static_cast<double>(then_.lattice.h[k][a]) * lattice.inverse[a][m];
            const bool both = lattice.periodic[k] && lattice.periodic[m];
            old_vectors_[k][m] =
                both && k != m ? static_cast<std::int32_t>(std::clamp(std::round(f), -1e4, 1e4))
                               : k == m;
            if (k != m && old_vectors_[k][m] != 0) new_vectors_ = true;
        }
}

// Where the bodies of the last step are now, and by how much they were wrapped.
template <Real T, int D>
void ChangeLog<T, D>::find_bodies_again(int threads) {
    note_lattice();
    const std::size_t n = then_.bodies;
    const bool periodic = !now_.lattice.open;
    number_now_.resize(n);
    wraps_.resize(periodic ? n : 0);
    std::atomic<bool> wrapped = false;
    parallel_ranges(threads, n, [&](Range r, std::size_t) {
        bool any = false;
        std::size_t at = r.begin < r.end ? now_.first_from(then_.id(r.begin)) : 0;
        for (std::size_t i = r.begin; i < r.end; ++i) {
            while (at < now_.bodies && now_.id(at) < then_.id(i)) ++at;
            const bool found = at < now_.bodies && now_.id(at) == then_.id(i);
            number_now_[i] = found ? static_cast<Index>(at) : none;
            if (!periodic) continue;
            wraps_[i] = found ? wraps(i, at) : Shift<D>{};
            any = any || wraps_[i] != Shift<D>{};
        }
        if (any) wrapped.store(true, std::memory_order_relaxed);
    });
    wrapped_ = wrapped;
}

// True if pairs of this row of the last step may persist under another image.
template <Real T, int D>
bool ChangeLog<T, D>::has_renamed(std::size_t then) const {
    if (new_vectors_) return true;
    if (!wrapped_) return false;
    if (wraps_[then] != Shift<D>{}) return true;
    for (const Index j : then_.rows[then])
        if (wraps_[j] != Shift<D>{}) return true;
    return false;
}

// Two rows whose pairs keep their images: both are in ascending order.
template <Real T, int D>
void ChangeLog<T, D>::compare_rows(std::size_t then, std::size_t now, Part& part) const {
    if (has_renamed(then)) return compare_renamed(then, now, part);
    const Rows<T, D>&a = then_.rows, &b = now_.rows;
    std::uint64_t e = b.offsets[now];
    const std::uint64_t end = b.offsets[now + 1];
    const auto image = [](const Rows<T, D>& rows, std::uint64_t entry) {
        return rows.images.empty() ? Image<D>{} : rows.images[entry];
    };
    for (std::uint64_t old = a.offsets[then]; old < a.offsets[then + 1]; ++old) {
        const Index j = number_now_[a.indices[old]];
        const auto before = [&] {  // is entry e before the old one?
            return b.indices[e] < j || (b.indices[e] == j && image(b, e) < image(a, old));
        };
        while (j != none && e < end && before()) part.began.push_back(now_.key(now, e++));
        if (j != none && e < end && b.indices[e] == j && image(b, e) == image(a, old))
            ++e;
        else
            part.ended.push_back(then_.key(then, old));
    }
    while (e < end) part.began.push_back(now_.key(now, e++));
}

// The pairs of a row of the last step as they would be in this one. If body j has been wrapped
// by k_j periods and i by k_i, the old image n is now n - k_j + k_i.
template <Real T, int D>
void ChangeLog<T, D>::rename_row(std::size_t then, Part& part) const {
    const Rows<T, D>& rows = then_.rows;
    part.entries.clear();
    for (std::uint64_t e = rows.offsets[then]; e < rows.offsets[then + 1]; ++e) {
        Entry entry{number_now_[rows.indices[e]], {}, e};
        Image<D> old{};
        if (!rows.images.empty()) old = rows.images[e];
        for (std::size_t m = 0; m < D; ++m) {
            std::int64_t n = 0;
            if (!wraps_.span().empty())
                n = std::int64_t{wraps_[then][m]} - wraps_[rows.indices[e]][m];
            for (std::size_t k = 0; k < D; ++k) n += std::int64_t{old[k]} * old_vectors_[k][m];
            entry.image[m] = static_cast<std::int16_t>(n);
            // An image that does not fit 16 bits matches no pair.
            if (entry.image[m] != n) entry.neighbour = none;
        }
        part.entries.push_back(entry);
    }
}

template <Real T, int D>
void ChangeLog<T, D>::compare_renamed(std::size_t then, std::size_t now, Part& part) const {
    rename_row(then, part);
    std::sort(part.entries.begin(), part.entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.neighbour, a.image, a.then) < std::tie(b.neighbour, b.image, b.then);
    });
    std::uint64_t e = now_.rows.offsets[now];
    const std::uint64_t end = now_.rows.offsets[now + 1];
    for (Entry& old : part.entries) {
        if (old.neighbour == none) continue;
        const auto entry = [&] {
            return std::pair(now_.rows.indices[e],
                             now_.rows.images.empty() ? Image<D>{} : now_.rows.images[e]);
        };
        const std::pair wanted(old.neighbour, old.image);
        while (e < end && entry() < wanted) part.began.push_back(now_.key(now, e++));
        if (e < end && entry() == wanted)
            ++e;
        else
            old.neighbour = none;
    }
    while (e < end) part.began.push_back(now_.key(now, e++));
    std::sort(part.entries.begin(), part.entries.end(),  // in the order of the old keys
              [](const Entry& a, const Entry& b) { return a.then < b.then; });
    for (const Entry& old : part.entries) {
        const PairKey<D> key = then_.key(then, old.then);
        if (old.neighbour == none)
            part.ended.push_back(key);
        else if (key.image != old.image)
            part.renamed.push_back({key, {key.i, key.j, old.image}});
    }
}

// The rows of bodies with ids first_id ... end_id - 1.
template <Real T, int D>
void ChangeLog<T, D>::compare(std::uint64_t first_id, std::uint64_t end_id, Part& part) const {
    part.began.clear();
    part.ended.clear();
    part.renamed.clear();
    std::size_t then = then_.first_from(first_id), now = now_.first_from(first_id);
    const std::size_t then_end = then_.first_from(end_id), now_end = now_.first_from(end_id);
    while (then < then_end || now < now_end) {
        const Index again = then < then_end ? number_now_[then] : none;
        if (then < then_end && again == now) {
            if (now_.rows.offsets[now] < now_.rows.offsets[now + 1] ||
                then_.rows.offsets[then] < then_.rows.offsets[then + 1])
                compare_rows(then, now, part);
            ++then, ++now;
        } else if (then < then_end && again == none) {  // the body is gone
            for (auto e = then_.rows.offsets[then]; e < then_.rows.offsets[then + 1]; ++e)
                part.ended.push_back(then_.key(then, e));
            ++then;
        } else {  // a new body
            for (auto e = now_.rows.offsets[now]; e < now_.rows.offsets[now + 1]; ++e)
                part.began.push_back(now_.key(now, e));
            ++now;
        }
    }
}

// The parts are in ascending order.
template <Real T, int D>
void ChangeLog<T, D>::join(int threads) {
    const auto join_all = [&](auto Part::* list, auto& to) {
        std::size_t size = 0;
        for (const Part& part : parts_) size += (part.*list).size();
        to.resize(size);
        parallel_tasks(threads, parts_.size(), [&](std::size_t p, int) {
            std::size_t at = 0;
            for (std::size_t q = 0; q < p; ++q) at += (parts_[q].*list).size();
            std::copy((parts_[p].*list).begin(), (parts_[p].*list).end(),
                      to.begin() + static_cast<std::ptrdiff_t>(at));
        });
    };
    join_all(&Part::began, changes_.began);
    join_all(&Part::ended, changes_.ended);
    join_all(&Part::renamed, changes_.renamed);
}

template <Real T, int D>
const Changes<D>& ChangeLog<T, D>::update(const PairList<D>& list, const Bodies<T, D>& bodies,
                                          const Lattice<T, D>& lattice, RowMaker<T, D>& maker,
                                          MemoryLedger& maker_ledger, int threads) {
    number_bodies(bodies, threads);
    note_positions(bodies, lattice, threads);
    {
        const LedgerScope scope(&maker_ledger);
        maker.make(list, bodies.size(), RowKind::half, Order::sorted, threads, now_.rows,
                   numbers_.span());
    }
    if (then_.rows.offsets.empty()) {  // the first step
        then_.rows.offsets.resize(1);
        then_.rows.offsets[0] = 0;
    }
    find_bodies_again(threads);
    const Step& larger = now_.bodies > then_.bodies ? now_ : then_;
    constexpr std::size_t rows_per_task = 4096;
    const std::size_t tasks = std::clamp<std::size_t>(larger.bodies / rows_per_task, 1, 256);
    parts_.resize(tasks);
    parallel_tasks(threads, tasks, [&](std::size_t t, int) {
        const auto begin = [&](std::size_t task) -> std::uint64_t {
            if (task == 0) return 0;
            if (task == tasks) return std::uint64_t{1} << 32;
            return larger.id(piece(larger.bodies, tasks, task).begin);
        };
        compare(begin(t), begin(t + 1), parts_[t]);
    });
    join(threads);
    std::swap(now_, then_);
    return changes_;
}

template <Real T, int D>
std::uint64_t ChangeLog<T, D>::bytes_of_results() const {
    std::uint64_t sum = heap_bytes(now_.rows) + heap_bytes(then_.rows) +
                        heap_bytes(changes_.began) + heap_bytes(changes_.ended) +
                        heap_bytes(changes_.renamed) + heap_bytes(parts_);
    for (const Part& part : parts_)
        sum += heap_bytes(part.began) + heap_bytes(part.ended) + heap_bytes(part.renamed) +
               heap_bytes(part.entries);
    return sum;
}

template class ChangeLog<float, 2>;
template class ChangeLog<float, 3>;
template class ChangeLog<double, 2>;
template class ChangeLog<double, 3>;

}  // namespace vicinal::inline VICINAL_API
