// What a message says of a name that does not exist: the one that was probably meant, and all
// there are. Ranges hold things that have a `name`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace vicinal::common {

// Levenshtein distance, one row of the table at a time.
inline std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// The name at most two letters off, empty if none is; something of what was asked must be left.
template <class Range>
std::string near_miss(const std::string& asked, const Range& range) {
    std::string nearest;
    std::size_t best = std::min<std::size_t>(3, asked.size());
    for (const auto& item : range) {
        const std::size_t distance = edit_distance(asked, item.name);
        if (distance < best) {
            best = distance;
            nearest = item.name;
        }
    }
    return nearest;
}

// The part of a message after "no such ...": a near miss, then everything there is.
template <class Range>
std::string choices(const std::string& asked, const Range& range) {
    std::string all;
    for (const auto& item : range) all += (all.empty() ? "" : ", ") + item.name;
    const std::string nearest = near_miss(asked, range);
    return (nearest.empty() ? "; there are: "
                            : "; did you mean '" + nearest + "'? There are: ") +
           all;
}

}  // namespace vicinal::common
