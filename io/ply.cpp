// PLY, the Stanford polygon format: a text header that declares elements and their
// properties, then the data as text or binary. The vertices become rows, the faces elements.
#include <algorithm>
#include <array>

#include "io/binary.hpp"
#include "io/mesh.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

struct Property {
    std::string name;
    Scalar type;
    bool is_list = false;
    Scalar count_type;  // of a list's length
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

struct Header {
    bool is_ascii = false;
    bool big_endian = false;
    std::vector<Element> elements;
};

Scalar read_type(const Source& source, std::string_view name, bool big_endian) {
    struct Known {
        std::string_view name, alias;
        char kind;
        std::size_t bytes;
    };
    constexpr Known known[] = {{"char", "int8", 'i', 1},     {"uchar", "uint8", 'u', 1},
                               {"short", "int16", 'i', 2},   {"ushort", "uint16", 'u', 2},
                               {"int", "int32", 'i', 4},     {"uint", "uint32", 'u', 4},
                               {"float", "float32", 'f', 4}, {"double", "float64", 'f', 8}};
    for (const Known& type : known)
        if (name == type.name || name == type.alias) return {type.kind, type.bytes, big_endian};
    source.fail_here("the type " + shown(name) +
                     " is unknown; use char, short, int (or unsigned), float or double");
}

void read_format(const Source& source, std::span<const std::string_view> words,
                 Header& header) {
    const std::string_view format = words.size() == 3 ? words[1] : "";
    header.is_ascii = format == "ascii";
    header.big_endian = format == "binary_big_endian";
    if (!header.is_ascii && !header.big_endian && format != "binary_little_endian")
        source.fail_here(
            "the format is not ascii, binary_little_endian or "
            "binary_big_endian; export the file again");
}

void read_element(const Source& source, std::span<const std::string_view> words,
                  Header& header) {
    Element element;
    if (words.size() != 3 || !parse(words[2], element.count))
        source.fail_here("expected 'element <name> <count>'; export the file again");
    element.name = words[1];
    header.elements.push_back(std::move(element));
}

void read_property(const Source& source, std::span<const std::string_view> words,
                   Header& header) {
    const bool is_list = words.size() > 1 && words[1] == "list";
    if (header.elements.empty() || words.size() != (is_list ? 5 : 3))
        source.fail_here(
            "expected 'property <type> <name>' after an element; export the "
            "file again");
    Property property{.name = lower(words.back()),
                      .type = read_type(source, words[words.size() - 2], header.big_endian),
                      .is_list = is_list,
                      .count_type = {}};
    if (is_list) property.count_type = read_type(source, words[2], header.big_endian);
    if (is_list && property.count_type.kind == 'f')
        source.fail_here(
            "the length of a list is not of an integer type; export the file again");
    header.elements.back().properties.push_back(std::move(property));
}

Header read_header(Source& source) {
    Header header;
    std::string_view line;
    if (!source.line(line) || trim(line) != "ply")
        source.fail("does not begin with the line 'ply'; it is not a PLY file");
    bool has_format = false;
    std::vector<std::string_view> words;
    while (source.line(line)) {
        split(line, words);
        if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
        if (words[0] == "end_header") {
            if (!has_format) source.fail_here("no 'format' line before; export it again");
            return header;
        }
        if (words[0] == "format") {
            read_format(source, words, header);
            has_format = true;
        } else if (words[0] == "element" && has_format) {
            read_element(source, words, header);
        } else if (words[0] == "property") {
            read_property(source, words, header);
        } else {
            source.fail_here(shown(words[0]) +
                             " is not expected here; the header must be "
                             "format, elements and their properties");
        }
    }
    source.fail("the header has no 'end_header'; the file is truncated");
}

void skip_lists(Source& source, const Element& element) {
    for (std::uint64_t row = 0; row < element.count; ++row)
        for (const Property& property : element.properties) {
            double length = 1;
            if (property.is_list) {
                std::array<char, 8> bytes{};
                source.read(bytes.data(), property.count_type.bytes);
                decode(bytes.data(), 0, 1, property.count_type, &length);
            }
            if (length < 0)
                source.fail("element " + shown(element.name) + ", row " + std::to_string(row) +
                            ": a list of negative length; the data "
                            "do not fit the header");
            source.skip(static_cast<std::uint64_t>(length) * property.type.bytes);
        }
}

void skip_element(Source& source, const Header& header, const Element& element) {
    const auto is_list = [](const Property& property) { return property.is_list; };
    if (header.is_ascii) {
        std::string_view line;
        for (std::uint64_t row = 0; row < element.count; ++row)
            if (!source.line(line)) source.fail_short();
    } else if (std::any_of(element.properties.begin(), element.properties.end(), is_list)) {
        skip_lists(source, element);
    } else if (!element.properties.empty()) {
        std::uint64_t record = 0;
        for (const Property& property : element.properties) record += property.type.bytes;
        source.expect(element.count, record, "elements " + shown(element.name));
        source.skip(element.count * record);
    }
}

Table read_ascii(Source& source, std::uint64_t count, Rows rows) {
    rows.reserve(count);
    std::string_view line;
    std::vector<std::string_view> fields;
    while (rows.count() < count) {
        if (!source.line(line)) source.fail_short();
        split(line, fields);
        rows.add(fields);
    }
    return rows.table();
}

Table read_vertices(Source& source, const Header& header, const Element& vertex) {
    std::vector<std::string> names;
    std::uint64_t record = 0;
    for (const Property& property : vertex.properties) {
        if (property.is_list)
            source.fail("the vertices have a list property, " + shown(property.name) +
                        "; export them with plain numbers only");
        names.push_back(property.name);
        record += property.type.bytes;
    }
    if (names.empty()) source.fail("the vertices have no properties; x, y and z are needed");
    source.expect(vertex.count, header.is_ascii ? line_bytes : record, "vertices");
    Rows rows(source, names, Rows::Text::refuse);
    if (header.is_ascii) return read_ascii(source, vertex.count, std::move(rows));
    Table table = rows.table();
    table.rows = vertex.count;
    std::vector<Field> fields;
    for (std::size_t k = 0; k < names.size(); ++k)
        fields.push_back({vertex.properties[k].type, &table.columns[k]});
    read_records(source, table.rows, fields);
    return table;
}

// The faces, value by value: `next(type)` gives the next number of the file.
class FaceReader {
  public:
    FaceReader(Source& source, const Element& face) : source_(source), face_(face) {
        for (const Property& property : face.properties) {
            has_corners_ = has_corners_ || holds_corners(property);
            if (!property.is_list) elements_.columns.push_back({property.name, {}});
        }
        if (!has_corners_)
            source.fail("the faces have no list 'vertex_indices'; export them again");
    }

    template <class Next>
    void add(const Next& next) {
        auto column = elements_.columns.begin();
        for (const Property& property : face_.properties) {
            if (!property.is_list) {
                (column++)->values.push_back(next(property.type));
                continue;
            }
            const double length = next(property.count_type);
            if (length < 0)
                source_.fail("face " + std::to_string(elements_.count()) +
                             " has a list of negative length; the data do not fit the header");
            for (double k = 0; k < length; ++k) {
                const double value = next(property.type);
                if (holds_corners(property)) add_corner(source_, elements_, value);
            }
        }
        end_element(source_, elements_);
    }

    Elements& elements() { return elements_; }

  private:
    static bool holds_corners(const Property& property) {
        return property.is_list &&
               (property.name == "vertex_indices" || property.name == "vertex_index");
    }

    Source& source_;
    const Element& face_;
    Elements elements_;
    bool has_corners_ = false;
};

void read_ascii_faces(Source& source, FaceReader& faces, std::uint64_t count) {
    std::string_view line;
    std::vector<std::string_view> words;
    for (std::uint64_t row = 0; row < count; ++row) {
        if (!source.line(line)) source.fail_short();
        split(line, words);
        std::size_t at = 0;
        faces.add([&](const Scalar&) {
            double value = 0;
            if (at == words.size())
                source.fail_here("the face has too few numbers; export the mesh again");
            if (!parse(words[at], value))
                source.fail_here("the face holds " + shown(words[at]) +
                                 ", which is not a number; correct it");
            ++at;
            return value;
        });
        faces.elements().lines.add(source.line_number());
    }
}

Elements read_faces(Source& source, const Header& header, const Element& face) {
    source.expect(face.count, header.is_ascii ? line_bytes : 1, "faces");
    FaceReader faces(source, face);
    if (header.is_ascii) {
        read_ascii_faces(source, faces, face.count);
    } else {
        for (std::uint64_t row = 0; row < face.count; ++row)
            faces.add([&](const Scalar& type) {
                std::array<char, 8> bytes{};
                source.read(bytes.data(), type.bytes);
                double value = 0;
                decode(bytes.data(), 0, 1, type, &value);
                return value;
            });
    }
    return std::move(faces.elements());
}

}  // namespace

Table read_ply(Source& source, const ReadOptions& options) {
    const Header header = read_header(source);
    std::optional<Table> table;
    std::optional<Elements> faces;
    for (const Element& element : header.elements) {
        if (table && (faces || !options.elements)) break;
        if (element.name == "vertex" && !table)
            table = read_vertices(source, header, element);
        else if (element.name == "face" && options.elements && !faces)
            faces = read_faces(source, header, element);
        else
            skip_element(source, header, element);
    }
    if (!table) source.fail("declares no element 'vertex'; export the points as vertices");
    if (options.elements) {
        table->elements = faces ? std::move(*faces) : Elements{};
        check_corners(source, *table);
    }
    return std::move(*table);
}

}  // namespace vicinal::io
