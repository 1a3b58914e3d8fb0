// The instruction set of the kernels: the best this machine has, or the one that the
// environment variable VICINAL_SIMD names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// A bit of Highway's target mask. Throws an option error if VICINAL_SIMD names a target that
// this machine or this build does not have.
std::int64_t choose_target();

// How a finder runs: its maximum number of threads and the target of every kernel. Chosen once,
// because a step must not read the environment.
struct Execution {
    int threads = 1;
    std::int64_t target = 0;
};

std::string target_name(std::int64_t target);

// Index of a target's kernels in a table exported by Highway.
std::size_t target_index(std::int64_t target);

// All available targets, the best first.
std::vector<std::int64_t> available_targets();

}  // namespace vicinal::inline VICINAL_API
