// Lara (2005): the simulation, its structures, and the measurement of their steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "bench/papers/p3.hpp"

namespace vicinal::papers::lara {
namespace {

using sim::Simulation;

// Copies the state of one simulation to others.
class State : public sim::StateVisitor {
  public:
    explicit State(Simulation& from) { from.visit(*this); }
    void put_into(Simulation& to) {
        at_ = 0;
        putting_ = true;
        to.visit(*this);
    }
    // The exact rule does not measure the velocity that the rule rms needs.
    void take_near_speed(Simulation& from) {
        State other(from);
        std::copy_n(other.bytes_.data() + other.near_speed_, sizeof(double),
                    bytes_.data() + near_speed_);
    }

  private:
    void bytes(std::string_view name, void* data, std::size_t size) override {
        if (putting_) {
            std::memcpy(data, bytes_.data() + at_, size);
            at_ += size;
            return;
        }
        if (name == "near_speed") near_speed_ = bytes_.size();
        const auto* first = static_cast<const char*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }
    std::vector<char> bytes_;
    std::size_t at_ = 0, near_speed_ = 0;
    bool putting_ = false;
};

// In both forms; of the printed ones it searches by the rule that most do.
constexpr std::size_t kd_tree = 3;

double own(const sim::StepStatistics& figures, const std::string& name) {
    for (const auto& figure : figures.own)
        if (figure.name == name) return figure.value;
    throw std::logic_error("no statistic " + name);
}

double radius(const ShearingSettings& s) {
    return std::cbrt(s.size_x * s.size_y * s.fill /
                     (static_cast<double>(s.n) * (4.0 / 3 * std::numbers::pi)));
}

ShearingSettings spheres(const Cell& cell, std::uint64_t n, double fill) {
    ShearingSettings settings;
    settings.n = n;
    settings.fill = fill;
    settings.size_x = settings.size_y = cell.edge;
    settings.count_missed = false;
    return settings;
}

double spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return (values[3 * n / 4] - values[n / 4]) / 2 / values[n / 2];
}

// The steps of one subject.
struct Steps {
    std::unique_ptr<Simulation> simulation;
    std::vector<double> ms;
    Measured sum;

    void run(State& state) {
        state.put_into(*simulation);
        const ProcessorClock clock;
        simulation->step();
        ms.push_back(clock.ms());
        const sim::StepStatistics& figures = simulation->statistics();
        sum.tested += static_cast<double>(figures.candidates);
        sum.collisions += static_cast<double>(figures.contacts);
        sum.searches += own(figures, "searches");
        for (const auto& figure : figures.own)
            if (figure.name == "missed") sum.missed += figure.value;
    }
    Measured mean() const {
        const auto n = static_cast<double>(ms.size());
        return {median(ms),         spread_of(ms),    sum.tested / n,
                sum.collisions / n, sum.searches / n, sum.missed / n};
    }
};

// By one rule, the collisions must not depend on the structure.
void check_same(const std::vector<Subject>& subjects, const std::vector<Measured>& measured) {
    for (std::size_t a = 0; a < subjects.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const ShearingSettings &s = subjects[a].settings, &t = subjects[b].settings;
            if (s.rule == t.rule && s.factor == t.factor && s.dt == t.dt &&
                measured[a].collisions != measured[b].collisions)
                throw std::logic_error(subjects[a].method + " and " + subjects[b].method +
                                       " have different collisions");
        }
}

}  // namespace

ShearingSettings even(const Cell& cell, std::uint64_t n, double fill) {
    ShearingSettings settings = spheres(cell, n, fill);
    settings.restitution = 1;
    settings.shear = 1 / cell.edge;
    // The same fraction of the mean distance in both cells.
    settings.dt =
        std::min(0.001 * std::cbrt(cell.edge * cell.edge), radius(settings) / settings.speed);
    return settings;
}

ShearingSettings uneven(const Cell& cell, std::uint64_t n, double fill) {
    ShearingSettings settings = spheres(cell, n, fill);
    settings.restitution = 0.9;
    settings.shear = 0.2 / cell.edge;
    settings.dt = 0.002 * cell.edge;
    settings.attract = 10 / cell.edge;
    settings.attract_radius = 0.5 * cell.edge;
    settings.repel = 100 / cell.edge;
    settings.repel_radius = 0.2 * cell.edge;
    return settings;
}

std::vector<Subject> printed_forms(const ShearingSettings& settings) {
    ShearingSettings three = settings;
    three.rule = "rms";
    three.factor = 3;
    ShearingSettings five = three, straight = settings;
    five.factor = 5;
    straight.rule = "straight";
    return {{"fixed_grid", "fixed_grid(axes=2)", five},
            {"variable_grid", "variable_grid(axes=2)", three},
            {"orthtree", "orthtree(axes=2, build=insert)", three},
            {"kd_tree", "kd_tree(build=insert)", three},
            {"phase_kd_tree", "phase_kd_tree(build=insert)", straight}};
}

std::vector<Subject> our_forms(const ShearingSettings& settings) {
    std::vector<Subject> subjects;
    for (const std::string& method : structures) subjects.push_back({method, method, settings});
    return subjects;
}

Measurements measure(const std::vector<Subject>& subjects, const Course& course) {
    ShearingSettings exact = subjects[0].settings, near = exact;
    exact.rule = "swept";
    near.rule = "rms";
    near.factor = 3;
    near.count_missed = false;
    const auto leader = sim::make_shearing(exact, {.threads = 1});
    const auto pilot = sim::make_unplaced_shearing(near, {.threads = 1});
    std::vector<Steps> runs(subjects.size());
    for (std::size_t s = 0; s < subjects.size(); ++s)
        runs[s].simulation = sim::make_unplaced_shearing(
            subjects[s].settings, {.method = subjects[s].method, .threads = 1});
    for (int step = 0; step < course.settling; ++step) leader->step();

    Measurements result;
    for (int step = 0; step < course.steps; ++step) {
        if (step % course.every == 0) {
            State state(*leader);
            state.put_into(*pilot);
            pilot->step();
            state.take_near_speed(*pilot);
            for (Steps& run : runs) run.run(state);
            const double speed = std::sqrt(3 * own(leader->statistics(), "temperature"));
            result.step_in_radii += speed * exact.dt / radius(exact) / course.measured();
        }
        leader->step();
    }
    for (const Steps& run : runs) result.of.push_back(run.mean());
    check_same(subjects, result.of);
    return result;
}

void name_race_columns(ResultTable& table, const std::string& rows) {
    table.columns = {rows + ", form", "step/r", "collisions"};
    for (const std::string& method : structures) {
        table.columns.push_back(method + " ms");
        table.columns.push_back(method + " tested");
    }
}

Race add_race(ResultTable& table, const std::string& row, const ShearingSettings& settings,
              const Course& course) {
    const std::vector<Subject> printed = printed_forms(settings), ours = our_forms(settings);
    std::vector<Subject> all = printed;
    all.insert(all.end(), ours.begin(), ours.end());
    const Measurements both = measure(all, course);
    const auto first_of_ours = both.of.begin() + static_cast<std::ptrdiff_t>(printed.size());
    Race race{{},
              {},
              {{both.of.begin(), first_of_ours}, both.step_in_radii},
              {{first_of_ours, both.of.end()}, both.step_in_radii}};
    const auto add = [&](const char* form, const std::vector<Subject>& subjects,
                         const Measurements& steps, Times& times) {
        ResultTable::Row figures{row + ", " + form,
                                 {steps.step_in_radii, steps.of[kd_tree].collisions}};
        for (const std::string& method : structures) {
            const auto subject =
                std::find_if(subjects.begin(), subjects.end(),
                             [&](const Subject& s) { return s.column == method; });
            if (subject == subjects.end()) {
                figures.figures.insert(figures.figures.end(), 2, std::nan(""));
                continue;
            }
            const Measured& of = steps.of[static_cast<std::size_t>(subject - subjects.begin())];
            figures.figures.insert(figures.figures.end(), {of.ms, of.tested});
            times[method] = of.ms;
        }
        table.rows.push_back(std::move(figures));
    };
    add("printed", printed, race.printed_steps, race.printed);
    add("ours", ours, race.our_steps, race.ours);
    return race;
}

void Tally::add(const Times& times, const std::vector<std::string>& winners,
                const std::vector<std::string>& of) {
    const auto faster = [&](const std::string& a, const std::string& b) {
        return times.at(a) < times.at(b);
    };
    const std::string best = *std::min_element(of.begin(), of.end(), faster);
    const std::string winner = *std::min_element(winners.begin(), winners.end(), faster);
    ++tested_;
    ++wins_[best];
    fastest_ += winner == best ? 1 : 0;
    within_ += times.at(winner) <= 1.05 * times.at(best) ? 1 : 0;
}

std::string Tally::text() const {
    std::string others;
    for (const auto& [method, wins] : wins_)
        others += fmt::format("{}{} {}", others.empty() ? "" : ", ", method, wins);
    return fmt::format("fastest in {}, within 5 % of it in {} of {} rows; fastest: {}",
                       fastest_, within_, tested_, others);
}

void Spread::add(const Measurements& steps) {
    for (const Measured& of : steps.of) spreads_.push_back(of.spread);
}

std::string Spread::text() const {
    return fmt::format("quartiles typically within {:.0f} % of the median",
                       100 * median(spreads_));
}

}  // namespace vicinal::papers::lara
