#include "io/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <unordered_map>

#include "common/text.hpp"
#include "io/mesh.hpp"
#include "io/names.hpp"

namespace vicinal::io {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

bool is_nameless(const Table& table) {
    return std::all_of(table.columns.begin(), table.columns.end(),
                       [](const NamedColumn& column) { return column.name.empty(); });
}

// The name of axis a among the names of a quantity: "x", "x0" or "ux".
std::string axis_name(const char* before, int a, const char* after) {
    return before + std::string(axis_names[a]) + after;
}

const char* corner(const Layout& layout) {
    return layout.shape == Shape::boxes ? "0" : "";
}

std::string what_there_is(const Table& table) {
    std::vector<std::string> names;
    for (const NamedColumn& column : table.columns) names.push_back(column.name);
    return names.empty() ? "it has no column of numbers" : "it has " + common::join(names);
}

}  // namespace

const char* shape_name(Shape shape) {
    return shape == Shape::points ? "points" : shape == Shape::spheres ? "spheres" : "boxes";
}

std::vector<std::string> column_names(const Layout& layout, int dim) {
    std::vector<std::string> names;
    const auto add = [&](const char* before, const char* after) {
        for (int a = 0; a < dim; ++a) names.push_back(axis_name(before, a, after));
    };
    add("", corner(layout));
    if (layout.shape == Shape::boxes) add("", "1");
    if (layout.radius_column) names.push_back(layout.radius_name);
    if (!layout.cutoffs.empty()) names.emplace_back("kind");
    if (layout.swept) add("u", "");
    return names;
}

ReadOptions read_options(const Layout& layout) {
    ReadOptions options;
    options.elements = layout.shape == Shape::boxes;
    options.kinds = !layout.cutoffs.empty();
    return options;
}

std::string Origin::where(std::size_t row) const {
    const bool of_frame = frame > 0 && !lines.known();
    return lines.where(row) + (of_frame ? fmt::format(" of frame {}", frame) : " of the file");
}

BodyFile::BodyFile(const std::string& name, const Layout& layout)
    : BodyFile(name, layout, read_table(name, read_options(layout))) {}

BodyFile::BodyFile(const std::string& name, const Layout& layout, Table table,
                   std::size_t frame)
    : origin_(name == "-" ? "standard input" : name, {}, frame),
      layout_(layout),
      table_(std::move(table)) {
    take_elements();
    origin_.lines = table_.lines;
    const bool nameless = is_nameless(table_);
    if (nameless && layout_.radius_column && layout_.radius_name != "radius")
        fail(
            fmt::format("its columns have no names, so there is no column '{}'; name them with "
                        "--fields",
                        layout_.radius_name));
    layout_.dim = nameless ? dim_by_count() : dim_by_name();
    auto names = column_names(layout_, layout_.dim);
    if (nameless)
        for (std::size_t k = 0; k < names.size(); ++k) table_.columns[k].name = names[k];
    if (layout_.ids) names.emplace_back("id");
    if (std::erase(names, "kind") > 0 && kind_column() == nullptr)
        fail(fmt::format("there is no column of kinds ({}), which {} needs ({})",
                         common::join({std::begin(kind_names), std::end(kind_names)}),
                         layout_.flag, what_there_is(table_)));
    for (const std::string& wanted : names)
        if (table_.find(wanted) == nullptr)
            fail(fmt::format(
                "there is no column '{}', which {} needs ({}){}", wanted,
                wanted == "id" ? "--ids" : layout_.flag, what_there_is(table_),
                table_.lines.known() ? "; --fields gives its columns other names" : ""));
}

// The faces or cells of a mesh become the boxes.
void BodyFile::take_elements() {
    if (layout_.shape == Shape::boxes && table_.elements && table_.find("x0") == nullptr) {
        if (layout_.skip_adjacent) {
            Adjacency adjacent = adjacency(*table_.elements);
            vertices_ = std::move(adjacent.vertices);
            excluded_ = std::move(adjacent.excluded);
        }
        table_ = element_boxes(name(), std::move(table_));
    } else if (layout_.skip_adjacent) {
        fail(
            "it has no faces or cells, which --skip-adjacent needs; give the vertices of each "
            "body with --vertices");
    }
}

int BodyFile::dim_by_count() const {
    const std::size_t have = table_.columns.size();
    std::vector<std::string> expected;
    for (const int dim : {2, 3}) {
        if (layout_.dim != 0 && layout_.dim != dim) continue;
        const auto names = column_names(layout_, dim);
        if (names.size() == have) return dim;
        expected.push_back(
            fmt::format("{} in {}-D ({})", names.size(), dim, common::join(names)));
    }
    fail(fmt::format("there are {} columns, but {} needs {}", have, layout_.flag,
                     common::join(expected, " or ")));
}

int BodyFile::dim_by_name() const {
    if (layout_.dim != 0) return layout_.dim;
    return table_.find(axis_name("", 2, corner(layout_))) != nullptr ? 3 : 2;
}

void BodyFile::fail(const std::string& what) const {
    throw Error(Error::Kind::input, name() + ": " + what);
}

std::vector<double>& BodyFile::column(const std::string& name) {
    return std::find_if(table_.columns.begin(), table_.columns.end(),
                        [&](const NamedColumn& c) { return c.name == name; })
        ->values;
}

template <Real T>
std::vector<T> BodyFile::numbers(const std::string& name, std::vector<double> values) const {
    if constexpr (std::is_same_v<T, double>) {
        return values;
    } else {
        const double largest = double{std::numeric_limits<T>::max()};
        for (std::size_t i = 0; i < values.size(); ++i)
            if (std::isfinite(values[i]) && std::abs(values[i]) > largest)
                fail(
                    fmt::format("{} = {} in {} is too large for --precision float; use "
                                "--precision double",
                                name, values[i], origin_.where(i)));
        std::vector<T> result(values.size());
        std::transform(values.begin(), values.end(), result.begin(),
                       [](double value) { return static_cast<T>(value); });
        return result;
    }
}

std::vector<std::uint32_t> BodyFile::bits(const std::string& name) {
    if (table_.find(name) == nullptr)
        return std::vector<std::uint32_t>(rows(), ~std::uint32_t{0});
    const std::vector<double> values = std::move(column(name));
    std::vector<std::uint32_t> result;
    result.reserve(values.size());
    for (const double value : values) {
        if (!(value >= 0 && value <= 4294967295.0 && value == std::floor(value)))
            fail(fmt::format("{} = {} in {} is not a whole number from 0 to 4294967295", name,
                             value, origin_.where(result.size())));
        result.push_back(static_cast<std::uint32_t>(value));
    }
    return result;
}

const NamedColumn* BodyFile::kind_column() const {
    for (const std::string_view name : kind_names)
        if (const NamedColumn* const column = table_.find(std::string(name))) return column;
    return nullptr;
}

// The numbers of the kinds in the table of cut-offs.
std::vector<std::uint32_t> BodyFile::kinds() const {
    const NamedColumn& column = *kind_column();
    const std::vector<std::string>& known = layout_.cutoffs.kinds;
    const auto name_of = [&](std::size_t row) {
        const double value = column.values[row];
        return column.words.empty() ? fmt::format("{}", value)
                                    : column.words[static_cast<std::size_t>(value)];
    };
    std::unordered_map<double, std::uint32_t> numbers;
    std::vector<std::uint32_t> result;
    result.reserve(rows() + 1);  // so that the view of no bodies has kinds too
    for (std::size_t row = 0; row < rows(); ++row) {
        const auto [number, is_new] = numbers.try_emplace(column.values[row]);
        if (is_new) {
            const auto found = std::ranges::find(known, name_of(row));
            if (found == known.end())
                fail(fmt::format("{} = {} in {} is not a kind of --cutoff, which has {}",
                                 column.name, common::one_line(name_of(row)),
                                 origin_.where(row), common::join(known)));
            number->second = static_cast<std::uint32_t>(found - known.begin());
        }
        result.push_back(number->second);
    }
    return result;
}

BodyIds BodyFile::ids() {
    if (!layout_.ids) return rows();
    constexpr double largest_exact = 9007199254740992;  // 2^53
    const std::vector<double> values = std::move(column("id"));
    std::vector<std::int64_t> result;
    result.reserve(values.size());
    for (const double value : values) {
        if (!(std::abs(value) < largest_exact && value == std::floor(value)))
            fail(fmt::format("id = {} in {} is not a whole number below 2^53", value,
                             origin_.where(result.size())));
        result.push_back(static_cast<std::int64_t>(value));
    }
    BodyIds ids(std::move(result));
    if (ids.repeated())
        fail(fmt::format("id = {} in {} is not the first; ids must differ, or leave out --ids",
                         ids[static_cast<Index>(*ids.repeated())],
                         origin_.where(*ids.repeated())));
    return ids;
}

template <Real T, int D>
BodyArrays<T, D> BodyFile::take() {
    BodyArrays<T, D> result;
    result.layout = layout_;
    result.count = rows();
    const auto taken = [&](const std::string& name) {
        return numbers<T>(name, std::move(column(name)));
    };
    // A copy, since the column of the radius may have a role of its own: x, id or group.
    if (layout_.radius_column)
        result.radius = numbers<T>(layout_.radius_name, column(layout_.radius_name));
    else if (layout_.shape == Shape::spheres)
        result.radius = {static_cast<T>(layout_.radius)};
    for (int x = 0; x < D; ++x) {
        const auto a = static_cast<std::size_t>(x);
        result.position[a] = taken(axis_name("", x, corner(layout_)));
        if (layout_.shape == Shape::boxes) result.upper[a] = taken(axis_name("", x, "1"));
        if (layout_.swept) result.displacement[a] = taken(axis_name("u", x, ""));
    }
    if (!layout_.cutoffs.empty()) {
        result.kind = kinds();
        for (const double cutoff : layout_.cutoffs.table)
            result.cutoffs.push_back(static_cast<T>(cutoff));
    }
    if (table_.find("group") != nullptr || table_.find("mask") != nullptr) {
        result.group = bits("group");
        result.mask = bits("mask");
    }
    result.ids = ids();
    result.vertices = std::move(vertices_);
    result.excluded = std::move(excluded_);
    table_.columns.clear();
    return result;
}

template <Real T, int D>
Bodies<T, D> BodyArrays<T, D>::view() const {
    Bodies<T, D> bodies;
    bodies.shape = layout.shape;
    bodies.rule = layout.rule;
    bodies.cutoff = static_cast<T>(layout.cutoff);
    for (std::size_t a = 0; a < D; ++a) {
        bodies.position.axis[a] = Column<T>(position[a]);
        if (layout.shape == Shape::boxes) bodies.upper.axis[a] = Column<T>(upper[a]);
        if (layout.swept) bodies.displacement.axis[a] = Column<T>(displacement[a]);
    }
    // A stride of 0: all bodies have the same radius.
    if (layout.shape == Shape::spheres)
        bodies.radius = Column<T>(radius.data(), count, layout.radius_column ? sizeof(T) : 0);
    if (!group.empty()) {
        bodies.group = Column<std::uint32_t>(group);
        bodies.mask = Column<std::uint32_t>(mask);
    }
    if (!cutoffs.empty()) bodies = bodies.with_kinds(kind, cutoffs);
    bodies.excluded = excluded;
    bodies.vertices = vertices.numbers;
    bodies.vertices_per_body = vertices.per_body;
    return bodies;
}

#define VICINAL_BODIES(T, D)                          \
    template BodyArrays<T, D> BodyFile::take<T, D>(); \
    template struct BodyArrays<T, D>;
VICINAL_BODIES(float, 2)
VICINAL_BODIES(float, 3)
VICINAL_BODIES(double, 2)
VICINAL_BODIES(double, 3)
#undef VICINAL_BODIES

}  // namespace vicinal::io
