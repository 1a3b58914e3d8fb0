// Statistics of pairs: how many neighbours the bodies have, and at which distances.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <vicinal/finder.hpp>
#include <vicinal/parallel.hpp>

namespace vicinal::tool {

// How many bodies have how many neighbours.
struct Coordination {
    struct Count {
        std::uint64_t neighbours, bodies;
    };
    std::uint64_t bodies = 0, pairs = 0;
    std::vector<Count> counts;  // ascending; only numbers that occur

    explicit Coordination(std::span<const std::uint64_t> degrees);
    double mean() const;
    std::uint64_t max() const { return counts.empty() ? 0 : counts.back().neighbours; }
    std::uint64_t isolated() const;  // bodies without a neighbour
};

// The radial distribution function g(r): the number density around a body at the distance r,
// over the mean number density.
struct Radial {
    int dim = 3;
    std::uint64_t bodies = 0;
    bool periodic = false;             // along all axes
    double volume = 0;                 // that holds the bodies; 0: g(r) is not defined
    std::vector<double> edges;         // of the bins: from 0 to the cut-off
    std::vector<std::uint64_t> pairs;  // per bin: edges[k] <= r < edges[k + 1], the last closed

    std::size_t bins() const { return pairs.size(); }
    double cutoff() const { return edges.back(); }
    bool defined() const { return volume > 0 && bodies > 0; }
    double density() const { return static_cast<double>(bodies) / volume; }
    std::uint64_t count(std::size_t begin, std::size_t end) const;
    // g of the bins begin ... end - 1 taken together; NaN if it is not defined.
    double g(std::size_t begin, std::size_t end) const;
    // The mean number of neighbours of a body up to edges[end].
    double neighbours(std::size_t end) const;
    // The mean number density of neighbours within the cut-off.
    double neighbour_density() const;
    // Throws Error if a volume is not a normal floating-point number.
    void check() const;
};

// `bins` + 1 equidistant edges from 0 to the cut-off.
std::vector<double> bin_edges(double cutoff, std::size_t bins);

// The bin whose edges enclose the distance. A division finds it, but rounding may miss it by
// one.
inline std::size_t bin_of(double distance, std::span<const double> edges) {
    const std::size_t last = edges.size() - 2;
    const double guess = distance / edges.back() * static_cast<double>(last + 1);
    std::size_t k = std::min(last, static_cast<std::size_t>(guess));
    while (k > 0 && distance < edges[k]) --k;
    while (k < last && distance >= edges[k + 1]) ++k;
    return k;
}

struct PairTally {
    std::vector<std::uint64_t> degrees;  // neighbours of each body
    std::vector<std::uint64_t> bins;     // pairs by distance
};

// Counts the pairs of the bodies while they are found, so memory is O(bodies + bins). A body
// that is near an image of itself has two neighbours, one on either side. Without edges,
// distances are not counted.
template <Real T, int D>
PairTally tally_pairs(Finder<T, D>& finder, const Bodies<T, D>& bodies, int threads,
                      std::span<const double> edges) {
    PairTally tally{std::vector<std::uint64_t>(bodies.size()),
                    std::vector<std::uint64_t>(edges.empty() ? 0 : edges.size() - 1)};
    std::vector<std::vector<std::uint64_t>> by_worker(
        static_cast<std::size_t>(checked_threads(threads)), tally.bins);
    const auto increment = [&](Index i) {
        std::atomic_ref(tally.degrees[i]).fetch_add(1, std::memory_order_relaxed);
    };
    const Columns columns = edges.empty() ? Columns::ij : Columns::ijd;
    finder.for_each_block(bodies, columns, [&](const ColumnBlock<T, D>& block) {
        for (const Pair pair : block.pairs) {
            increment(pair.i);
            increment(pair.j);
        }
        auto& histogram = by_worker[static_cast<std::size_t>(block.worker)];
        for (const T distance : block.distances)
            ++histogram[bin_of(static_cast<double>(distance), edges)];
    });
    for (const auto& histogram : by_worker)
        std::ranges::transform(tally.bins, histogram, tally.bins.begin(), std::plus<>());
    return tally;
}

// The volume that holds the bodies: that of the cell, but along an open lattice vector only as
// far as the bodies extend. In an open domain this is their bounding box.
template <Real T, int D>
double volume_of(const Bodies<T, D>& bodies, const Domain<D>& domain);

}  // namespace vicinal::tool
