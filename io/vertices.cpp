#include "io/vertices.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/table.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {
namespace {

constexpr std::size_t max_vertices = 8;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, file + ": " + what);
}

std::string name_of(std::size_t k) {
    return 'v' + std::to_string(k);
}

std::vector<const NamedColumn*> vertex_columns(const std::string& file, const Table& table) {
    std::vector<const NamedColumn*> result;
    if (!table.columns.empty() && table.columns[0].name.empty()) {
        for (const NamedColumn& column : table.columns) result.push_back(&column);
    } else {
        for (std::size_t k = 0; k <= max_vertices; ++k) {
            const NamedColumn* const column = table.find(name_of(k));
            if (column == nullptr) continue;
            if (k > result.size())
                fail(file, fmt::format("there is a column '{}' but no '{}'; name them v0, v1, "
                                       "... without a gap",
                                       name_of(k), name_of(result.size())));
            result.push_back(column);
        }
        if (result.empty()) fail(file, "there is no column 'v0'; vertices need v0, v1, ...");
    }
    if (result.empty() || result.size() > max_vertices)
        fail(file, fmt::format("there are {} columns of vertices; give each body from 1 to {}",
                               result.size(), max_vertices));
    return result;
}

}  // namespace

Vertices read_vertices(const std::string& file, std::size_t bodies) {
    const Table table = read_table(file);
    const auto columns = vertex_columns(file, table);
    if (table.rows != bodies)
        fail(file, fmt::format("there are {} rows of vertices for {} bodies; give one per body",
                               table.rows, bodies));
    Vertices result;
    result.per_body = columns.size();
    result.numbers.reserve(bodies * columns.size());
    for (std::size_t row = 0; row < bodies; ++row)
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const double value = columns[k]->values[row];
            if (!(value >= 0 && value <= 4294967295.0 && value == std::floor(value)))
                fail(file, fmt::format("{} = {} in {} is not a whole number from 0 to "
                                       "4294967295",
                                       name_of(k), value, table.lines.where(row)));
            result.numbers.push_back(static_cast<std::uint32_t>(value));
        }
    return result;
}

}  // namespace vicinal::io
