#include "bench/harness/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.hpp"

namespace vicinal::bench {
namespace {

constexpr std::uint64_t smallest = 1'000, largest = 10'000'000;
constexpr double too_long = 20;  // seconds per repeat

}  // namespace

void Bench::scale(const std::function<void(std::uint64_t n)>& measure_size) {
    for (std::uint64_t n = smallest; n <= largest; n *= 10) {
        measure_size(n);
        if (!foresee(n)) break;
    }
    for (Growth& growth : result.growth) growth.exponent = growth_exponent(rows_of(growth));
}

bool Bench::goes_on(const std::string& name, int threads) const {
    return std::none_of(result.growth.begin(), result.growth.end(), [&](const Growth& g) {
        return g.name == name && g.threads == threads && !g.stopped.empty();
    });
}

std::vector<const Row*> Bench::rows_of(const Growth& growth) const {
    std::vector<const Row*> rows;
    for (const Row& row : result.rows)
        if (row.name == growth.name && row.threads == growth.threads) rows.push_back(&row);
    return rows;
}

// Stops the rows whose next size would take too long, by extrapolation from the last two sizes.
// Returns true if a method is left.
bool Bench::foresee(std::uint64_t n) {
    if (result.growth.empty())
        for (const Row& row : result.rows)
            result.growth.push_back({row.name, row.threads, {}, ""});
    bool method_left = false;
    for (Growth& growth : result.growth) {
        const auto rows = rows_of(growth);
        if (!growth.stopped.empty() || rows.back()->bodies != n) continue;
        const double last = rows.back()->seconds();
        const double before = rows.size() > 1 ? rows[rows.size() - 2]->seconds() : last;
        const double next = last * std::max(10.0, last / before);
        if (n < largest && next > too_long)
            growth.stopped =
                fmt::format("up to {}: ten times as many would take about {:.0f} s per repeat",
                            common::grouped(n), next);
        else if (!rows.back()->peer)
            method_left = true;
    }
    return method_left;
}

}  // namespace vicinal::bench
