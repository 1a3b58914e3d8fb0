#include "view_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "common/text.hpp"
#include "text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_view(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, file + ": " + what);
}

std::string contents_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) refuse_view(file, "cannot be read; check that it is there and its permissions");
    return text.str();
}

// The value of an attribute in the text of a tag; empty if it has none.
std::string attribute(std::string_view tag, const std::string& name) {
    const std::size_t at = tag.find(' ' + name + "=\"");
    if (at == tag.npos) return "";
    const std::size_t begin = at + name.size() + 3;
    return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

bool is_mesh_file(const std::string& name) {
    const std::string file = lower_case(name);
    return std::ranges::any_of(
        std::array{".ply", ".obj", ".stl", ".vtu"}, [&](const std::string ending) {
            return file.ends_with(ending) || file.ends_with(ending + ".gz");
        });
}

// Columns that are no colouring: coordinates, names of bodies and filters.
bool is_colouring(const std::string& name) {
    constexpr std::string_view others[] = {
        "",   "x",      "y",     "z",    "x0", "y0", "z0", "x1", "y1", "z1",
        "id", "radius", "group", "mask", "i",  "j",  "nx", "ny", "nz", "ix",
        "iy", "iz",     "v0",    "v1",   "v2", "v3", "v4", "v5", "v6", "v7"};
    return std::ranges::find(others, name) == std::end(others);
}

// The vector of which a column is a component, and which one; no vector: the name itself.
std::pair<std::string, bool> vector_of(const std::string& name) {
    static const std::map<std::string, std::string> shown{
        {"v", "speed"},   {"velocity", "speed"},        {"velo", "speed"},
        {"vel", "speed"}, {"velocities", "speed"},      {"u", "displacement"},
        {"f", "force"},   {"angular_velocity", "spin"}, {"omega", "spin"}};
    const auto named = [&](const std::string& vector) {
        const auto found = shown.find(vector);
        return std::pair(found == shown.end() ? vector : found->second, true);
    };
    const std::size_t n = name.size();
    if (n > 2 && name[n - 2] == '_' && name[n - 1] >= '1' && name[n - 1] <= '3')
        return named(name.substr(0, n - 2));
    if (n > 1 && name[n - 1] >= 'x' && name[n - 1] <= 'z' &&
        shown.contains(name.substr(0, n - 1)))
        return named(name.substr(0, n - 1));
    return {name, false};
}

// A page has no picture for NaN and infinity.
void check_finite(const io::Origin& origin, const std::string& name,
                  std::span<const double> values) {
    for (std::size_t row = 0; row < values.size(); ++row)
        if (!std::isfinite(values[row]))
            refuse_view(origin.file, fmt::format("{} of {} is {}; give a finite number", name,
                                                 origin.where(row), values[row]));
}

using Point = std::array<double, 3>;

// Six times the volume of a tetrahedron.
double signed_volume(const Point& a, const Point& b, const Point& c, const Point& d) {
    std::array<Point, 3> e;
    for (std::size_t x = 0; x < 3; ++x) {
        e[0][x] = b[x] - a[x];
        e[1][x] = c[x] - a[x];
        e[2][x] = d[x] - a[x];
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

}  // namespace

ViewInput::ViewInput(const std::string& name, const InputFlags& format,
                     const ShapeFlags& shape_flags)
    : title(fs::path(name).lexically_normal().filename().string()),
      name_(name),
      format_(format) {
    if (title.empty())  // "folder/" and "."
        title = fs::absolute(name).lexically_normal().parent_path().filename().string();
    layout_ = layout_of(shape_flags, false);
    if (fs::is_directory(name)) {
        if (!format.format.empty() || !format.fields.empty())
            throw UsageError(
                "--format and --fields are for a file; a folder holds frames of vicinal run");
        open_run(name);
        elements_read_ = !shape_flags.boxes && is_mesh_file(files_[0].name);
    } else {
        elements_read_ = !shape_flags.boxes && is_mesh_file(name);
        io::ReadOptions options = format.options(layout_);
        options.elements = options.elements || elements_read_;
        file_.emplace(name, std::move(options));
    }
    io::Table first = table(0);
    if (first.elements && first.elements->count() == 0) {
        first.elements.reset();
        elements_read_ = false;
    }
    choose_shape(first);
    choose_colourings(first);
    vertices_ = first.rows;
    if (shape == ViewShape::mesh) add_triangles(first);
}

std::size_t ViewInput::frames() {
    return file_ ? file_->frames() : files_.size();
}

io::Table ViewInput::table(std::size_t frame) {
    if (file_) return file_->read(frame);
    io::ReadOptions options = io::read_options(layout_);
    options.elements = elements_read_;
    return io::read_table(files_[frame].name, std::move(options));
}

ViewFrame ViewInput::read(std::size_t frame) {
    const bool numbered = file_ && file_->has_frames();
    ViewFrame result =
        convert(table(frame), file_ ? name_ : files_[frame].name, numbered ? frame + 1 : 0);
    result.time = file_ ? static_cast<double>(frame + 1) : files_[frame].time;
    return result;
}

// The frames that bodies.pvd lists.
void ViewInput::open_run(const fs::path& folder) {
    const fs::path list = folder / "bodies.pvd";
    if (!fs::exists(list))
        refuse_view(folder.string(),
                    "holds no frames (no bodies.pvd); name a folder of vicinal run -o with "
                    "--every above 0");
    const std::string text = contents_of(list.string());
    for (std::size_t at = 0; (at = text.find("<DataSet ", at)) != text.npos; ++at) {
        const std::string_view tag = std::string_view(text).substr(at, text.find('>', at) - at);
        const std::string file = attribute(tag, "file");
        double time = 0;
        if (file.empty() || !common::parse(attribute(tag, "timestep"), time))
            refuse_view(list.string(), "an entry has no file or no timestep; write it anew");
        files_.push_back({time, (folder / file).string()});
    }
    if (files_.empty()) refuse_view(list.string(), "lists no frames; run more steps");
    timed = true;
    if (const fs::path file = folder / "series.csv"; fs::exists(file)) series = file.string();
    if (const fs::path file = folder / "solids.vtp"; fs::exists(file))
        read_solids(file.string());
}

void ViewInput::read_solids(const std::string& file) {
    io::Table table = io::read_table(file);
    solids.emplace();
    solids->rows = table.rows;
    for (const char* name : {"x", "y", "z", "radius"}) {
        const io::NamedColumn* column = table.find(name);
        if (column == nullptr)
            refuse_view(file, fmt::format("has no array '{}'; solids are spheres", name));
        check_finite(io::Origin(file, table.lines), name, column->values);
        solids->columns.push_back(column->values);
    }
}

void ViewInput::choose_shape(const io::Table& first) {
    if (layout_.shape == Shape::points && layout_.flag == "points") {
        if (first.find("x0") != nullptr) layout_.shape = Shape::boxes;
        if (first.find("radius") != nullptr && first.find("x0") == nullptr) {
            layout_.shape = Shape::spheres;
            layout_.radius_column = true;
        }
    }
    if (elements_read_) {
        shape = ViewShape::mesh;
        names = {"x", "y", "z"};
    } else {
        // Names the columns of a file without names, and checks that none is missing.
        io::Table copy;
        copy.rows = 0;
        for (const io::NamedColumn& column : first.columns)
            copy.columns.push_back({column.name, {}});
        if (first.elements) copy = first;
        const io::BodyFile bodies(file_ ? name_ : files_[0].name, layout_, std::move(copy));
        layout_.dim = bodies.dim();
        io::Layout geometry = layout_;
        geometry.radius_column = false;
        names = io::column_names(geometry, layout_.dim);
        shape = layout_.shape == Shape::boxes     ? ViewShape::boxes
                : layout_.shape == Shape::spheres ? ViewShape::spheres
                                                  : ViewShape::points;
        dim = layout_.dim;
    }
    coordinates = names.size();
    radius_column = layout_.radius_column;
    radius = layout_.radius;
    if (radius_column) names.push_back("radius");
}

void ViewInput::choose_colourings(const io::Table& first) {
    for (const io::NamedColumn& column : first.columns) {
        if (!is_colouring(column.name) || column.name == layout_.radius_name) continue;
        const std::string name = vector_of(column.name).first;
        const auto known = std::ranges::find(colourings_, name, &Colouring::name);
        if (known != colourings_.end())
            known->components.push_back(column.name);
        else
            colourings_.push_back({name, {column.name}});
    }
    for (const Colouring& colouring : colourings_) names.push_back(colouring.name);
}

ViewFrame ViewInput::convert(io::Table&& table, const std::string& file,
                             std::size_t number) const {
    const io::Origin origin(file, table.lines, number);
    ViewFrame result;
    result.columns.resize(names.size());
    std::size_t c = coordinates + (radius_column ? 1 : 0);
    for (const Colouring& colouring : colourings_) {
        std::vector<const io::NamedColumn*> components;
        for (const std::string& name : colouring.components) {
            components.push_back(table.find(name));
            if (components.back() == nullptr)
                refuse_view(file,
                            fmt::format("has no column '{}', which the first frame has", name));
        }
        std::vector<double>& values = result.columns[c++];
        values = components[0]->values;
        if (vector_of(colouring.components[0]).second)
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = 0;
                for (const io::NamedColumn* component : components)
                    values[k] = std::hypot(values[k], component->values[k]);
            }
    }
    if (shape == ViewShape::mesh) {
        for (std::size_t a = 0; a < coordinates; ++a) {
            const io::NamedColumn* column = table.find(names[a]);
            if (column == nullptr) refuse_view(file, "has no column '" + names[a] + "'");
            result.columns[a] = column->values;
        }
        result.rows = table.rows;
        if (table.rows != vertices_)  // the triangles are those of the first frame
            refuse_view(file, fmt::format("has {}, the mesh of the first frame {}; give frames "
                                          "of one mesh",
                                          common::counted(table.rows, "points"), vertices_));
    } else {
        io::BodyFile bodies(file, layout_, std::move(table), number);
        const auto take = [&]<int D>() {
            auto arrays = bodies.take<double, D>();
            result.rows = arrays.count;
            for (std::size_t a = 0; a < D; ++a) {
                result.columns[a] = std::move(arrays.position[a]);
                if (shape == ViewShape::boxes)
                    result.columns[D + a] = std::move(arrays.upper[a]);
            }
            if (radius_column) result.columns[coordinates] = std::move(arrays.radius);
        };
        dim == 2 ? take.operator()<2>() : take.operator()<3>();
    }
    for (c = 0; c < names.size(); ++c) check_finite(origin, names[c], result.columns[c]);
    return result;
}

// Faces with more corners become fans, cells their outer faces.
void ViewInput::add_triangles(const io::Table& mesh) {
    const io::Elements& cells = *mesh.elements;
    elements = cells.count();
    const auto add = [&](std::size_t element, std::uint32_t a, std::uint32_t b,
                         std::uint32_t c) {
        triangles[0].push_back(a);
        triangles[1].push_back(b);
        triangles[2].push_back(c);
        triangles[3].push_back(static_cast<std::uint32_t>(element));
    };
    const auto point = [&](std::uint32_t vertex) {
        return Point{mesh.find("x")->values[vertex], mesh.find("y")->values[vertex],
                     mesh.find("z")->values[vertex]};
    };
    const auto tetrahedron = [&](std::span<const std::uint32_t> corners) {
        if (corners.size() != 4) return false;
        const Point a = point(corners[0]), b = point(corners[1]);
        const double edge = std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        constexpr double flat = 1e-6;  // of the cube of an edge: a quadrilateral
        return std::abs(signed_volume(a, b, point(corners[2]), point(corners[3]))) >
               flat * edge * edge * edge;
    };
    // Faces of tetrahedra by their sorted corners; what two of them share is inside.
    std::map<std::array<std::uint32_t, 3>, std::pair<std::array<std::uint32_t, 4>, int>> faces;
    for (std::size_t e = 0; e < elements; ++e) {
        const auto corners =
            std::span(cells.vertices)
                .subspan(cells.offsets[e], cells.offsets[e + 1] - cells.offsets[e]);
        if (!tetrahedron(corners)) {
            for (std::size_t k = 2; k < corners.size(); ++k)
                add(e, corners[0], corners[k - 1], corners[k]);
            continue;
        }
        for (std::size_t without = 0; without < 4; ++without) {
            std::array<std::uint32_t, 3> face{};
            for (std::size_t k = 0, next = 0; k < 4; ++k)
                if (k != without) face[next++] = corners[k];
            auto sorted = face;
            std::ranges::sort(sorted);
            auto& entry = faces[sorted];
            entry.first = {face[0], face[1], face[2], static_cast<std::uint32_t>(e)};
            ++entry.second;
        }
    }
    for (const auto& [sorted, face] : faces)
        if (face.second == 1) add(face.first[3], face.first[0], face.first[1], face.first[2]);
}

}  // namespace vicinal::tool
