#include "sim/simulators.hpp"

#include "common/choices.hpp"
#include "sim/falling.hpp"
#include "sim/fluid.hpp"
#include "sim/shearing.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::sim {
namespace {

// Only exact methods give the same state.
void expect_exact(const std::string& method) {
    const Finder<double, 3> finder(Options<3>{.method = method});
    if (!finder.report().exact)
        refuse("method " + finder.report().method +
               " may miss pairs; use the default values of its options");
}

template <class S, std::unique_ptr<Simulation> (*make)(const S&, const How&)>
Simulator entry(const char* name, std::uint64_t steps, const char* summary) {
    return {name, summary, steps, list_settings(S{}),
            [](std::span<const Setting> list, const How& how) {
                expect_exact(how.method);
                return make(settings_from<S>(list), how);
            }};
}

}  // namespace

const std::vector<Simulator>& simulators() {
    static const std::vector<Simulator> all = {
        entry<FallingSettings, make_falling>(
            "falling", 100, "spheres that fall on a floor and pile up (Poirrier 2009)"),
        entry<ShearingSettings, make_shearing>(
            "shearing", 200, "hard spheres in a sheared periodic cell (Lara 2005)"),
        entry<FluidSettings, make_fluid>(
            "fluid", 1000,
            "particles that fall over static spheres in a box (Pouchol et al. 2009)"),
    };
    return all;
}

const Simulator& find_simulator(const std::string& name) {
    for (const Simulator& simulator : simulators())
        if (simulator.name == name) return simulator;
    refuse("unknown simulation '" + name + "'" + common::choices(name, simulators()) +
           "; or name a scene file that ends in .json");
}

}  // namespace vicinal::sim
