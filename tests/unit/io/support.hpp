// What the tests of readers and writers share.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/compress.hpp"
#include "io/table.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace fs = std::filesystem;
using Values = std::vector<double>;

// One directory per test, so that tests can run in parallel.
class Folder {
  public:
    Folder() {
        static std::atomic<int> counter = 0;
        path_ = fs::path(::testing::TempDir()) /
                ("vicinal_io_" + std::to_string(::getpid()) + "_" + std::to_string(counter++));
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    fs::path operator/(const std::string& name) const { return path_ / name; }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

  private:
    fs::path path_;
};

inline void put(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

inline std::string get(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

inline Table read(const std::string& name, const std::string& bytes,
                  const ReadOptions& options = {}) {
    const Folder folder;
    put(folder / name, bytes);
    return read_table(folder / name, options);
}

inline ReadOptions with_elements() {
    ReadOptions options;
    options.elements = true;
    return options;
}

inline ReadOptions with_fields(std::vector<std::string> fields) {
    ReadOptions options;
    options.fields = std::move(fields);
    return options;
}

template <class Call>
std::string message(Call call) {
    try {
        call();
    } catch (const vicinal::Error& error) {
        EXPECT_EQ(error.kind(), vicinal::Error::Kind::input);
        return error.what();
    }
    return "no error";
}

// The error must name the file and hold every key word, on one line.
inline void expect_words(const std::string& text, const std::string& name,
                         const std::vector<std::string>& words) {
    EXPECT_NE(text.find(name), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' not in: " << text;
}

inline void expect_refused(const std::string& name, const std::string& bytes,
                           const std::vector<std::string>& words,
                           const ReadOptions& options = {}) {
    expect_words(message([&] { read(name, bytes, options); }), name, words);
}

inline std::vector<std::string> names(const Table& table) {
    std::vector<std::string> result;
    for (const NamedColumn& c : table.columns) result.push_back(c.name);
    return result;
}

inline Values column(const Table& table, const std::string& name) {
    const NamedColumn* found = table.find(name);
    EXPECT_NE(found, nullptr) << "no column " << name;
    return found ? found->values : Values{};
}

inline std::string npy(const std::string& dictionary, const std::string& data,
                       char version = 1) {
    const auto length = static_cast<std::uint32_t>(dictionary.size());
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
        bytes += static_cast<char>(length >> (8 * i) & 0xff);
    return bytes + dictionary + data;
}

inline std::string array(const std::string& type, const std::string& shape,
                         const std::string& data, bool fortran = false) {
    return npy("{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                   ", 'shape': " + shape + ", }\n",
               data);
}

template <class T>
std::string raw(const std::vector<T>& values, bool reversed = false) {
    std::string bytes;
    for (const T value : values) {
        char one[sizeof(T)];
        std::memcpy(one, &value, sizeof(T));
        if (reversed) std::reverse(one, one + sizeof(T));
        bytes.append(one, sizeof(T));
    }
    return bytes;
}

inline std::string deflated(const std::string& bytes) {
    Deflater deflater;
    std::string result;
    deflater.add(bytes.data(), bytes.size(), result);
    deflater.finish(result);
    return result;
}

inline std::string gzip(const std::string& bytes) {
    return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + deflated(bytes) +
           raw<std::uint32_t>({crc32(0, bytes.data(), bytes.size()),
                               static_cast<std::uint32_t>(bytes.size())});
}

}  // namespace vicinal::io
