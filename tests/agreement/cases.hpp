// The combinations to run: all of them, or a pairwise cover, in which any two values of any two
// factors occur together at least once.
#pragma once

#include <cstddef>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "support/environment.hpp"

namespace vicinal::test {

using CaseIndices = std::vector<std::size_t>;  // one value per factor

inline std::vector<CaseIndices> full_product(const std::vector<std::size_t>& sizes) {
    std::vector<CaseIndices> all;
    CaseIndices now(sizes.size(), 0);
    for (;;) {
        all.push_back(now);
        std::size_t f = 0;
        while (f < sizes.size() && ++now[f] == sizes[f]) now[f++] = 0;
        if (f == sizes.size()) return all;
    }
}

// Greedy: starts from an uncovered pair of values and gives each other factor the value that
// covers the most pairs. The result depends on the sizes alone.
inline std::vector<CaseIndices> pairwise_cover(const std::vector<std::size_t>& sizes) {
    using ValuePair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
    std::set<ValuePair> uncovered;
    for (std::size_t f = 0; f < sizes.size(); ++f)
        for (std::size_t g = f + 1; g < sizes.size(); ++g)
            for (std::size_t v = 0; v < sizes[f]; ++v)
                for (std::size_t w = 0; w < sizes[g]; ++w) uncovered.insert({f, v, g, w});
    const auto value_pair = [](std::size_t f, std::size_t v, std::size_t g, std::size_t w) {
        return f < g ? ValuePair{f, v, g, w} : ValuePair{g, w, f, v};
    };
    std::vector<CaseIndices> cover;
    while (!uncovered.empty()) {
        constexpr auto unset = static_cast<std::size_t>(-1);
        CaseIndices now(sizes.size(), unset);
        const auto [f0, v0, g0, w0] = *uncovered.begin();
        now[f0] = v0;
        now[g0] = w0;
        for (std::size_t f = 0; f < sizes.size(); ++f) {
            if (now[f] != unset) continue;
            std::size_t best = 0, best_gain = 0;
            for (std::size_t v = 0; v < sizes[f]; ++v) {
                std::size_t gain = 0;
                for (std::size_t g = 0; g < sizes.size(); ++g)
                    if (now[g] != unset) gain += uncovered.count(value_pair(f, v, g, now[g]));
                if (gain > best_gain) best = v, best_gain = gain;
            }
            now[f] = best;
        }
        for (std::size_t f = 0; f < sizes.size(); ++f)
            for (std::size_t g = f + 1; g < sizes.size(); ++g)
                uncovered.erase({f, now[f], g, now[g]});
        cover.push_back(now);
    }
    return cover;
}

// The full product of all factors but the last, whose value is (a + b + ...) mod its size for
// values a, b, ... of the others. So any two values of two other factors are combined with
// every value of the last, if some third factor has at least as many values.
inline std::vector<CaseIndices> product_with_cyclic_last(std::vector<std::size_t> sizes) {
    const std::size_t last = sizes.back();
    sizes.pop_back();
    std::vector<CaseIndices> cases = full_product(sizes);
    for (CaseIndices& c : cases)
        c.push_back(std::accumulate(c.begin(), c.end(), std::size_t{0}) % last);
    return cases;
}

// The full product, the pairwise cover, or a part of the cover for builds with sanitizers,
// which are ten times slower.
inline std::vector<CaseIndices> chosen_cases(const std::vector<std::size_t>& sizes) {
    if (run_all()) return product_with_cyclic_last(sizes);
    std::vector<CaseIndices> cases = pairwise_cover(sizes);
    if (!run_light()) return cases;
    std::vector<CaseIndices> some;
    for (std::size_t c = 0; c < cases.size(); c += 5) some.push_back(cases[c]);
    return some;
}

}  // namespace vicinal::test
