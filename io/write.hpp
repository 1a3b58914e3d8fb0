// Writers. A file appears under its name only when it is complete, so that an interrupted run
// leaves no partial file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <vicinal/views.hpp>

namespace vicinal::io {

// A file that is written under a temporary name in the same directory and renamed by commit().
// Without commit() the destructor removes it. Throws vicinal::Error (no permission, full disk,
// a directory in the way, ...). A device or pipe (/dev/stdout) is written in place; "-" is
// standard output.
class PendingFile {
  public:
    explicit PendingFile(std::filesystem::path file);
    PendingFile(PendingFile&&) noexcept;
    ~PendingFile();
    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    void commit();
    // The same for files that must survive a crash of the machine: synced to disk before the
    // renaming.
    void commit_durably();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Removes all temporary files. Safe in a signal handler.
void remove_pending_files() noexcept;

// The header of a C-ordered .npy array; the data follow as raw little-endian bytes.
// type: numpy's name, e.g. "<u4", "<i8", "<f8". cols = 0 makes it one-dimensional.
std::string npy_header(std::string_view type, std::size_t rows, std::size_t cols);
// The same with the type as Python spells it: a quoted name, or a list of (name, type).
std::string npy_header_of(std::string_view descr, std::size_t rows, std::size_t cols);

// numpy's name of a type of numbers.
template <class T>
std::string npy_type() {
    return (std::floating_point<T>    ? "<f"
            : std::signed_integral<T> ? "<i"
                                      : "<u") +
           std::to_string(sizeof(T));
}

// A gzip file of the parts, for numbers that resemble noise: only runs of a byte are matched,
// which is several times as fast as the default and no larger, and each part has codes of its
// own.
std::string gzipped(std::span<const std::string> parts);

// Shortest decimal text that reads back as the same number.
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);

enum class OutputFormat { csv, npy, npz };

// The format of a file's ending, if it is one of them.
std::optional<OutputFormat> output_format(const std::string& file);

struct Output {
    std::string file;
    OutputFormat format;

    Output(std::string name, OutputFormat as) : file(std::move(name)), format(as) {}
    // By the ending. Throws Error if it is none of the formats.
    Output(std::string name);
};

// One value per row.
struct OutputColumn {
    std::string name;
    std::variant<Column<double>, Column<float>, Column<std::int64_t>, Column<std::uint32_t>,
                 Column<std::int16_t>>
        values;
};

// Named columns of equal length. In .npy, columns of one type are an array of rows x columns,
// without names, and columns of several types a structured array, with names; in .npz, each
// column is an array of its name.
void write_table(const Output& output, std::span<const OutputColumn> columns);

}  // namespace vicinal::io
