// One reader per format. Internal to io/; read_table chooses.
#pragma once

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

Table read_csv(Source& source);
Table read_lammps(Source& source);
Table read_npy(Source& source);
Table read_ply(Source& source);
Table read_xyz(Source& source);

}  // namespace vicinal::io
