// For builds without pugixml.
#include "io/readers.hpp"

namespace vicinal::io {

Table read_vtk(Source& source, const ReadOptions&) {
    source.fail(
        "this build cannot read VTK files; install libpugixml-dev and build again, or export "
        "the points as .csv");
}

}  // namespace vicinal::io
