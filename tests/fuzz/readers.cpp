// libFuzzer target for the file readers. The first two bytes choose the format and the options,
// the rest is the file. A reader must return a table with complete columns and valid elements
// or throw vicinal::Error. Reading the table as pairs or boxes must give indices of existing
// bodies or throw vicinal::Error. (H5MD files are parsed by the HDF5 library, not here.)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "io/mesh.hpp"
#include "io/pairs.hpp"
#include "io/readers.hpp"

#include <vicinal/error.hpp>

namespace {

using namespace vicinal::io;

void require(bool condition) {
    if (!condition) std::abort();
}

template <int D>
void read_as_pairs(const Table& table, Images images) {
    constexpr std::size_t first = 5, second = 7;
    try {
        const auto pairs = pairs_of<D>(table, "fuzz", first, second, images);
        require(pairs.size() == table.rows);
        require(std::ranges::all_of(
            pairs, [](const auto& pair) { return pair.i < first && pair.j < second; }));
    } catch (const vicinal::Error&) {
    }
}

void check_columns(const std::vector<NamedColumn>& columns, std::size_t rows) {
    for (const NamedColumn& column : columns) {
        require(column.values.size() == rows);
        for (const double value : column.values)
            require(column.words.empty() || value < static_cast<double>(column.words.size()));
    }
}

void check_mesh(Table table) {
    const Elements& elements = *table.elements;
    require(elements.offsets.front() == 0 &&
            elements.offsets.back() == elements.vertices.size());
    require(std::ranges::is_sorted(elements.offsets));
    require(std::ranges::all_of(elements.vertices,
                                [&](std::uint32_t corner) { return corner < table.rows; }));
    check_columns(elements.columns, elements.count());
    const std::size_t count = elements.count();
    const Adjacency adjacent = adjacency(elements);
    require(adjacent.vertices.numbers.size() == count * adjacent.vertices.per_body);
    for (const vicinal::Pair pair : adjacent.excluded)
        require(pair.i < pair.j && pair.j < count);
    const Table boxes = element_boxes("fuzz", std::move(table));
    require(boxes.rows == count);
    check_columns(boxes.columns, count);
}

void check(Table table) {
    check_columns(table.columns, table.rows);
    for (const Images images : {Images::none, Images::read}) {
        read_as_pairs<2>(table, images);
        read_as_pairs<3>(table, images);
    }
    if (table.elements) check_mesh(std::move(table));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t kinds = formats().size() - 1;  // without H5MD, the last
    const Format& format = formats()[data[0] % kinds];
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    ReadOptions options;
    options.elements = (data[1] & 1) != 0;
    if ((data[1] & 2) != 0) options.fields = {"x", "_", "y"};
    if ((data[1] & 4) != 0) options.part = "a";
    options.kinds = (data[1] & 16) != 0;
    try {
        // Compressed, so that the size is not known; or what would be compressed.
        Source source = (data[1] & 8) != 0
                            ? Source("fuzz", inflated_bytes("fuzz", memory_bytes(bytes),
                                                            Inflater::Kind::gzip))
                            : Source("fuzz", bytes);
        constexpr int most_frames = 4;
        for (int frame = 0; frame < most_frames && !source.ends(); ++frame) {
            const Source::Position begin = source.position();
            check(format.read(source, options));
            if (format.skip == nullptr) break;
            const Source::Position end = source.position();
            source.seek(begin);
            format.skip(source);
            require(source.position() == end);
        }
    } catch (const vicinal::Error&) {
    }
    format_of(bytes);
    return 0;
}
