// Arrays in a message, one after another.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "mpi/communicator.hpp"

namespace vicinal::inline VICINAL_API::mpi {

class Packer {
  public:
    template <class V>
    void put(const V& value) {
        put_all(std::span<const V>(&value, 1));
    }
    // Without their number.
    template <class V>
    void put_all(std::span<const V> values) {
        static_assert(std::is_trivially_copyable_v<V>);
        const std::size_t at = bytes_.size();
        bytes_.resize(at + values.size_bytes());
        if (!values.empty())
            std::memcpy(bytes_.data() + at, values.data(), values.size_bytes());
    }
    // With their number.
    template <class V>
    void put_counted(const std::vector<V>& values) {
        put(std::uint64_t{values.size()});
        put_all(std::span<const V>(values));
    }
    Bytes take() { return std::move(bytes_); }

  private:
    Bytes bytes_;
};

class Unpacker {
  public:
    explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class V>
    V get() {
        V value;
        std::memcpy(&value, take(sizeof(V)).data(), sizeof(V));
        return value;
    }
    // Appends `count` values.
    template <class V>
    void get_all(std::size_t count, std::vector<V>& to) {
        if (count == 0) return;
        const std::size_t at = to.size();
        to.resize(at + count);
        set_all(count, to.data() + at);
    }
    template <class V>
    void set_all(std::size_t count, V* to) {
        if (count > 0) std::memcpy(to, take(count * sizeof(V)).data(), count * sizeof(V));
    }
    template <class V>
    std::vector<V> get_counted() {
        std::vector<V> values;
        get_all(get<std::uint64_t>(), values);
        return values;
    }

  private:
    std::span<const std::byte> take(std::size_t bytes) {
        const auto taken = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return taken;
    }
    std::span<const std::byte> rest_;
};

}  // namespace vicinal::inline VICINAL_API::mpi
