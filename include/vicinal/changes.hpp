// Which pairs began and which ended between steps, and a map with a value per pair that lives
// as long as the pair: contact history, warm starting.
//
//     vicinal::PairMap<Friction, 3> history;
//     finder.update(bodies);
//     history.apply(finder.changes());
//     for (auto [i, j, image] : finder.pairs().with_images())
//         Friction* friction = history.find(id[i], id[j], image);
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <vicinal/parallel.hpp>
#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API {

// The identity of a pair across steps: the ids of its bodies (Bodies::id, or their indices),
// i < j, and the image of j. i == j only across a periodic face.
template <int D>
struct PairKey {
    Index i;
    Index j;
    Image<D> image{};
    auto operator<=>(const PairKey&) const = default;
};

// The key of two ids in any order, with the image of the second: (i, j, n) and (j, i, -n) are
// the same pair.
template <int D>
PairKey<D> key_of(Index i, Index j, Image<D> image = {}) {
    if (i < j || (i == j && !(image < Image<D>{}))) return {i, j, image};
    for (auto& n : image) n = static_cast<std::int16_t>(-n);
    return {j, i, image};
}

// A pair that persists under another image, because a body was wrapped by whole periods.
template <int D>
struct Renamed {
    PairKey<D> from;
    PairKey<D> to;
};

// All in ascending order. To update a set of pairs, remove `ended` and every renamed.from, then
// insert every renamed.to and `began`.
template <int D>
struct Changes {
    std::vector<PairKey<D>> began;
    std::vector<PairKey<D>> ended;
    std::vector<Renamed<D>> renamed;
};

// A pair and its value; for (auto& [key, value] : map).
template <class Value, int D>
class PairEntry {
  public:
    const PairKey<D>& key() const { return key_; }
    Value value{};

    template <std::size_t n>
    auto& get() {
        if constexpr (n == 0)
            return std::as_const(key_);
        else
            return value;
    }
    template <std::size_t n>
    const auto& get() const {
        return const_cast<PairEntry*>(this)->template get<n>();
    }

  private:
    template <class, int>
    friend class PairMap;
    PairKey<D> key_{};
};

// A value per pair, in ascending order of the keys: a sorted array, with a directory by the
// first id that makes finding a pair about as fast as in a hash table.
template <class Value, int D>
class PairMap {
  public:
    using Entry = PairEntry<Value, D>;

    // Pairs that began get a default value; the values of pairs that ended are erased. Pointers
    // to values are no longer valid. Runs on `threads` threads (0: all).
    void apply(const Changes<D>& changes, int threads = 0) {
        if (changes.began.empty() && changes.ended.empty() && changes.renamed.empty()) return;
        collect_edits(changes);
        merge(checked_threads(threads));
    }

    // The value of a pair, by the ids of its bodies in any order and the image of the second
    // relative to the first. Null if there is no such pair.
    Value* find(Index i, Index j, const Image<D>& image = {}) {
        const std::size_t at = position(key_of<D>(i, j, image));
        return at < entries_.size() ? &entries_[at].value : nullptr;
    }
    const Value* find(Index i, Index j, const Image<D>& image = {}) const {
        return const_cast<PairMap*>(this)->find(i, j, image);
    }

    std::size_t size() const { return entries_.size(); }
    auto begin() { return entries_.begin(); }
    auto end() { return entries_.end(); }
    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }

    // Calls f(key, value) for every pair, on `threads` threads (0: all) at once.
    template <class F>
    void for_each_parallel(const F& f, int threads = 0) {
        const std::size_t n = entries_.size(),
                          tasks = (n + entries_per_task - 1) / entries_per_task;
        parallel_tasks(checked_threads(threads), tasks, [&](std::size_t t, int) {
            for (std::size_t e = t * entries_per_task;
                 e < std::min(n, (t + 1) * entries_per_task); ++e)
                f(std::as_const(entries_[e].key_), entries_[e].value);
        });
    }

  private:
    static constexpr std::size_t entries_per_task = 4096;
    static constexpr std::size_t none = ~std::size_t{0};

    // A key to be removed, or to be inserted with the value of entry `from`, or a new one.
    struct Edit {
        PairKey<D> key;
        std::size_t from = none;
    };

    // Where the entry of a key is; the size if there is none.
    std::size_t position(const PairKey<D>& key) const {
        const std::size_t bucket = key.i >> shift_;
        if (bucket + 1 >= first_.size()) return entries_.size();
        const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first_[bucket]);
        const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(first_[bucket + 1]);
        const auto found = lower_bound(begin, end, key);
        return found != end && found->key_ == key
                   ? static_cast<std::size_t>(found - entries_.begin())
                   : entries_.size();
    }
    template <class I>
    static I lower_bound(I begin, I end, const PairKey<D>& key) {
        return std::lower_bound(
            begin, end, key, [](const auto& a, const PairKey<D>& b) { return key_in(a) < b; });
    }
    static const PairKey<D>& key_in(const Entry& entry) { return entry.key_; }
    static const PairKey<D>& key_in(const Edit& edit) { return edit.key; }
    static PairKey<D> key_in(const PairKey<D>& key) { return key; }

    // Sorted lists of what leaves and what enters the map; of the changes only the new names
    // are not in order.
    void collect_edits(const Changes<D>& changes) {
        std::vector<Edit> renamed;
        std::vector<PairKey<D>> old;
        for (const Renamed<D>& name : changes.renamed) {
            const std::size_t at = position(name.from);
            old.push_back(name.from);
            if (at < entries_.size()) renamed.push_back({name.to, at});
        }
        const auto less = [](const Edit& a, const Edit& b) { return a.key < b.key; };
        std::sort(renamed.begin(), renamed.end(), less);
        std::vector<Edit> began;
        began.reserve(changes.began.size());
        for (const PairKey<D>& key : changes.began) began.push_back({key, none});
        inserted_.resize(began.size() + renamed.size());
        std::merge(began.begin(), began.end(), renamed.begin(), renamed.end(),
                   inserted_.begin(), less);
        removed_.resize(changes.ended.size() + old.size());
        std::merge(changes.ended.begin(), changes.ended.end(), old.begin(), old.end(),
                   removed_.begin());
    }

    // The part of the old entries and of the edits between two keys.
    struct Piece {
        std::size_t entry, removed, inserted;  // where it begins
        std::size_t to = 0;                    // where it begins in the new entries
    };

    // Calls keep(entry) and insert(edit) in ascending order of the keys. A pair that begins
    // although it is in the map keeps its value.
    template <class Keep, class Insert>
    void walk(const Piece& from, const Piece& end, const Keep& keep, const Insert& insert) {
        std::size_t e = from.entry, r = from.removed, i = from.inserted;
        while (e < end.entry || i < end.inserted) {
            if (e < end.entry) {
                while (r < end.removed && removed_[r] < entries_[e].key_) ++r;
                if (r < end.removed && removed_[r] == entries_[e].key_) {
                    ++e;
                    continue;
                }
            }
            if (e < end.entry &&
                (i == end.inserted || !(inserted_[i].key < entries_[e].key_))) {
                if (i < end.inserted && inserted_[i].key == entries_[e].key_) ++i;
                keep(e++);
            } else {
                insert(i++);
            }
        }
    }

    void merge(int threads) {
        const std::size_t n = entries_.size();
        const std::size_t pieces =
            std::max<std::size_t>(1, std::max(n, inserted_.size()) / (4 * entries_per_task));
        pieces_.assign(pieces + 1, {n, removed_.size(), inserted_.size()});
        pieces_[0] = {0, 0, 0};
        for (std::size_t p = 1; p < pieces; ++p) pieces_[p] = begin_of(p, pieces);
        parallel_tasks(threads, pieces, [&](std::size_t p, int) {
            std::size_t count = 0;
            const auto add = [&](std::size_t) { ++count; };
            walk(pieces_[p], pieces_[p + 1], add, add);
            pieces_[p + 1].to = count;
        });
        for (std::size_t p = 0; p < pieces; ++p) pieces_[p + 1].to += pieces_[p].to;
        merged_.resize(pieces_[pieces].to);
        parallel_tasks(threads, pieces, [&](std::size_t p, int) {
            auto to = merged_.begin() + static_cast<std::ptrdiff_t>(pieces_[p].to);
            walk(
                pieces_[p], pieces_[p + 1],
                [&](std::size_t e) { *to++ = std::move(entries_[e]); },
                [&](std::size_t i) {
                    to->key_ = inserted_[i].key;
                    to->value = inserted_[i].from == none
                                    ? Value{}
                                    : std::move(entries_[inserted_[i].from].value);
                    ++to;
                });
        });
        entries_.swap(merged_);
        merged_.clear();
        make_directory(threads);
    }

    // Pieces have about equal numbers of old entries, or of new ones if these are more.
    Piece begin_of(std::size_t p, std::size_t pieces) const {
        const bool by_entries = entries_.size() >= inserted_.size();
        const std::size_t at = (by_entries ? entries_.size() : inserted_.size()) / pieces * p;
        const PairKey<D>& key = by_entries ? entries_[at].key_ : inserted_[at].key;
        const auto index = [&](const auto& all) {
            return static_cast<std::size_t>(lower_bound(all.begin(), all.end(), key) -
                                            all.begin());
        };
        return {index(entries_), index(removed_), index(inserted_)};
    }

    // first_[b] is the first entry whose i is in bucket b or later; about one entry per bucket
    // if ids are evenly distributed.
    void make_directory(int threads) {
        first_.clear();
        if (entries_.empty()) return;
        const std::size_t n = entries_.size(), last = entries_.back().key_.i;
        for (shift_ = 0; (last >> shift_) > n; ++shift_) {
        }
        first_.resize((last >> shift_) + 2);
        const std::size_t tasks = (n + entries_per_task - 1) / entries_per_task;
        parallel_tasks(threads, tasks, [&](std::size_t t, int) {
            for (std::size_t e = t * entries_per_task;
                 e < std::min(n, (t + 1) * entries_per_task); ++e) {
                const std::size_t bucket = entries_[e].key_.i >> shift_;
                std::size_t b =
                    e == 0 ? 0 : (entries_[e - 1].key_.i >> shift_) + std::size_t{1};
                for (; b <= bucket; ++b) first_[b] = e;
            }
        });
        first_.back() = n;
    }

    std::vector<Entry> entries_, merged_;  // merged_: scratch
    std::vector<Edit> inserted_;           // of apply()
    std::vector<PairKey<D>> removed_;
    std::vector<Piece> pieces_;
    std::vector<std::size_t> first_;
    unsigned shift_ = 0;
};

}  // namespace vicinal::inline VICINAL_API

template <class Value, int D>
struct std::tuple_size<vicinal::PairEntry<Value, D>> : std::integral_constant<std::size_t, 2> {
};
template <class Value, int D>
struct std::tuple_element<0, vicinal::PairEntry<Value, D>> {
    using type = const vicinal::PairKey<D>;
};
template <class Value, int D>
struct std::tuple_element<1, vicinal::PairEntry<Value, D>> {
    using type = Value;
};
