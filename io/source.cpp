#include "io/source.hpp"

#include <algorithm>
#include <cstring>

#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

// What may be reserved for a file whose size is not known.
constexpr std::uint64_t blind_bytes = std::uint64_t{1} << 20;

}  // namespace

Source::Source(const std::string& file) : Source(file, open_bytes(file)) {}

Source::Source(std::string name, std::unique_ptr<Bytes> bytes)
    : name_(name == "-" ? "standard input" : std::move(name)),
      bytes_(std::move(bytes)),
      size_(bytes_->size()),
      buffer_(std::min<std::uint64_t>(size_.value_or(buffer_bytes), buffer_bytes) + 1) {}

Source::Source(std::string name, std::string_view bytes)
    : Source(std::move(name), memory_bytes(bytes)) {}

std::optional<std::uint64_t> Source::left() const {
    if (!size_) return {};
    return *size_ - std::min(*size_, position_);
}

// Appends the next bytes of the file to the buffer; false at the end of the file.
bool Source::fill() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    if (got == 0 && size_ && position_ + buffered() < *size_) fail_short();  // it has shrunk
    return got > 0;
}

void Source::consume(std::size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
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

bool Source::ends() {
    constexpr std::string_view blanks = " \t\r\v\f\n";
    while (buffered() > 0 || fill()) {
        const char c = buffer_[begin_];
        if (blanks.find(c) == std::string_view::npos) return false;
        if (c == '\n') ++line_number_;
        consume(1);
    }
    return true;
}

void Source::read(char* to, std::size_t bytes) {
    if (size_ && bytes > *left()) fail_short();
    const std::size_t ready = std::min(bytes, buffered());
    if (ready > 0) std::memcpy(to, buffer_.data() + begin_, ready);
    consume(ready);
    for (std::size_t done = ready; done < bytes;) {
        const std::size_t got = bytes_->read(to + done, bytes - done);
        if (got == 0) fail_short();
        done += got;
        position_ += got;
    }
}

std::string Source::read_text(std::uint64_t bytes) {
    std::string text;
    text.reserve(reservable(bytes, 1));
    while (text.size() < bytes) {
        if (buffered() == 0 && !fill()) fail_short();
        const std::size_t step = std::min<std::uint64_t>(bytes - text.size(), buffered());
        text.append(buffer_.data() + begin_, step);
        consume(step);
    }
    return text;
}

std::string Source::rest() {
    std::string text;
    if (size_) text.reserve(*left());
    while (buffered() > 0 || fill()) {
        text.append(buffer_.data() + begin_, buffered());
        consume(buffered());
    }
    return text;
}

void Source::skip(std::uint64_t bytes) {
    if (size_ && bytes > *left()) fail_short();
    while (bytes > 0) {
        if (buffered() == 0 && !fill()) fail_short();
        const std::size_t step = std::min<std::uint64_t>(bytes, buffered());
        consume(step);
        bytes -= step;
    }
}

std::string_view Source::peek(std::size_t bytes) {
    while (buffered() < bytes && fill()) {
    }
    return {buffer_.data() + begin_, std::min(bytes, buffered())};
}

void Source::seek(Position position) {
    line_number_ = position.line;
    if (position.byte >= position_ && position.byte - position_ <= buffered()) {
        consume(position.byte - position_);
        return;
    }
    bytes_->seek(position.byte);
    begin_ = end_ = 0;
    position_ = position.byte;
}

void Source::expect(std::uint64_t count, std::uint64_t bytes_each,
                    std::string_view things) const {
    // One extra byte, because the last line of a text file may lack its newline.
    if (!size_ || count <= (*left() + 1) / bytes_each) return;
    fail("declares " + std::to_string(count) + " " + std::string(things) + ", but only " +
         std::to_string(*left()) +
         " bytes follow; the file is truncated or its header is wrong");
}

std::size_t Source::reservable(std::uint64_t count, std::uint64_t bytes_each) const {
    return std::min(count, left().value_or(blind_bytes) / bytes_each + 1);
}

void Source::fail(const std::string& what) const {
    throw Error(Error::Kind::input, printable(name_) + ": " + what);
}

void Source::fail_at(std::size_t line, const std::string& what) const {
    throw Error(Error::Kind::input,
                printable(name_) + ": line " + std::to_string(line) + ": " + what);
}

void Source::fail_short() const {
    fail("ends too early (after " +
         (line_number_ > 0 ? "line " + std::to_string(line_number_)
                           : std::to_string(position_) + " bytes") +
         "); the file is truncated, write it again");
}

}  // namespace vicinal::io
