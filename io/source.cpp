#include "io/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

}  // namespace

Source::Source(const std::filesystem::path& file) : name_(file.string()) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (std::filesystem::is_directory(status)) fail("is a directory; name a file in it");
    // A pipe has no size, which is needed to reject hostile counts.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        fail("is not a regular file; copy the data into a file first");
    file_.reset(std::fopen(file.c_str(), "rb"));
    if (!file_)
        fail("cannot be opened (" + std::generic_category().message(errno) +
             "); check its name and permissions");
    left_ = std::filesystem::file_size(file, error);
    if (error) fail("its size cannot be read (" + error.message() + "); check the path");
    if (left_ == 0) fail("is empty; write it again");
    buffer_.resize(std::min<std::uint64_t>(left_, buffer_bytes));
}

Source::Source(std::string name, std::string_view bytes)
    : name_(std::move(name)),
      buffer_(bytes.begin(), bytes.end()),
      end_(bytes.size()),
      left_(bytes.size()) {}

// Appends the next bytes of the file to the buffer; false at the end of the file.
bool Source::fill() {
    if (!file_ || left_ <= buffered()) return false;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t want = std::min<std::uint64_t>(buffer_.size() - end_, left_ - buffered());
    const std::size_t got = std::fread(buffer_.data() + end_, 1, want, file_.get());
    if (got < want) fail_short();
    end_ += got;
    return true;
}

void Source::consume(std::size_t bytes) {
    begin_ += bytes;
    left_ -= bytes;
}

bool Source::line(std::string_view& text) {
    std::size_t searched = 0;
    const char* newline = nullptr;
    while (newline == nullptr) {
        const std::size_t unsearched = buffered() - searched;
        if (unsearched > 0) {
            const char* from = buffer_.data() + begin_ + searched;
            newline = static_cast<const char*>(std::memchr(from, '\n', unsearched));
        }
        searched = buffered();
        if (newline == nullptr && !fill()) break;
    }
    if (buffered() == 0) return false;
    const char* first = buffer_.data() + begin_;
    text = {first, newline ? static_cast<std::size_t>(newline - first) : buffered()};
    consume(text.size() + (newline ? 1 : 0));
    if (text.ends_with('\r')) text.remove_suffix(1);
    ++line_number_;
    return true;
}

void Source::read(char* to, std::size_t bytes) {
    if (bytes > left_) fail_short();
    const std::size_t ready = std::min(bytes, buffered());
    if (ready > 0) std::memcpy(to, buffer_.data() + begin_, ready);
    consume(ready);
    const std::size_t rest = bytes - ready;
    if (rest == 0) return;
    if (std::fread(to + ready, 1, rest, file_.get()) < rest) fail_short();
    left_ -= rest;
}

void Source::skip(std::uint64_t bytes) {
    if (bytes > left_) fail_short();
    while (bytes > 0) {
        if (buffered() == 0) fill();
        const std::size_t step = std::min<std::uint64_t>(bytes, buffered());
        consume(step);
        bytes -= step;
    }
}

void Source::expect(std::uint64_t count, std::uint64_t bytes_each,
                    std::string_view things) const {
    // One extra byte, because the last line of a text file may lack its newline.
    if (count <= (left_ + 1) / bytes_each) return;
    fail("declares " + std::to_string(count) + " " + std::string(things) + ", but only " +
         std::to_string(left_) + " bytes follow; the file is truncated or its header is wrong");
}

void Source::fail(const std::string& what) const {
    throw Error(Error::Kind::input, printable(name_) + ": " + what);
}

void Source::fail_at(std::size_t line, const std::string& what) const {
    throw Error(Error::Kind::input,
                printable(name_) + ": line " + std::to_string(line) + ": " + what);
}

void Source::fail_short() const {
    fail("ends too early" +
         (line_number_ > 0 ? " (after line " + std::to_string(line_number_) + ")" : "") +
         "; the file is truncated, write it again");
}

}  // namespace vicinal::io
