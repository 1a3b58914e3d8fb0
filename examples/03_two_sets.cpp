// Two sets, and queries against a structure that is already built: particles near obstacles,
// and a ray.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <vicinal/vicinal.hpp>

int main() {
    const std::vector<double> obstacles{0, 0, 5, 0, 10, 0}, obstacle_radii{1, 2, 1};  // 2-D
    const std::vector<double> particles{1.2, 0, 3.1, 0, 7.5, 0, 10, 1.25},
        particle_radii(4, 0.25);

    vicinal::Finder<double, 2> finder;
    finder.update(vicinal::spheres<2>(obstacles, obstacle_radii));

    // Pairs (particle, obstacle).
    const auto hits = finder.pairs_with(vicinal::spheres<2>(particles, particle_radii),
                                        vicinal::Order::sorted);
    for (auto [particle, obstacle] : hits)
        std::printf("particle %u meets obstacle %u\n", particle, obstacle);

    // Pairs (query, obstacle): obstacles on the segment from (-3, 0.5) to (6, 0.5).
    const std::vector<double> from{-3, 0.5}, along{9, 0};
    const auto seen = finder.probe(vicinal::segments<2>(from, along), vicinal::Order::sorted);
    for (auto [ray, obstacle] : seen) std::printf("ray %u passes obstacle %u\n", ray, obstacle);

    const std::vector<vicinal::Pair> expected_hits{{0, 0}, {1, 1}, {3, 2}},
        expected_seen{{0, 0}, {0, 1}};
    return std::ranges::equal(hits, expected_hits) && std::ranges::equal(seen, expected_seen)
               ? 0
               : 1;
}
