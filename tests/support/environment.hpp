// How much to test.
#pragma once

#include <cstdlib>
#include <string_view>

namespace vicinal::test {

// More combinations and longer cases: scripts/test.sh --all sets the variable.
inline bool run_all() {
    const char* const value = std::getenv("VICINAL_TEST_ALL");
    return value != nullptr && std::string_view(value) == "1";
}

// Sanitizers make everything ten times slower: the heaviest cases shrink or are left out, and
// each type and each dimension is met once.
constexpr bool run_light() {
#ifdef VICINAL_TEST_LIGHT
    return true;
#else
    return false;
#endif
}

}  // namespace vicinal::test
