// The bytes of a file, of standard input or of memory, compressed or not. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/compress.hpp"

namespace vicinal::io {

class Bytes {
  public:
    virtual ~Bytes() = default;
    // Reads at most `bytes` bytes and returns how many; 0 only at the end.
    virtual std::size_t read(char* to, std::size_t bytes) = 0;
    virtual void seek(std::uint64_t offset) = 0;
    // The number of bytes in all; none if it is known only at the end.
    virtual std::optional<std::uint64_t> size() const = 0;
};

// A file; "-" is standard input. Standard input and pipes are read to their end into memory,
// because frames are counted before they are read. What begins like a gzip file is
// decompressed. Throws Error.
std::unique_ptr<Bytes> open_bytes(const std::string& name);

// Memory of the caller.
std::unique_ptr<Bytes> memory_bytes(std::string_view bytes);

// The decompressed bytes of `from`; `name` is for messages. Several gzip streams may follow
// one another.
std::unique_ptr<Bytes> inflated_bytes(std::string name, std::unique_ptr<Bytes> from,
                                      Inflater::Kind kind);

}  // namespace vicinal::io
