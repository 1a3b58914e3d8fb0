#include "bench/papers/p1_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/peers/delaunay.hpp"
#include "sim/falling.hpp"

namespace vicinal::papers {
namespace {

constexpr std::array<const char*, method_count> methods{"brute_force",
                                                        "sweep_persistent(scratch=never)",
                                                        "sweep_persistent",
                                                        "linear_kd_tree(unique=none)",
                                                        "linear_kd_tree(unique=list)",
                                                        "linear_kd_tree",
                                                        "row_grid"};

// A method that follows the cloud, in each run with a finder of its own.
class Contestant {
  public:
    Contestant(Method method, std::size_t runs) : method_(method) {
        for (std::size_t run = 0; run < runs; ++run)
            finders_.emplace_back(Options<3>{.method = methods[method], .threads = 1});
        cost.ms.resize(runs);
    }

    Method method() const { return method_; }
    void search(const Cloud& cloud, bool timed) {
        for (std::size_t run = 0; run < finders_.size(); ++run) {
            const ProcessorClock clock;
            finders_[run].update(cloud.bodies());
            finders_[run].count();
            if (timed) cost.ms[run].push_back(clock.ms());
        }
        if (timed) read(finders_[0].report());
    }

    Cost cost;

  private:
    void read(const Report<3>& report) {
        const auto statistic = [&](const char* name, double otherwise) {
            const auto found = std::ranges::find(report.statistics, name, &Statistic::name);
            return found == report.statistics.end() ? otherwise : found->value;
        };
        ++cost.steps;
        cost.candidates += statistic("selected", static_cast<double>(report.candidates));
        cost.last_pairs = static_cast<double>(report.pairs);
        cost.pairs += cost.last_pairs;
        cost.bytes = static_cast<double>(report.bytes);
        cost.root = statistic("root edge", unknown);
        cost.bits = statistic("bits per axis", unknown);
    }

    Method method_;
    std::vector<Finder<double, 3>> finders_;
};

void triangulate(const Cloud& cloud, Cost& cost) {
    for (std::vector<double>& run : cost.ms) {
        const auto found = peers::delaunay(cloud.position(), cloud.radius());
        if (!found) return;
        run.push_back(found->seconds * 1e3);
        if (&run != &cost.ms[0]) continue;
        ++cost.steps;
        cost.candidates += static_cast<double>(found->edges);
        cost.pairs += static_cast<double>(found->touching);
        cost.bytes = static_cast<double>(found->bytes);
    }
}

}  // namespace

Cloud::Cloud(std::uint64_t n) : simulation_(sim::make_falling({.n = n}, {})) {
    read_bodies();
}

void Cloud::step() {
    simulation_->step();
    ++steps_;
    if (steps_ == 1) dt_ = simulation_->time();
    read_bodies();
}

// In the first step all spheres move alike, so that their current positions have the same
// pairs.
void Cloud::read_bodies() {
    const auto fields = simulation_->fields();
    position_.assign(fields[0].values.begin(), fields[0].values.end());
    radius_.assign(fields[2].values.begin(), fields[2].values.end());
    const double gravity = sim::FallingSettings{}.gravity;
    for (std::size_t k = 0; k < position_.size(); ++k)
        position_[k] += dt_ * (fields[1].values[k] - (k % 3 == 2 ? gravity * dt_ : 0.0));
}

std::vector<double> Cost::times() const {
    std::vector<double> all;
    for (const std::vector<double>& run : ms) all.insert(all.end(), run.begin(), run.end());
    return all;
}

double Cost::spread() const {
    std::vector<double> means;
    for (const std::vector<double>& run : ms)
        if (!run.empty()) means.push_back(mean_of(run));
    return deviation_of(means);
}

Measured measure(Cloud& cloud, const Race& race) {
    std::vector<Contestant> contestants;
    for (const Method method : race.methods) contestants.emplace_back(method, race.runs);
    Measured result;
    result.delaunay.ms.resize(race.delaunay_runs);
    // Two warm-up steps: persistent lists need at least one.
    while (cloud.steps() + 3 < race.first) cloud.step();
    for (; cloud.steps() < race.last; cloud.step()) {
        const bool timed = cloud.steps() + 1 >= race.first;
        for (Contestant& contestant : contestants) contestant.search(cloud, timed);
        if (timed) triangulate(cloud, result.delaunay);
    }
    for (const Contestant& contestant : contestants)
        result.by[contestant.method()] = contestant.cost;
    for (const Cost* cost : {&result.by[sweep], &result.by[kd_1], &result.by[kd_2]})
        if (cost->steps > 0)
            result.spread = std::max(result.spread, cost->spread() / cost->mean());
    const Cost& by_grid = result.by[grid];
    if (by_grid.last_pairs != static_cast<double>(cloud.pairs()))
        throw std::logic_error("the pairs of the simulation and the experiment differ");
    result.touching = by_grid.per_step(by_grid.pairs) / static_cast<double>(cloud.size());
    return result;
}

double exponent(double ms_a, double n_a, double ms_b, double n_b) {
    return std::log(ms_b / ms_a) / std::log(n_b / n_a);
}

}  // namespace vicinal::papers
