#include <vector>

#include <vicinal/vicinal.hpp>

int main() {
    const std::vector<float> x{0, 0, 0, 1, 0, 0, 3, 0, 0};
    const auto pairs = vicinal::find_pairs(vicinal::points<3>(x, 1.0));
    return std::vector(pairs.begin(), pairs.end()) == std::vector<vicinal::Pair>{{0, 1}} ? 0
                                                                                         : 1;
}
