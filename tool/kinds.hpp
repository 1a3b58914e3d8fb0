// Cut-offs for pairs of kinds.
#pragma once

#include <string>

#include "io/bodies.hpp"

namespace vicinal::tool {

// From text such as O-O:2.5,O-H:1.2,H-H:never. Throws UsageError, also if a pair of the kinds
// that it names is missing or repeated.
io::KindCutoffs parse_kind_cutoffs(const std::string& text);

}  // namespace vicinal::tool
