// STL: triangles without a list of vertices, as text ("solid", "vertex x y z") or binary (80
// bytes of any text, a count, 50 bytes each). Vertices with identical coordinates become one.
#include <array>
#include <bit>
#include <optional>
#include <unordered_map>

#include "common/text.hpp"
#include "io/binary.hpp"
#include "io/mesh.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

using Point = std::array<double, 3>;

struct Hash {
    std::size_t operator()(const Point& p) const {
        std::uint64_t hash = 0;
        for (const double x : p)
            hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15ull,
            hash ^= hash >> 29;
        return hash;
    }
};

class Triangles {
  public:
    explicit Triangles(Source& source) : source_(source) {
        for (const char* const axis : {"x", "y", "z"}) table_.columns.push_back({axis, {}});
        elements_.name = "triangle";
    }

    void add_corner(Point point) {
        for (double& x : point) x += 0.0;  // -0 is the same place as 0
        const auto [found, is_new] = numbers_.emplace(point, numbers_.size());
        if (is_new)
            for (std::size_t k = 0; k < 3; ++k) table_.columns[k].values.push_back(point[k]);
        io::add_corner(source_, elements_, static_cast<double>(found->second));
    }

    void end() { end_element(source_, elements_); }
    std::size_t corners() const { return elements_.vertices.size() - elements_.offsets.back(); }
    std::size_t count() const { return elements_.count(); }
    Elements& elements() { return elements_; }

    Table take() {
        table_.rows = numbers_.size();
        table_.elements = std::move(elements_);
        return std::move(table_);
    }

  private:
    Source& source_;
    Table table_;
    Elements elements_;
    std::unordered_map<Point, std::size_t, Hash> numbers_;
};

Table read_text_stl(Source& source) {
    Triangles triangles(source);
    std::string_view line;
    std::vector<std::string_view> words;
    bool ended = false;
    while (source.line(line)) {
        const std::string text = lower(line);
        split(text, words);
        if (words.empty()) continue;
        if (words[0] == "vertex") {
            Point point{};
            bool good = words.size() == 4;
            for (std::size_t k = 0; good && k < 3; ++k) good = parse(words[k + 1], point[k]);
            if (!good) source.fail_here("a vertex needs three numbers: vertex x y z");
            triangles.add_corner(point);
        } else if (words[0] == "endfacet") {
            if (triangles.corners() != 3)
                source.fail_here("the facet has " +
                                 common::counted(triangles.corners(), "corners") +
                                 " where 3 are needed; export the mesh again");
            triangles.end();
            triangles.elements().lines.add(source.line_number());
        }
        ended = words[0] == "endsolid";
    }
    if (!ended) source.fail_short();
    return triangles.take();
}

Table read_binary_stl(Source& source) {
    constexpr std::uint64_t record = 50;  // normal, three vertices, two bytes
    char header[84];
    source.read(header, sizeof header);
    double count = 0;
    decode(header + 80, 0, 1, {.kind = 'u', .bytes = 4}, &count);
    const auto triangle_count = static_cast<std::uint64_t>(count);
    source.expect(triangle_count, record, "triangles");
    Triangles triangles(source);
    char bytes[record];
    for (std::uint64_t k = 0; k < triangle_count; ++k) {
        source.read(bytes, record);
        for (std::size_t corner = 0; corner < 3; ++corner) {
            Point point{};
            decode(bytes + 12 + 12 * corner, 4, 3, {.kind = 'f', .bytes = 4}, point.data());
            triangles.add_corner(point);
        }
        triangles.end();
    }
    return triangles.take();
}

}  // namespace

Table read_stl(Source& source, const ReadOptions&) {
    // Some binary files begin with "solid" too; text has a facet soon after it.
    constexpr std::size_t start = 1024;
    const std::string text = lower(source.peek(start));
    const bool is_text = text.starts_with("solid") && (text.find("facet") != text.npos ||
                                                       text.find("endsolid") != text.npos);
    return is_text ? read_text_stl(source) : read_binary_stl(source);
}

}  // namespace vicinal::io
