// The general kernels for an instruction set, in one table: chosen once, used by all methods.
#pragma once

#include "simd/lists.hpp"
#include "simd/runs.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
struct Kernels {
    RunKernels<T, D> runs{};
    ListKernels<T, D> lists{};

    Kernels() = default;
    explicit Kernels(std::int64_t target)
        : runs(run_kernels<T, D>(target)), lists(list_kernels<T, D>(target)) {}
};

}  // namespace vicinal::inline VICINAL_API
