// The input of a reader: lines and raw bytes. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace vicinal::io {

// Lines and raw bytes can alternate (a PLY file has a text header before binary data). Files
// are read through a small buffer, so that little memory is needed beside the columns.
class Source {
  public:
    explicit Source(const std::string& file);  // "-" is standard input
    Source(std::string name, std::unique_ptr<Bytes> bytes);
    Source(std::string name, std::string_view bytes);

    // The next line without its end; the text is valid until the next read. False at the
    // end of the file.
    bool line(std::string_view& text);

    void read(char* to, std::size_t bytes);
    std::string read_text(std::uint64_t bytes);
    std::string rest();
    void skip(std::uint64_t bytes);
    // Passes over blanks and blank lines; true if the file ends there.
    bool ends();
    // The first bytes of the file, at most `bytes`. Only before anything is read.
    std::string_view peek(std::size_t bytes);

    struct Position {
        std::uint64_t byte = 0;
        std::size_t line = 0;
        bool operator==(const Position&) const = default;
    };
    Position position() const { return {position_, line_number_}; }
    void seek(Position position);

    // Throws unless the rest of the file can hold `count` elements of at least `bytes_each` > 0
    // bytes. In a compressed file that is not known, and the test passes.
    void expect(std::uint64_t count, std::uint64_t bytes_each, std::string_view things) const;
    // The number of elements to reserve memory for, at most `count`: what the rest of the file
    // can hold. Every declared count is limited by this: a file of a few bytes must not cause
    // an allocation of gigabytes.
    std::size_t reservable(std::uint64_t count, std::uint64_t bytes_each) const;

    const std::string& name() const { return name_; }
    std::size_t line_number() const { return line_number_; }

    [[noreturn]] void fail(const std::string& what) const;
    [[noreturn]] void fail_at(std::size_t line, const std::string& what) const;
    [[noreturn]] void fail_here(const std::string& what) const { fail_at(line_number_, what); }
    [[noreturn]] void fail_short() const;

  private:
    std::size_t buffered() const { return end_ - begin_; }
    std::optional<std::uint64_t> left() const;
    bool fill();
    void consume(std::size_t bytes);

    std::string name_;
    std::unique_ptr<Bytes> bytes_;
    std::optional<std::uint64_t> size_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t position_ = 0;
    std::size_t line_number_ = 0;
};

}  // namespace vicinal::io
