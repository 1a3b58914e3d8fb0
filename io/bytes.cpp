#include "io/bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
    throw Error(Error::Kind::input, printable(name) + ": " + what);
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail_reading(const std::string& name) {
    fail(name,
         "cannot be read (" + std::generic_category().message(errno) + "); check the disk");
}

class FileBytes : public Bytes {
  public:
    FileBytes(std::string name, File file, std::uint64_t size)
        : name_(std::move(name)), file_(std::move(file)), size_(size) {}

    std::size_t read(char* to, std::size_t bytes) override {
        const std::size_t got = std::fread(to, 1, bytes, file_.get());
        if (got < bytes && std::ferror(file_.get()) != 0) fail_reading(name_);
        return got;
    }
    void seek(std::uint64_t offset) override {
        if (fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) fail_reading(name_);
    }
    std::optional<std::uint64_t> size() const override { return size_; }

  private:
    std::string name_;
    File file_;
    std::uint64_t size_;
};

class MemoryBytes : public Bytes {
  public:
    explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}
    explicit MemoryBytes(std::string owned) : owned_(std::move(owned)), bytes_(owned_) {}
    MemoryBytes(const MemoryBytes&) = delete;

    std::size_t read(char* to, std::size_t bytes) override {
        const std::size_t got = std::min(bytes, bytes_.size() - at_);
        if (got > 0) std::memcpy(to, bytes_.data() + at_, got);
        at_ += got;
        return got;
    }
    void seek(std::uint64_t offset) override {
        at_ = std::min<std::uint64_t>(offset, bytes_.size());
    }
    std::optional<std::uint64_t> size() const override { return bytes_.size(); }

  private:
    std::string owned_;
    std::string_view bytes_;
    std::size_t at_ = 0;
};

class InflatedBytes : public Bytes {
  public:
    InflatedBytes(std::string name, std::unique_ptr<Bytes> from, Inflater::Kind kind)
        : name_(std::move(name)),
          from_(std::move(from)),
          kind_(kind),
          inflater_(kind),
          buffer_(buffer_bytes) {}

    std::size_t read(char* to, std::size_t bytes) override {
        while (bytes > 0 && (!ended_ || next_stream())) {
            if (begin_ == end_) fill();
            const auto step = inflater_.run(buffer_.data() + begin_, end_ - begin_, to, bytes);
            if (!step.error.empty())
                fail(name_, "the compressed data are damaged (" + step.error +
                                "); copy or write the file again");
            // Neither input nor output moves only when the input has ended.
            if (step.consumed + step.produced == 0 && !step.ended && at_end_)
                fail(name_,
                     "the compressed data end too early; the file is truncated, write "
                     "it again");
            begin_ += step.consumed;
            ended_ = step.ended;
            if (step.produced > 0) {
                position_ += step.produced;
                return step.produced;
            }
        }
        return 0;
    }

    void seek(std::uint64_t offset) override {
        if (offset < position_) {
            from_->seek(0);
            inflater_.reset();
            begin_ = end_ = 0;
            position_ = 0;
            ended_ = at_end_ = false;
        }
        std::vector<char> ignored(buffer_bytes);
        while (position_ < offset)
            if (read(ignored.data(),
                     std::min<std::uint64_t>(ignored.size(), offset - position_)) == 0)
                return;
    }

    std::optional<std::uint64_t> size() const override { return {}; }

  private:
    void fill() {
        begin_ = 0;
        end_ = from_->read(buffer_.data(), buffer_.size());
        at_end_ = end_ == 0;
    }

    // After the end of a stream: true if another one follows.
    bool next_stream() {
        if (kind_ != Inflater::Kind::gzip) return false;
        if (begin_ == end_) fill();
        if (at_end_) return false;
        inflater_.reset();
        ended_ = false;
        return true;
    }

    std::string name_;
    std::unique_ptr<Bytes> from_;
    Inflater::Kind kind_;
    Inflater inflater_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t position_ = 0;
    bool ended_ = false, at_end_ = false;
};

std::string read_to_end(const std::string& name, std::FILE* file) {
    std::string result;
    std::vector<char> buffer(buffer_bytes);
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file))
        result.append(buffer.data(), got);
    if (std::ferror(file) != 0) fail_reading(name);
    return result;
}

std::unique_ptr<Bytes> open_file(const std::string& name) {
    std::error_code error;
    const auto status = fs::status(name, error);
    if (fs::is_directory(status)) fail(name, "is a directory; name a file in it");
    const bool pipe = fs::is_fifo(status);
    if (fs::exists(status) && !fs::is_regular_file(status) && !pipe)
        fail(name, "is not a regular file; copy the data into a file first");
    File file(std::fopen(name.c_str(), "rb"));
    if (!file)
        fail(name, "cannot be opened (" + std::generic_category().message(errno) +
                       "); check its name and permissions");
    if (pipe) return std::make_unique<MemoryBytes>(read_to_end(name, file.get()));
    const std::uint64_t size = fs::file_size(name, error);
    if (error) fail(name, "its size cannot be read (" + error.message() + "); check the path");
    return std::make_unique<FileBytes>(name, std::move(file), size);
}

}  // namespace

std::unique_ptr<Bytes> open_bytes(const std::string& name) {
    std::unique_ptr<Bytes> bytes =
        name == "-" ? std::make_unique<MemoryBytes>(read_to_end("standard input", stdin))
                    : open_file(name);
    if (bytes->size() == 0)
        fail(name == "-" ? "standard input" : name, "is empty; write it again");
    char start[2] = {};
    const std::size_t got = bytes->read(start, sizeof start);
    bytes->seek(0);
    if (std::string_view(start, got) != "\x1f\x8b") return bytes;
    return inflated_bytes(name, std::move(bytes), Inflater::Kind::gzip);
}

std::unique_ptr<Bytes> memory_bytes(std::string_view bytes) {
    return std::make_unique<MemoryBytes>(bytes);
}

std::unique_ptr<Bytes> inflated_bytes(std::string name, std::unique_ptr<Bytes> from,
                                      Inflater::Kind kind) {
    return std::make_unique<InflatedBytes>(std::move(name), std::move(from), kind);
}

}  // namespace vicinal::io
