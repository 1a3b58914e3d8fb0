// A file of bodies as columns of numbers, whatever the format.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vicinal::io {

struct NamedColumn {
    std::string name;            // lower case; empty in a .npy file
    std::vector<double> values;  // binary values are exact, decimal text is rounded
};

// The box a file says its bodies live in (extended XYZ, LAMMPS dump).
struct Cell {
    std::array<std::array<double, 3>, 3> vectors{};  // rows are the lattice vectors
    std::array<bool, 3> periodic{};
};

struct Table {
    std::vector<NamedColumn> columns;
    std::size_t rows = 0;
    std::optional<Cell> cell;

    // The column of that name, or nullptr.
    const NamedColumn* find(const std::string& name) const;
};

// Reads .npy, .csv, .xyz / .extxyz, .dump / .lammpstrj and .ply, told apart by the name's
// ending. Of a trajectory the first frame. Columns of text are left out.
// Throws vicinal::Error with one line that names the file, the place and the remedy.
Table read_table(const std::filesystem::path& file);

}  // namespace vicinal::io
