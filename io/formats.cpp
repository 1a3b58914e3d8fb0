// The list of formats, and how they are recognised.
#include <algorithm>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

const std::vector<Format>& formats() {
    static const std::vector<Format> all = {
        {"npy", {".npy"}, read_npy, nullptr},
        {"npz", {".npz"}, read_npz, nullptr},
        {"csv", {".csv", ".tsv", ".txt", ".dat"}, read_csv, nullptr},
        {"xyz", {".xyz", ".extxyz"}, read_xyz, skip_xyz},
        {"lammps", {".dump", ".lammpstrj"}, read_lammps, skip_lammps},
        {"ply", {".ply"}, read_ply, nullptr},
        {"obj", {".obj"}, read_obj, nullptr},
        {"stl", {".stl"}, read_stl, nullptr},
        {"vtk", {".vtp", ".vtu"}, read_vtk, nullptr},
        {"h5md", {".h5", ".h5md", ".hdf5"}, nullptr, nullptr},
    };
    return all;
}

const Format* format_named(std::string_view name) {
    for (const Format& format : formats())
        if (format.name == name) return &format;
    return nullptr;
}

const Format* format_ending(std::string_view ending) {
    for (const Format& format : formats())
        if (std::ranges::find(format.endings, ending) != format.endings.end()) return &format;
    return nullptr;
}

bool is_table_header(std::string_view line) {
    std::string text = lower(line);
    if (text.starts_with('#')) text.front() = ' ';
    for (char& c : text)
        if (std::string_view(",;\t\"").find(c) != std::string_view::npos) c = ' ';
    std::vector<std::string_view> names;
    split(text, names);
    constexpr std::string_view known[] = {"x", "x0", "points:0", "points_0", "i", "v0"};
    return names.size() > 1 && std::ranges::find_first_of(names, known) != names.end();
}

const Format* format_of(std::string_view start) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (start.starts_with("\x93NUMPY")) return format_named("npy");
    if (start.starts_with("PK\3\4")) return format_named("npz");
    if (start.starts_with("\x89HDF\r\n\x1a\n")) return format_named("h5md");
    if (start.starts_with(byte_order_mark)) start.remove_prefix(byte_order_mark.size());
    const std::size_t newline = start.find('\n');
    if (newline == std::string_view::npos) return nullptr;
    const std::string_view line = trim(start.substr(0, newline));
    if (line == "ply") return format_named("ply");
    if (line.starts_with("ITEM: ")) return format_named("lammps");
    if (line.starts_with("<?xml") || line.starts_with("<VTKFile")) return format_named("vtk");
    std::uint64_t atoms = 0;
    if (parse(line, atoms)) return format_named("xyz");
    return is_table_header(line) ? format_named("csv") : nullptr;
}

}  // namespace vicinal::io
