// Named, seeded workloads, bitwise identical on every machine, for tests, benchmarks, the tool
// and the simulators.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <vicinal/bodies.hpp>

namespace vicinal::scenes {

// Owns the arrays of one scene, in double; `dim` is 2 or 3. Vectors are interleaved
// (x0 y0 z0 x1 ...). Bodies come in shuffled order.
struct Workload {
    Shape shape = Shape::points;
    int dim = 3;
    double cutoff = 0;             // points
    std::vector<double> position;  // centres; lower corners of boxes
    std::vector<double> upper;     // boxes
    std::vector<double> radius;    // spheres

    std::size_t size() const { return position.size() / static_cast<std::size_t>(dim); }
};

struct Parameter {
    std::string name;
    double default_value;
    double minimum, maximum;
    std::string meaning;
    bool whole = false;  // only whole numbers are allowed
};

struct SceneInfo {
    std::string name;
    std::string summary;                // one line
    std::uint64_t n;                    // bodies by default
    std::vector<Parameter> parameters;  // always include `dim` (2 or 3, default 3)
};

const std::vector<SceneInfo>& list();

// Exactly n bodies. Throws vicinal::Error for an unknown scene or parameter or a value out of
// range.
Workload make(const std::string& name, std::uint64_t n, std::uint64_t seed,
              const std::map<std::string, double>& parameters = {});

// The arrays of a workload in T: spheres and boxes keep their shape. Rounding to float is
// monotone, so boxes keep lower <= upper.
template <Real T>
struct Arrays {
    std::vector<T> position, upper, radius;
    Shape shape;
    int dim;
    double cutoff;

    explicit Arrays(const Workload& workload)
        : position(workload.position.begin(), workload.position.end()),
          upper(workload.upper.begin(), workload.upper.end()),
          radius(workload.radius.begin(), workload.radius.end()),
          shape(workload.shape),
          dim(workload.dim),
          cutoff(workload.cutoff) {}

    // A view: the arrays must outlive it.
    template <int D>
    Bodies<T, D> bodies() const {
        if (D != dim)
            throw Error(Error::Kind::input, "a scene in " + std::to_string(dim) +
                                                "-D cannot be viewed in " + std::to_string(D) +
                                                "-D; make it with dim=" + std::to_string(D));
        if (shape == Shape::spheres) return spheres<D>(position, radius);
        if (shape == Shape::boxes) return boxes<D>(position, upper);
        return points<D>(position, cutoff);
    }
};

}  // namespace vicinal::scenes
