#include "io/pairs.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>

#include "common/text.hpp"
#include "io/write.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, file + ": " + what);
}

// A whole number of a row, from `minimum` to `maximum`.
double whole(const std::string& file, const NamedColumn& column, std::size_t row,
             const std::string& name, double minimum, double maximum) {
    const double value = column.values[row];
    if (value == std::floor(value) && value >= minimum && value <= maximum) return value;
    fail(file, fmt::format("{} = {} in row {} is not a whole number from {} to {}", name, value,
                           row + 1, minimum, maximum));
}

Index body(const std::string& file, const NamedColumn& column, std::size_t row,
           const char* name, std::size_t bodies) {
    if (bodies == 0)
        fail(file, "it lists pairs, but there are no bodies; give the file of their bodies");
    return static_cast<Index>(
        whole(file, column, row, name, 0, static_cast<double>(bodies - 1)));
}

int image(const std::string& file, const NamedColumn& column, std::size_t row,
          const std::string& name) {
    return static_cast<int>(whole(file, column, row, name, -1e6, 1e6));
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
        before = whole(file, *column[0], row, "offset", before, row == 0 ? 0 : 1e15);
        result.push_back(static_cast<std::size_t>(before));
    }
    return result;
}

static_assert(std::endian::native == std::endian::little, ".npy files hold native values");
static_assert(sizeof(Pair) == 2 * sizeof(Index));

template <class T>
void write_all(PendingFile& out, std::span<const T> values) {
    out.write(values.data(), values.size_bytes());
}

// Interleaves pairs and images, one block at a time.
template <int D>
void write_wide(PendingFile& out, const Block<D>& block) {
    constexpr std::size_t chunk = 4096;
    std::vector<std::int64_t> buffer;
    buffer.reserve(chunk * (2 + D));
    for (std::size_t k = 0; k < block.pairs.size(); ++k) {
        buffer.push_back(block.pairs[k].i);
        buffer.push_back(block.pairs[k].j);
        for (const std::int16_t n : block.images[k]) buffer.push_back(n);
        if (buffer.size() < chunk * (2 + D) && k + 1 < block.pairs.size()) continue;
        write_all<std::int64_t>(out, buffer);
        buffer.clear();
    }
}

template <int D>
void write_npy(PendingFile& out, const PairList<D>& pairs, bool periodic) {
    out.write(npy_header(periodic ? "<i8" : "<u4", pairs.size(), periodic ? 2 + D : 2));
    for (const Block<D>& block : pairs.blocks()) {
        if (periodic)
            write_wide(out, block);
        else
            write_all(out, block.pairs);
    }
}

template <int D>
void write_csv(PendingFile& out, const PairList<D>& pairs, bool periodic) {
    std::string text = "i,j";
    if (periodic) text += D == 2 ? ",nx,ny" : ",nx,ny,nz";
    text += '\n';
    for (const Block<D>& block : pairs.blocks())
        for (std::size_t k = 0; k < block.pairs.size(); ++k) {
            const Pair pair = block.pairs[k];
            fmt::format_to(std::back_inserter(text), "{},{}", pair.i, pair.j);
            if (periodic)
                for (const std::int16_t n : block.images[k])
                    fmt::format_to(std::back_inserter(text), ",{}", n);
            text += '\n';
            if (text.size() < 60'000) continue;
            out.write(text);
            text.clear();
        }
    out.write(text);
}

}  // namespace

template <int D>
std::vector<ListedPair<D>> read_pairs(const std::string& file, std::size_t first,
                                      std::size_t second, Images images) {
    return pairs_of<D>(read_table(file), file, first, second, images);
}

template <int D>
std::vector<ListedPair<D>> pairs_of(const Table& table, const std::string& file,
                                    std::size_t first, std::size_t second, Images images) {
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
    std::vector<ListedPair<D>> result(table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) {
        result[row].i = body(file, *column[0], row, "i", first);
        result[row].j = body(file, *column[1], row, "j", second);
        if (images == Images::none) continue;
        for (std::size_t a = 0; a < D; ++a)
            result[row].image[a] = image(file, *column[2 + a], row, names[2 + a]);
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
            result[row].j = body(files.indices, *other[0], row, "index", bodies);
            for (std::size_t a = 0; a < shift.size(); ++a)
                result[row].image[a] = image(files.images, *shift[a], row, "image");
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

template <int D>
void write_pairs(const std::string& file, const PairList<D>& pairs, bool periodic) {
    PendingFile out(file);
    if (file.ends_with(".csv"))
        write_csv(out, pairs, periodic);
    else
        write_npy(out, pairs, periodic);
    out.commit();
}

template <int D>
std::vector<std::string> write_rows(const std::string& prefix, const vicinal::Rows<D>& rows,
                                    bool periodic) {
    const RowFiles names(prefix);
    PendingFile offsets(names.offsets), indices(names.indices);
    offsets.write(npy_header("<u8", rows.offsets.size(), 0));
    write_all<std::uint64_t>(offsets, rows.offsets);
    indices.write(npy_header("<u4", rows.indices.size(), 0));
    write_all<Index>(indices, rows.indices);
    if (periodic) {
        PendingFile images(names.images);
        images.write(npy_header("<i2", rows.images.size(), D));
        write_all<Image<D>>(images, rows.images);
        images.commit();
    }
    offsets.commit();
    indices.commit();
    if (!periodic) return {names.offsets, names.indices};
    return {names.offsets, names.indices, names.images};
}

template std::vector<ListedPair<2>> read_pairs<2>(const std::string&, std::size_t, std::size_t,
                                                  Images);
template std::vector<ListedPair<3>> read_pairs<3>(const std::string&, std::size_t, std::size_t,
                                                  Images);
template std::vector<ListedPair<2>> pairs_of<2>(const Table&, const std::string&, std::size_t,
                                                std::size_t, Images);
template std::vector<ListedPair<3>> pairs_of<3>(const Table&, const std::string&, std::size_t,
                                                std::size_t, Images);
template std::vector<ListedPair<2>> read_rows<2>(const std::string&, std::size_t, Images);
template std::vector<ListedPair<3>> read_rows<3>(const std::string&, std::size_t, Images);
template void write_pairs<2>(const std::string&, const PairList<2>&, bool);
template void write_pairs<3>(const std::string&, const PairList<3>&, bool);
template std::vector<std::string> write_rows<2>(const std::string&, const vicinal::Rows<2>&,
                                                bool);
template std::vector<std::string> write_rows<3>(const std::string&, const vicinal::Rows<3>&,
                                                bool);

}  // namespace vicinal::io
