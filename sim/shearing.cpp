#include "sim/shearing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "common/stopwatch.hpp"
#include "scenes/arithmetic.hpp"
#include "scenes/random.hpp"
#include "sim/hard_spheres.hpp"
#include "sim/settings.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::sim {
namespace {

struct State {
    std::vector<Vector> position, velocity, spin;
    double offset = 0;  // shift of y on crossing the cell in x, modulo size_y
    double time = 0;
    double near_speed = 0;  // rule rms: rms of the relative velocities of near pairs
};

[[noreturn]] void wrong(const std::string& what) {
    refuse("shearing: " + what);
}

enum class Rule { swept, straight, rms };
enum class Start { placed, unplaced };

// The initial margin, as a multiple of the motion relative to the flow; few bodies deviate by
// more from their straight paths.
constexpr double first_margin = 3;

class Shearing final : public Simulation {
  public:
    Shearing(const ShearingSettings& settings, const How& how, Start start);

    void step() override;
    std::uint64_t bodies() const override { return settings_.n; }
    double time() const override { return state_.time; }
    const StepStatistics& statistics() const override { return statistics_; }
    std::vector<Field> fields() const override;
    void visit(StateVisitor& visitor) override;

  private:
    void check_search() const;
    void place();
    void set_off();
    void push();
    void wrap();
    std::vector<Pair> advance(State& state, Rule rule, StepStatistics& figures);
    double overlap();
    void measure(StepStatistics& figures) const;

    double image_speed() const { return settings_.shear * size_[0]; }
    Vector beside_flow(const State& state, std::size_t i) const {
        Vector v = state.velocity[i];
        v[1] -= settings_.shear * (state.position[i][0] - 0.5 * size_[0]);
        return v;
    }
    double temperature(const State& state) const;

    ShearingSettings settings_;
    Rule rule_;
    std::array<double, 3> size_;
    double radius_;
    std::vector<double> contacts_;  // collisions of each sphere in the step, for output
    std::vector<double> radii_, search_radii_;  // of the spheres, and enlarged for the search
    std::vector<Vector> displacement_;
    Finder<double, 3> finder_;
    State state_;
    StepStatistics statistics_;
};

void check(const ShearingSettings& s) {
    const auto positive = [](const char* name, double value) {
        if (!(value > 0) || !std::isfinite(value))
            wrong(std::string(name) + " is " + written(value) + "; it must be positive");
    };
    const auto not_negative = [](const char* name, double value) {
        if (!(value >= 0) || !std::isfinite(value))
            wrong(std::string(name) + " is " + written(value) + "; it must not be negative");
    };
    if (s.n == 0) wrong("n is 0; give at least one sphere");
    positive("size_x", s.size_x);
    positive("size_y", s.size_y);
    positive("dt", s.dt);
    positive("attract_radius", s.attract_radius);
    positive("repel_radius", s.repel_radius);
    not_negative("speed", s.speed);
    not_negative("friction", s.friction);
    not_negative("attract", s.attract);
    not_negative("repel", s.repel);
    not_negative("factor", s.factor);
    if (!std::isfinite(s.shear)) wrong("shear must be a finite number");
    if (!(s.fill > 0 && s.fill <= 0.5))
        wrong("fill is " + written(s.fill) + "; it must be above 0 and at most 0.5");
    if (!(s.restitution >= 0 && s.restitution <= 1))
        wrong("restitution is " + written(s.restitution) + "; it must be 0 to 1");
    if (s.restitution < 1) positive("elastic_below", s.elastic_below);
    if (s.rule != "swept" && s.rule != "straight" && s.rule != "rms")
        wrong("rule is '" + s.rule + "'; it must be swept, straight or rms");
    const double reach = 0.5 * std::min(s.size_x, s.size_y);
    for (const auto& [strength, radius] :
         {std::pair(s.attract, s.attract_radius), std::pair(s.repel, s.repel_radius)})
        if (strength > 0 && radius > reach)
            wrong("the centre reaches " + written(radius) + ", further than half the " +
                  "cell; make attract_radius and repel_radius at most " + written(reach));
}

Shearing::Shearing(const ShearingSettings& settings, const How& how, Start start)
    : settings_(settings),
      rule_(settings.rule == "rms"        ? Rule::rms
            : settings.rule == "straight" ? Rule::straight
                                          : Rule::swept),
      size_{settings.size_x, settings.size_y, 1},
      finder_(Options<3>{.method = how.method, .threads = how.threads}) {
    check(settings);
    const auto n = static_cast<double>(settings.n);
    radius_ = scenes::cube_root(size_[0] * size_[1] * size_[2] * settings.fill /
                                (n * (4.0 / 3 * std::numbers::pi)));
    const double shortest = std::min({size_[0], size_[1], size_[2]});
    if (!(2.1 * radius_ < shortest))
        wrong("spheres of radius " + written(radius_, 3) + " do not fit into a cell " +
              written(shortest) + " across; take more of them or a smaller fill");
    check_search();
    radii_.assign(settings.n, radius_);
    contacts_.assign(settings.n, 0);
    state_.spin.resize(settings.n);
    if (start == Start::placed) {
        place();
        set_off();
    } else {
        state_.position.resize(settings.n);
        state_.velocity.resize(settings.n);
    }
    measure(statistics_);
}

// Rejects steps so long that a search would take hours without output. The estimate uses the
// initial velocities; forces and shear may increase them.
void Shearing::check_search() const {
    const bool swept = rule_ != Rule::rms || settings_.count_missed;
    const double per_time =
        swept ? 2 * first_margin * (settings_.speed + 2 * radius_ * std::abs(settings_.shear))
              : settings_.factor * std::sqrt(2.0) * settings_.speed;
    const double reach = 2 * radius_ + per_time * settings_.dt;
    const auto n = static_cast<double>(settings_.n);
    const double density = n / (size_[0] * size_[1] * size_[2]) * (4.0 / 3 * std::numbers::pi);
    const double near = density * (reach * reach * reach), max_near = std::max(100.0, 2e7 / n);
    if (near <= max_near) return;
    const double longest = (scenes::cube_root(max_near / density) - 2 * radius_) / per_time;
    wrong("in a step of dt = " + written(settings_.dt) +
          " each sphere may collide with about " + written(near, 2) +
          " others, images included, too many to test; choose a dt of at most " +
          written(0.99 * longest, 3));
}

// Random positions, then overlapping spheres are pushed apart until none overlap. This
// terminates well below the densest random packing (fill 0.64). Nearly touching neighbours are
// pushed as well, which needs fewer iterations.
void Shearing::place() {
    scenes::Random random(settings_.seed);
    std::vector<Vector>& x = state_.position;
    x.resize(settings_.n);
    const double reach = 2 * radius_, near = 1.02 * reach;
    search_radii_.assign(settings_.n, 0.5 * near);
    std::vector<Vector> pushed(settings_.n);
    constexpr int attempts = 50, rounds = 2000;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        for (Vector& place : x)
            for (std::size_t a = 0; a < 3; ++a) place[a] = random.uniform(0, size_[a]);
        for (int round = 0; round < rounds; ++round) {
            finder_.update(spheres<3>(x, search_radii_), Domain<3>::orthogonal(size_));
            const Rows<double, 3>& rows = finder_.neighbours(RowKind::full, Order::sorted);
            bool apart = true;
            for (std::size_t i = 0; i < x.size(); ++i) {
                pushed[i] = x[i];
                for (std::uint64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
                    Vector d = x[rows.indices[k]] - x[i];
                    for (std::size_t a = 0; a < 3; ++a) d[a] += rows.images[k][a] * size_[a];
                    const double distance = length(d);
                    // Slightly more than touching, because wrapping could round to an overlap.
                    if (distance < reach * (1 + 1e-9)) apart = false;
                    if (distance > 0)
                        pushed[i] = pushed[i] - (0.5 * (near - distance) / distance) * d;
                    else  // coincident: one moves left, the other right
                        pushed[i][0] += (rows.indices[k] < i ? 0.5 : -0.5) * near;
                }
            }
            if (apart) return;
            x.swap(pushed);
        }
    }
    wrong("no arrangement without overlap was found for " + std::to_string(settings_.n) +
          " spheres of fill " + written(settings_.fill) +
          "; choose more spheres or a smaller fill");
}

// The shear flow plus random velocities, without net drift.
void Shearing::set_off() {
    scenes::Random random(settings_.seed + 1);
    const auto n = static_cast<double>(settings_.n);
    std::vector<Vector>& v = state_.velocity;
    v.resize(settings_.n);
    wrap();
    Vector mean{};
    for (Vector& velocity : v) {
        for (double& component : velocity)
            component = settings_.speed / std::sqrt(3.0) * random.normal();
        mean = mean + (1 / n) * velocity;
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = v[i] - mean;
        v[i][1] += settings_.shear * (state_.position[i][0] - 0.5 * size_[0]);
    }
    // Velocities of neighbours are initially independent.
    state_.near_speed = std::sqrt(6 * temperature(state_));
}

double Shearing::temperature(const State& state) const {
    double sum = 0;
    for (std::size_t i = 0; i < state.velocity.size(); ++i) {
        const Vector v = beside_flow(state, i);
        sum += dot(v, v);
    }
    return sum / (3 * static_cast<double>(settings_.n));
}

// Forces act once at the beginning of a step; during it bodies move straight.
void Shearing::push() {
    if (settings_.attract == 0 && settings_.repel == 0) return;
    for (std::size_t i = 0; i < state_.position.size(); ++i) {
        const double dx = state_.position[i][0] - 0.5 * size_[0];
        const double dy = state_.position[i][1] - 0.5 * size_[1];
        const double distance = std::sqrt(dx * dx + dy * dy);
        if (distance == 0) continue;
        const double outward =
            settings_.repel * std::max(0.0, 1 - distance / settings_.repel_radius) -
            settings_.attract * std::max(0.0, 1 - distance / settings_.attract_radius);
        state_.velocity[i][0] += settings_.dt * outward * (dx / distance);
        state_.velocity[i][1] += settings_.dt * outward * (dy / distance);
    }
}

// Wraps bodies that have left the cell.
void Shearing::wrap() {
    for (std::size_t i = 0; i < state_.position.size(); ++i) {
        Vector& x = state_.position[i];
        const double across = std::floor(x[0] / size_[0]);
        if (across != 0) {
            x[0] -= across * size_[0];
            x[1] -= across * state_.offset;
            state_.velocity[i][1] -= across * image_speed();
        }
        for (std::size_t a = 1; a < 3; ++a) x[a] -= std::floor(x[a] / size_[a]) * size_[a];
    }
}

// Moves the bodies by one step with collisions, and returns the pairs that collided.
std::vector<Pair> Shearing::advance(State& state, Rule rule, StepStatistics& figures) {
    std::vector<Pair> collided;
    HardSpheres world{.radius = radius_,
                      .restitution = settings_.restitution,
                      .friction = settings_.friction,
                      .elastic_below = settings_.elastic_below,
                      .image_speed = image_speed()};
    double left = settings_.dt, searches = 0;
    // The factor is doubled whenever the margin is exceeded, so that a few fast bodies do not
    // need a search each.
    double factor = first_margin;
    while (left > 0) {
        const double usual =
            std::sqrt(3 * temperature(state)) + 2 * radius_ * std::abs(settings_.shear);
        double margin = factor * usual * left;
        if (rule != Rule::swept) margin = std::numeric_limits<double>::infinity();
        if (rule != Rule::rms) {
            const double kept = rule == Rule::swept ? margin : 0;
            // 10^-12 of the lengths is far above the rounding of positions and times.
            search_radii_.assign(settings_.n,
                                 radius_ + kept + 1e-12 * (size_[0] + size_[1] + size_[2]));
            displacement_.resize(settings_.n);
            for (std::size_t i = 0; i < settings_.n; ++i)
                displacement_[i] = left * state.velocity[i];
            finder_.update(spheres<3>(state.position, search_radii_).moving(displacement_),
                           Domain<3>::sheared(size_, state.offset, left * image_speed()));
        } else {
            finder_.update(points<3>(state.position,
                                     2 * radius_ + settings_.factor * state.near_speed * left),
                           Domain<3>::sheared(size_, state.offset));
        }
        const Rows<double, 3>& rows =
            finder_.neighbours(RowKind::full, rule == Rule::swept ? Order::any : Order::sorted);
        figures.search_seconds += finder_.report().seconds.total();
        figures.candidates += finder_.report().candidates;
        figures.pairs += finder_.report().pairs;
        ++searches;
        world.lattice = finder_.report().lattice;

        Interval interval(state.position, state.velocity, state.spin, rows, world, left,
                          margin);
        if (rule == Rule::rms)
            if (const double speed = interval.near_speed(); speed >= 0)
                state.near_speed = speed;
        const double passed = interval.run(collided);
        state.offset = std::remainder(state.offset + passed * image_speed(), size_[1]);
        left -= passed;
        if (!(left > 0)) figures.overlap = interval.overlap();
        factor *= 2;
    }
    state.time += settings_.dt;
    figures.contacts = collided.size();
    figures.own.push_back({"searches", searches, "searches in the step"});
    return collided;
}

// Counts the elements of the first multiset that are not in the second.
std::uint64_t missing(std::vector<Pair> first, std::vector<Pair> second) {
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    std::vector<Pair> rest;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(rest));
    return rest.size();
}

void Shearing::step() {
    statistics_ = {};
    common::Stopwatch watch;
    push();
    const double pushing = watch.seconds();
    std::vector<Pair> truth;
    const bool count_missed = rule_ != Rule::swept && settings_.count_missed;
    if (count_missed) {
        State copy = state_;
        StepStatistics unused;
        truth = advance(copy, Rule::swept, unused);
    }
    watch.lap();
    const std::vector<Pair> collided = advance(state_, rule_, statistics_);
    std::ranges::fill(contacts_, 0);
    for (const auto& [i, j] : collided) {
        contacts_[i] += 1;
        contacts_[j] += 1;
    }
    wrap();
    statistics_.response_seconds = pushing + watch.seconds() - statistics_.search_seconds;
    measure(statistics_);
    if (count_missed) {
        statistics_.own.push_back({"missed", static_cast<double>(missing(truth, collided)),
                                   "collisions that the rule missed"});
        statistics_.overlap = overlap();
    }
}

// The deepest overlap of all pairs. Pairs that the rule did not test may overlap.
double Shearing::overlap() {
    finder_.update(spheres<3>(state_.position, radii_),
                   Domain<3>::sheared(size_, state_.offset));
    const PairList<3>& pairs = finder_.pairs();
    HardSpheres world;
    world.lattice = finder_.report().lattice;
    double deepest = 0;
    for (const Block<3>& block : pairs.blocks())
        for (std::size_t k = 0; k < block.pairs.size(); ++k) {
            const auto [i, j] = block.pairs[k];
            const Vector d =
                (state_.position[j] - state_.position[i]) + world.shift(block.images[k], 0);
            deepest = std::max(deepest, 2 * radius_ - length(d));
        }
    return deepest;
}

void Shearing::measure(StepStatistics& figures) const {
    const auto well = [](double strength, double radius, double distance) {
        const double depth = std::max(0.0, 1 - distance / radius);
        return 0.5 * strength * radius * depth * depth;
    };
    const double inertia = 0.4 * radius_ * radius_;
    for (std::size_t i = 0; i < settings_.n; ++i) {
        const Vector& v = state_.velocity[i];
        figures.kinetic += 0.5 * (dot(v, v) + inertia * dot(state_.spin[i], state_.spin[i]));
        figures.momentum = figures.momentum + v;
        const double dx = state_.position[i][0] - 0.5 * size_[0];
        const double dy = state_.position[i][1] - 0.5 * size_[1];
        const double distance = std::sqrt(dx * dx + dy * dy);
        figures.potential += well(settings_.repel, settings_.repel_radius, distance) -
                             well(settings_.attract, settings_.attract_radius, distance);
    }
    figures.own.push_back({"temperature", temperature(state_), "temperature"});
}

std::vector<Field> Shearing::fields() const {
    return {{"position", 3, flat(state_.position)},
            {"velocity", 3, flat(state_.velocity)},
            {"radius", 1, radii_},
            {"contacts", 1, contacts_},
            {"angular_velocity", 3, flat(state_.spin)}};
}

void Shearing::visit(StateVisitor& visitor) {
    visitor.array("position", state_.position);
    visitor.array("velocity", state_.velocity);
    visitor.array("angular_velocity", state_.spin);
    visitor.value("offset", state_.offset);
    visitor.value("time", state_.time);
    visitor.value("near_speed", state_.near_speed);
}

}  // namespace

std::unique_ptr<Simulation> make_shearing(const ShearingSettings& settings, const How& how) {
    return std::make_unique<Shearing>(settings, how, Start::placed);
}

std::unique_ptr<Simulation> make_unplaced_shearing(const ShearingSettings& settings,
                                                   const How& how) {
    return std::make_unique<Shearing>(settings, how, Start::unplaced);
}

}  // namespace vicinal::sim
