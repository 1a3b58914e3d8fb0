// Assertions of internal invariants; invalid input throws an Error instead. They are checked in
// development, sanitizer and fuzz builds (CMake: VICINAL_ASSERTS) and compiled out of others.
#pragma once

#ifdef VICINAL_ASSERTS
#include <cstdio>
#include <cstdlib>
#define VICINAL_ASSERT(condition)                                                              \
    ((condition)                                                                               \
         ? static_cast<void>(0)                                                                \
         : (std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition), \
            std::abort()))
#else
#define VICINAL_ASSERT(condition) static_cast<void>(0)
#endif
