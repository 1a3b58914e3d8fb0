// How much to test, from the environment: scripts/test.sh sets it.
#pragma once

#include <cstdlib>

namespace vicinal::test {

inline bool environment_says(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '1';
}

// Everything, however long it takes.
inline bool run_all() {
    return environment_says("VICINAL_TEST_ALL");
}

// Sanitizers make everything ten times slower: the heaviest cases shrink or are left out.
inline bool run_light() {
    return environment_says("VICINAL_TEST_LIGHT");
}

}  // namespace vicinal::test
