// numpy's .npy: a magic number, a version, a Python dictionary as text, then the raw array.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "io/binary.hpp"
#include "io/names.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

// Far above any table of bodies; an array with more columns was probably saved transposed.
constexpr std::uint64_t most_columns = 4096;

// A member of a structured array; a plain array has one without a name.
struct Member {
    std::string name;
    std::string type;
    std::uint64_t components = 1;
};

struct Header {
    std::optional<std::vector<Member>> members;
    bool structured = false;
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
                header.members = members(header.structured);
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

    // A type, or a list of (name, type) and (name, type, shape); a name may be a pair of title
    // and name.
    std::vector<Member> members(bool& structured) {
        structured = accept('[');
        if (!structured) return {{"", string(), 1}};
        std::vector<Member> result;
        while (!accept(']')) {
            Member& member = result.emplace_back();
            expect('(');
            const bool titled = accept('(');
            member.name = string();
            if (titled) expect(','), member.name = string(), expect(')');
            expect(',');
            if (peek() == '[')
                source_.fail("the member " + shown(member.name) +
                             " is itself a structure; save plain numbers in it");
            member.type = string();
            if (accept(',') && peek() != ')')
                for (const std::uint64_t size : shape()) {
                    if (size > most_columns) fail("a member has too many components");
                    member.components = std::min(member.components * size, most_columns + 1);
                }
            expect(')');
            if (!accept(',') && peek() != ']') fail("a comma or ']' is missing");
        }
        return result;
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
    std::string text = source.read_text(length);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return HeaderParser(source, text).parse();
}

// Text, truth values and padding in a structured array are passed over, as columns of text are
// in other formats. Returns the number of their bytes, 0 for other types.
std::size_t bytes_without_numbers(std::string_view type) {
    if (type.size() < 3 || std::string_view("SUVb").find(type[1]) == std::string_view::npos)
        return 0;
    std::uint64_t size = 0;
    constexpr std::uint64_t longest = 4096;
    if (!parse(type.substr(2), size) || size > longest) return 0;
    return type[1] == 'U' ? 4 * size : size;
}

Scalar read_type(const Source& source, const Member& member, bool structured) {
    constexpr std::string_view known[] = {"f4", "f8", "i1", "i2", "i4",
                                          "i8", "u1", "u2", "u4", "u8"};
    const std::string& text = member.type;
    const std::string_view name = std::string_view(text).substr(text.empty() ? 0 : 1);
    const bool has_order = !text.empty() && std::string_view("<>|=").find(text[0]) < 4;
    if (structured && has_order && bytes_without_numbers(text) > 0)
        return {.kind = 'V', .bytes = bytes_without_numbers(text)};
    if (!has_order || std::find(std::begin(known), std::end(known), name) == std::end(known))
        source.fail("holds elements of type " + shown(text) +
                    "; convert them to float64 with array.astype(float)");
    const bool native_big = std::endian::native == std::endian::big;
    return {.kind = name[0],
            .bytes = static_cast<std::size_t>(name[1] - '0'),
            .big_endian = text[0] == '>' || (text[0] == '=' && native_big)};
}

// The columns of the table, not filled yet, and the records that hold them.
struct Layout {
    Table table;
    std::vector<Scalar> types;              // of the record's values
    std::vector<std::ptrdiff_t> column_of;  // of each value; -1: passed over
    std::size_t record = 0;                 // bytes
};

Layout read_layout(const Source& source, const Header& header, std::uint64_t columns) {
    Layout layout;
    for (const Member& member : *header.members) {
        const Scalar type = read_type(source, member, header.structured);
        const std::uint64_t components = header.structured ? member.components : columns;
        if (layout.types.size() + components > most_columns)
            source.fail("holds more than " + std::to_string(most_columns) +
                        " columns; save one row per body, perhaps the transposed array");
        const auto names = component_names(member.name, components);
        for (std::size_t k = 0; k < components; ++k) {
            layout.types.push_back(type);
            layout.record += type.bytes;
            layout.column_of.push_back(
                type.kind == 'V' ? -1
                                 : static_cast<std::ptrdiff_t>(layout.table.columns.size()));
            if (type.kind == 'V') continue;
            layout.table.columns.push_back({header.structured ? names[k] : "", {}});
        }
    }
    if (layout.table.columns.empty())
        source.fail("holds an array without columns; save one row per body");
    return layout;
}

void check_names(const Source& source, const Table& table) {
    for (const NamedColumn& column : table.columns)
        if (table.find(column.name) != &column && !column.name.empty())
            source.fail("two columns are named " + shown(column.name) + "; rename one");
}

// The number of columns that the shape gives: 1 for a structured array.
std::uint64_t read_columns(const Source& source, const Header& header) {
    const std::vector<std::uint64_t>& shape = *header.shape;
    if (shape.empty() || shape.size() > (header.structured ? 1 : 2))
        source.fail("holds a " + std::to_string(shape.size()) + "-dimensional " +
                    (header.structured ? "structured array; save one element per body"
                                       : "array; save one row per body, array.reshape(-1, 3)"));
    const std::uint64_t columns = shape.size() == 2 ? shape[1] : 1;
    if (columns == 0) source.fail("holds an array without columns; save one row per body");
    return columns;
}

}  // namespace

Table read_npy(Source& source, const ReadOptions& options) {
    const Header header = read_header(source);
    if (!header.members || !header.fortran || !header.shape)
        source.fail(
            "bad .npy header: descr, fortran_order or shape is missing; save the "
            "array again with numpy.save");
    Layout layout = read_layout(source, header, read_columns(source, header));
    check_names(source, layout.table);
    const std::size_t rows = (*header.shape)[0];
    source.expect(rows, layout.record, "rows");
    std::vector<Field> fields;
    for (std::size_t k = 0; k < layout.types.size(); ++k) {
        const std::ptrdiff_t column = layout.column_of[k];
        fields.push_back(
            {layout.types[k],
             column < 0 ? nullptr : &layout.table.columns[static_cast<std::size_t>(column)]});
    }
    if (*header.fortran && !header.structured)
        for (const Field& field : fields) read_records(source, rows, {&field, 1});
    else
        read_records(source, rows, fields);
    layout.table.rows = rows;
    name_columns(source, options.fields, layout.table);
    return std::move(layout.table);
}

}  // namespace vicinal::io
