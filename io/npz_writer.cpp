// Zip with 64-bit sizes throughout. The file is written from front to back, so sizes and
// checksums follow the data of each entry (bit 3 of the flags).
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "io/npz.hpp"

namespace vicinal::io {

namespace {

constexpr std::uint64_t zip64 = 45;  // the version of the format that has 64-bit sizes
constexpr std::uint64_t elsewhere = 0xffffffff;
constexpr std::uint64_t flags = 1 << 3 | 1 << 11;  // sizes follow; the name is UTF-8
constexpr std::uint64_t date = 1 << 5 | 1;         // 1980-01-01: the same file every time

class Record {
  public:
    explicit Record(std::string_view signature) : bytes_(signature) {}
    Record& add(int width, std::uint64_t value) {
        for (int k = 0; k < width; ++k) bytes_ += static_cast<char>(value >> (8 * k) & 0xff);
        return *this;
    }
    Record& add(std::string_view text) {
        bytes_ += text;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

}  // namespace

NpzWriter::NpzWriter(PendingFile& out, Compression compression)
    : out_(out), compression_(compression) {}

void NpzWriter::emit(std::string_view bytes) {
    out_.write(bytes);
    written_ += bytes.size();
}

void NpzWriter::begin(const std::string& name, std::string_view type, std::size_t rows,
                      std::size_t cols) {
    end();
    Entry& entry = entries_.emplace_back();
    entry.name = name + ".npy";
    entry.offset = written_;
    open_ = true;
    const bool deflated = compression_ == Compression::deflate;
    if (deflated) deflater_ = std::make_unique<Deflater>();
    Record header("PK\3\4");
    header.add(2, zip64).add(2, flags).add(2, deflated ? 8 : 0).add(2, 0).add(2, date);
    header.add(4, 0).add(4, elsewhere).add(4, elsewhere).add(2, entry.name.size()).add(2, 20);
    header.add(entry.name).add(2, 1).add(2, 16).add(8, 0).add(8, 0);
    emit(header.bytes());
    const std::string start = npy_header(type, rows, cols);
    write(start.data(), start.size());
}

void NpzWriter::write(const void* data, std::size_t bytes) {
    Entry& entry = entries_.back();
    entry.checksum = crc32(entry.checksum, data, bytes);
    entry.size += bytes;
    const std::uint64_t before = written_;
    if (deflater_) {
        std::string compressed;
        deflater_->add(data, bytes, compressed);
        emit(compressed);
    } else {
        emit({static_cast<const char*>(data), bytes});
    }
    entry.stored += written_ - before;
}

void NpzWriter::end() {
    if (!open_) return;
    Entry& entry = entries_.back();
    if (deflater_) {
        std::string rest;
        deflater_->finish(rest);
        emit(rest);
        entry.stored += rest.size();
        deflater_.reset();
    }
    Record sizes("PK\7\10");
    emit(sizes.add(4, entry.checksum).add(8, entry.stored).add(8, entry.size).bytes());
    open_ = false;
}

void NpzWriter::finish() {
    end();
    const std::uint64_t directory = written_;
    const bool deflated = compression_ == Compression::deflate;
    for (const Entry& entry : entries_) {
        Record record("PK\1\2");
        record.add(2, zip64).add(2, zip64).add(2, flags).add(2, deflated ? 8 : 0);
        record.add(2, 0).add(2, date).add(4, entry.checksum).add(4, elsewhere);
        record.add(4, elsewhere).add(2, entry.name.size()).add(2, 28).add(2, 0).add(2, 0);
        record.add(2, 0).add(4, 0).add(4, elsewhere).add(entry.name);
        record.add(2, 1).add(2, 24).add(8, entry.size).add(8, entry.stored);
        emit(record.add(8, entry.offset).bytes());
    }
    const std::uint64_t end_record = written_, size = written_ - directory;
    const std::uint64_t count = entries_.size();
    Record last("PK\6\6");
    last.add(8, 44).add(2, zip64).add(2, zip64).add(4, 0).add(4, 0).add(8, count).add(8, count);
    last.add(8, size).add(8, directory);
    last.add("PK\6\7").add(4, 0).add(8, end_record).add(4, 1);
    last.add("PK\5\6").add(2, 0).add(2, 0).add(2, 0xffff).add(2, 0xffff);
    emit(last.add(4, elsewhere).add(4, elsewhere).add(2, 0).bytes());
}

}  // namespace vicinal::io
