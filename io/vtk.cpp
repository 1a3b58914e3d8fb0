// VTK's XML files: points (.vtp) and meshes (.vtu), with arrays per point and per cell. The
// points become rows, the cells elements.
// https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
#include <algorithm>
#include <pugixml.hpp>

#include "common/text.hpp"
#include "io/mesh.hpp"
#include "io/names.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"
#include "io/vtk_array.hpp"

namespace vicinal::io {

namespace {

class VtkReader {
  public:
    VtkReader(Source& source, bool cells)
        : source_(source), cells_(cells), text_(source.rest()) {
        load();
        const pugi::xml_node file = document_.child("VTKFile");
        if (!file) source.fail("has no element VTKFile; it is not one of VTK's XML files");
        const std::string type = file.attribute("type").value();
        if (type != "PolyData" && type != "UnstructuredGrid")
            source.fail("holds " + shown(type) +
                        "; points and meshes are read from PolyData (.vtp) and "
                        "UnstructuredGrid (.vtu)");
        data_ = file.child(type.c_str());
        read_encoding(file);
        find_appended(file);
    }

    Table read() {
        Table table;
        if (cells_) {
            table.elements.emplace();
            table.elements->name = "cell";
        }
        if (!data_.child("Piece"))
            source_.fail("has no element Piece; there are no points in it");
        for (const pugi::xml_node piece : data_.children("Piece")) add_piece(piece, table);
        if (cells_) check_corners(source_, table);
        return table;
    }

  private:
    // Raw bytes after AppendedData are not XML: what precedes them is closed instead.
    void load() {
        const std::size_t tag = text_.find("<AppendedData");
        const std::size_t end = tag == text_.npos ? text_.npos : text_.find('>', tag);
        pugi::xml_parse_result result;
        if (end == text_.npos) {
            result = document_.load_buffer(text_.data(), text_.size());
        } else {
            const std::string xml = text_.substr(0, end + 1) + "</AppendedData></VTKFile>";
            result = document_.load_buffer(xml.data(), xml.size());
            const std::size_t begin = text_.find('_', end);
            if (begin != text_.npos) appended_ = std::string_view(text_).substr(begin + 1);
        }
        if (!result)
            source_.fail("byte " + std::to_string(result.offset) + ": " + result.description() +
                         "; the file is truncated or not XML");
    }

    void read_encoding(const pugi::xml_node& file) {
        encoding_.big_endian = file.attribute("byte_order").value() == std::string("BigEndian");
        const bool wide = file.attribute("header_type").value() == std::string("UInt64");
        encoding_.header_bytes = wide ? 8 : 4;
        const std::string compressor = file.attribute("compressor").value();
        encoding_.compressed = !compressor.empty();
        if (encoding_.compressed && compressor != "vtkZLibDataCompressor")
            source_.fail("is compressed by " + shown(compressor) +
                         "; write it with zlib or without compression");
    }

    void find_appended(const pugi::xml_node& file) {
        const std::string encoding = file.child("AppendedData").attribute("encoding").value();
        appended_form_ = encoding == "raw" ? VtkArray::Form::raw : VtkArray::Form::base64;
    }

    std::uint64_t number(const pugi::xml_node& node, const char* name,
                         std::uint64_t otherwise) const {
        const pugi::xml_attribute attribute = node.attribute(name);
        std::uint64_t value = otherwise;
        if (attribute && !parse(trim(attribute.value()), value))
            source_.fail(std::string(node.name()) + " has " + name + "=" +
                         shown(attribute.value()) + ", which is not a whole number");
        return value;
    }

    // False for arrays of text and bits.
    static bool read_type(const std::string& name, Scalar& type) {
        struct Known {
            std::string_view name;
            Scalar type;
        };
        constexpr Known known[] = {{"Float32", {'f', 4}}, {"Float64", {'f', 8}},
                                   {"Int8", {'i', 1}},    {"UInt8", {'u', 1}},
                                   {"Int16", {'i', 2}},   {"UInt16", {'u', 2}},
                                   {"Int32", {'i', 4}},   {"UInt32", {'u', 4}},
                                   {"Int64", {'i', 8}},   {"UInt64", {'u', 8}}};
        const auto found = std::ranges::find(known, name, &Known::name);
        if (found == std::end(known)) return false;
        type = found->type;
        return true;
    }

    VtkArray find_array(const pugi::xml_node& node) const {
        VtkArray array;
        array.name = node.attribute("Name").value();
        if (array.name.empty()) array.name = node.parent().name();
        if (!read_type(node.attribute("type").value(), array.type))
            source_.fail("the array " + shown(array.name) + " is of type " +
                         shown(node.attribute("type").value()) + ", not of numbers");
        const std::string format = node.attribute("format").value();
        if (format == "appended") {
            const std::uint64_t offset = number(node, "offset", 0);
            if (offset > appended_.size())
                source_.fail("the array " + shown(array.name) +
                             " begins beyond the end; the file is truncated, write it again");
            array.form = appended_form_;
            array.data = appended_.substr(offset);
        } else {
            array.form = format == "binary" ? VtkArray::Form::base64 : VtkArray::Form::ascii;
            array.data = node.text().get();
        }
        return array;
    }

    // The values of an array of `rows` rows; none: any number of rows.
    std::vector<double> values(const pugi::xml_node& node, std::optional<std::uint64_t> size,
                               bool& inexact) const {
        const VtkArray array = find_array(node);
        std::vector<double> result = vtk_values(source_, encoding_, array, inexact);
        if (size && result.size() != *size)
            source_.fail("the array " + shown(array.name) + " holds " +
                         common::counted(result.size(), "values") + " where " +
                         std::to_string(*size) +
                         " are expected; the file is truncated or damaged");
        return result;
    }

    // Whole numbers such as offsets.
    std::vector<double> required(const pugi::xml_node& section, const char* name) const {
        const pugi::xml_node node = section.find_child_by_attribute("DataArray", "Name", name);
        if (!node)
            source_.fail(std::string(section.name()) + " has no array " + shown(name) +
                         "; the file is damaged, write it again");
        bool inexact = false;
        std::vector<double> result = values(node, {}, inexact);
        if (inexact) source_.fail("the array " + shown(name) + " holds numbers beyond 2^53");
        return result;
    }

    // Appends an array as columns, which must be the same in each piece.
    void add_array(const pugi::xml_node& node, std::string name, std::uint64_t rows, bool first,
                   std::vector<NamedColumn>& columns) const {
        constexpr std::uint64_t most_components = 4096;
        const std::uint64_t components = number(node, "NumberOfComponents", 1);
        if (components == 0 || components > most_components)
            source_.fail("the array " + shown(name) + " has " + std::to_string(components) +
                         " components; from 1 to " + std::to_string(most_components) +
                         " are possible");
        const auto names = component_names(name, components);
        const bool needed = std::ranges::any_of(names, has_meaning);
        Scalar type;
        if (!needed && !read_type(node.attribute("type").value(), type)) return;
        bool inexact = false;
        const std::vector<double> all = values(node, rows * components, inexact);
        if (inexact && needed)
            source_.fail("the array " + shown(name) +
                         " holds an integer beyond 2^53, which is not exact in a double");
        if (inexact) return;
        for (std::size_t k = 0; k < components; ++k) {
            auto column = std::ranges::find(columns, names[k], &NamedColumn::name);
            if (first && column != columns.end()) {
                if (has_meaning(names[k]))
                    source_.fail("two arrays give the column " + shown(names[k]) +
                                 "; rename one");
                continue;
            }
            if (first) column = columns.insert(columns.end(), {names[k], {}});
            if (column == columns.end()) continue;  // not in every piece
            for (std::size_t row = 0; row < rows; ++row)
                column->values.push_back(all[row * components + k]);
        }
    }

    // Columns that some piece lacks are left out.
    static void drop_incomplete(std::size_t rows, std::vector<NamedColumn>& columns) {
        std::erase_if(columns,
                      [rows](const NamedColumn& c) { return c.values.size() != rows; });
    }

    // The columns are those of the first piece that is not empty.
    void add_piece(const pugi::xml_node& piece, Table& table) {
        const bool first = table.rows == 0;
        if (first) table.columns.clear();
        const std::uint64_t rows = number(piece, "NumberOfPoints", 0);
        constexpr std::uint64_t most_points = 4294967295;
        if (rows > most_points)
            source_.fail("declares " + std::to_string(rows) + " points; at most " +
                         std::to_string(most_points) + " are possible");
        const pugi::xml_node points = piece.child("Points").child("DataArray");
        if (!points && rows > 0) source_.fail("a Piece has no Points; write it again");
        if (points) {
            if (number(points, "NumberOfComponents", 1) != 3)
                source_.fail("the points have not three components; write them with three");
            add_array(points, "points", rows, first, table.columns);
        }
        for (const pugi::xml_node array : piece.child("PointData").children("DataArray"))
            add_array(array, array.attribute("Name").value(), rows, first, table.columns);
        const std::size_t before = table.rows;
        table.rows += rows;
        drop_incomplete(table.rows, table.columns);
        if (cells_) add_cells(piece, before, *table.elements);
    }

    void add_cells(const pugi::xml_node& piece, std::size_t before, Elements& elements) {
        const std::size_t known = elements.count();
        const bool first = known == 0;
        if (first) elements.columns.clear();
        for (const char* const name : {"Verts", "Lines", "Polys", "Strips", "Cells"})
            if (const pugi::xml_node section = piece.child(name))
                if (section.child("DataArray")) add_section(section, before, elements);
        const std::size_t added = elements.count() - known;
        for (const pugi::xml_node array : piece.child("CellData").children("DataArray"))
            add_array(array, array.attribute("Name").value(), added, first, elements.columns);
        drop_incomplete(elements.count(), elements.columns);
    }

    // The offsets are the ends of the cells in the list of their corners.
    void add_section(const pugi::xml_node& section, std::size_t before, Elements& elements) {
        const std::vector<double> corners = required(section, "connectivity");
        const std::vector<double> offsets = required(section, "offsets");
        double at = 0;
        for (const double end : offsets) {
            if (!(end >= at && end <= static_cast<double>(corners.size())))
                source_.fail("the offsets of " + std::string(section.name()) +
                             " do not fit its corners; the file is damaged, write it again");
            for (; at < end; ++at)
                add_corner(source_, elements,
                           corners[static_cast<std::size_t>(at)] + static_cast<double>(before));
            end_element(source_, elements);
        }
    }

    Source& source_;
    bool cells_;
    std::string text_;
    pugi::xml_document document_;
    pugi::xml_node data_;
    VtkEncoding encoding_;
    std::string_view appended_;
    VtkArray::Form appended_form_ = VtkArray::Form::raw;
};

}  // namespace

Table read_vtk(Source& source, const ReadOptions& options) {
    return VtkReader(source, options.elements).read();
}

}  // namespace vicinal::io
