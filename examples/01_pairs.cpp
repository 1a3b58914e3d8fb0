// The shortest program: which of these spheres touch?
#include <array>
#include <cstdio>
#include <vector>

#include <vicinal/vicinal.hpp>

int main() {
    const std::vector<std::array<double, 3>> centres{
        {0, 0, 0}, {1.5, 0, 0}, {4, 0, 0}, {2.5, 1, 0}};
    const std::vector<double> radii{1.0, 0.5, 0.5, 1.0};

    const auto balls = vicinal::spheres<3>(centres, radii);  // a view: nothing is copied
    const auto pairs = vicinal::find_pairs(balls);           // each pair once; touching counts
    for (auto [i, j] : pairs) std::printf("%u touches %u\n", i, j);

    return pairs.size() == 2 ? 0
                             : 1;  // 0-1, 1-3 (2 and 3 are 1.80 apart, their radii add to 1.5)
}
