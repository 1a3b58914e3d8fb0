// Arrays in .npy files of which each rank reads or writes its own rows, by MPI-IO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/table.hpp"
#include "tool/mpi/ranks.hpp"

namespace vicinal::tool {

struct NpySlice {
    std::uint64_t rows = 0;   // of the file
    std::uint64_t first = 0;  // of this rank
    io::Table table;          // the rows of this rank, columns without names
};

// Collective. Takes plain arrays of 32-bit or 64-bit floating-point numbers.
NpySlice read_npy_slice(const std::string& file, const Ranks& ranks);

// Collective. Rows of `columns` numbers of one type, whose numpy name is `type`; those of rank
// 0 come first, and so on. The file appears under its name when it is complete.
void write_npy_rows(const std::string& file, const std::string& type, std::size_t columns,
                    const void* values, std::uint64_t rows, std::size_t row_bytes,
                    const Ranks& ranks);

}  // namespace vicinal::tool
