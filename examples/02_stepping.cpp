// The steps of a simulation in a periodic box: one finder, which keeps its memory.
#include <atomic>
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
        finder.update(vicinal::points<3>(xyz, 1.0));

        std::atomic<std::size_t> across = 0;  // pairs that reach across a face of the box
        finder.for_each_block([&](const vicinal::Block<3>& block) {  // parallel, nothing stored
            for (const auto& image : block.images) across += image != vicinal::Image<3>{};
        });
        const auto& rows = finder.neighbours();  // or: the neighbours of each body
        std::printf("step %d: %llu pairs, %zu across a face, body 0 has %zu neighbours\n", step,
                    static_cast<unsigned long long>(finder.report().pairs), across.load(),
                    rows[0].size());
        if (rows[0].size() != 6 || across != 3 * side * side) return 1;
    }
}
