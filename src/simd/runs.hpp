// Tests one body against a run of entries, for any method: which entries are within reach by
// the contract's formula. The same operations in the same order as sieve/decide.hpp, or an
// equivalent comparison, in any number of lanes, so the result is the same bit for bit.
#pragma once

#include <array>
#include <cstdint>

#include <vicinal/bodies.hpp>

namespace vicinal::inline VICINAL_API {

// The columns of the packed arrays (see scene/packed.hpp).
template <Real T, int D>
struct RunColumns {
    std::array<const T*, 2 * D> values;
    const T* radius;
};

// The query body: its values as in the columns, and what the test needs besides.
template <Real T, int D>
struct RunQuery {
    std::array<T, 2 * D> values;
    T limit;                  // points: the square of the reach
    T radius;                 // spheres
    std::array<T, D> motion;  // moving tests: of the entries, seen from the query
};

// Writes to `out` the entries of begin ... end - 1 within reach and returns their number. `out`
// needs padding for a vector of overrun. Reads up to a vector beyond the end.
template <Real T, int D>
using RunTest = std::size_t (*)(const RunColumns<T, D>&, const RunQuery<T, D>&,
                                std::size_t begin, std::size_t end, Index* out);

template <Real T, int D>
struct RunKernels {
    struct Tests {
        RunTest<T, D> points, boxes;
        std::array<RunTest<T, D>, 3> spheres;  // by reach rule
    };
    Tests rest, moving;  // moving: the query moves, the entries are at rest
};

template <Real T, int D>
RunKernels<T, D> run_kernels(std::int64_t target);

}  // namespace vicinal::inline VICINAL_API
