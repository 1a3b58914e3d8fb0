// libFuzzer target for the file readers. The first byte chooses the format, the rest is
// the file. A reader must give a table whose columns are all complete, or vicinal::Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "io/readers.hpp"

#include <vicinal/error.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vicinal::io;
    constexpr Table (*readers[])(Source&) = {read_npy, read_csv, read_xyz, read_lammps,
                                             read_ply};
    if (size == 0) return 0;
    Source source("fuzz", {reinterpret_cast<const char*>(data) + 1, size - 1});
    try {
        const Table table = readers[data[0] % std::size(readers)](source);
        for (const NamedColumn& column : table.columns)
            if (column.values.size() != table.rows) std::abort();
    } catch (const vicinal::Error&) {
    }
    return 0;
}
