// The spheres of `falling`, and the parts that its two responses share.
#pragma once

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>
#include <vector>

#include "common/stopwatch.hpp"
#include "sim/falling.hpp"
#include "sim/measure.hpp"
#include "sim/parallel.hpp"
#include "sim/vector.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::sim {

// The spheres before the first step. Throws for invalid settings.
struct FallingStart {
    std::vector<Vector> position;
    std::vector<double> radius;
    double dt = 0;
};
FallingStart make_start(const FallingSettings& settings);

inline double mass_of(double radius) {
    constexpr double density = 1;
    return density * (4 * std::numbers::pi / 3) * (radius * radius * radius);
}

// Results of a loop over contacts. Relative overlaps are over the mean diameter of the two.
struct Tally {
    std::uint64_t contacts = 0;
    double overlap = 0;       // the deepest
    double relative = 0;      // the deepest
    double relative_sum = 0;  // over the contacts
    double elastic = 0;

    Tally& operator+=(const Tally& other) {
        contacts += other.contacts;
        overlap = std::max(overlap, other.overlap);
        relative = std::max(relative, other.relative);
        relative_sum += other.relative_sum;
        elastic += other.elastic;
        return *this;
    }
};

// The floor and the walls: a plane is an axis and a side.
struct Plane {
    std::size_t axis;
    double at;
    double outward;  // -1: bodies are above it, 1: below
};
constexpr std::array<Plane, 5> planes{
    {{2, 0, -1}, {0, 0, -1}, {0, 1, 1}, {1, 0, -1}, {1, 1, 1}}};

class Falling : public Simulation {
  public:
    Falling(const FallingSettings& settings, const How& how)
        : s_(settings),
          threads_(checked_threads(how.threads)),
          finder_(Options<3>{.method = how.method, .threads = how.threads}) {
        FallingStart start = make_start(s_);
        dt_ = start.dt;
        position_ = std::move(start.position);
        radius_ = std::move(start.radius);
        velocity_.resize(s_.n);
        contacts_.resize(s_.n);
    }

    std::uint64_t bodies() const override { return position_.size(); }
    double time() const override { return time_; }
    const StepStatistics& statistics() const override { return statistics_; }

  protected:
    std::size_t plane_count() const { return s_.walls ? planes.size() : 1; }

    void drift() {
        parallel_for(threads_, position_.size(),
                     [&](std::size_t i) { position_[i] += dt_ * velocity_[i]; });
        time_ += dt_;
    }

    const Rows<double, 3>& search(RowKind kind) {
        const common::Stopwatch watch;
        finder_.update(spheres<3>(position_, radius_));
        const Rows<double, 3>& rows = finder_.neighbours(kind, Order::sorted);
        statistics_.search_seconds = watch.seconds();
        statistics_.candidates = finder_.report().candidates;
        statistics_.pairs = finder_.report().pairs;
        return rows;
    }

    // `rotational`: the energy of body i's spin.
    template <class F>
    void sum_up(const Tally& tally, const F& rotational) {
        statistics_.contacts = tally.contacts;
        statistics_.overlap = tally.overlap;
        const auto contacts = static_cast<double>(std::max<std::uint64_t>(1, tally.contacts));
        statistics_.own = {
            {"relative_overlap_max", tally.relative, "deepest overlap over the diameter"},
            {"relative_overlap_mean", tally.relative_sum / contacts,
             "mean overlap of the contacts over the diameter"}};
        const auto totals = parallel_sum<Mechanics>(
            threads_, position_.size(), [&](std::size_t i) -> Mechanics {
                const double mass = mass_of(radius_[i]);
                return {mass / 2 * dot(velocity_[i], velocity_[i]) + rotational(i),
                        mass * s_.gravity * position_[i][2], mass * velocity_[i]};
            });
        statistics_.kinetic = totals.kinetic;
        statistics_.potential = totals.potential + tally.elastic;
        statistics_.momentum = totals.momentum;
    }

    std::vector<Field> body_fields() const {
        return {{"position", 3, flat(position_)},
                {"velocity", 3, flat(velocity_)},
                {"radius", 1, radius_},
                {"contacts", 1, contacts_}};
    }

    void visit_bodies(StateVisitor& visitor) {
        visitor.value("time", time_);
        visitor.array("position", position_);
        visitor.array("velocity", velocity_);
        visitor.array("radius", radius_);
    }

    FallingSettings s_;
    int threads_;
    Finder<double, 3> finder_;
    double dt_ = 0, time_ = 0;
    std::vector<Vector> position_, velocity_;
    std::vector<double> radius_;
    std::vector<double> contacts_;  // of each body with others, for output
    StepStatistics statistics_;
};

std::unique_ptr<Simulation> make_pairwise(const FallingSettings& settings, const How& how);
std::unique_ptr<Simulation> make_dem(const FallingSettings& settings, const How& how);

}  // namespace vicinal::sim
