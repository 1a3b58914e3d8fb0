// The result of vicinal stats, and the forms in which it is written.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pair_statistics.hpp"
#include "summary.hpp"

namespace vicinal::tool {

struct StatsResult {
    Summary summary;
    std::optional<Coordination> neighbours;  // within the cut-off
    std::optional<Coordination> contacts;    // touching spheres or overlapping boxes
    std::string contact_name;                // "contacts" or "overlaps"
    std::optional<Radial> radial;
    std::string no_radial;  // why there is none, and the remedy
};

// What g(r) is divided by, and what that means.
std::string normalisation(const Radial& radial);

// Ranges (begin, end) of bins, of equal width but the last, at most `max_ranges`.
std::vector<std::pair<std::size_t, std::size_t>> merged_bins(std::size_t bins,
                                                             std::size_t max_ranges);

std::string to_text(const StatsResult& result);
nlohmann::ordered_json to_json(const StatsResult& result);

// Tables as CSV: one row per bin, or per number of neighbours.
std::string radial_csv(const Radial& radial);
std::string coordination_csv(const Coordination& coordination, const std::string& name);

// A page with plots that needs no other file and no network.
std::string stats_page(const StatsResult& result);

}  // namespace vicinal::tool
