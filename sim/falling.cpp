#include "sim/falling_bodies.hpp"

namespace vicinal::sim {

std::unique_ptr<Simulation> make_falling(const FallingSettings& settings, const How& how) {
    return settings.response == "dem" ? make_dem(settings, how) : make_pairwise(settings, how);
}

}  // namespace vicinal::sim
