// Shared by the readers of binary formats. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

struct Scalar {
    char kind = 'f';  // 'f', 'i' or 'u', as numpy spells them; 'V': no number
    std::size_t bytes = 8;
    bool big_endian = false;
};

// Decodes `count` values with a stride of `stride` bytes. Returns the index of the first
// integer beyond 2^53, which a double cannot hold exactly, or `count` if there is none.
std::size_t decode(const char* from, std::size_t stride, std::size_t count, Scalar type,
                   double* to);

// A value in a record, or bytes that are passed over (`to` is null).
struct Field {
    Scalar type;
    NamedColumn* to = nullptr;
};

// Reads `rows` records, each with the fields in order, into the columns, which grow with what
// is read. Integers that a double cannot hold exactly are an error.
void read_records(Source& source, std::size_t rows, std::span<const Field> fields);

}  // namespace vicinal::io
