// A file of bodies in any format, as columns of numbers.
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

// The simulation cell of a file (extended XYZ, LAMMPS dump).
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

// Reads .npy, .csv, .xyz / .extxyz, .dump / .lammpstrj and .ply; the extension selects the
// format. Only the first frame of a trajectory is read. Columns of text are skipped. Throws
// vicinal::Error with one line that names the file, the position and the remedy.
Table read_table(const std::filesystem::path& file);

}  // namespace vicinal::io
