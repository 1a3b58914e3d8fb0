// For builds without HDF5.
#include "io/readers.hpp"
#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

std::unique_ptr<TableFile::Frames> open_h5md(const std::string& name, const ReadOptions&) {
    throw Error(Error::Kind::input,
                printable(name) +
                    ": this build cannot read HDF5 files; install libhdf5-dev and build again, "
                    "or export the positions as .npy");
}

}  // namespace vicinal::io
