// vicinal-mpi plan: what each of many ranks would hold and send, from virtual ranks in one
// process.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/text.hpp"
#include "scenes/scenes.hpp"
#include "tool/flags.hpp"
#include "tool/mpi/commands.hpp"
#include "tool/mpi/ranks.hpp"
#include "tool/summary.hpp"
#include "tool/text.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::tool {
namespace {

struct PlanFlags {
    std::string scene = "uniform", ranks = "1,8,64,512,1024";
    std::uint64_t n = 1'000'000;
    bool periodic = false, json = false;

    void add_to(CLI::App& app) {
        app.add_option("SCENE", scene, "see vicinal scenes (default: uniform)");
        app.add_option("--n", n, "bodies of all ranks (default: 1000000)")
            ->check(whole_number())
            ->type_name("N");
        app.add_option("--ranks", ranks, "numbers of ranks (default: 1,8,64,512,1024)")
            ->check(not_empty())
            ->type_name("P,...");
        app.add_flag("--periodic", periodic, "in a periodic box with edges of 1");
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

// Of all ranks the largest, unless it says mean.
struct Counts {
    std::size_t ranks = 0;
    std::uint64_t own = 0, copies = 0, messages = 0, bytes = 0;
    double mean_copies = 0;
};

// A copy that travels: id, number at the owner, position and radius or upper corner, number of
// holders, holders.
std::uint64_t bytes_of_copy(const Bodies<double, 3>& bodies, std::size_t holders) {
    const std::uint64_t values = bodies.shape == Shape::boxes     ? 6
                                 : bodies.shape == Shape::spheres ? 4
                                                                  : 3;
    return 8 + 4 + 8 * values + 4 + 4 * holders;
}

Counts counts_of(const Bodies<double, 3>& bodies, const std::vector<Part>& parts) {
    Counts counts;
    counts.ranks = parts.size();
    std::vector<std::uint64_t> bytes(parts.size());
    for (const Part& part : parts) {
        const std::uint64_t copies = part.bodies.size() - part.own;
        counts.own = std::max<std::uint64_t>(counts.own, part.own);
        counts.copies = std::max(counts.copies, copies);
        counts.mean_copies += static_cast<double>(copies) / static_cast<double>(parts.size());
        std::vector<PartNumber> receivers;
        for (std::size_t s = 0; s < part.holders.size(); ++s) {
            if (part.holders.bodies[s] >= part.own) break;  // copies follow
            const auto holders = part.holders[s];
            const bool all = holders[0] == Holders::all_parts;
            const std::size_t others = (all ? parts.size() : holders.size()) - 1;
            bytes[part.number] += others * bytes_of_copy(bodies, holders.size());
            for (PartNumber p = 0; all && p < parts.size(); ++p) receivers.push_back(p);
            if (!all) receivers.insert(receivers.end(), holders.begin(), holders.end());
        }
        std::ranges::sort(receivers);
        const auto repeated = std::ranges::unique(receivers);
        receivers.erase(repeated.begin(), repeated.end());
        const std::uint64_t messages = receivers.empty() ? 0 : receivers.size() - 1;
        counts.messages = std::max(counts.messages, messages);
    }
    counts.bytes = *std::ranges::max_element(bytes);
    return counts;
}

std::vector<std::size_t> numbers_of_ranks(const std::string& text) {
    std::vector<std::size_t> numbers;
    for (const std::string_view word : split(text, ',')) {
        double number = 0;
        constexpr double max_ranks = 1 << 20;
        if (!common::parse(word, number) || !(number >= 1 && number <= max_ranks) ||
            number != std::floor(number))
            throw UsageError(fmt::format(
                "--ranks {}: '{}' is not a number from 1 to 1048576; give for example 8,64,512",
                text, word));
        numbers.push_back(static_cast<std::size_t>(number));
    }
    return numbers;
}

int run_plan(const PlanFlags& flags) {
    const std::vector<std::size_t> ranks = numbers_of_ranks(flags.ranks);
    if (!Ranks().first()) return 0;  // one process does it
    const scenes::Arrays<double> arrays(scenes::make(flags.scene, flags.n, 1, {{"dim", 3}}));
    const Bodies<double, 3> bodies = arrays.bodies<3>();
    const auto domain = flags.periodic ? Domain<3>::orthogonal({1, 1, 1}) : Domain<3>::open();
    const double pairs =
        flags.n == 0 ? 0
                     : static_cast<double>(Finder<double, 3>({.domain = domain}).count(bodies));
    const double neighbours = flags.n == 0 ? 0 : 2 * pairs / static_cast<double>(flags.n);
    nlohmann::ordered_json json{{"scene", flags.scene},
                                {"bodies", flags.n},
                                {"neighbours", neighbours},
                                {"ranks", nlohmann::ordered_json::array()}};
    std::string text = fmt::format(
        "{} bodies of {}, {:.1f} neighbours each; the largest of all ranks:\n"
        "{:>6} {:>12} {:>12} {:>12} {:>10} {:>10} {:>12}\n",
        common::grouped(flags.n), flags.scene, neighbours, "ranks", "own", "copies", "mean",
        "model", "messages", "bytes sent");
    for (const std::size_t count : ranks) {
        const Counts c = counts_of(bodies, vicinal::split(bodies, domain, count));
        const double own = static_cast<double>(flags.n) / static_cast<double>(count);
        const double x = std::cbrt(3 * neighbours / (4 * std::numbers::pi * own));
        const double model = count == 1 ? 0 : own * (std::pow(1 + x, 3) - 1);
        json["ranks"].push_back({{"ranks", c.ranks},
                                 {"own", c.own},
                                 {"copies", c.copies},
                                 {"mean_copies", c.mean_copies},
                                 {"model_copies", model},
                                 {"messages", c.messages},
                                 {"bytes", c.bytes}});
        text += fmt::format("{:>6} {:>12} {:>12} {:>12} {:>10} {:>10} {:>12}\n", c.ranks,
                            common::grouped(c.own), common::grouped(c.copies),
                            common::grouped(static_cast<std::uint64_t>(c.mean_copies + 0.5)),
                            common::grouped(static_cast<std::uint64_t>(model + 0.5)),
                            c.messages, common::grouped(c.bytes));
    }
    flags.json ? print(json) : print(text);
    return 0;
}

}  // namespace

void add_mpi_plan(CLI::App& app, Chosen& chosen) {
    add_command<PlanFlags>(app, chosen, "plan",
                           "count what each of many ranks would hold and send", run_plan)
        ->footer(
            "Needs no mpirun: the ranks are virtual. See docs/scaling.md.\n\n"
            "Example:\n  vicinal-mpi plan uniform --n 1000000 --periodic --ranks 8,64,512");
}

}  // namespace vicinal::tool
