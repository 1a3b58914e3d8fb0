// Which instruction set the kernels use: the best this machine has, or what the environment
// variable VICINAL_SIMD names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vicinal {

// A bit of Highway's target mask. Throws an option error if VICINAL_SIMD names a target that
// this machine or this build does not have.
std::int64_t choose_target();

// What that was when first asked for: the results are the same with every target, and a step
// must not read the environment.
std::int64_t first_target();

std::string target_name(std::int64_t target);

// All that could be chosen here, the best first.
std::vector<std::int64_t> available_targets();

}  // namespace vicinal
