// libFuzzer target for the file readers. The first byte chooses the format, the rest is the
// file. A reader must return a table with complete columns or throw vicinal::Error. Reading the
// table as pairs must give indices of existing bodies or throw vicinal::Error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "io/pairs.hpp"
#include "io/readers.hpp"

#include <vicinal/error.hpp>

namespace {

using namespace vicinal::io;

template <int D>
void read_as_pairs(const Table& table, Images images) {
    constexpr std::size_t first = 5, second = 7;
    try {
        const auto pairs = pairs_of<D>(table, "fuzz", first, second, images);
        if (pairs.size() != table.rows) std::abort();
        if (!std::ranges::all_of(
                pairs, [](const auto& pair) { return pair.i < first && pair.j < second; }))
            std::abort();
    } catch (const vicinal::Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr Table (*readers[])(Source&) = {read_npy, read_csv, read_xyz, read_lammps,
                                             read_ply};
    if (size == 0) return 0;
    Source source("fuzz", {reinterpret_cast<const char*>(data) + 1, size - 1});
    try {
        const Table table = readers[data[0] % std::size(readers)](source);
        for (const NamedColumn& column : table.columns)
            if (column.values.size() != table.rows) std::abort();
        for (const Images images : {Images::none, Images::read}) {
            read_as_pairs<2>(table, images);
            read_as_pairs<3>(table, images);
        }
    } catch (const vicinal::Error&) {
    }
    return 0;
}
