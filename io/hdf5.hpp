// The calls of the HDF5 library that the reader of H5MD files needs. Internal to io/.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vicinal::io {

// Closes what it refers to. Not valid (false) if the call that made it failed.
class Hdf5 {
  public:
    Hdf5() = default;
    Hdf5(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Hdf5(Hdf5&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Hdf5& operator=(Hdf5&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5() {
        if (id_ >= 0) close_(id_);
    }
    explicit operator bool() const { return id_ >= 0; }
    hid_t id() const { return id_; }

  private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

Hdf5 open_hdf5(const std::string& file);
Hdf5 open_group(const Hdf5& in, const std::string& name);    // not valid if there is none
Hdf5 open_dataset(const Hdf5& in, const std::string& name);  // likewise
std::vector<std::string> links(const Hdf5& group);

std::vector<std::uint64_t> shape(const Hdf5& dataset);
bool holds_numbers(const Hdf5& dataset);
// True unless the dataset declares more values than its bytes in the file can give.
bool is_stored(const Hdf5& dataset);

// The values of a dataset, all of them or those at one index of its first dimension. False if
// they cannot be read.
bool read_values(const Hdf5& dataset, std::optional<std::uint64_t> index,
                 std::vector<double>& values);
bool read_values(const Hdf5& dataset, std::optional<std::uint64_t> index,
                 std::vector<std::int64_t>& values);

// The value of an element that was never written, if the file defines one.
std::optional<std::int64_t> fill_value(const Hdf5& dataset);

// The texts of an attribute; empty if there is none.
std::vector<std::string> texts(const Hdf5& object, const std::string& attribute);
std::optional<std::int64_t> number(const Hdf5& object, const std::string& attribute);

}  // namespace vicinal::io
