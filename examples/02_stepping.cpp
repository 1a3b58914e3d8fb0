// The steps of a simulation in a periodic box: one finder, which keeps its memory.
#include <cstdio>
#include <vector>

#include <vicinal/vicinal.hpp>

int main() {
    constexpr int side = 12;  // a lattice of side^3 atoms, spacing 1
    std::vector<float> xyz;
    for (int i = 0; i < side * side * side; ++i)
        for (int c : {i % side, i / side % side, i / side / side})
            xyz.push_back(static_cast<float>(c));

    vicinal::Options<3> options;
    options.domain = vicinal::Domain<3>::orthogonal({side, side, side});
    vicinal::Finder<float, 3> finder(options);

    for (int step = 0; step < 10; ++step) {
        for (std::size_t c = 0; c < xyz.size(); c += 3)
            xyz[c] += 0.25f;  // they may leave the box
        const auto atoms = vicinal::points<3>(xyz, 1.0);

        const auto& pairs = finder.pairs(atoms);  // update and search in one: each pair once
        std::size_t across = 0;                   // pairs that reach across a face of the box
        for (auto [i, j, image] : pairs.with_images()) across += image != vicinal::Image<3>{};
        std::printf("step %d: %zu pairs, %zu across a face\n", step, pairs.size(), across);

        // Or the neighbours of each body, with images, distances and vectors.
        const auto& rows = finder.neighbours(atoms, vicinal::Columns::ijSdD);
        for (std::size_t k = 0; k < rows[0].size(); ++k)
            if (rows.distances_of(0)[k] != 1) return 1;
        if (rows[0].size() != 6 || across != 3 * side * side) return 1;
    }
}
