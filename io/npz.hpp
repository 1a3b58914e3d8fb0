// Writes numpy's .npz: arrays by name in one file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/compress.hpp"
#include "io/write.hpp"

namespace vicinal::io {

class NpzWriter {
  public:
    enum class Compression { none, deflate };

    // The caller commits the file after finish().
    explicit NpzWriter(PendingFile& out, Compression compression = Compression::none);

    // Begins an array, C-ordered; its values follow by write(), row by row. The type is numpy's
    // name, and cols = 0 makes it one-dimensional, as for npy_header().
    void begin(const std::string& name, std::string_view type, std::size_t rows,
               std::size_t cols);
    void write(const void* data, std::size_t bytes);
    // Ends the last array and writes the directory.
    void finish();

    template <class T>
    void add(const std::string& name, std::string_view type, std::span<const T> values,
             std::size_t cols = 0) {
        begin(name, type, cols > 0 ? values.size() / cols : values.size(), cols);
        write(values.data(), values.size_bytes());
    }
    template <class T>
    void add(const std::string& name, const Column<T>& values) {
        constexpr std::size_t chunk = 4096;
        begin(name, npy_type<T>(), values.count, 0);
        std::vector<T> copy;
        for (std::size_t k = 0; k < values.count; k += copy.size()) {
            copy.resize(std::min(chunk, values.count - k));
            for (std::size_t c = 0; c < copy.size(); ++c) copy[c] = values[k + c];
            write(copy.data(), copy.size() * sizeof(T));
        }
    }

  private:
    struct Entry {
        std::string name;
        std::uint64_t offset = 0, stored = 0, size = 0;
        std::uint32_t checksum = 0;
    };

    void emit(std::string_view bytes);
    void end();

    PendingFile& out_;
    Compression compression_;
    std::unique_ptr<Deflater> deflater_;
    std::vector<Entry> entries_;
    bool open_ = false;
    std::uint64_t written_ = 0;
};

}  // namespace vicinal::io
