// Writers of pairs and of neighbour rows.
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "io/npz.hpp"
#include "io/pairs.hpp"

namespace vicinal::io {
namespace {

static_assert(std::endian::native == std::endian::little, ".npy files hold native values");

template <class T>
void write_all(PendingFile& out, std::span<const T> values) {
    out.write(values.data(), values.size_bytes());
}

// The first (side 0) or the second (side 1) bodies of the pairs.
template <Real T, int D>
Column<Index> indices_of(const PairColumns<T, D>& pairs, std::size_t side) {
    if (pairs.empty()) return {};
    return {pairs.indices.data() + side, pairs.size(), 2 * sizeof(Index)};
}

std::vector<std::int64_t> named(const Column<Index>& indices, const BodyIds& ids) {
    std::vector<std::int64_t> result(indices.count);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = ids[indices[k]];
    return result;
}

// One column for each component of images or vectors.
template <class V>
void add_components(const std::string& before, const Array<V>& values,
                    std::vector<OutputColumn>& columns) {
    using T = typename V::value_type;
    for (std::size_t a = 0; a < std::tuple_size_v<V>; ++a)
        columns.push_back({before + "xyz"[a],
                           values.empty()
                               ? Column<T>()
                               : Column<T>(values[0].data() + a, values.size(), sizeof(V))});
}

template <Real T, int D>
void write_columns(const Output& output, const PairColumns<T, D>& pairs, Columns columns,
                   std::vector<OutputColumn> table) {
    if (has_images(columns)) add_components("n", pairs.images, table);
    if (has_distances(columns)) table.push_back({"distance", Column<T>(pairs.distances)});
    if (has_vectors(columns)) add_components("d", pairs.vectors, table);
    write_table(output, table);
}

template <class V>
void add_array(NpzWriter& archive, const std::string& name, const Array<V>& values) {
    archive.begin(name, npy_type<typename V::value_type>(), values.size(),
                  std::tuple_size_v<V>);
    archive.write(values.data(), values.size() * sizeof(V));
}

template <Real T, int D>
void write_archive(const std::string& file, const PairColumns<T, D>& pairs, Columns columns,
                   std::span<const OutputColumn> bodies) {
    PendingFile out(file);
    NpzWriter archive(out);
    for (const OutputColumn& column : bodies)
        std::visit([&](const auto& values) { archive.add(column.name, values); },
                   column.values);
    if (has_images(columns)) add_array(archive, "S", pairs.images);
    if (has_distances(columns)) archive.add("d", Column<T>(pairs.distances));
    if (has_vectors(columns)) add_array(archive, "D", pairs.vectors);
    archive.finish();
    out.commit();
}

// One array of whole numbers, interleaved in pieces.
template <Real T, int D>
void write_array(const std::string& file, const PairColumns<T, D>& pairs, bool images,
                 const PairNames& names) {
    PendingFile out(file);
    const bool wide = images || names.given();
    out.write(npy_header(wide ? "<i8" : "<u4", pairs.size(), images ? 2 + D : 2));
    if (!wide) write_all<Index>(out, pairs.indices);
    constexpr std::size_t piece = 8192;
    std::vector<std::int64_t> buffer;
    for (std::size_t k = 0; wide && k < pairs.size(); ++k) {
        buffer.push_back(names.first[pairs.i(k)]);
        buffer.push_back(names.second[pairs.j(k)]);
        if (images) buffer.insert(buffer.end(), pairs.images[k].begin(), pairs.images[k].end());
        if (buffer.size() < piece && k + 1 < pairs.size()) continue;
        write_all<std::int64_t>(out, buffer);
        buffer.clear();
    }
    out.commit();
}

// Files that appear together, when all of them are complete.
class Files {
  public:
    template <class T>
    void add(const std::string& name, const Array<T>& values) {
        add(name, npy_type<T>(), values, 0);
    }
    // Images or vectors, row by row.
    template <class T, std::size_t D>
    void add(const std::string& name, const Array<std::array<T, D>>& values) {
        add(name, npy_type<T>(), values, D);
    }
    std::vector<std::string> commit() {
        for (PendingFile& file : files_) file.commit();
        return std::move(names_);
    }

  private:
    template <class V>
    void add(const std::string& name, const std::string& type, const Array<V>& values,
             std::size_t cols) {
        PendingFile& out = files_.emplace_back(name);
        out.write(npy_header(type, values.size(), cols));
        write_all<V>(out, values);
        names_.push_back(name);
    }

    std::vector<PendingFile> files_;
    std::vector<std::string> names_;
};

}  // namespace

template <Real T, int D>
void write_pairs(const Output& output, const PairColumns<T, D>& pairs, Columns columns,
                 const PairNames& names) {
    const bool npy = output.format == OutputFormat::npy;
    if (npy && !has_distances(columns) && !has_vectors(columns))
        return write_array(output.file, pairs, has_images(columns), names);
    const Column<Index> i = indices_of(pairs, 0), j = indices_of(pairs, 1);
    std::vector<std::int64_t> i_names, j_names;
    std::vector<OutputColumn> bodies{{"i", i}, {"j", j}};
    if (npy || names.given()) {
        i_names = named(i, names.first);
        j_names = named(j, names.second);
        bodies = {{"i", i_names}, {"j", j_names}};
    }
    if (output.format == OutputFormat::npz)
        write_archive(output.file, pairs, columns, bodies);
    else
        write_columns(output, pairs, columns, std::move(bodies));
}

template <Real T, int D>
std::vector<std::string> write_rows(const std::string& prefix, const vicinal::Rows<T, D>& rows,
                                    Columns columns) {
    const RowFiles names(prefix);
    Files files;
    files.add(names.offsets, rows.offsets);
    files.add(names.indices, rows.indices);
    if (has_images(columns)) files.add(names.images, rows.images);
    if (has_distances(columns)) files.add(names.distances, rows.distances);
    if (has_vectors(columns)) files.add(names.vectors, rows.vectors);
    return files.commit();
}

#define VICINAL_PAIRS(T, D)                                                     \
    template void write_pairs(const Output&, const PairColumns<T, D>&, Columns, \
                              const PairNames&);                                \
    template std::vector<std::string> write_rows(const std::string&,            \
                                                 const vicinal::Rows<T, D>&, Columns);
VICINAL_PAIRS(float, 2)
VICINAL_PAIRS(float, 3)
VICINAL_PAIRS(double, 2)
VICINAL_PAIRS(double, 3)
#undef VICINAL_PAIRS

}  // namespace vicinal::io
