// What a message says of a name that does not exist: the one that was probably meant, and all
// there are. Ranges hold things that have a `name`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/edit_distance.hpp"

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API::common {

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

}  // namespace vicinal::inline VICINAL_API::common
