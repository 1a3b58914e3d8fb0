// The version of the library. CMake reads it from here, so it is written once.
// While the major version is 0 the minor one names the interface: it is the inline
// namespace of every symbol and the version of the shared library, so two
// incompatible versions never link by accident.
#pragma once

#define VICINAL_VERSION_MAJOR 0
#define VICINAL_VERSION_MINOR 1
#define VICINAL_VERSION_PATCH 0

#define VICINAL_API v0_1

// What the shared library shows; everything else of it is hidden.
#if defined(__GNUC__)
#define VICINAL_EXPORT __attribute__((visibility("default")))
#else
#define VICINAL_EXPORT
#endif
