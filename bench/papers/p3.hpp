// What the experiments of Lara (2005) share: hard spheres in a sheared cell, uniform and
// non-uniform, and the paper's five structures, as printed and in our forms.
#pragma once

#include <map>

#include "bench/papers/experiments.hpp"
#include "sim/shearing.hpp"

namespace vicinal::papers::lara {

using sim::ShearingSettings;

// The paper's radius has the form of a cell of thickness 1. `edge` is that of the cell in x and
// y: with edge 1 it is a cube, with 10 a layer, which the printed grids and the quadtree
// suppose by dividing two axes only.
struct Cell {
    const char* name;
    double edge;
};
constexpr Cell cube{"cube", 1}, layer{"layer", 10};

// Elastic, so that the temperature stays constant. A step is at most the time in which a sphere
// of mean speed moves by its radius.
ShearingSettings even(const Cell& cell, std::uint64_t n, double fill);
// Inelastic, so that a torus forms around the centre in some thousand steps. The motion per
// step is the same fraction of both cells' edge.
ShearingSettings uneven(const Cell& cell, std::uint64_t n, double fill);

// A structure in one of its forms.
struct Subject {
    std::string column;  // the method's name
    std::string method;  // with options
    ShearingSettings settings;
};

// As printed: grids and quadtree on two axes, trees by insertion with their cells as bounds,
// and the source's search: 5 relative velocities for the fixed grid, 3 for the others; none for
// the phase-space tree, which follows the straight paths of the step.
std::vector<Subject> printed_forms(const ShearingSettings& settings);
// Ours: all axes, trees in bulk, all pairs that can collide; and the default method.
std::vector<Subject> our_forms(const ShearingSettings& settings);

// Per step.
struct Measured {
    double ms = 0;      // of processor time, as in the paper; the median
    double spread = 0;  // half the distance of the quartiles over the median
    double tested = 0;  // candidates of the search
    double collisions = 0, searches = 0, missed = 0;
    double missed_percent() const {  // of all collisions; 0 if there are none
        return missed > 0 ? 100 * missed / (missed + collisions) : 0;
    }
};

// Warm-up steps, then the number of steps and the stride between measured ones.
struct Course {
    int settling, steps, every;
    int measured() const { return (steps + every - 1) / every; }
};

struct Measurements {
    std::vector<Measured> of;  // per subject
    double step_in_radii = 0;  // the motion of a sphere of mean speed in a step, the mean
};

// One simulation runs ahead by the exact rule. For every measured step, all subjects start from
// its state, one after another, so that changes of the machine's speed affect all alike.
Measurements measure(const std::vector<Subject>& subjects, const Course& course);

// For uniform bodies, whose steps are all similar.
inline Course even_course(Extent extent) {
    return {10, extent == Extent::quick ? 5 : 20, 1};
}

inline const std::vector<std::string> structures = {"fixed_grid", "variable_grid", "orthtree",
                                                    "kd_tree",    "phase_kd_tree", "row_grid"};

using Times = std::map<std::string, double>;  // by structure

// Adds a row for the printed forms and one for ours, and returns the times of both.
struct Race {
    Times printed, ours;
    Measurements printed_steps, our_steps;
};
void name_race_columns(ResultTable& table, const std::string& rows);
Race add_race(ResultTable& table, const std::string& row, const ShearingSettings& settings,
              const Course& course);

// Counts how often a structure is the fastest of some, or at most 5 % slower: the noise of the
// paper's own figures (section 5.2).
class Tally {
  public:
    void add(const Times& times, const std::vector<std::string>& winners,
             const std::vector<std::string>& of);
    bool all() const { return within_ == tested_; }
    std::string text() const;

  private:
    int fastest_ = 0, within_ = 0, tested_ = 0;
    std::map<std::string, int> wins_;
};

// The median of the spreads of some measurements, for people.
class Spread {
  public:
    void add(const Measurements& steps);
    std::string text() const;  // "quartiles within 3 % of the median"

  private:
    std::vector<double> spreads_;
};

}  // namespace vicinal::papers::lara
