// How files of pairs name bodies: by index, or by the ids of their own file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <vicinal/types.hpp>

namespace vicinal::io {

class BodyIds {
  public:
    BodyIds(std::size_t count = 0) : count_(count) {}  // indices
    explicit BodyIds(std::vector<std::int64_t> ids);   // must be unique: see repeated()

    bool given() const { return given_; }
    std::size_t count() const { return count_; }
    std::int64_t operator[](Index i) const { return given_ ? ids_[i] : std::int64_t{i}; }
    std::optional<Index> index_of(std::int64_t id) const;
    // The second of two bodies with the same id, if there are any.
    std::optional<std::size_t> repeated() const { return repeated_; }

  private:
    std::size_t count_;
    bool given_ = false;
    std::vector<std::int64_t> ids_;
    std::unordered_map<std::int64_t, Index> indices_;
    std::optional<std::size_t> repeated_;
};

}  // namespace vicinal::io
