// Files with the mesh vertices of bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vicinal::io {

// As Bodies::with_vertices takes them.
struct Vertices {
    std::vector<std::uint32_t> numbers;
    std::size_t per_body = 0;  // 0: not given
};

// One row per body: all columns of a .npy file, or v0, v1, ... of a .csv file, at most 8.
// Throws Error for values that are not 32-bit whole numbers, and if the number of rows differs
// from the number of bodies.
Vertices read_vertices(const std::string& file, std::size_t bodies);

}  // namespace vicinal::io
