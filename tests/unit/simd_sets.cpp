// Prints the instruction sets this machine and build have, best first, for tests/on_target.sh.
#include <cstdio>

#include "simd/targets.hpp"

int main() {
    for (const std::int64_t target : vicinal::available_targets())
        std::puts(vicinal::target_name(target).c_str());
}
