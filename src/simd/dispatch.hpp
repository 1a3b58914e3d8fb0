// Run-time dispatch of kernels. A kernel file is compiled once for each target. In the
// namespace of the target it defines a template `make` that returns a table of function
// pointers, and ends with
//
//     VICINAL_DEFINE_KERNELS(RunKernels, run_kernels, make)   // per scalar and dimension
//
// and, once, in the namespace of the library, with
//
//     VICINAL_EXPORT_KERNELS(RunKernels, run_kernels)
//
// which defines run_kernels<T, D>(target). The variants with _D have no scalar type.
//
// HWY_TARGET_INCLUDE is the file's own path, and the file is listed in src/CMakeLists.txt. A
// header declares the table. All kernel files share the namespace of a target, so names of
// classes must differ. VICINAL_SIMD chooses a target; tests with the label simd run them all.
#pragma once

#include <concepts>
#include <cstdint>

#include "simd/targets.hpp"

#define VICINAL_DEFINE_KERNELS(Table, name, make) \
    Table<float, 2> name##_f2() {                 \
        return make<float, 2>();                  \
    }                                             \
    Table<float, 3> name##_f3() {                 \
        return make<float, 3>();                  \
    }                                             \
    Table<double, 2> name##_d2() {                \
        return make<double, 2>();                 \
    }                                             \
    Table<double, 3> name##_d3() {                \
        return make<double, 3>();                 \
    }

#define VICINAL_DEFINE_KERNELS_D(Table, name, make) \
    Table<2> name##_2() {                           \
        return make<2>();                           \
    }                                               \
    Table<3> name##_3() {                           \
        return make<3>();                           \
    }

#define VICINAL_EXPORT_KERNELS(Table, name)                  \
    HWY_EXPORT(name##_f2);                                   \
    HWY_EXPORT(name##_f3);                                   \
    HWY_EXPORT(name##_d2);                                   \
    HWY_EXPORT(name##_d3);                                   \
    template <Real T, int D>                                 \
    Table<T, D> name(std::int64_t target) {                  \
        const std::size_t index = target_index(target);      \
        if constexpr (std::same_as<T, float> && D == 2)      \
            return HWY_DISPATCH_TABLE(name##_f2)[index]();   \
        else if constexpr (std::same_as<T, float>)           \
            return HWY_DISPATCH_TABLE(name##_f3)[index]();   \
        else if constexpr (D == 2)                           \
            return HWY_DISPATCH_TABLE(name##_d2)[index]();   \
        else                                                 \
            return HWY_DISPATCH_TABLE(name##_d3)[index]();   \
    }                                                        \
    template Table<float, 2> name<float, 2>(std::int64_t);   \
    template Table<float, 3> name<float, 3>(std::int64_t);   \
    template Table<double, 2> name<double, 2>(std::int64_t); \
    template Table<double, 3> name<double, 3>(std::int64_t);

#define VICINAL_EXPORT_KERNELS_D(Table, name)             \
    HWY_EXPORT(name##_2);                                 \
    HWY_EXPORT(name##_3);                                 \
    template <int D>                                      \
    Table<D> name(std::int64_t target) {                  \
        const std::size_t index = target_index(target);   \
        if constexpr (D == 2)                             \
            return HWY_DISPATCH_TABLE(name##_2)[index](); \
        else                                              \
            return HWY_DISPATCH_TABLE(name##_3)[index](); \
    }                                                     \
    template Table<2> name<2>(std::int64_t);              \
    template Table<3> name<3>(std::int64_t);
