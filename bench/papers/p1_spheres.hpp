// Poirrier's spheres: equal, at random positions in a cube, with overlaps; at rest or moving at
// random.
#pragma once

#include <string>
#include <vector>

#include "bench/papers/experiments.hpp"
#include "scenes/scenes.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::papers {

struct Spheres {
    scenes::Arrays<double> arrays;

    explicit Spheres(double fill, std::uint64_t n = 10'000)
        : arrays(scenes::make("equal_spheres", n, 1, {{"fill", fill}})) {}

    // A slab of the same volume, as thick as 1/64 of its edges.
    Spheres slab() const {
        Spheres flat = *this;
        for (std::size_t c = 0; c < arrays.position.size(); ++c)
            flat.arrays.position[c] *= c % 3 == 2 ? 1.0 / 16 : 4;
        return flat;
    }

    // The report of a search that counts pairs.
    Report<3> search(const std::string& method, int threads = 0) const {
        Finder<double, 3> finder(Options<3>{.method = method, .threads = threads});
        finder.update(arrays.bodies<3>());
        finder.count();
        return finder.report();
    }
};

// The times of steps in ms of processor time, by method, in which every sphere moves by up to
// `motion` radii along each axis. Searches of the methods alternate, so that changes of the
// machine's speed affect all alike.
std::vector<std::vector<double>> ms_of_steps(const std::vector<std::string>& methods,
                                             Spheres spheres, double motion, int steps);

}  // namespace vicinal::papers
