#include "pairfile.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/table.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, file + ": " + what);
}

// A whole number of a row, at most `most` away from zero and not below `least`.
double whole(const std::string& file, const io::NamedColumn& column, std::size_t row,
             const std::string& name, double least, double most) {
    const double value = column.values[row];
    if (value == std::floor(value) && value >= least && value <= most) return value;
    fail(file, fmt::format("{} = {} in row {} is not a whole number from {} to {}", name, value,
                           row + 1, least, most));
}

Index body(const std::string& file, const io::NamedColumn& column, std::size_t row,
           const char* name, std::size_t bodies) {
    if (bodies == 0) fail(file, "it lists pairs, but there are no bodies");
    return static_cast<Index>(
        whole(file, column, row, name, 0, static_cast<double>(bodies - 1)));
}

int image(const std::string& file, const io::NamedColumn& column, std::size_t row,
          const std::string& name) {
    return static_cast<int>(whole(file, column, row, name, -1e6, 1e6));
}

// The columns of the names, or the first ones of a file without names, which must then
// hold just as many.
std::vector<const io::NamedColumn*> columns(const std::string& file, const io::Table& table,
                                            const std::vector<std::string>& names,
                                            const std::string& remedy) {
    std::vector<const io::NamedColumn*> result;
    const bool nameless = !table.columns.empty() && table.columns[0].name.empty();
    if (nameless && table.columns.size() != names.size())
        fail(file, fmt::format("there are {} columns where {} are expected ({}){}",
                               table.columns.size(), names.size(), join(names), remedy));
    for (std::size_t k = 0; k < names.size(); ++k) {
        result.push_back(nameless ? &table.columns[k] : table.find(names[k]));
        if (result.back() == nullptr)
            fail(file, fmt::format("there is no column '{}'; pairs need {}{}", names[k],
                                   join(names), remedy));
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
    const io::Table table = io::read_table(file);
    const auto column = columns(file, table, {"offset"}, "");
    if (table.rows != bodies + 1)
        fail(file, fmt::format("there are {} offsets where {} bodies need {}", table.rows,
                               bodies, bodies + 1));
    std::vector<std::size_t> result;
    double before = 0;
    for (std::size_t row = 0; row < table.rows; ++row) {
        before = whole(file, *column[0], row, "offset", before, row == 0 ? 0 : 1e15);
        result.push_back(static_cast<std::size_t>(before));
    }
    return result;
}

}  // namespace

template <int D>
std::vector<PlainPair<D>> read_pairs(const std::string& file, std::size_t first,
                                     std::size_t second, Images images) {
    const io::Table table = io::read_table(file);
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
    std::vector<PlainPair<D>> result(table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) {
        result[row].i = body(file, *column[0], row, "i", first);
        result[row].j = body(file, *column[1], row, "j", second);
        if (images == Images::none) continue;
        for (std::size_t a = 0; a < D; ++a)
            result[row].n[a] = image(file, *column[2 + a], row, names[2 + a]);
    }
    return result;
}

template <int D>
std::vector<PlainPair<D>> read_rows(const std::string& prefix, std::size_t bodies,
                                    Images images) {
    const RowFiles files(prefix);
    const auto offsets = read_offsets(files.offsets, bodies);
    const io::Table indices = io::read_table(files.indices);
    const auto other = columns(files.indices, indices, {"index"}, "");
    io::Table shifts;
    std::vector<const io::NamedColumn*> shift;
    if (images == Images::read) {
        shifts = io::read_table(files.images);
        shift = columns(files.images, shifts, image_names(D), "");
        if (shifts.rows != indices.rows) fail(files.images, "it does not fit the indices");
    }
    if (offsets.back() != indices.rows)
        fail(files.offsets, "the last offset is not the number of indices");
    std::vector<PlainPair<D>> result(indices.rows);
    for (std::size_t i = 0; i < bodies; ++i)
        for (std::size_t row = offsets[i]; row < offsets[i + 1]; ++row) {
            result[row].i = static_cast<Index>(i);
            result[row].j = body(files.indices, *other[0], row, "index", bodies);
            for (std::size_t a = 0; a < shift.size(); ++a)
                result[row].n[a] = image(files.images, *shift[a], row, "image");
        }
    return result;
}

std::vector<Pair> read_excluded(const std::string& file, std::size_t first,
                                std::size_t second) {
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
}

template std::vector<PlainPair<2>> read_pairs<2>(const std::string&, std::size_t, std::size_t,
                                                 Images);
template std::vector<PlainPair<3>> read_pairs<3>(const std::string&, std::size_t, std::size_t,
                                                 Images);
template std::vector<PlainPair<2>> read_rows<2>(const std::string&, std::size_t, Images);
template std::vector<PlainPair<3>> read_rows<3>(const std::string&, std::size_t, Images);

}  // namespace vicinal::tool
