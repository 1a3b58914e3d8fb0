// The end of an error message about an unknown name: the closest known name, and all known
// names. The elements of a range have a member `name`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/edit_distance.hpp"

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API::common {

// The closest name within two edits, or empty. The edits must not replace the whole word.
template <class Range>
std::string near_miss(const std::string& word, const Range& range) {
    std::string nearest;
    std::size_t best = std::min<std::size_t>(3, word.size());
    for (const auto& item : range) {
        const std::size_t distance = edit_distance(word, item.name);
        if (distance < best) {
            best = distance;
            nearest = item.name;
        }
    }
    return nearest;
}

// "; did you mean 'x'? Available: x, y"
template <class Range>
std::string choices(const std::string& word, const Range& range) {
    std::string all;
    for (const auto& item : range) {
        all += all.empty() ? "" : ", ";
        all += item.name;
    }
    const std::string nearest = near_miss(word, range);
    return (nearest.empty() ? "; available: "
                            : "; did you mean '" + nearest + "'? Available: ") +
           all;
}

}  // namespace vicinal::inline VICINAL_API::common
