// Compares a list of pairs with the plain evaluation.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/plain.hpp"

namespace vicinal::reference {

// Differences of one kind: their number, and the first of them.
template <int D>
struct Differences {
    static constexpr std::size_t shown = 5;
    std::uint64_t count = 0;
    std::vector<PlainPair<D>> first;

    void add(const PlainPair<D>& pair) {
        ++count;
        if (first.size() < shown) first.push_back(pair);
    }
    void add(const Differences& later) {
        count += later.count;
        for (const auto& pair : later.first)
            if (first.size() < shown) first.push_back(pair);
    }
};

template <int D>
struct Verdict {
    std::uint64_t checked = 0;  // pairs of the plain evaluation
    Differences<D> missing, extra, repeated;

    bool good() const { return missing.count + extra.count + repeated.count == 0; }
    void add(const Verdict& later) {
        checked += later.checked;
        missing.add(later.missing);
        extra.add(later.extra);
    }
};

// The rows that are compared: those of the chosen bodies. A row holds every partner of its body
// (full list, or sample of bodies), or only those of pairs in which the body comes first.
struct Scope {
    std::vector<Index> bodies;  // in increasing order
    bool whole_rows = false;
    bool both_ways = false;  // a pair counts once in each direction (a full list)
};

template <Real T, int D>
class Comparison {
  public:
    // Pairs as the file lists them, in any order.
    Comparison(const PlainSearch<T, D>& search, const Scope& scope, std::size_t bodies,
               bool one_set, std::vector<PlainPair<D>> pairs)
        : search_(search), scope_(scope), one_set_(one_set), chosen_(bodies) {
        for (const Index i : scope.bodies) chosen_[i] = true;
        pairs_ = std::move(pairs);
        arrange();
    }

    Verdict<D> run(int threads) const {
        constexpr std::size_t rows_per_part = 64;
        std::vector<Verdict<D>> parts((scope_.bodies.size() + rows_per_part - 1) /
                                      rows_per_part);
        in_parallel(threads, parts.size(), [&](std::size_t part) {
            const std::size_t end = std::min(scope_.bodies.size(), (part + 1) * rows_per_part);
            for (std::size_t k = part * rows_per_part; k < end; ++k)
                compare_row(scope_.bodies[k], parts[part]);
        });
        Verdict<D> result;
        result.repeated = repeated_;
        for (const auto& part : parts) result.add(part);
        return result;
    }

  private:
    // Orients every pair as the rows need it, removes repeats and sorts the rows.
    void arrange() {
        if (one_set_ && !scope_.both_ways)
            for (auto& pair : pairs_)
                if (!is_canonical(pair)) pair = reversed(pair);
        std::sort(pairs_.begin(), pairs_.end());
        take_repeated();
        if (one_set_ && !scope_.both_ways && scope_.whole_rows) {
            std::vector<PlainPair<D>> rows;
            for (const auto& pair : pairs_) {
                if (chosen_[pair.i]) rows.push_back(pair);
                if (chosen_[pair.j] && pair != reversed(pair)) rows.push_back(reversed(pair));
            }
            pairs_ = std::move(rows);
            std::sort(pairs_.begin(), pairs_.end());
        } else {
            std::erase_if(pairs_, [&](const auto& pair) { return !chosen_[pair.i]; });
        }
    }

    // Of the whole list, independent of the sample.
    void take_repeated() {
        for (std::size_t p = 1; p < pairs_.size(); ++p)
            if (pairs_[p] == pairs_[p - 1]) repeated_.add(pairs_[p]);
        pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    }

    // In full rows a pair of two chosen bodies occurs twice; it is counted in canonical
    // orientation.
    bool counts(const PlainPair<D>& pair) const {
        if (!one_set_ || scope_.both_ways || !scope_.whole_rows) return true;
        return !chosen_[pair.j] || is_canonical(pair) || pair == reversed(pair);
    }

    void compare_row(Index i, Verdict<D>& verdict) const {
        const auto wanted =
            scope_.whole_rows ? search_.partners(i) : search_.canonical_partners(i);
        auto have =
            std::lower_bound(pairs_.begin(), pairs_.end(), PlainPair<D>{i, 0, lowest()});
        const auto note = [&](Differences<D>& kind, const PlainPair<D>& pair) {
            if (counts(pair)) kind.add(pair);
        };
        const auto in_row = [&] { return have != pairs_.end() && have->i == i; };
        for (const auto& pair : wanted) {
            for (; in_row() && *have < pair; ++have) note(verdict.extra, *have);
            if (in_row() && *have == pair)
                ++have;
            else
                note(verdict.missing, pair);
            if (counts(pair)) ++verdict.checked;
        }
        for (; in_row(); ++have) note(verdict.extra, *have);
    }

    static Shift<D> lowest() {
        Shift<D> n;
        n.fill(std::numeric_limits<int>::min());
        return n;
    }

    template <class F>
    static void in_parallel(int threads, std::size_t parts, const F& work) {
        std::atomic<std::size_t> next = 0;
        std::exception_ptr failure;
        std::mutex mutex;
        const auto loop = [&] {
            try {
                for (std::size_t part; (part = next++) < parts;) work(part);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = std::current_exception();
            }
        };
        {
            std::vector<std::jthread> helpers;
            for (int k = 1; k < threads; ++k) helpers.emplace_back(loop);
            loop();
        }
        if (failure) std::rethrow_exception(failure);
    }

    const PlainSearch<T, D>& search_;
    const Scope& scope_;
    const bool one_set_;
    std::vector<bool> chosen_;
    std::vector<PlainPair<D>> pairs_;
    Differences<D> repeated_;
};

}  // namespace vicinal::reference
