// The combinations to run: a covering array of strength two or three. Any two, or three, values
// of as many factors occur together in at least one case.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <vector>

#include "support/environment.hpp"

namespace vicinal::test {

using CaseIndices = std::vector<std::size_t>;  // one value per factor

inline constexpr auto any_value = std::numeric_limits<std::size_t>::max();

// A range of values of a factor: all, one, or none yet.
struct Values {
    std::size_t begin = 0, end = 0;
};

// Calls f with every combination of values of `strength` factors; the other factors have
// any_value. Unless `required` is any_value, that factor is among them.
template <class F>
void for_each_combination(const std::vector<Values>& values, std::size_t strength,
                          std::size_t required, const F& f, CaseIndices chosen = {},
                          std::size_t from = 0) {
    chosen.resize(values.size(), any_value);
    if (strength == 0) {
        if (required == any_value || chosen[required] != any_value) f(chosen);
        return;
    }
    for (std::size_t k = from; k < values.size(); ++k) {
        for (std::size_t v = values[k].begin; v < values[k].end; ++v) {
            chosen[k] = v;
            for_each_combination(values, strength - 1, required, f, chosen, k + 1);
        }
        chosen[k] = any_value;
    }
}

// Greedy: starts from an uncovered combination and gives each other factor the value that
// covers the most combinations. The result depends on the sizes alone.
inline std::vector<CaseIndices> cover(const std::vector<std::size_t>& sizes,
                                      std::size_t strength) {
    std::vector<Values> all;
    for (const std::size_t size : sizes) all.push_back({0, size});
    std::set<CaseIndices> uncovered;
    for_each_combination(all, strength, any_value, [&](const auto& m) { uncovered.insert(m); });
    std::vector<CaseIndices> cases;
    while (!uncovered.empty()) {
        CaseIndices now = *uncovered.begin();
        std::vector<Values> chosen(sizes.size());
        for (std::size_t f = 0; f < sizes.size(); ++f)
            if (now[f] != any_value) chosen[f] = {now[f], now[f] + 1};
        for (std::size_t f = 0; f < sizes.size(); ++f) {
            if (now[f] != any_value) continue;
            std::size_t best_gain = 0;
            now[f] = 0;
            for (std::size_t v = 0; v < sizes[f]; ++v) {
                std::size_t gain = 0;
                chosen[f] = {v, v + 1};
                for_each_combination(chosen, strength, f,
                                     [&](const auto& m) { gain += uncovered.count(m); });
                if (gain > best_gain) now[f] = v, best_gain = gain;
            }
            chosen[f] = {now[f], now[f] + 1};
        }
        for_each_combination(chosen, strength, any_value,
                             [&](const auto& m) { uncovered.erase(m); });
        cases.push_back(now);
    }
    return cases;
}

// Strength three with VICINAL_TEST_ALL, otherwise two; with sanitizers a fifth of those cases.
inline std::vector<CaseIndices> chosen_cases(const std::vector<std::size_t>& sizes) {
    const std::vector<CaseIndices> cases = cover(sizes, run_all() ? 3 : 2);
    if (!run_light()) return cases;
    std::vector<CaseIndices> some;
    for (std::size_t c = 0; c < cases.size(); c += 5) some.push_back(cases[c]);
    return some;
}

}  // namespace vicinal::test
