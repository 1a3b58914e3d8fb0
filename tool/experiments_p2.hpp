// P2's experiment.
#pragma once

#include "experiments.hpp"

namespace vicinal::tool {

ResultTable p2();

}  // namespace vicinal::tool
