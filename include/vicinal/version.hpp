// The version of the library, which CMake reads from here. While the major version is 0, the
// minor version identifies the interface: it is in the inline namespace of every symbol and in
// the version of the shared library, so incompatible versions never link by accident.
#pragma once

#define VICINAL_VERSION_MAJOR 0
#define VICINAL_VERSION_MINOR 1
#define VICINAL_VERSION_PATCH 0

#define VICINAL_API v0_1

// Marks the exported symbols of the shared library; all others are hidden.
#if defined(__GNUC__)
#define VICINAL_EXPORT __attribute__((visibility("default")))
#else
#define VICINAL_EXPORT
#endif
