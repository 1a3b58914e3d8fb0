// Poirrier (2009), section 6: a cloud of falling spheres, and the methods of the paper that
// follow it. Times are processor times on one thread, as published.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/papers/experiments.hpp"
#include "bench/papers/figures.hpp"
#include "sim/simulation.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::papers {

// The spheres as the next search sees them: moved, not yet pushed apart.
class Cloud {
  public:
    explicit Cloud(std::uint64_t n);

    void step();
    std::uint64_t steps() const { return steps_; }
    std::size_t size() const { return radius_.size(); }
    // Touching pairs of the last step.
    std::uint64_t pairs() const { return simulation_->statistics().pairs; }
    Bodies<double, 3> bodies() const { return spheres<3>(position_, radius_); }
    const std::vector<double>& position() const { return position_; }
    const std::vector<double>& radius() const { return radius_; }

  private:
    void read_bodies();

    std::unique_ptr<sim::Simulation> simulation_;
    std::uint64_t steps_ = 0;
    double dt_ = 0;
    std::vector<double> position_, radius_;
};

// The cost of a method over some runs of the same steps.
struct Cost {
    std::vector<std::vector<double>> ms;  // of processor time, by run
    double steps = 0;                     // of a run
    double candidates = 0, pairs = 0;     // sums over the steps of a run
    double last_pairs = 0, bytes = 0;     // of the last step
    double root = unknown, bits = unknown;

    double per_step(double sum) const { return steps > 0 ? sum / steps : unknown; }
    double mb() const { return steps > 0 ? bytes / 1e6 : unknown; }
    std::vector<double> times() const;  // of all runs
    double mean() const { return mean_of(times()); }
    // As in the paper: over all steps and runs.
    double deviation() const { return deviation_of(times()); }
    // How much runs differ: the standard deviation of their means.
    double spread() const;
};

enum Method { quadratic, sweep, sweep_auto, kd_1, kd_2, kd_owner, grid, method_count };

struct Race {
    std::uint64_t first, last;  // steps
    std::vector<Method> methods;
    std::size_t runs, delaunay_runs;
};

struct Measured {
    std::array<Cost, method_count> by;
    Cost delaunay;
    double touching = 0;  // pairs per sphere
    double spread = 0;    // of the runs of a method, as a share of its mean: the largest
};

// The race's costs over its steps of the cloud. Needs row_grid among its methods.
Measured measure(Cloud& cloud, const Race& race);

// The exponent of the growth between two sizes.
double exponent(double ms_a, double n_a, double ms_b, double n_b);

}  // namespace vicinal::papers
