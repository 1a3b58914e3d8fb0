#include "io/names.hpp"

#include <algorithm>

#include "common/text.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

struct Known {
    std::string_view name;
    std::string_view before, after;  // around the name of the axis
};

constexpr Known known_vectors[] = {
    {"position", "", ""},
    {"positions", "", ""},
    {"pos", "", ""},
    {"points", "", ""},
    {"coordinates", "", ""},
    {"coords", "", ""},
    {"xyz", "", ""},
    {"x", "", ""},
    {"lower", "", "0"},
    {"upper", "", "1"},
    {"displacement", "u", ""},
    {"displacements", "u", ""},
    {"u", "u", ""},
    {"s", "n", ""},
    {"image", "n", ""},
    {"images", "n", ""},
};

}  // namespace

std::vector<std::string> component_names(std::string_view name, std::size_t components) {
    const std::string base = lower(name);
    if (components == 1) return {base == "radii" ? "radius" : base == "ids" ? "id" : base};
    const auto vector = std::ranges::find(known_vectors, base, &Known::name);
    const bool known = components <= 3 && vector != std::end(known_vectors);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < components; ++k) {
        if (known)
            names.push_back(std::string(vector->before) + "xyz"[k] +
                            std::string(vector->after));
        else
            names.push_back(base + "_" + std::to_string(k + 1));
    }
    return names;
}

bool is_kind(std::string_view name) {
    return std::ranges::find(kind_names, name) != std::end(kind_names);
}

bool has_meaning(std::string_view name) {
    constexpr std::string_view names[] = {"x",    "y",  "z",  "radius", "x0", "y0", "z0",
                                          "x1",   "y1", "z1", "ux",     "uy", "uz", "group",
                                          "mask", "i",  "j",  "nx",     "ny", "nz", "v0",
                                          "v1",   "v2", "v3", "v4",     "v5", "v6", "v7"};
    return std::ranges::find(names, name) != std::end(names);
}

void name_columns(const Source& source, const std::vector<std::string>& fields, Table& table) {
    if (fields.empty()) return;
    const auto is_named = [](const NamedColumn& column) { return !column.name.empty(); };
    if (std::ranges::any_of(table.columns, is_named))
        source.fail("its columns have names; leave out --fields");
    if (fields.size() != table.columns.size())
        source.fail("has " + common::counted(table.columns.size(), "columns") +
                    ", but --fields names " + std::to_string(fields.size()));
    for (std::size_t k = 0; k < fields.size(); ++k) table.columns[k].name = fields[k];
    std::erase_if(table.columns, [](const NamedColumn& column) { return column.name == "_"; });
}

}  // namespace vicinal::io
