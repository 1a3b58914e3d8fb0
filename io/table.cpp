#include "io/table.hpp"

#include <algorithm>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

struct Format {
    std::string_view ending;
    Table (*read)(Source&);
};

constexpr Format formats[] = {
    {".npy", read_npy},    {".csv", read_csv},     {".xyz", read_xyz},
    {".extxyz", read_xyz}, {".dump", read_lammps}, {".lammpstrj", read_lammps},
    {".ply", read_ply},
};

}  // namespace

const NamedColumn* Table::find(const std::string& name) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const NamedColumn& c) { return c.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

Table read_table(const std::filesystem::path& file) {
    Source source(file);
    const std::string ending = lower(file.extension().string());
    std::string known;
    for (const Format& format : formats) {
        if (format.ending == ending) return format.read(source);
        known += (known.empty() ? "" : ", ") + std::string(format.ending);
    }
    source.fail("the ending " + shown(ending) + " is not a known format; use one of " + known);
}

}  // namespace vicinal::io
