#include "part.hpp"

#include <fmt/format.h>

#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <tuple>

#include "io/pairs.hpp"
#include "io/table.hpp"
#include "io/vertices.hpp"
#include "io/write.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

constexpr std::int64_t all_parts = -1;  // in holders.npy

template <class Value, class From>
std::vector<Value> gather(const std::vector<From>& all, const std::vector<Index>& bodies,
                          std::size_t each = 1, std::size_t component = 0) {
    std::vector<Value> result(bodies.size());
    for (std::size_t k = 0; k < bodies.size(); ++k)
        result[k] = static_cast<Value>(all[bodies[k] * each + component]);
    return result;
}

// A table whose columns own their values.
class PartTable {
  public:
    template <class Value>
    void add(std::string name, std::vector<Value> values) {
        auto& held = std::get<std::list<std::vector<Value>>>(held_);
        held.push_back(std::move(values));
        columns_.push_back({std::move(name), std::span<const Value>(held.back())});
    }
    void write(const std::string& file) const {
        io::write_table({file, io::OutputFormat::npy}, columns_);
    }

  private:
    std::tuple<std::list<std::vector<double>>, std::list<std::vector<std::int64_t>>,
               std::list<std::vector<std::uint32_t>>>
        held_;
    std::vector<io::OutputColumn> columns_;
};

template <Real T, int D>
void write_bodies(const std::string& file, const io::BodyArrays<T, D>& all,
                  const std::vector<Index>& bodies) {
    std::vector<const std::vector<T>*> arrays;  // in the order of their names
    const auto add = [&](const std::array<std::vector<T>, D>& vectors) {
        for (const std::vector<T>& axis : vectors) arrays.push_back(&axis);
    };
    add(all.position);
    if (all.layout.shape == Shape::boxes) add(all.upper);
    if (all.layout.radius_column) arrays.push_back(&all.radius);
    if (all.layout.swept) add(all.displacement);
    io::Layout layout = all.layout;
    layout.radius_name = "radius";
    const auto names = io::column_names(layout, D);
    PartTable columns;
    for (std::size_t c = 0; c < names.size(); ++c)
        columns.add(names[c], gather<double>(*arrays[c], bodies));
    if (!all.group.empty()) {
        columns.add("group", gather<std::uint32_t>(all.group, bodies));
        columns.add("mask", gather<std::uint32_t>(all.mask, bodies));
    }
    columns.add("id", std::vector<std::int64_t>(bodies.begin(), bodies.end()));
    columns.write(file);
}

// Those of which the part has both bodies.
void write_excluded(const std::string& file, const std::vector<Pair>& excluded,
                    const std::vector<Index>& bodies, std::size_t count) {
    std::vector<bool> here(count);
    for (const Index i : bodies) here[i] = true;
    std::vector<std::uint32_t> first, second;
    for (const Pair pair : excluded)
        if (here[pair.i] && here[pair.j]) {
            first.push_back(pair.i);
            second.push_back(pair.j);
        }
    PartTable columns;
    columns.add("i", std::move(first));
    columns.add("j", std::move(second));
    columns.write(file);
}

void write_vertices(const std::string& file, const io::Vertices& all,
                    const std::vector<Index>& bodies) {
    PartTable columns;
    for (std::size_t v = 0; v < all.per_body; ++v)
        columns.add(fmt::format("v{}", v),
                    gather<std::uint32_t>(all.numbers, bodies, all.per_body, v));
    columns.write(file);
}

// Only of bodies that other parts hold too.
void write_holders(const std::string& file, const Holders& holders) {
    std::vector<std::int64_t> bodies, parts;
    for (std::size_t k = 0; k < holders.size(); ++k)
        for (const PartNumber p : holders[k]) {
            bodies.push_back(std::int64_t{holders.bodies[k]});
            parts.push_back(p == Holders::all_parts ? all_parts : std::int64_t{p});
        }
    PartTable columns;
    columns.add("body", std::move(bodies));
    columns.add("part", std::move(parts));
    columns.write(file);
}

}  // namespace

template <Real T, int D>
void PartFolder::write(const PartSettings& settings, const io::BodyArrays<T, D>& all,
                       const Part& part) const {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
        throw Error(Error::Kind::input,
                    fmt::format("{}: cannot be created ({}); choose another folder for -o",
                                folder_.string(), error.message()));
    write_bodies(bodies_file(), all, part.bodies);
    write_holders(path("holders.npy"), part.holders);
    if (settings.excluded)
        write_excluded(path("excluded.npy"), all.excluded, part.bodies, all.count);
    if (settings.vertices) write_vertices(path("vertices.npy"), all.vertices, part.bodies);
    const ShapeFlags& shape = settings.shape;
    const nlohmann::ordered_json json{
        {"file", settings.file},
        {"part", part.number},
        {"parts", settings.parts},
        {"own", part.own},
        {"copies", part.bodies.size() - part.own},
        {"cutoff", shape.cutoff},
        // The part has a column of its own name.
        {"radius", shape.radius.starts_with("column") ? "column" : shape.radius},
        {"boxes", shape.boxes},
        {"rule", shape.rule},
        {"swept", shape.swept},
        {"dim", D},
        {"domain", settings.domain},
        {"precision", settings.precision},
        {"excluded", settings.excluded},
        {"vertices", settings.vertices}};
    io::PendingFile out(path("part.json"));
    out.write(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    out.write("\n");
    out.commit();
}

PartSettings PartFolder::settings(PartNumber& number) const {
    const std::string name = path("part.json");
    std::ifstream in(name);
    if (!in)
        throw Error(
            Error::Kind::input,
            fmt::format("{}: not there; give a folder that vicinal split has written", name));
    try {
        const auto json = nlohmann::json::parse(in);
        PartSettings result;
        number = json.at("part").get<PartNumber>();
        json.at("file").get_to(result.file);
        json.at("parts").get_to(result.parts);
        json.at("cutoff").get_to(result.shape.cutoff);
        json.at("radius").get_to(result.shape.radius);
        json.at("boxes").get_to(result.shape.boxes);
        json.at("rule").get_to(result.shape.rule);
        json.at("swept").get_to(result.shape.swept);
        json.at("dim").get_to(result.shape.dim);
        json.at("domain").get_to(result.domain);
        json.at("precision").get_to(result.precision);
        json.at("excluded").get_to(result.excluded);
        json.at("vertices").get_to(result.vertices);
        return result;
    } catch (const nlohmann::json::exception& error) {
        throw Error(Error::Kind::input,
                    fmt::format("{}: {}; write the parts again with vicinal split", name,
                                error.what()));
    }
}

template <Real T, int D>
void PartFolder::read_filters(const PartSettings& settings,
                              io::BodyArrays<T, D>& bodies) const {
    if (settings.excluded && bodies.count > 0)
        bodies.excluded = io::read_excluded(path("excluded.npy"), bodies.ids, bodies.ids);
    if (settings.vertices)
        bodies.vertices = io::read_vertices(path("vertices.npy"), bodies.count);
}

Holders PartFolder::read_holders(std::size_t bodies) const {
    const std::string name = path("holders.npy");
    const io::Table table = io::read_table(name);
    const auto fail = [&](const std::string& what) {
        throw Error(
            Error::Kind::input,
            fmt::format("{}: {}; write the parts again with vicinal split", name, what));
    };
    if (table.columns.size() != 2) fail("it must have two columns");
    const std::vector<double>&body = table.columns[0].values, &part = table.columns[1].values;
    Holders holders;
    std::vector<PartNumber> own;
    std::size_t row = 0;
    for (std::size_t k = 0; k < bodies; ++k) {
        own.clear();
        for (; row < table.rows && body[row] == static_cast<double>(k); ++row) {
            if (!(part[row] >= all_parts && part[row] < Holders::all_parts))
                fail(fmt::format("{} is not the number of a part", part[row]));
            own.push_back(part[row] == all_parts ? Holders::all_parts
                                                 : static_cast<PartNumber>(part[row]));
        }
        if (!own.empty()) holders.add(static_cast<Index>(k), own);
    }
    if (row != table.rows) fail("its bodies are not those of bodies.npy");
    return holders;
}

#define VICINAL_PART(T, D)                                                            \
    template void PartFolder::write(const PartSettings&, const io::BodyArrays<T, D>&, \
                                    const Part&) const;                               \
    template void PartFolder::read_filters(const PartSettings&, io::BodyArrays<T, D>&) const;
VICINAL_PART(float, 2)
VICINAL_PART(float, 3)
VICINAL_PART(double, 2)
VICINAL_PART(double, 3)
#undef VICINAL_PART

}  // namespace vicinal::tool
