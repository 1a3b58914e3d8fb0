#include "kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

constexpr double never = -1;

double length_of(std::string_view item, std::string_view text) {
    double value = 0;
    if (text == "never") return never;
    if (common::parse(text, value) && std::isfinite(value) && value >= 0) return value;
    throw UsageError(
        fmt::format("--cutoff '{}': '{}' is neither a finite number >= 0 nor the word 'never'",
                    item, text));
}

// The number of a kind, which is new if it is not among them.
std::size_t number_of(std::string_view kind, std::vector<std::string>& kinds) {
    const auto found = std::ranges::find(kinds, kind);
    if (found != kinds.end()) return static_cast<std::size_t>(found - kinds.begin());
    kinds.emplace_back(kind);
    return kinds.size() - 1;
}

}  // namespace

io::KindCutoffs parse_kind_cutoffs(const std::string& text) {
    io::KindCutoffs result;
    std::map<std::pair<std::size_t, std::size_t>, double> given;
    for (std::string_view item : split(text, ',')) {
        item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
        const std::size_t dash = item.find('-'), colon = item.rfind(':');
        if (colon == item.npos || dash >= colon || dash == 0 || dash + 1 == colon ||
            item.find('-', dash + 1) < colon)
            throw UsageError(fmt::format(
                "--cutoff '{}' is not a cut-off for two kinds, such as O-H:1.2 or H-H:never",
                item));
        const std::size_t a = number_of(item.substr(0, dash), result.kinds);
        const std::size_t b = number_of(item.substr(dash + 1, colon - dash - 1), result.kinds);
        const double cutoff = length_of(item, item.substr(colon + 1));
        if (!given.emplace(std::minmax(a, b), cutoff).second)
            throw UsageError(
                fmt::format("--cutoff '{}': the cut-off of {} and {} is given twice; it is the "
                            "same in both directions",
                            item, result.kinds[a], result.kinds[b]));
    }
    const std::vector<std::string>& kinds = result.kinds;
    for (std::size_t a = 0; a < kinds.size(); ++a)
        for (std::size_t b = 0; b < kinds.size(); ++b) {
            const auto found = given.find(std::minmax(a, b));
            if (found == given.end())
                throw UsageError(fmt::format(
                    "--cutoff has no cut-off for {0} and {1}; add {0}-{1}:R or {0}-{1}:never",
                    kinds[a], kinds[b]));
            result.table.push_back(found->second);
        }
    return result;
}

}  // namespace vicinal::tool
