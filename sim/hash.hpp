// A hash of a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace vicinal::sim {

// A checksum of a stream of bytes, eight at a time, independent of how the stream is divided.
class Hash {
  public:
    void add(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const unsigned char*>(data);
        size_ += size;
        for (; size > 0 && pending_ > 0; --size) take(*bytes++);
        for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
            std::uint64_t word;
            std::memcpy(&word, bytes, sizeof word);
            mix(word);
            bytes += sizeof word;
        }
        for (; size > 0; --size) take(*bytes++);
    }

    std::uint64_t value() const {
        Hash end = *this;
        end.mix(word_);
        end.mix(size_);
        return end.value_;
    }

  private:
    void take(unsigned char byte) {
        word_ |= std::uint64_t{byte} << (8 * pending_);
        if (++pending_ < sizeof word_) return;
        mix(std::exchange(word_, 0));
        pending_ = 0;
    }
    void mix(std::uint64_t word) {
        value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
        value_ ^= value_ >> 32;
    }

    std::uint64_t value_ = 0x243f6a8885a308d3u;  // the digits of pi: any number but 0
    std::uint64_t word_ = 0, size_ = 0;
    unsigned pending_ = 0;  // bytes in word_
};

}  // namespace vicinal::sim
