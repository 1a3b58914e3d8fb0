#include "io/pairs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "common/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, file + ": " + what);
}

// A file and the table that it holds.
struct Listing {
    const std::string& file;
    const Table& table;
};

// A whole number of a row, from `minimum` to `maximum`.
double whole(const Listing& in, const NamedColumn& column, std::size_t row,
             const std::string& name, double minimum, double maximum) {
    const double value = column.values[row];
    if (value == std::floor(value) && value >= minimum && value <= maximum) return value;
    fail(in.file, fmt::format("{} = {} in {} is not a whole number from {} to {}", name, value,
                              in.table.lines.where(row), minimum, maximum));
}

Index body(const Listing& in, const NamedColumn& column, std::size_t row, const char* name,
           const BodyIds& bodies) {
    if (bodies.count() == 0)
        fail(in.file, "it lists pairs, but there are no bodies; give the file of their bodies");
    if (!bodies.given())
        return static_cast<Index>(
            whole(in, column, row, name, 0, static_cast<double>(bodies.count() - 1)));
    constexpr double largest_exact = 9007199254740992;  // 2^53
    const double id = whole(in, column, row, name, -largest_exact, largest_exact);
    const auto found = bodies.index_of(static_cast<std::int64_t>(id));
    if (!found)
        fail(in.file, fmt::format("{} = {} in {} is not the id of a body; leave out --ids if "
                                  "it is an index",
                                  name, id, in.table.lines.where(row)));
    return *found;
}

int image(const Listing& in, const NamedColumn& column, std::size_t row,
          const std::string& name) {
    return static_cast<int>(whole(in, column, row, name, -1e6, 1e6));
}

// The columns with these names. A file without names must have exactly this many columns.
std::vector<const NamedColumn*> columns(const std::string& file, const Table& table,
                                        const std::vector<std::string>& names,
                                        const std::string& remedy) {
    std::vector<const NamedColumn*> result;
    const bool nameless = !table.columns.empty() && table.columns[0].name.empty();
    if (nameless && table.columns.size() != names.size())
        fail(file,
             fmt::format("there are {} columns where {} are expected ({}){}",
                         table.columns.size(), names.size(), common::join(names), remedy));
    for (std::size_t k = 0; k < names.size(); ++k) {
        result.push_back(nameless ? &table.columns[k] : table.find(names[k]));
        if (result.back() == nullptr)
            fail(file, fmt::format("there is no column '{}'; pairs need {}{}", names[k],
                                   common::join(names), remedy));
    }
    return result;
}

std::vector<std::string> image_names(int dim) {
    std::vector<std::string> names{"nx", "ny", "nz"};
    names.resize(static_cast<std::size_t>(dim));
    return names;
}

// The offsets of rows: they begin at zero and never decrease.
std::vector<std::size_t> read_offsets(const std::string& file, std::size_t bodies) {
    const Table table = read_table(file);
    const auto column = columns(file, table, {"offset"}, "");
    if (table.rows != bodies + 1)
        fail(file, fmt::format("there are {} offsets where {} bodies need {}", table.rows,
                               bodies, bodies + 1));
    std::vector<std::size_t> result;
    double before = 0;
    for (std::size_t row = 0; row < table.rows; ++row) {
        before = whole({file, table}, *column[0], row, "offset", before, row == 0 ? 0 : 1e15);
        result.push_back(static_cast<std::size_t>(before));
    }
    return result;
}

}  // namespace

template <int D>
std::vector<ListedPair<D>> read_pairs(const std::string& file, const BodyIds& first,
                                      const BodyIds& second, Images images) {
    return pairs_of<D>(read_table(file), file, first, second, images);
}

template <int D>
std::vector<ListedPair<D>> pairs_of(const Table& table, const std::string& file,
                                    const BodyIds& first, const BodyIds& second,
                                    Images images) {
    std::vector<std::string> names{"i", "j"};
    std::string remedy;
    if (images == Images::read) {
        for (const std::string& name : image_names(D)) names.push_back(name);
        remedy = "; in a periodic domain every pair needs its image";
    } else if (table.columns.size() == 2 + D) {
        remedy = "; give --domain if these are pairs with images";
        if (table.find("nx") != nullptr)
            fail(file, "it holds images (nx, ...), but the domain is open" + remedy);
    }
    const auto column = columns(file, table, names, remedy);
    const Listing in{file, table};
    std::vector<ListedPair<D>> result(table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) {
        result[row].i = body(in, *column[0], row, "i", first);
        result[row].j = body(in, *column[1], row, "j", second);
        if (images == Images::none) continue;
        for (std::size_t a = 0; a < D; ++a)
            result[row].image[a] = image(in, *column[2 + a], row, names[2 + a]);
    }
    return result;
}

template <int D>
std::vector<ListedPair<D>> read_rows(const std::string& prefix, std::size_t bodies,
                                     Images images) {
    const RowFiles files(prefix);
    const auto offsets = read_offsets(files.offsets, bodies);
    const Table indices = read_table(files.indices);
    const auto other = columns(files.indices, indices, {"index"}, "");
    Table shifts;
    std::vector<const NamedColumn*> shift;
    if (images == Images::read) {
        shifts = read_table(files.images);
        shift = columns(files.images, shifts, image_names(D), "");
        if (shifts.rows != indices.rows)
            fail(files.images, "its length differs from that of the indices; write both again");
    }
    if (offsets.back() != indices.rows)
        fail(files.offsets, "the last offset is not the number of indices; write both again");
    std::vector<ListedPair<D>> result(indices.rows);
    for (std::size_t i = 0; i < bodies; ++i)
        for (std::size_t row = offsets[i]; row < offsets[i + 1]; ++row) {
            result[row].i = static_cast<Index>(i);
            result[row].j = body({files.indices, indices}, *other[0], row, "index", bodies);
            for (std::size_t a = 0; a < shift.size(); ++a)
                result[row].image[a] = image({files.images, shifts}, *shift[a], row, "image");
        }
    return result;
}

std::vector<Pair> read_excluded(const std::string& file, const BodyIds& first,
                                const BodyIds& second) {
    std::vector<Pair> result;
    for (const auto& pair : read_pairs<2>(file, first, second, Images::none))
        result.push_back({pair.i, pair.j});
    return result;
}

RowFiles::RowFiles(std::string prefix) {
    if (prefix.ends_with(".npy")) prefix.resize(prefix.size() - 4);
    offsets = prefix + ".offsets.npy";
    indices = prefix + ".indices.npy";
    images = prefix + ".images.npy";
    distances = prefix + ".distances.npy";
    vectors = prefix + ".vectors.npy";
}

#define VICINAL_PAIRS(D)                                                                     \
    template std::vector<ListedPair<D>> read_pairs<D>(const std::string&, const BodyIds&,    \
                                                      const BodyIds&, Images);               \
    template std::vector<ListedPair<D>> pairs_of<D>(const Table&, const std::string&,        \
                                                    const BodyIds&, const BodyIds&, Images); \
    template std::vector<ListedPair<D>> read_rows<D>(const std::string&, std::size_t, Images);
VICINAL_PAIRS(2)
VICINAL_PAIRS(3)
#undef VICINAL_PAIRS

}  // namespace vicinal::io
