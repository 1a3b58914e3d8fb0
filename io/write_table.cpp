// Columns as .csv, .npy and .npz.
#include <algorithm>
#include <bit>
#include <charconv>

#include "io/npz.hpp"
#include "io/text.hpp"
#include "io/write.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written in native byte order");

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, printable(file) + ": " + what);
}

template <class T>
void append_shortest(std::string& text, T value) {
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    text.append(digits, result.ptr);
}

void append_name(std::string& text, const std::string& name) {
    if (name.find_first_of(",\"#") == std::string::npos) {
        text += name;
        return;
    }
    text += '"';
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    text += '"';
}

// Writes rows in pieces, so that the text of a large table is never in memory as a whole.
template <class AppendRow>
void write_in_pieces(PendingFile& out, std::size_t rows, AppendRow append_row) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) {
        append_row(text, row);
        if (text.size() >= piece || row + 1 == rows) {
            out.write(text);
            text.clear();
        }
    }
}

using OutputColumns = std::span<const OutputColumn>;

std::size_t size_of(const OutputColumn& column) {
    return std::visit([](const auto& values) { return values.count; }, column.values);
}

std::string type_of(const OutputColumn& column) {
    return std::visit([]<class T>(const Column<T>&) { return npy_type<T>(); }, column.values);
}

std::string npy_start(std::size_t rows, OutputColumns columns) {
    const std::string type = type_of(columns[0]);
    const auto is_same = [&](const OutputColumn& column) { return type_of(column) == type; };
    if (std::ranges::all_of(columns, is_same)) return npy_header(type, rows, columns.size());
    std::string members;
    for (const OutputColumn& column : columns)
        members +=
            (members.empty() ? "('" : ", ('") + column.name + "', '" + type_of(column) + "')";
    return npy_header_of("[" + members + "]", rows, 0);
}

void write_npy(PendingFile& out, std::size_t rows, OutputColumns columns) {
    out.write(npy_start(rows, columns));
    write_in_pieces(out, rows, [&](std::string& text, std::size_t row) {
        for (const OutputColumn& column : columns)
            std::visit(
                [&](const auto& values) {
                    text.append(reinterpret_cast<const char*>(&values[row]),
                                sizeof values[row]);
                },
                column.values);
    });
}

void write_csv(PendingFile& out, std::size_t rows, OutputColumns columns) {
    std::string header;
    for (const OutputColumn& column : columns) {
        if (!header.empty()) header += ',';
        append_name(header, column.name);
    }
    out.write(header + "\n");
    write_in_pieces(out, rows, [&](std::string& text, std::size_t row) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (c > 0) text += ',';
            std::visit([&](const auto& values) { append_shortest(text, values[row]); },
                       columns[c].values);
        }
        text += '\n';
    });
}

void write_npz(PendingFile& out, OutputColumns columns) {
    NpzWriter archive(out);
    for (const OutputColumn& column : columns)
        std::visit([&](const auto& values) { archive.add(column.name, values); },
                   column.values);
    archive.finish();
}

}  // namespace

std::string npy_header_of(std::string_view descr, std::size_t rows, std::size_t cols) {
    std::string dictionary = "{'descr': " + std::string(descr) +
                             ", 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                             ", " + (cols > 0 ? std::to_string(cols) : "") + "), }";
    // numpy aligns the data to 64 bytes, so that they can be mapped.
    constexpr std::size_t start = 10;
    constexpr std::size_t alignment = 64;
    const std::size_t unpadded = start + dictionary.size() + 1;
    dictionary.append((alignment - unpadded % alignment) % alignment, ' ');
    dictionary += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(dictionary.size() & 0xff);
    header += static_cast<char>(dictionary.size() >> 8);
    return header + dictionary;
}

std::string npy_header(std::string_view type, std::size_t rows, std::size_t cols) {
    std::string quoted(1, '\'');
    return npy_header_of((quoted += type) += '\'', rows, cols);
}

void append_number(std::string& text, double value) {
    append_shortest(text, value);
}
void append_number(std::string& text, float value) {
    append_shortest(text, value);
}

std::optional<OutputFormat> output_format(const std::string& file) {
    const std::string name = lower(file);
    if (name.ends_with(".csv")) return OutputFormat::csv;
    if (name.ends_with(".npy")) return OutputFormat::npy;
    if (name.ends_with(".npz")) return OutputFormat::npz;
    return {};
}

Output::Output(std::string name) : file(std::move(name)), format(OutputFormat::csv) {
    const auto known = output_format(file);
    if (!known) fail(file, "the ending must be .csv, .npy or .npz");
    format = *known;
}

void write_table(const Output& output, std::span<const OutputColumn> columns) {
    const std::size_t rows = columns.empty() ? 0 : size_of(columns[0]);
    const auto has_rows = [&](const OutputColumn& c) { return size_of(c) == rows; };
    if (columns.empty() || !std::ranges::all_of(columns, has_rows))
        fail(output.file, "the columns differ in length; give each the same length");
    PendingFile out(output.file);
    if (output.format == OutputFormat::npy)
        write_npy(out, rows, columns);
    else if (output.format == OutputFormat::npz)
        write_npz(out, columns);
    else
        write_csv(out, rows, columns);
    out.commit();
}

}  // namespace vicinal::io
