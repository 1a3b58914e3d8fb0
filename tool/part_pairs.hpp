// vicinal pairs --part: the pairs that one part of a file reports.
#pragma once

#include <string>

#include "flags.hpp"
#include "output.hpp"

namespace vicinal::tool {

// Pairs hold indices in the file of all bodies.
int run_part(const std::string& folder, const SearchFlags& search, const OutputFlags& output);

}  // namespace vicinal::tool
