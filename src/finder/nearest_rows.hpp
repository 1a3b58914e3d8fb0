// The k nearest of many points in an open domain. Where points are about equally dense, a grid
// finds all within a common distance in a fraction of the time of a search for each query: that
// distance is chosen for more than twice k, and the k nearest are selected. Queries with
// fewer than k or very many within it are left to the tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <vector>

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "sieve/nearest.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class NearestRows {
  public:
    static constexpr std::size_t max_k = 32, min_points = 512;
    // Rows of more than `crowded` times k bodies are left to the tree, which is faster there.
    static constexpr std::size_t crowded = 8;

    // `queries` null: of the bodies themselves, each without itself. Both are points or
    // spheres at rest, without a filter. Without effect if they are few, or unevenly dense, or
    // if there is no memory for the rows, which need a few times that of the result.
    void find(const Bodies<T, D>& bodies, const Bodies<T, D>* queries, std::size_t k,
              T max_distance, const Options<D>& options, int threads) {
        const std::size_t n = bodies.size(), asked = queries != nullptr ? queries->size() : n;
        // All of both are in the rows: neither must be many more than the other.
        if (k > max_k || n < min_points || asked < n / 4 || asked > 2 * n ||
            n + asked > limit_of_index)
            return;
        const T reach = std::min(reach_for(bodies, k), max_distance);
        if (!(reach > 0) || !std::isfinite(reach * reach)) return;
        try {
            try_rows(bodies, queries, k, reach, max_distance, options, threads);
            return;
        } catch (const Error& error) {  // crowds have very many pairs
            if (error.kind() != Error::Kind::limit && error.kind() != Error::Kind::memory)
                throw;
        } catch (const std::bad_alloc&) {  // the tree needs less
        }
        best_ = {};
        count_ = {};
    }

    bool any() const { return count_.size() > 0; }
    bool has(Index query) const { return query < count_.size() && count_[query] != unknown; }
    std::span<const Neighbour<T, D>> of(Index query) const {
        return {best_.data() + query * k_, count_[query]};
    }

  private:
    static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t limit_of_index = std::numeric_limits<Index>::max();

    void try_rows(const Bodies<T, D>& bodies, const Bodies<T, D>* queries, std::size_t k,
                  T reach, T max_distance, const Options<D>& options, int threads) {
        Options<D> own;
        own.method = "row_grid";
        own.threads = threads;
        own.cancelled = options.cancelled;
        const Bodies<T, D> all = joined(bodies, queries, reach, threads);
        Options<D> limited = own;
        limited.max_pairs = crowded / 2 * k * all.size();
        Finder<T, D>(limited).count(all);
        Finder<T, D> finder(own);
        select(
            bodies, queries != nullptr ? *queries : bodies,
            queries != nullptr ? bodies.size() : 0, k, reach == max_distance, threads,
            finder.neighbours(all, Columns::ij, RowKind::full, Order::any, RowOrder::spatial));
    }

    // Two and a half times k bodies are expected within it, if they fill their bounds evenly.
    static T reach_for(const Bodies<T, D>& bodies, std::size_t k) {
        double volume = 1;
        for (const Column<T>& x : bodies.position.axis) {
            T low = x[0], high = x[0];
            for (std::size_t i = 1; i < bodies.size(); ++i) {
                low = std::min(low, x[i]);
                high = std::max(high, x[i]);
            }
            volume *= static_cast<double>(high) - static_cast<double>(low);
        }
        const double ball = D == 3 ? 4 * std::numbers::pi / 3 : std::numbers::pi;
        const double each = volume / static_cast<double>(bodies.size());
        return static_cast<T>(std::pow(2.5 * static_cast<double>(k) * each / ball, 1.0 / D));
    }

    // The bodies, and after them the queries.
    Bodies<T, D> joined(const Bodies<T, D>& bodies, const Bodies<T, D>* queries, T reach,
                        int threads) {
        if (queries == nullptr)
            return vicinal::points<D>(bodies.position, static_cast<double>(reach));
        const std::size_t n = bodies.size();
        positions_.resize(n + queries->size());
        parallel_for(threads, positions_.size(), [&](std::size_t i) {
            for (std::size_t a = 0; a < D; ++a)
                positions_[i][a] =
                    i < n ? bodies.position.axis[a][i] : queries->position.axis[a][i - n];
        });
        return vicinal::points<D>(positions_.span(), static_cast<double>(reach));
    }

    // `first`: the number of the first query in the rows. `complete`: there is nothing beyond.
    void select(const Bodies<T, D>& bodies, const Bodies<T, D>& queries, std::size_t first,
                std::size_t k, bool complete, int threads, const Rows<T, D>& rows) {
        k_ = k;
        best_.resize(queries.size() * k);
        count_.resize(queries.size());
        parallel_ranges(threads, rows.size(), [&](Range range, std::size_t) {
            std::vector<T> squares;
            std::vector<Index> found;
            for (std::size_t r = range.begin; r < range.end; ++r) {
                const std::size_t q = rows.body(r);
                if (q < first) continue;
                const auto query = static_cast<Index>(q - first);
                squares.resize(rows[r].size());
                found.resize(rows[r].size());
                std::size_t count = 0;
                for (const Index body : rows[r]) {
                    found[count] = body;  // overwritten if it is a query
                    count += body < bodies.size();
                }
                for (std::size_t e = 0; e < count; ++e) {
                    Vector<T, D> d;
                    for (std::size_t a = 0; a < D; ++a)
                        d[a] =
                            bodies.position.axis[a][found[e]] - queries.position.axis[a][query];
                    squares[e] = dot(d, d);
                }
                poll_cancelled(count);
                if ((count < k && !complete) || count > crowded * k) {
                    count_[query] = unknown;
                    continue;
                }
                count_[query] = static_cast<std::uint32_t>(std::min(count, k));
                rank({squares.data(), count}, found.data(), best_.data() + query * k);
            }
        });
    }

    // The k first by counting for each how many are before it: without branches that
    // mispredict. For rows that are not crowded, as its time is that of their square.
    void rank(std::span<const T> squares, const Index* found, Neighbour<T, D>* best) const {
        for (std::size_t e = 0; e < squares.size(); ++e) {
            const T square = squares[e];
            std::uint32_t before = 0, same = 0;
            for (const T other : squares) {
                before += other < square;
                same += other == square;
            }
            if (same > 1) [[unlikely]]
                for (std::size_t o = 0; o < squares.size(); ++o)
                    before += squares[o] == square && found[o] < found[e];
            if (before < k_) best[before] = {square, found[e], {}};
        }
    }

    std::size_t k_ = 0;
    Buffer<Vector<T, D>> positions_;
    Buffer<Neighbour<T, D>> best_;  // k of each query
    Buffer<std::uint32_t> count_;
};

}  // namespace vicinal::inline VICINAL_API
