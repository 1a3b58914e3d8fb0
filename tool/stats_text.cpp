// The result of vicinal stats as text, JSON and CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.hpp"
#include "io/write.hpp"
#include "stats.hpp"

namespace vicinal::tool {
namespace {

std::string fact(const std::string& name, const std::string& value) {
    return fmt::format("{:<12}{}\n", name, common::one_line(value));
}

std::string contact_line(const StatsResult& result) {
    const Coordination& contacts = *result.contacts;
    return fmt::format("{:.4g} per body, at most {}; {} of {} bodies have none",
                       contacts.mean(), common::grouped(contacts.max()),
                       common::grouped(contacts.isolated()), common::grouped(contacts.bodies));
}

std::string density_line(const Radial& radial) {
    std::string text = fmt::format("{:.4g} neighbours per unit {}", radial.neighbour_density(),
                                   radial.dim == 2 ? "area" : "volume");
    if (radial.defined())
        text += fmt::format(", {:.4g} times the mean density {:.4g}",
                            radial.neighbour_density() / radial.density(), radial.density());
    return text;
}

// g(r) in at most 20 rows.
std::string radial_rows(const Radial& radial) {
    constexpr std::size_t max_rows = 20;
    constexpr double width = 40;
    const auto ranges = merged_bins(radial.bins(), max_rows);
    double highest = 0;
    for (const auto& [begin, end] : ranges) highest = std::max(highest, radial.g(begin, end));
    std::vector<std::vector<std::string>> lines{{"r from", "to", "pairs", "g(r)", "up to r"}};
    std::vector<std::string> bars{""};
    for (const auto& [begin, end] : ranges) {
        const double g = radial.g(begin, end);
        lines.push_back({fmt::format("{:.4g}", radial.edges[begin]),
                         fmt::format("{:.4g}", radial.edges[end]),
                         common::grouped(radial.count(begin, end)), fmt::format("{:.4f}", g),
                         fmt::format("{:.4g}", radial.neighbours(end))});
        const double share = highest > 0 ? g / highest : 0;
        bars.emplace_back(static_cast<std::size_t>(std::ceil(share * width)), '#');
    }
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k].push_back(bars[k]);
    for (auto& line : lines) line.back().resize(static_cast<std::size_t>(width), ' ');
    return common::aligned(lines);
}

nlohmann::ordered_json to_json(const Coordination& coordination, const std::string& name) {
    nlohmann::ordered_json json{{"mean", coordination.mean()},
                                {"max", coordination.max()},
                                {"pairs", coordination.pairs},
                                {"counts", nlohmann::ordered_json::array()}};
    for (const auto& [number, bodies] : coordination.counts)
        json["counts"].push_back({{name, number}, {"bodies", bodies}});
    return json;
}

nlohmann::ordered_json to_json(const Radial& radial) {
    nlohmann::ordered_json json{{"cutoff", radial.cutoff()},
                                {"volume", radial.volume},
                                {"density", nullptr},
                                {"neighbour_density", radial.neighbour_density()},
                                {"normalisation", normalisation(radial)},
                                {"edges", radial.edges},
                                {"pairs", radial.pairs},
                                {"g", nullptr}};
    if (!radial.defined()) return json;
    json["density"] = radial.density();
    json["g"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < radial.bins(); ++k) json["g"].push_back(radial.g(k, k + 1));
    return json;
}

}  // namespace

std::string normalisation(const Radial& radial) {
    const char* measure = radial.dim == 2 ? "area" : "volume";
    if (!radial.defined())
        return fmt::format("not defined, because the bodies enclose no {}{}", measure,
                           radial.dim == 3 ? "; give --dim 2 if they lie in a plane" : "");
    if (radial.periodic)
        return fmt::format("over the density of the periodic cell of {} {:.6g}", measure,
                           radial.volume);
    return fmt::format(
        "over the density of the box of {} {:.6g} that encloses the bodies; too small near "
        "its open border",
        measure, radial.volume);
}

std::vector<std::pair<std::size_t, std::size_t>> merged_bins(std::size_t bins,
                                                             std::size_t max_ranges) {
    const std::size_t width = (bins + max_ranges - 1) / max_ranges;
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (std::size_t begin = 0; begin < bins; begin += width)
        ranges.emplace_back(begin, std::min(begin + width, bins));
    return ranges;
}

std::string to_text(const StatsResult& result) {
    std::string facts;
    if (result.contacts) facts += fact(result.contact_name, contact_line(result));
    if (result.radial) facts += fact("density", density_line(*result.radial));
    facts += fact("g(r)", result.radial ? normalisation(*result.radial) : result.no_radial);
    std::string text = facts + to_text(result.summary);
    if (result.radial && result.radial->defined())
        text +=
            "\ng(r), and the mean number of neighbours up to r\n" + radial_rows(*result.radial);
    return text;
}

nlohmann::ordered_json to_json(const StatsResult& result) {
    nlohmann::ordered_json json = to_json(result.summary);
    json["coordination"] = nullptr;
    if (result.neighbours) json["coordination"] = to_json(*result.neighbours, "neighbours");
    json["contacts"] = nullptr;
    if (result.contacts) json["contacts"] = to_json(*result.contacts, "contacts");
    json["radial"] = nullptr;
    if (result.radial) json["radial"] = to_json(*result.radial);
    return json;
}

std::string radial_csv(const Radial& radial) {
    std::string text = "r_from,r_to,pairs,g,neighbours\n";
    for (std::size_t k = 0; k < radial.bins(); ++k) {
        io::append_number(text, radial.edges[k]);
        text += ',';
        io::append_number(text, radial.edges[k + 1]);
        text += fmt::format(",{},", radial.pairs[k]);
        if (radial.defined()) io::append_number(text, radial.g(k, k + 1));
        text += ',';
        io::append_number(text, radial.neighbours(k + 1));
        text += '\n';
    }
    return text;
}

std::string coordination_csv(const Coordination& coordination, const std::string& name) {
    std::string text = name + ",bodies\n";
    for (const auto& [number, bodies] : coordination.counts)
        text += fmt::format("{},{}\n", number, bodies);
    return text;
}

}  // namespace vicinal::tool
