// Compression by zlib. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace vicinal::io {

class Inflater {
  public:
    enum class Kind { gzip, zlib, raw };

    explicit Inflater(Kind kind);
    ~Inflater();

    struct Step {
        std::size_t consumed = 0, produced = 0;
        bool ended = false;  // the compressed stream is complete
        std::string error;   // empty: none
    };
    // Decompresses until the input is consumed, `to` is full or the stream ends.
    Step run(const char* from, std::size_t bytes, char* to, std::size_t room);
    // Prepares for another stream.
    void reset();

  private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
};

// Decompresses a stream of `size` bytes. Returns what is wrong with it, or nothing. Memory
// grows with what is decompressed; `size` may be wrong.
std::string inflate_all(std::string_view from, Inflater::Kind kind, std::uint64_t size,
                        std::string& to);

// A raw deflate stream, as in a .npz file.
class Deflater {
  public:
    enum class Matches { all, runs };  // of a byte

    explicit Deflater(Matches matches = Matches::all);
    ~Deflater();
    // Appends to `to` what is ready.
    void add(const void* data, std::size_t bytes, std::string& to);
    void end_block(std::string& to);  // what follows has codes of its own
    void finish(std::string& to);

  private:
    void run(const void* data, std::size_t bytes, int flush, std::string& to);

    struct Stream;
    std::unique_ptr<Stream> stream_;
};

// Of `data` after what has the checksum `before`; 0 for nothing.
std::uint32_t crc32(std::uint32_t before, const void* data, std::size_t bytes);

}  // namespace vicinal::io
