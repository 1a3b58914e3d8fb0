#include "io/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "common/text.hpp"

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
    if (layout.radius_column) names.emplace_back("radius");
    if (layout.swept) add("u", "");
    return names;
}

BodyFile::BodyFile(const std::string& name, const Layout& layout)
    : BodyFile(name, layout, read_table(name)) {}

BodyFile::BodyFile(const std::string& name, const Layout& layout, Table table)
    : name_(name), layout_(layout), table_(std::move(table)) {
    const bool nameless = is_nameless(table_);
    layout_.dim = nameless ? dim_by_count() : dim_by_name();
    const auto names = column_names(layout_, layout_.dim);
    if (nameless)
        for (std::size_t k = 0; k < names.size(); ++k) table_.columns[k].name = names[k];
    for (const std::string& wanted : names)
        if (table_.find(wanted) == nullptr)
            fail(fmt::format("there is no column '{}', which {} needs ({})", wanted,
                             layout_.flag, what_there_is(table_)));
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
    throw Error(Error::Kind::input, name_ + ": " + what);
}

std::vector<double>& BodyFile::column(const std::string& name) {
    return std::find_if(table_.columns.begin(), table_.columns.end(),
                        [&](const NamedColumn& c) { return c.name == name; })
        ->values;
}

template <Real T>
std::vector<T> BodyFile::numbers(const std::string& name) {
    std::vector<double> values = std::move(column(name));
    if constexpr (std::is_same_v<T, double>) {
        return values;
    } else {
        const double largest = double{std::numeric_limits<T>::max()};
        for (std::size_t i = 0; i < values.size(); ++i)
            if (std::isfinite(values[i]) && std::abs(values[i]) > largest)
                fail(
                    fmt::format("{} = {} in row {} is too large for --precision float; use "
                                "--precision double",
                                name, values[i], i + 1));
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
            fail(fmt::format("{} = {} in row {} is not a whole number from 0 to 4294967295",
                             name, value, result.size() + 1));
        result.push_back(static_cast<std::uint32_t>(value));
    }
    return result;
}

template <Real T, int D>
BodyArrays<T, D> BodyFile::take() {
    BodyArrays<T, D> result;
    result.layout = layout_;
    result.count = rows();
    for (int x = 0; x < D; ++x) {
        const auto a = static_cast<std::size_t>(x);
        result.position[a] = numbers<T>(axis_name("", x, corner(layout_)));
        if (layout_.shape == Shape::boxes) result.upper[a] = numbers<T>(axis_name("", x, "1"));
        if (layout_.swept) result.displacement[a] = numbers<T>(axis_name("u", x, ""));
    }
    if (layout_.radius_column)
        result.radius = numbers<T>("radius");
    else if (layout_.shape == Shape::spheres)
        result.radius = {static_cast<T>(layout_.radius)};
    if (table_.find("group") != nullptr || table_.find("mask") != nullptr) {
        result.group = bits("group");
        result.mask = bits("mask");
    }
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
