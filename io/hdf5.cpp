#include "io/hdf5.hpp"

#include <algorithm>

namespace vicinal::io {

namespace {

Hdf5 space_of(const Hdf5& dataset) {
    return {H5Dget_space(dataset.id()), H5Sclose};
}

bool exists(const Hdf5& in, const std::string& name) {
    return H5Lexists(in.id(), name.c_str(), H5P_DEFAULT) > 0 &&
           H5Oexists_by_name(in.id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::uint64_t product(const std::vector<std::uint64_t>& sizes, std::size_t from) {
    std::uint64_t result = 1;
    for (std::size_t k = from; k < sizes.size(); ++k) result *= sizes[k];
    return result;
}

template <class T>
bool read(const Hdf5& dataset, std::optional<std::uint64_t> index, hid_t type,
          std::vector<T>& values) {
    const auto sizes = shape(dataset);
    if (!is_stored(dataset) || (index && (sizes.empty() || *index >= sizes[0]))) return false;
    values.resize(product(sizes, index ? 1 : 0));
    if (values.empty()) return true;
    const Hdf5 from = space_of(dataset);
    const hsize_t total = values.size();
    const Hdf5 to(H5Screate_simple(1, &total, nullptr), H5Sclose);
    if (index) {
        std::vector<hsize_t> start(sizes.size()), count(sizes.begin(), sizes.end());
        start[0] = *index;
        count[0] = 1;
        if (H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr) < 0)
            return false;
    }
    return H5Dread(dataset.id(), type, to.id(), from.id(), H5P_DEFAULT, values.data()) >= 0;
}

}  // namespace

Hdf5 open_hdf5(const std::string& file) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // the library must not print
    return {H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
}

Hdf5 open_group(const Hdf5& in, const std::string& name) {
    if (!in || !exists(in, name)) return {};
    return {H5Gopen2(in.id(), name.c_str(), H5P_DEFAULT), H5Gclose};
}

Hdf5 open_dataset(const Hdf5& in, const std::string& name) {
    if (!in || !exists(in, name)) return {};
    return {H5Dopen2(in.id(), name.c_str(), H5P_DEFAULT), H5Dclose};
}

std::vector<std::string> links(const Hdf5& group) {
    std::vector<std::string> names;
    H5G_info_t info{};
    if (H5Gget_info(group.id(), &info) < 0) return names;
    for (hsize_t k = 0; k < info.nlinks; ++k) {
        char name[256] = {};
        if (H5Lget_name_by_idx(group.id(), ".", H5_INDEX_NAME, H5_ITER_INC, k, name,
                               sizeof name, H5P_DEFAULT) >= 0)
            names.emplace_back(name);
    }
    return names;
}

std::vector<std::uint64_t> shape(const Hdf5& dataset) {
    const Hdf5 space = space_of(dataset);
    const int dimensions = H5Sget_simple_extent_ndims(space.id());
    std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(dimensions, 0)));
    H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
    return {sizes.begin(), sizes.end()};
}

bool holds_numbers(const Hdf5& dataset) {
    const Hdf5 type(H5Dget_type(dataset.id()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.id());
    return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

bool is_stored(const Hdf5& dataset) {
    // Deflate makes at most 1032 bytes of one; small datasets may be all in the header.
    constexpr double best_ratio = 1100, always = 1 << 20;
    const Hdf5 type(H5Dget_type(dataset.id()), H5Tclose);
    double bytes = static_cast<double>(H5Tget_size(type.id()));
    for (const std::uint64_t size : shape(dataset)) bytes *= static_cast<double>(size);
    return bytes <=
           always + best_ratio * static_cast<double>(H5Dget_storage_size(dataset.id()));
}

bool read_values(const Hdf5& dataset, std::optional<std::uint64_t> index,
                 std::vector<double>& values) {
    return read(dataset, index, H5T_NATIVE_DOUBLE, values);
}

bool read_values(const Hdf5& dataset, std::optional<std::uint64_t> index,
                 std::vector<std::int64_t>& values) {
    return read(dataset, index, H5T_NATIVE_INT64, values);
}

std::optional<std::int64_t> fill_value(const Hdf5& dataset) {
    const Hdf5 list(H5Dget_create_plist(dataset.id()), H5Pclose);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    std::int64_t value = 0;
    if (H5Pfill_value_defined(list.id(), &defined) < 0 ||
        defined != H5D_FILL_VALUE_USER_DEFINED ||
        H5Pget_fill_value(list.id(), H5T_NATIVE_INT64, &value) < 0)
        return {};
    return value;
}

std::vector<std::string> texts(const Hdf5& object, const std::string& attribute) {
    std::vector<std::string> result;
    if (H5Aexists(object.id(), attribute.c_str()) <= 0) return result;
    const Hdf5 a(H5Aopen(object.id(), attribute.c_str(), H5P_DEFAULT), H5Aclose);
    const Hdf5 type(H5Aget_type(a.id()), H5Tclose), space(H5Aget_space(a.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    constexpr hssize_t most = 1000;
    if (H5Tget_class(type.id()) != H5T_STRING || count <= 0 || count > most) return result;
    const auto n = static_cast<std::size_t>(count);
    if (H5Tis_variable_str(type.id()) > 0) {
        std::vector<char*> values(n);
        if (H5Aread(a.id(), type.id(), values.data()) < 0) return result;
        for (const char* const value : values) result.emplace_back(value ? value : "");
        H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, values.data());
        return result;
    }
    const std::size_t size = H5Tget_size(type.id());
    constexpr std::size_t longest = 4096;
    if (size > longest) return result;
    std::string values(n * size, '\0');
    if (H5Aread(a.id(), type.id(), values.data()) < 0) return result;
    for (std::size_t k = 0; k < n; ++k) {
        std::string text = values.substr(k * size, size);
        text.resize(std::min(text.find('\0'), text.size()));
        result.push_back(text.substr(0, text.find_last_not_of(' ') + 1));
    }
    return result;
}

std::optional<std::int64_t> number(const Hdf5& object, const std::string& attribute) {
    if (H5Aexists(object.id(), attribute.c_str()) <= 0) return {};
    const Hdf5 a(H5Aopen(object.id(), attribute.c_str(), H5P_DEFAULT), H5Aclose);
    const Hdf5 space(H5Aget_space(a.id()), H5Sclose);
    std::int64_t value = 0;
    if (H5Sget_simple_extent_npoints(space.id()) != 1 ||
        H5Aread(a.id(), H5T_NATIVE_INT64, &value) < 0)
        return {};
    return value;
}

}  // namespace vicinal::io
