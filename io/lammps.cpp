// LAMMPS text dump: sections that begin with "ITEM:". A frame ends with its atoms.
// https://docs.lammps.org/dump.html, https://docs.lammps.org/Howto_triclinic.html
#include <algorithm>
#include <array>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

constexpr std::string_view item = "ITEM: ";

struct Box {
    Cell cell;
    std::array<double, 3> origin{};
};

using Numbers = std::array<std::array<double, 4>, 3>;

Numbers read_numbers(Source& source, std::size_t count) {
    Numbers numbers{};
    std::string_view line;
    std::vector<std::string_view> words;
    for (auto& row : numbers) {
        if (!source.line(line)) source.fail_short();
        split(line, words);
        bool good = words.size() == count;
        for (std::size_t i = 0; good && i < count; ++i) good = parse(words[i], row[i]);
        if (!good)
            source.fail_here("the box needs " + std::to_string(count) +
                             " numbers here; dump the snapshot again");
    }
    return numbers;
}

// LAMMPS writes the bounding box of a tilted cell; the cell itself is narrower by the tilt.
Box tilted_box(const Numbers& n) {
    const double xy = n[0][2];
    const double xz = n[1][2];
    const double yz = n[2][2];
    const double xlo = n[0][0] - std::min({0.0, xy, xz, xy + xz});
    const double xhi = n[0][1] - std::max({0.0, xy, xz, xy + xz});
    const double ylo = n[1][0] - std::min(0.0, yz);
    const double yhi = n[1][1] - std::max(0.0, yz);
    Box box;
    box.origin = {xlo, ylo, n[2][0]};
    box.cell.vectors = {{{xhi - xlo, 0, 0}, {xy, yhi - ylo, 0}, {xz, yz, n[2][1] - n[2][0]}}};
    return box;
}

Box general_box(const Numbers& n) {
    Box box;
    for (std::size_t i = 0; i < 3; ++i) {
        box.cell.vectors[i] = {n[i][0], n[i][1], n[i][2]};
        box.origin[i] = n[i][3];
    }
    return box;
}

// `words`: what follows BOX BOUNDS, the kind of box and then the three boundary flags.
Box read_box(Source& source, std::span<const std::string_view> words) {
    const bool tilted = words.size() >= 3 && words[0] == "xy";
    const bool general = words.size() >= 2 && words[0] == "abc";
    const auto flags = words.subspan(tilted ? 3 : general ? 2 : 0);
    if (!flags.empty() && flags.size() != 3)
        source.fail_here("the box needs three boundary flags such as pp pp ff");
    std::array<bool, 3> periodic = {true, true, true};
    for (std::size_t axis = 0; axis < flags.size(); ++axis)
        periodic[axis] = flags[axis].starts_with('p');
    const Numbers numbers = read_numbers(source, general ? 4 : tilted ? 3 : 2);
    Box box = general ? general_box(numbers) : tilted_box(numbers);
    box.cell.periodic = periodic;
    return box;
}

// Renames the coordinates to x, y, z: as they are if present, else unwrapped, else scaled.
// Returns true if they are scaled.
bool name_coordinates(const Source& source, std::vector<std::string>& names) {
    struct Kind {
        std::array<std::string_view, 3> names;
        bool scaled;
    };
    constexpr Kind kinds[] = {{{"x", "y", "z"}, false},
                              {{"xu", "yu", "zu"}, false},
                              {{"xs", "ys", "zs"}, true},
                              {{"xsu", "ysu", "zsu"}, true}};
    const auto find = [&](std::string_view name) {
        return std::find(names.begin(), names.end(), name);
    };
    for (const Kind& kind : kinds) {
        if (find(kind.names[0]) == names.end()) continue;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto found = find(kind.names[axis]);
            if (found != names.end())
                *found = std::string(1, static_cast<char>('x' + axis));
            else if (kind.scaled)
                source.fail_here("scaled coordinates need all of xs, ys and zs; dump them");
        }
        return kind.scaled;
    }
    return false;
}

void unscale(Table& table, const Box& box) {
    std::array<NamedColumn*, 3> axes{};
    for (NamedColumn& column : table.columns)
        for (std::size_t k = 0; k < 3; ++k)
            if (column.name == std::string(1, static_cast<char>('x' + k))) axes[k] = &column;
    const auto& h = box.cell.vectors;
    for (std::size_t row = 0; row < table.rows; ++row) {
        std::array<double, 3> s{};
        for (std::size_t k = 0; k < 3; ++k) s[k] = axes[k]->values[row];
        for (std::size_t k = 0; k < 3; ++k)
            axes[k]->values[row] =
                box.origin[k] + (s[0] * h[0][k] + s[1] * h[1][k] + s[2] * h[2][k]);
    }
}

Table read_atoms(Source& source, std::span<const std::string_view> words, std::uint64_t atoms,
                 const std::optional<Box>& box, bool kinds) {
    std::vector<std::string> names;
    for (const std::string_view word : words) names.push_back(lower(word));
    if (names.empty()) source.fail_here("the atoms have no columns; dump id type x y z");
    const bool scaled = name_coordinates(source, names);
    if (scaled && !box)
        source.fail_here(
            "scaled coordinates need an 'ITEM: BOX BOUNDS' before; dump the snapshot again");
    Rows rows(source, names, Rows::Text::leave_out, kinds);
    source.expect(atoms, line_bytes, "atoms");
    rows.reserve(atoms);
    std::string_view line;
    std::vector<std::string_view> fields;
    while (rows.count() < atoms) {
        if (!source.line(line)) source.fail_short();
        split(line, fields);
        rows.add(fields);
    }
    Table table = rows.table();
    if (scaled) unscale(table, *box);
    if (box) table.cell = box->cell;
    return table;
}

std::uint64_t read_count(Source& source) {
    std::string_view line;
    std::uint64_t count = 0;
    if (!source.line(line)) source.fail_short();
    if (!parse(trim(line), count))
        source.fail_here("the number of atoms is expected, not " + shown(line));
    return count;
}

// Reads the sections before the atoms, whose heading remains in `heading`.
struct Preamble {
    std::optional<std::uint64_t> atoms;
    std::optional<Box> box;
    std::string heading;
    std::vector<std::string_view> words;  // of the heading

    explicit Preamble(Source& source) {
        std::string_view line;
        bool first = true;
        while (source.line(line)) {
            if (first && !line.starts_with(item))
                source.fail_here("'ITEM: TIMESTEP' is expected; it is not a LAMMPS text dump");
            first = false;
            heading = line;
            split(heading, words);
            if (heading.starts_with("ITEM: NUMBER OF ATOMS")) {
                atoms = read_count(source);
            } else if (heading.starts_with("ITEM: BOX BOUNDS")) {
                box = read_box(source, std::span<const std::string_view>(words).subspan(3));
            } else if (heading.starts_with("ITEM: ATOMS")) {
                if (!atoms)
                    source.fail_here("no 'ITEM: NUMBER OF ATOMS' before; dump it again");
                return;
            }
        }
        source.fail("has no 'ITEM: ATOMS'; the file is truncated or not a dump of atoms");
    }
};

}  // namespace

void skip_lammps(Source& source) {
    const Preamble preamble(source);
    source.expect(*preamble.atoms, line_bytes, "atoms");
    std::string_view line;
    for (std::uint64_t i = 0; i < *preamble.atoms; ++i)
        if (!source.line(line)) source.fail_short();
}

Table read_lammps(Source& source, const ReadOptions& options) {
    const Preamble preamble(source);
    const std::span<const std::string_view> columns(preamble.words);
    return read_atoms(source, columns.subspan(2), *preamble.atoms, preamble.box, options.kinds);
}

}  // namespace vicinal::io
