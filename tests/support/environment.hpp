// The extent of the tests.
#pragma once

#include <cstdlib>
#include <string_view>

namespace vicinal::test {

// More combinations and slow cases: scripts/test.sh --all sets the variable.
inline bool run_all() {
    const char* const value = std::getenv("VICINAL_TEST_ALL");
    return value != nullptr && std::string_view(value) == "1";
}

// With sanitizers, which are ten times slower, the heaviest cases are reduced or skipped, and
// each type and each dimension is tested once.
constexpr bool run_light() {
#ifdef VICINAL_TEST_LIGHT
    return true;
#else
    return false;
#endif
}

}  // namespace vicinal::test
