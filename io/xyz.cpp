// XYZ and extended XYZ: the number of atoms, a comment line, one atom per line. The
// comment of the extended form declares the cell and the columns. Frames follow one another.
// https://github.com/libAtoms/extxyz
#include <algorithm>

#include "common/text.hpp"
#include "io/names.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

// Bounds the allocation that a short Properties entry can cause.
constexpr std::uint64_t most_fields = 4096;

// The fields of an atom's line that are read, and their names.
struct Layout {
    std::vector<std::string> names;
    std::vector<std::size_t> kept;
    std::size_t fields = 0;
    bool allows_more = false;
};

// The length of the value at the front: up to its closing quote or bracket, or the next blank.
std::size_t value_size(std::string_view text) {
    constexpr std::string_view openers = "\"'[{";
    constexpr std::string_view closers = "\"']}";
    const std::size_t kind = text.empty() ? text.npos : openers.find(text[0]);
    if (kind == text.npos) return std::min(text.find_first_of(" \t"), text.size());
    int depth = 1;
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == closers[kind])
            --depth;
        else if (text[at] == openers[kind])
            ++depth;
        if (depth == 0) return at + 1;
    }
    return text.size();
}

// The value of `key` (lower case) in a comment of key=value entries, quotes and brackets
// included. Text without '=' is skipped, because plain XYZ allows any comment.
std::optional<std::string_view> find_value(std::string_view comment, std::string_view key) {
    while (true) {
        const std::size_t equals = comment.find('=');
        if (equals == std::string_view::npos) return {};
        const std::string_view before = trim(comment.substr(0, equals));
        const std::string_view name = before.substr(before.find_last_of(" \t") + 1);
        comment = trim(comment.substr(equals + 1));
        const std::size_t size = value_size(comment);
        if (lower(name) == key) return comment.substr(0, size);
        comment.remove_prefix(size);
    }
}

// The words of a value with any quotes, brackets and separators.
std::vector<std::string> value_words(std::string_view value) {
    std::string text(value);
    for (char& c : text)
        if (std::string_view("\"'[]{},:").find(c) != std::string_view::npos) c = ' ';
    std::vector<std::string_view> words;
    split(text, words);
    return {words.begin(), words.end()};
}

Cell read_lattice(const Source& source, std::string_view value) {
    Cell cell;
    cell.periodic = {true, true, true};
    const std::vector<std::string> words = value_words(value);
    bool good = words.size() == 9;
    for (std::size_t i = 0; good && i < 9; ++i)
        good = parse(words[i], cell.vectors[i / 3][i % 3]);
    if (!good)
        source.fail_here("Lattice needs nine numbers: Lattice=\"ax ay az bx by bz cx cy cz\"");
    return cell;
}

std::optional<Cell> read_cell(const Source& source, std::string_view comment) {
    std::optional<Cell> cell;
    if (const auto value = find_value(comment, "lattice")) cell = read_lattice(source, *value);
    const auto pbc = find_value(comment, "pbc");
    if (!pbc) return cell;
    const std::vector<std::string> words = value_words(*pbc);
    if (words.size() != 3) source.fail_here("pbc needs three letters: pbc=\"T T F\"");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string word = lower(words[axis]);
        const bool periodic = word == "t" || word == "true" || word == "1";
        if (!periodic && word != "f" && word != "false" && word != "0")
            source.fail_here("pbc holds " + shown(word) + "; use T or F: pbc=\"T T F\"");
        if (periodic && !cell) source.fail_here("pbc without a cell; add Lattice=\"...\"");
        if (cell) cell->periodic[axis] = periodic;
    }
    return cell;
}

void add_property(const Source& source, std::string_view name, std::string_view type,
                  std::uint64_t count, bool kinds, Layout& layout) {
    constexpr const char* axes[] = {"x", "y", "z"};
    const bool is_position = name == "pos" && type == "R";
    if (is_position && count != 3) source.fail_here("pos must have three columns: pos:R:3");
    if (count == 0 || count > most_fields - layout.fields)
        source.fail_here("Properties declares " + std::to_string(count) + " columns of " +
                         shown(name) + "; from 1 to " + std::to_string(most_fields) +
                         " in all are possible");
    for (std::uint64_t i = 0; i < count; ++i, ++layout.fields) {
        const std::string base = lower(name);
        const bool is_read = kinds && type == "S" && count == 1 && is_kind(base);
        if ((type == "S" || type == "L") && !is_read) continue;
        // Z, the atomic number, would otherwise hide the coordinate z.
        const bool is_axis = std::find(axes, axes + 3, base) != axes + 3;
        const bool numbered = count > 1 || is_axis;
        layout.names.push_back(is_position ? axes[i]
                               : numbered  ? base + "_" + std::to_string(i + 1)
                                           : base);
        layout.kept.push_back(layout.fields);
    }
}

Layout read_layout(const Source& source, std::string_view comment, bool kinds) {
    const auto properties = find_value(comment, "properties");
    if (!properties && kinds)
        return {.names = {"species", "x", "y", "z"},
                .kept = {0, 1, 2, 3},
                .fields = 4,
                .allows_more = true};
    if (!properties)
        return {.names = {"x", "y", "z"}, .kept = {1, 2, 3}, .fields = 4, .allows_more = true};
    Layout layout;
    const std::vector<std::string> words = value_words(*properties);
    for (std::size_t i = 0; i < words.size(); i += 3) {
        std::uint64_t count = 0;
        if (i + 3 > words.size() || words[i + 1].size() != 1 ||
            std::string_view("SRIL").find(words[i + 1][0]) > 3 || !parse(words[i + 2], count))
            source.fail_here(
                "Properties must be triples of name, type (S, R, I or L) and "
                "count: Properties=species:S:1:pos:R:3");
        add_property(source, words[i], words[i + 1], count, kinds, layout);
    }
    if (std::find(layout.names.begin(), layout.names.end(), "x") == layout.names.end())
        source.fail_here("Properties has no positions; add pos:R:3");
    return layout;
}

std::uint64_t read_count(Source& source) {
    std::string_view line;
    std::uint64_t atoms = 0;
    if (!source.line(line)) source.fail_short();
    if (!parse(trim(line), atoms))
        source.fail_here("a frame must begin with the number of atoms, not " + shown(line));
    return atoms;
}

}  // namespace

void skip_xyz(Source& source) {
    const std::uint64_t lines = read_count(source);
    source.expect(lines, line_bytes, "atoms");
    std::string_view line;
    if (!source.line(line)) source.fail_short();  // the comment
    for (std::uint64_t i = 0; i < lines; ++i)
        if (!source.line(line)) source.fail_short();
}

Table read_xyz(Source& source, const ReadOptions& options) {
    const std::uint64_t atoms = read_count(source);
    std::string_view line;
    if (!source.line(line)) source.fail_short();
    const std::optional<Cell> cell = read_cell(source, line);
    const Layout layout = read_layout(source, line, options.kinds);
    Rows rows(source, layout.names, Rows::Text::refuse, options.kinds);
    source.expect(atoms, line_bytes, "atoms");
    rows.reserve(atoms);
    std::vector<std::string_view> fields;
    std::vector<std::string_view> picked(layout.kept.size());
    while (rows.count() < atoms) {
        if (!source.line(line)) source.fail_short();
        split(line, fields);
        if (fields.size() < layout.fields ||
            (fields.size() > layout.fields && !layout.allows_more))
            source.fail_here("has " + common::counted(fields.size(), "fields") + ", not " +
                             std::to_string(layout.fields) +
                             "; each atom needs its species and all declared columns");
        for (std::size_t i = 0; i < picked.size(); ++i) picked[i] = fields[layout.kept[i]];
        rows.add(picked);
    }
    Table table = rows.table();
    table.cell = cell;
    return table;
}

}  // namespace vicinal::io
