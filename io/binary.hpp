// What the readers of binary formats share. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

struct Scalar {
    char kind = 'f';  // 'f', 'i' or 'u', as numpy spells them
    std::size_t bytes = 8;
    bool big_endian = false;
};

// Decodes `count` values that lie `stride` bytes apart. Returns the first that is an
// integer beyond 2^53, hence not exact in a double, or `count` if there is none.
std::size_t decode(const char* from, std::size_t stride, std::size_t count, Scalar type,
                   double* to);

// Reads `rows` records, each a value of every type in turn, into columns that already
// have that many values. Integers that a double cannot hold are an error.
void read_records(Source& source, std::size_t rows, std::span<const Scalar> types,
                  std::span<NamedColumn> columns);

}  // namespace vicinal::io
