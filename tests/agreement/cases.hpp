// Which combinations to run: all of them, or a subset in which any two values of any two
// factors meet in at least one case.
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

// Greedy: start from a pair of values nobody has covered, give each other factor the value
// that covers most. The result is fixed by the sizes alone.
inline std::vector<CaseIndices> pairwise_cover(const std::vector<std::size_t>& sizes) {
    using Meeting = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
    std::set<Meeting> open;
    for (std::size_t f = 0; f < sizes.size(); ++f)
        for (std::size_t g = f + 1; g < sizes.size(); ++g)
            for (std::size_t v = 0; v < sizes[f]; ++v)
                for (std::size_t w = 0; w < sizes[g]; ++w) open.insert({f, v, g, w});
    const auto meeting = [](std::size_t f, std::size_t v, std::size_t g, std::size_t w) {
        return f < g ? Meeting{f, v, g, w} : Meeting{g, w, f, v};
    };
    std::vector<CaseIndices> cover;
    while (!open.empty()) {
        constexpr auto unset = static_cast<std::size_t>(-1);
        CaseIndices now(sizes.size(), unset);
        const auto [f0, v0, g0, w0] = *open.begin();
        now[f0] = v0;
        now[g0] = w0;
        for (std::size_t f = 0; f < sizes.size(); ++f) {
            if (now[f] != unset) continue;
            std::size_t best = 0, best_gain = 0;
            for (std::size_t v = 0; v < sizes[f]; ++v) {
                std::size_t gain = 0;
                for (std::size_t g = 0; g < sizes.size(); ++g)
                    if (now[g] != unset) gain += open.count(meeting(f, v, g, now[g]));
                if (gain > best_gain) best = v, best_gain = gain;
            }
            now[f] = best;
        }
        for (std::size_t f = 0; f < sizes.size(); ++f)
            for (std::size_t g = f + 1; g < sizes.size(); ++g)
                open.erase({f, now[f], g, now[g]});
        cover.push_back(now);
    }
    return cover;
}

// The whole product of all factors but the last, which goes round: value (a + b + ...) mod its
// size where the others are a, b, ... So any two values of any two others still meet every
// value of the last, as long as some third factor has no fewer values.
inline std::vector<CaseIndices> product_and_round(std::vector<std::size_t> sizes) {
    const std::size_t last = sizes.back();
    sizes.pop_back();
    std::vector<CaseIndices> cases = full_product(sizes);
    for (CaseIndices& c : cases)
        c.push_back(std::accumulate(c.begin(), c.end(), std::size_t{0}) % last);
    return cases;
}

// All of that; a subset that covers all pairs of values; or, for builds with sanitizers, which
// are ten times slower, some of that subset.
inline std::vector<CaseIndices> chosen_cases(const std::vector<std::size_t>& sizes) {
    if (run_all()) return product_and_round(sizes);
    std::vector<CaseIndices> cases = pairwise_cover(sizes);
    if (!run_light()) return cases;
    std::vector<CaseIndices> some;
    for (std::size_t c = 0; c < cases.size(); c += 5) some.push_back(cases[c]);
    return some;
}

}  // namespace vicinal::test
