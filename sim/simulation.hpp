// The interface of a simulator: it steps, reports statistics, exposes its bodies and lets its
// state be visited. Simulators use the library's public headers only.
//
// The state after a step depends on the settings and the state before it, never on the method,
// the threads or the finder's history: contributions to a body are summed in an order fixed by
// the bodies' indices. So runs with different methods, and resumed runs, are bitwise identical.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vicinal::sim {

using Vector = std::array<double, 3>;

// How to run. The result does not depend on these choices.
struct How {
    std::string method = "auto";
    int threads = 0;  // 0: VICINAL_THREADS, or all cores
};

// Statistics of the last step. Energies and momenta are those at its end.
struct StepStatistics {
    double search_seconds = 0, response_seconds = 0;
    std::uint64_t candidates = 0;
    std::uint64_t pairs = 0;     // within reach
    std::uint64_t contacts = 0;  // pairs that interacted: touching, collided, ...
    double kinetic = 0, potential = 0;
    Vector momentum{};
    double overlap = 0;  // the deepest, a length
    // Specific to a simulator: missed collisions, density error, ...
    struct Own {
        std::string name;  // of the column in series.csv
        double value;
        std::string meaning;  // for people
    };
    std::vector<Own> own;
};

// One array of the bodies, for output: "position" (3 components) always comes first. Where a
// simulator has them, "contacts" and "overlap" are those of each body in the last step.
struct Field {
    std::string name;
    int components;
    std::span<const double> values;  // per body, interleaved
};

// Visits everything that the next step depends on, in a fixed order. Visitors write a
// checkpoint, restore one, or hash the state.
class StateVisitor {
  public:
    virtual ~StateVisitor() = default;

    template <class T>
    void value(std::string_view name, T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(name, &value, sizeof(T));
    }
    template <class T>
    void array(std::string_view name, std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::uint64_t count = values.size();
        size(name, count);
        values.resize(count);
        bytes(name, values.data(), count * sizeof(T));
    }

  private:
    // A visitor that restores overwrites the values; the others read them.
    virtual void bytes(std::string_view name, void* data, std::size_t size) = 0;
    // The number of values of the array of that name, which follows.
    virtual void size(std::string_view name, std::uint64_t& count) { value(name, count); }
};

class Simulation {
  public:
    virtual ~Simulation() = default;
    virtual void step() = 0;
    virtual std::uint64_t bodies() const = 0;
    virtual double time() const = 0;  // simulated
    virtual const StepStatistics& statistics() const = 0;
    virtual std::vector<Field> fields() const = 0;
    // Static bodies as fields; empty if there are none.
    virtual std::vector<Field> solids() const { return {}; }
    virtual void visit(StateVisitor& visitor) = 0;
};

}  // namespace vicinal::sim
