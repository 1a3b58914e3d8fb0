// The input of a reader: a file, or memory (tests, fuzzing). Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal::io {

// Lines and raw bytes can alternate (a PLY file has a text header before binary data). Files
// are read through a small buffer, so that little memory is needed beside the columns.
class Source {
  public:
    explicit Source(const std::filesystem::path& file);
    Source(std::string name, std::string_view bytes);

    // The next line without its end; the text is valid until the next read. False at the
    // end of the file.
    bool line(std::string_view& text);

    void read(char* to, std::size_t bytes);
    void skip(std::uint64_t bytes);

    // Throws unless the rest of the file can hold `count` elements of at least `bytes_each` > 0
    // bytes. Every declared count is checked here before memory is allocated: a file of a few
    // bytes must not cause an allocation of gigabytes.
    void expect(std::uint64_t count, std::uint64_t bytes_each, std::string_view things) const;

    std::uint64_t left() const { return left_; }
    std::size_t line_number() const { return line_number_; }

    [[noreturn]] void fail(const std::string& what) const;
    [[noreturn]] void fail_at(std::size_t line, const std::string& what) const;
    [[noreturn]] void fail_here(const std::string& what) const { fail_at(line_number_, what); }
    [[noreturn]] void fail_short() const;

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::size_t buffered() const { return end_ - begin_; }
    bool fill();
    void consume(std::size_t bytes);

    std::string name_;
    std::unique_ptr<std::FILE, Close> file_;  // null: the buffer holds everything
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t left_ = 0;
    std::size_t line_number_ = 0;
};

}  // namespace vicinal::io
