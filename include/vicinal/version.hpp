// The version of the library. CMake reads it from here, so it is written once.
// While the major version is 0 the minor one names the interface: it is the inline
// namespace of every symbol and the version of the shared library, so two
// incompatible versions never link by accident.
#pragma once

#define VICINAL_VERSION_MAJOR 0
#define VICINAL_VERSION_MINOR 1
#define VICINAL_VERSION_PATCH 0

#define VICINAL_API v0_1
