// numpy's .npy: a magic number, a version, a Python dictionary as text, then the raw array.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "io/binary.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

// Far above any table of bodies; an array with more columns was probably saved transposed.
constexpr std::uint64_t most_columns = 4096;

struct Header {
    std::optional<std::string> type;
    std::optional<bool> fortran;
    std::optional<std::vector<std::uint64_t>> shape;
};

// The Python literals that occur in the dictionary of a plain array.
class HeaderParser {
  public:
    HeaderParser(const Source& source, std::string_view text) : source_(source), text_(text) {}

    Header parse() {
        Header header;
        expect('{');
        while (!accept('}')) {
            const std::string key = string();
            expect(':');
            if (key == "descr")
                header.type = type();
            else if (key == "fortran_order")
                header.fortran = boolean();
            else if (key == "shape")
                header.shape = shape();
            else
                fail("the key " + shown(key) + " is unknown");
            if (!accept(',') && peek() != '}') fail("a comma or '}' is missing");
        }
        return header;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        source_.fail("bad .npy header: " + what + "; save the array again with numpy.save");
    }

    char peek() {
        text_ = trim(text_);
        return text_.empty() ? '\0' : text_.front();
    }

    bool accept(char c) {
        if (peek() != c || text_.empty()) return false;
        text_.remove_prefix(1);
        return true;
    }

    void expect(char c) {
        if (!accept(c)) fail(std::string("'") + c + "' is missing");
    }

    std::string string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail("a quoted text is missing");
        const std::size_t end = text_.find(quote, 1);
        if (end == std::string_view::npos) fail("a quote is not closed");
        std::string value(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return value;
    }

    std::string type() {
        if (peek() == '[')
            source_.fail(
                "holds a structured array; save plain numbers, one column each "
                "(numpy.lib.recfunctions.structured_to_unstructured)");
        return string();
    }

    bool boolean() {
        peek();
        const bool value = text_.starts_with("True");
        if (!value && !text_.starts_with("False")) fail("fortran_order is not True or False");
        text_.remove_prefix(value ? 4 : 5);
        return value;
    }

    std::vector<std::uint64_t> shape() {
        std::vector<std::uint64_t> sizes;
        expect('(');
        while (!accept(')')) {
            std::uint64_t size = 0;
            peek();
            const auto [end, error] =
                std::from_chars(text_.data(), text_.data() + text_.size(), size);
            if (error != std::errc()) fail("the shape is not a tuple of sizes");
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            accept('L');  // Python 2 wrote 3L
            sizes.push_back(size);
            if (!accept(',') && peek() != ')') fail("the shape is not a tuple of sizes");
        }
        return sizes;
    }

    const Source& source_;
    std::string_view text_;
};

std::uint64_t little_endian(const unsigned char* bytes, int count) {
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

Header read_header(Source& source) {
    constexpr std::string_view magic = "\x93NUMPY";
    char start[8];
    if (source.left() < sizeof start) source.fail_short();
    source.read(start, sizeof start);
    if (!std::string_view(start, sizeof start).starts_with(magic))
        source.fail("has the wrong magic for a .npy file; save it with numpy.save");
    const int version = start[6];
    if (version < 1 || version > 3 || start[7] != 0)
        source.fail(".npy version " + std::to_string(version) + "." +
                    std::to_string(int{start[7]}) + " is unknown; save it as version 1.0");
    unsigned char bytes[4];
    const int length_bytes = version == 1 ? 2 : 4;
    source.read(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(length_bytes));
    const std::uint64_t length = little_endian(bytes, length_bytes);
    source.expect(length, 1, "bytes of header");
    std::string text(length, '\0');
    source.read(text.data(), text.size());
    std::replace(text.begin(), text.end(), '\n', ' ');
    return HeaderParser(source, text).parse();
}

Scalar read_type(const Source& source, const std::string& text) {
    constexpr std::string_view known[] = {"f4", "f8", "i1", "i2", "i4",
                                          "i8", "u1", "u2", "u4", "u8"};
    const std::string_view name = std::string_view(text).substr(text.empty() ? 0 : 1);
    const bool has_order = !text.empty() && std::string_view("<>|=").find(text[0]) < 4;
    if (!has_order || std::find(std::begin(known), std::end(known), name) == std::end(known))
        source.fail("holds elements of type " + shown(text) +
                    "; convert them to float64 with array.astype(float)");
    const bool native_big = std::endian::native == std::endian::big;
    return {.kind = name[0],
            .bytes = static_cast<std::size_t>(name[1] - '0'),
            .big_endian = text[0] == '>' || (text[0] == '=' && native_big)};
}

// Rows and columns, checked against the size of the file.
std::array<std::size_t, 2> read_shape(const Source& source,
                                      const std::vector<std::uint64_t>& shape,
                                      std::size_t item) {
    if (shape.empty() || shape.size() > 2)
        source.fail("holds a " + std::to_string(shape.size()) +
                    "-dimensional array; save one row per body, array.reshape(-1, 3)");
    const std::uint64_t columns = shape.size() == 2 ? shape[1] : 1;
    if (columns == 0) source.fail("holds an array without columns; save one row per body");
    if (columns > most_columns)
        source.fail("holds " + std::to_string(columns) + " columns (the maximum is " +
                    std::to_string(most_columns) +
                    "); save one row per body, perhaps the transposed array");
    source.expect(shape[0], columns * item, "rows");
    return {shape[0], columns};
}

}  // namespace

Table read_npy(Source& source) {
    const Header header = read_header(source);
    if (!header.type || !header.fortran || !header.shape)
        source.fail(
            "bad .npy header: descr, fortran_order or shape is missing; save the "
            "array again with numpy.save");
    const Scalar type = read_type(source, *header.type);
    const auto [rows, columns] = read_shape(source, *header.shape, type.bytes);
    Table table;
    table.rows = rows;
    table.columns.resize(columns);
    for (NamedColumn& column : table.columns) column.values.resize(rows);
    if (!*header.fortran) {
        read_records(source, rows, std::vector(columns, type), table.columns);
    } else {
        for (NamedColumn& column : table.columns)
            read_records(source, rows, {&type, 1}, {&column, 1});
    }
    return table;
}

}  // namespace vicinal::io
