#include "io/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

std::string number_of(const Elements& elements, std::size_t e) {
    return elements.name + " " + std::to_string(e);
}

std::span<const std::uint32_t> corners(const Elements& elements, std::size_t e) {
    return std::span(elements.vertices)
        .subspan(elements.offsets[e], elements.offsets[e + 1] - elements.offsets[e]);
}

}  // namespace

void add_corner(const Source& source, Elements& elements, double vertex) {
    if (!(vertex >= 0 && vertex <= std::numeric_limits<std::uint32_t>::max() &&
          vertex == std::floor(vertex)))
        source.fail(number_of(elements, elements.count()) + " has the vertex " +
                    std::to_string(vertex) + ", which is not a number of a vertex; export " +
                    "the mesh again");
    elements.vertices.push_back(static_cast<std::uint32_t>(vertex));
}

void end_element(const Source& source, Elements& elements) {
    if (elements.vertices.size() == elements.offsets.back())
        source.fail(number_of(elements, elements.count()) +
                    " has no vertices; remove it from the mesh");
    elements.offsets.push_back(elements.vertices.size());
}

void check_corners(const Source& source, const Table& table) {
    const Elements& elements = *table.elements;
    for (std::size_t e = 0; e < elements.count(); ++e)
        for (const std::uint32_t corner : corners(elements, e))
            if (corner >= table.rows)
                source.fail(number_of(elements, e) + " (" + elements.lines.where(e) +
                            ") has the vertex " + std::to_string(corner) +
                            ", counted from 0, but there are " + std::to_string(table.rows) +
                            "; export the mesh again");
}

Table element_boxes(const std::string& file, Table&& mesh) {
    const auto fail = [&](const std::string& what) {
        throw Error(Error::Kind::input, printable(file) + ": " + what);
    };
    if (!mesh.elements || mesh.elements->count() == 0)
        fail("it has points but no faces or cells, of which --boxes takes the boxes");
    const Elements& elements = *mesh.elements;
    Table boxes;
    boxes.rows = elements.count();
    boxes.cell = mesh.cell;
    boxes.lines = elements.lines;
    for (const char* const axis : {"x", "y", "z"}) {
        const NamedColumn* const column = mesh.find(axis);
        if (column == nullptr) continue;
        NamedColumn lower{std::string(axis) + "0", {}}, upper{std::string(axis) + "1", {}};
        for (std::size_t e = 0; e < elements.count(); ++e) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (const std::uint32_t corner : corners(elements, e)) {
                const double value = column->values[corner];
                if (!std::isfinite(value))
                    fail(std::string(axis) + " = " + std::to_string(value) + " of vertex " +
                         std::to_string(corner) + " (" + mesh.lines.where(corner) +
                         ") is not finite; correct it");
                low = std::min(low, value);
                high = std::max(high, value);
            }
            lower.values.push_back(low);
            upper.values.push_back(high);
        }
        boxes.columns.push_back(std::move(lower));
        boxes.columns.push_back(std::move(upper));
    }
    for (NamedColumn& column : mesh.elements->columns)
        if (boxes.find(column.name) == nullptr) boxes.columns.push_back(std::move(column));
    return boxes;
}

Adjacency adjacency(const Elements& elements) {
    constexpr std::size_t max_vertices = 8;
    Adjacency result;
    std::size_t& per_body = result.vertices.per_body;
    std::unordered_map<std::uint32_t, std::vector<Index>> around;  // of the vertices beyond
    for (std::size_t e = 0; e < elements.count(); ++e) {
        const auto own = corners(elements, e);
        per_body = std::max(per_body, std::min(own.size(), max_vertices));
        for (std::size_t k = max_vertices; k < own.size(); ++k) around[own[k]];
    }
    std::set<std::pair<Index, Index>> excluded;
    for (std::size_t e = 0; e < elements.count(); ++e) {
        const auto own = corners(elements, e);
        // Elements with fewer vertices repeat the last one.
        for (std::size_t k = 0; k < per_body; ++k)
            result.vertices.numbers.push_back(own[std::min(k, own.size() - 1)]);
        for (const std::uint32_t corner : own)
            if (const auto found = around.find(corner); found != around.end())
                found->second.push_back(static_cast<Index>(e));
    }
    for (std::size_t e = 0; e < elements.count(); ++e) {
        const auto own = corners(elements, e);
        for (std::size_t k = max_vertices; k < own.size(); ++k)
            for (const Index other : around.at(own[k]))
                if (other != e)
                    excluded.emplace(std::min<Index>(other, static_cast<Index>(e)),
                                     std::max<Index>(other, static_cast<Index>(e)));
    }
    for (const auto& [i, j] : excluded) result.excluded.push_back({i, j});
    return result;
}

}  // namespace vicinal::io
