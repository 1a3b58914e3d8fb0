#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "common/text.hpp"

namespace vicinal::tool {
namespace {

std::string row(const std::string& name, const std::string& value) {
    return fmt::format("{:<12}{}\n", name, common::one_line(value));
}

bool is_probe(const Summary& s) {
    return s.other && s.other->role == "queries";
}

double candidates_per_pair(const Summary& s) {
    return s.pairs == 0 ? 0 : static_cast<double>(*s.candidates) / static_cast<double>(s.pairs);
}

std::string bars(const Neighbours& neighbours, const std::string& title) {
    constexpr std::uint64_t width = 40;
    std::uint64_t largest_bin = 1;
    for (const auto& bin : neighbours.histogram)
        largest_bin = std::max(largest_bin, bin.bodies);
    std::string text = title + "\n";
    for (const auto& bin : neighbours.histogram) {
        const std::string range = bin.from == bin.to
                                      ? fmt::format("{}", bin.from)
                                      : fmt::format("{} to {}", bin.from, bin.to);
        // Rounded up, so that every non-empty bin is visible.
        const auto length = (bin.bodies * width + largest_bin - 1) / largest_bin;
        text += fmt::format("{:>16}  {:<{}}  {}\n", range, std::string(length, '#'), width,
                            common::grouped(bin.bodies));
    }
    return text;
}

std::string times(const Summary& s) {
    return fmt::format("{} (scene {}, build {}, search {}, output {}); read {}, write {}",
                       common::readable_seconds(s.total()), common::readable_seconds(s.scene),
                       common::readable_seconds(s.build), common::readable_seconds(s.search),
                       common::readable_seconds(s.sort), common::readable_seconds(s.read),
                       common::readable_seconds(s.write));
}

std::string frame_text(const FrameNumber& frame) {
    std::string text =
        fmt::format("{} of {}", common::grouped(frame.number), common::grouped(frame.of));
    if (frame.of > 1 && !frame.chosen)
        text += " (the first; --frame last and --frame K read others)";
    return text;
}

}  // namespace

double Summary::per_body() const {
    const std::uint64_t rows = is_probe(*this) ? other->count : bodies;
    if (rows == 0) return 0;
    const double ends = other ? 1 : 2;
    return ends * static_cast<double>(pairs) / static_cast<double>(rows);
}

Neighbours neighbours(std::span<const std::uint64_t> degrees) {
    Neighbours result;
    if (degrees.empty()) return result;
    const auto sum = std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0});
    result.mean = static_cast<double>(sum) / static_cast<double>(degrees.size());
    result.max = *std::max_element(degrees.begin(), degrees.end());
    const std::uint64_t width = result.max / 10 + 1;
    for (std::uint64_t from = 0; from <= result.max; from += width)
        result.histogram.push_back({from, from + width - 1, 0});
    for (const std::uint64_t degree : degrees) ++result.histogram[degree / width].bodies;
    return result;
}

nlohmann::ordered_json to_json(const Summary& s) {
    nlohmann::ordered_json json;
    json["file"] = s.file;
    json["frame"] = nullptr;
    json["frames"] = nullptr;
    if (s.frame) {
        json["frame"] = s.frame->number;
        json["frames"] = s.frame->of;
    }
    json["bodies"] = s.bodies;
    if (s.other) {
        json[s.other->role] = s.other->file;
        json[s.other->role + "_count"] = s.other->count;
    }
    json["pairs"] = s.pairs;
    json["method"] = s.method;
    json["why"] = s.why;
    json["simd"] = s.simd;
    json["threads"] = s.threads;
    json["precision"] = s.precision;
    json["dim"] = s.dim;
    json["domain"] = s.domain;
    json["lattice"] = nullptr;
    if (!s.lattice.empty()) json["lattice"] = s.lattice;
    json["ghosts"] = s.ghosts;
    json["candidates"] = nullptr;
    json["candidates_per_pair"] = nullptr;
    if (s.candidates) {
        json["candidates"] = *s.candidates;
        json["candidates_per_pair"] = candidates_per_pair(s);
    }
    json["statistics"] = nlohmann::ordered_json::object();
    for (const Statistic& one : s.statistics) json["statistics"][one.name] = one.value;
    json["bytes"] = s.bytes;
    json["seconds"] = {{"scene", s.scene}, {"build", s.build},   {"search", s.search},
                       {"output", s.sort}, {"total", s.total()}, {"read", s.read},
                       {"write", s.write}};
    auto& neighbours = json["neighbours"];
    neighbours["mean"] = s.per_body();
    if (s.neighbours) {
        neighbours["max"] = s.neighbours->max;
        neighbours["histogram"] = nlohmann::ordered_json::array();
        for (const auto& bin : s.neighbours->histogram)
            neighbours["histogram"].push_back(
                {{"from", bin.from}, {"to", bin.to}, {"bodies", bin.bodies}});
    }
    json["output"] = nullptr;
    if (s.output.size() == 1) json["output"] = s.output[0];
    if (s.output.size() > 1) json["output"] = s.output;
    return json;
}

std::string to_text(const Summary& s) {
    const bool probe = is_probe(s);
    std::string text =
        row("bodies", fmt::format("{} in {}-D, {} ({})", common::grouped(s.bodies), s.dim,
                                  s.precision, s.file));
    if (s.frame) text += row("frame", frame_text(*s.frame));
    if (s.other)
        text += row(s.other->role,
                    fmt::format("{} ({})", common::grouped(s.other->count), s.other->file));
    text +=
        row("domain", s.domain_shown +
                          (s.ghosts == 0 ? ""
                                         : fmt::format(", {} across its faces",
                                                       common::counted(s.ghosts, "ghosts"))));
    text +=
        row("pairs", fmt::format("{} ({:.4g} per {}{})", common::grouped(s.pairs), s.per_body(),
                                 probe ? "query" : "body",
                                 s.neighbours ? fmt::format(", at most {}",
                                                            common::grouped(s.neighbours->max))
                                              : ""));
    text += row("method", s.method);
    if (!s.why.empty()) text += row("", s.why);
    if (s.candidates)
        text += row("candidates",
                    fmt::format("{} ({:.2f} per pair)", common::grouped(*s.candidates),
                                candidates_per_pair(s)));
    for (const Statistic& one : s.statistics)
        text += row("", fmt::format("{}: {}", one.name, common::readable_number(one.value)));
    text += row("memory", common::readable_bytes(s.bytes));
    text += row("time", times(s));
    text +=
        row("", fmt::format("{}, {}",
                            common::counted(static_cast<std::uint64_t>(s.threads), "threads"),
                            s.simd));
    for (const std::string& file : s.output)
        text += row("written", file == "-" ? "to standard output" : file);
    if (s.neighbours && !s.neighbours->histogram.empty())
        text += '\n' + bars(*s.neighbours, probe ? "bodies per query" : "neighbours per body");
    return text;
}

nlohmann::ordered_json to_json(const std::vector<Summary>& frames) {
    nlohmann::ordered_json json{{"frames", nlohmann::ordered_json::array()}};
    for (const Summary& summary : frames) json["frames"].push_back(to_json(summary));
    return json;
}

std::string to_text(const std::vector<Summary>& frames) {
    std::vector<std::vector<std::string>> lines{
        {"frame", "bodies", "pairs", "per body", "time", "written"}};
    for (const Summary& s : frames)
        lines.push_back(
            {s.frame ? common::grouped(s.frame->number) : "1", common::grouped(s.bodies),
             common::grouped(s.pairs), fmt::format("{:.4g}", s.per_body()),
             common::readable_seconds(s.total()), common::one_line(common::join(s.output))});
    return common::aligned(lines);
}

void print(const std::string& text, std::FILE* to) {
    std::fwrite(text.data(), 1, text.size(), to);
}

void print(const nlohmann::ordered_json& json, std::FILE* to) {
    print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
          to);
}

}  // namespace vicinal::tool
