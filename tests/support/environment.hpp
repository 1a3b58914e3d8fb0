// The extent of the tests, from environment variables that scripts/test.sh sets.
#pragma once

#include <cstdlib>

namespace vicinal::test {

inline bool environment_says(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '1';
}

// Run all cases, including slow ones.
inline bool run_all() {
    return environment_says("VICINAL_TEST_ALL");
}

// With sanitizers, which are ten times slower, the heaviest cases are reduced or skipped.
inline bool run_light() {
    return environment_says("VICINAL_TEST_LIGHT");
}

}  // namespace vicinal::test
