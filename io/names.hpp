// Names of columns. Internal to io/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

// The names of the columns of an array that has `components` values per row. Arrays of
// positions, corners, displacements and images have the names by which bodies and pairs are
// read (x, y, z, ...); others are name_1, name_2, ...
std::vector<std::string> component_names(std::string_view name, std::size_t components);

// Columns that hold the kinds of bodies, as numbers or as text: the first of them that there
// is.
inline constexpr std::string_view kind_names[] = {"kind", "species", "element", "type"};
bool is_kind(std::string_view name);

// True for columns that the tool interprets. What they hold must be numbers: to leave them out
// would make the bodies two-dimensional or disable a filter.
bool has_meaning(std::string_view name);

// Gives columns without names those of --fields; without any, nothing happens. Removes columns
// named "_".
void name_columns(const Source& source, const std::vector<std::string>& fields, Table& table);

}  // namespace vicinal::io
