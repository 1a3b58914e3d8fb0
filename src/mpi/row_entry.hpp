// A neighbour of a body, as the rank that reports the pair tells it to the body's owner. The
// two are known by their numbers at their owners; the owner of the row replaces that of the
// neighbour by its own.
#pragma once

#include <cstdint>

#include <vicinal/types.hpp>

namespace vicinal::inline VICINAL_API::mpi {

template <Real T, int D>
struct RowEntry {
    std::uint64_t id = 0;  // of the neighbour
    Index row = 0;         // the body
    Index number = 0;      // of the neighbour
    int owner = 0;         // of the neighbour
    Image<D> image{};
    Vector<T, D> vector{};
    T distance = 0;
};

}  // namespace vicinal::inline VICINAL_API::mpi
