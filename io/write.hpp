// Writers. A file appears under its name only when it is complete, so that an interrupted run
// leaves no partial file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal::io {

// A file that is written under a temporary name in the same directory and renamed by commit().
// Without commit() the destructor removes it. Throws vicinal::Error (no permission, full disk,
// a directory in the way, ...). A device or pipe (/dev/stdout) is written in place.
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

// Shortest decimal text that reads back as the same number.
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);

// Named columns of equal length as .npy (rows x columns, float64; names dropped) or .csv, by
// the extension.
void write_columns(const std::filesystem::path& file, std::span<const std::string> names,
                   std::span<const std::vector<double>> columns);

}  // namespace vicinal::io
