#include "io/vtp.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "io/write.hpp"

namespace vicinal::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written in native byte order");

// Collects the appended data; the XML before them holds the offset of each array.
class Layout {
  public:
    std::string array(const std::string& type, const std::string& name, int components,
                      std::uint64_t bytes) {
        const std::string text = "<DataArray type=\"" + type + "\" Name=\"" + name +
                                 "\" NumberOfComponents=\"" + std::to_string(components) +
                                 "\" format=\"appended\" offset=\"" + std::to_string(offset_) +
                                 "\"/>\n";
        offset_ += sizeof(std::uint64_t) + bytes;  // each array begins with its size
        return text;
    }

  private:
    std::uint64_t offset_ = 0;
};

// Writes the size in bytes and then `count` values of type T; `value(k)` is the k-th.
template <class T, class F>
void write_values(PendingFile& out, std::size_t count, const F& value) {
    const std::uint64_t bytes = count * sizeof(T);
    out.write(&bytes, sizeof bytes);
    constexpr std::size_t chunk = 8192;
    std::vector<T> buffer;
    for (std::size_t begin = 0; begin < count; begin += chunk) {
        buffer.clear();
        for (std::size_t k = begin; k < std::min(begin + chunk, count); ++k)
            buffer.push_back(value(k));
        out.write(buffer.data(), buffer.size() * sizeof(T));
    }
}

void write_floats(PendingFile& out, std::span<const double> values) {
    write_values<float>(out, values.size(),
                        [&](std::size_t k) { return static_cast<float>(values[k]); });
}

}  // namespace

void write_vtp(const std::filesystem::path& file, std::span<const double> positions,
               std::span<const PointArray> arrays) {
    const std::size_t n = positions.size() / 3;
    const std::size_t cells = n > 0 ? 1 : 0;  // one cell of all points, so that they are drawn
    Layout layout;
    std::string xml =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"" +
        std::to_string(n) + "\" NumberOfVerts=\"" + std::to_string(cells) +
        "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n";
    for (const PointArray& array : arrays)
        xml += layout.array("Float32", array.name, array.components,
                            array.values.size() * sizeof(float));
    // Separate statements, because offsets follow the order of the calls.
    xml += "</PointData>\n<Points>\n";
    xml += layout.array("Float32", "Points", 3, positions.size() * sizeof(float));
    xml += "</Points>\n<Verts>\n";
    xml += layout.array("Int64", "connectivity", 1, n * sizeof(std::int64_t));
    xml += layout.array("Int64", "offsets", 1, cells * sizeof(std::int64_t));
    xml += "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
    PendingFile out(file);
    out.write(xml);
    for (const PointArray& array : arrays) write_floats(out, array.values);
    write_floats(out, positions);
    write_values<std::int64_t>(out, n,
                               [](std::size_t k) { return static_cast<std::int64_t>(k); });
    write_values<std::int64_t>(out, cells,
                               [n](std::size_t) { return static_cast<std::int64_t>(n); });
    out.write("\n</AppendedData>\n</VTKFile>\n");
    out.commit();
}

void write_pvd(const std::filesystem::path& file, std::span<const Frame> frames) {
    std::string xml =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n";
    for (const Frame& frame : frames) {
        xml += "<DataSet timestep=\"";
        append_number(xml, frame.time);
        xml += "\" file=\"" + frame.file + "\"/>\n";
    }
    PendingFile out(file);
    out.write(xml + "</Collection>\n</VTKFile>\n");
    out.commit();
}

}  // namespace vicinal::io
