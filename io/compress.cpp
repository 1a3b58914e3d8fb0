#include "io/compress.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "io/write.hpp"

namespace vicinal::io {

namespace {

constexpr std::size_t most_bytes = std::numeric_limits<uInt>::max();  // of one call of zlib
constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr int window_bits = 15;

// zlib does not write to its input, but its interface does not say so.
Bytef* input(const void* data) {
    return static_cast<Bytef*>(const_cast<void*>(data));
}

}  // namespace

struct Inflater::Stream {
    z_stream z{};
};

Inflater::Inflater(Kind kind) : stream_(std::make_unique<Stream>()) {
    // zlib selects the wrapper by the size of the window: raw is negative, gzip adds 16.
    const int bits = kind == Kind::gzip   ? window_bits + 16
                     : kind == Kind::zlib ? window_bits
                                          : -window_bits;
    if (inflateInit2(&stream_->z, bits) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
    inflateEnd(&stream_->z);
}

void Inflater::reset() {
    inflateReset(&stream_->z);
}

Inflater::Step Inflater::run(const char* from, std::size_t bytes, char* to, std::size_t room) {
    z_stream& z = stream_->z;
    const auto given = static_cast<uInt>(std::min(bytes, most_bytes));
    const auto free = static_cast<uInt>(std::min(room, most_bytes));
    z.next_in = input(from);
    z.avail_in = given;
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = free;
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    Step step{.consumed = given - z.avail_in,
              .produced = free - z.avail_out,
              .ended = result == Z_STREAM_END,
              .error = {}};
    // A buffer error only says that there was nothing to do.
    if (result != Z_OK && !step.ended && result != Z_BUF_ERROR)
        step.error = z.msg != nullptr ? z.msg : "a preset dictionary is needed";
    return step;
}

std::string inflate_all(std::string_view from, Inflater::Kind kind, std::uint64_t size,
                        std::string& to) {
    to.clear();
    Inflater inflater(kind);
    for (std::size_t at = 0;;) {
        const std::size_t done = to.size();
        // One byte more than the size shows a stream that is too long.
        to.resize(std::min<std::uint64_t>(size + 1, done + std::max(chunk_bytes, done)));
        const auto step = inflater.run(from.data() + at, from.size() - at, to.data() + done,
                                       to.size() - done);
        to.resize(done + step.produced);
        at += step.consumed;
        if (!step.error.empty()) return step.error;
        if (to.size() > size) return "there are more data than declared";
        if (step.ended) return to.size() < size ? "there are less data than declared" : "";
        if (step.consumed + step.produced == 0) return "they end too early";
    }
}

struct Deflater::Stream {
    z_stream z{};
};

Deflater::Deflater(Matches matches) : stream_(std::make_unique<Stream>()) {
    constexpr int memory_level = 8;  // zlib's default
    if (deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -window_bits, memory_level,
                     matches == Matches::runs ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
}

Deflater::~Deflater() {
    deflateEnd(&stream_->z);
}

void Deflater::run(const void* data, std::size_t bytes, int flush, std::string& to) {
    z_stream& z = stream_->z;
    z.next_in = input(data);
    z.avail_in = static_cast<uInt>(bytes);
    char chunk[chunk_bytes];
    do {
        z.next_out = reinterpret_cast<Bytef*>(chunk);
        z.avail_out = sizeof chunk;
        deflate(&z, flush);  // can fail only on a misuse of the stream
        to.append(chunk, sizeof chunk - z.avail_out);
    } while (z.avail_out == 0);
}

void Deflater::add(const void* data, std::size_t bytes, std::string& to) {
    const char* from = static_cast<const char*>(data);
    for (std::size_t at = 0; at < bytes; at += std::min(bytes - at, most_bytes))
        run(from + at, std::min(bytes - at, most_bytes), Z_NO_FLUSH, to);
}

void Deflater::end_block(std::string& to) {
    run(nullptr, 0, Z_BLOCK, to);
}

void Deflater::finish(std::string& to) {
    run(nullptr, 0, Z_FINISH, to);
}

std::string gzipped(std::span<const std::string> parts) {
    // The identification, deflate, no name, no time, no flags, an unknown system.
    std::string to("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    Deflater deflater(Deflater::Matches::runs);
    std::uint32_t checksum = 0;
    std::uint64_t bytes = 0;
    for (const std::string& part : parts) {
        deflater.add(part.data(), part.size(), to);
        deflater.end_block(to);
        checksum = crc32(checksum, part.data(), part.size());
        bytes += part.size();
    }
    deflater.finish(to);
    for (const std::uint64_t value : {std::uint64_t{checksum}, bytes})
        for (int shift = 0; shift < 32; shift += 8)
            to += static_cast<char>((value >> shift) & 0xff);
    return to;
}

std::uint32_t crc32(std::uint32_t before, const void* data, std::size_t bytes) {
    if (bytes == 0) return before;  // zlib takes a null pointer for a new checksum
    return static_cast<std::uint32_t>(
        ::crc32_z(before, static_cast<const Bytef*>(data), bytes));
}

}  // namespace vicinal::io
