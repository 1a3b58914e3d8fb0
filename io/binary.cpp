#include "io/binary.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <vector>

namespace vicinal::io {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;

template <class T>
T load(const char* from, bool swap) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, from, sizeof(T));
    if (swap) std::reverse(bytes, bytes + sizeof(T));
    return std::bit_cast<T>(bytes);
}

template <class T>
bool is_exact(T value) {
    if constexpr (std::integral<T> && sizeof(T) == 8) {
        constexpr std::int64_t largest = std::int64_t{1} << 53;
        if constexpr (std::signed_integral<T>)
            return value <= largest && value >= -largest;
        else
            return value <= static_cast<T>(largest);
    }
    return true;
}

// Decodes strided values. Returns the index of the first that is not exact in a double, or
// `count`.
template <class T>
std::size_t decode_run(const char* from, std::size_t stride, std::size_t count, bool swap,
                       double* to) {
    for (std::size_t i = 0; i < count; ++i) {
        const T value = load<T>(from + i * stride, swap);
        if (!is_exact(value)) return i;
        to[i] = static_cast<double>(value);
    }
    return count;
}

using Decoder = std::size_t (*)(const char*, std::size_t, std::size_t, bool, double*);

Decoder decoder(Scalar type) {
    switch (type.kind) {
        case 'f':
            return type.bytes == 4 ? decode_run<float> : decode_run<double>;
        case 'i':
            return type.bytes == 1   ? decode_run<std::int8_t>
                   : type.bytes == 2 ? decode_run<std::int16_t>
                   : type.bytes == 4 ? decode_run<std::int32_t>
                                     : decode_run<std::int64_t>;
        default:
            return type.bytes == 1   ? decode_run<std::uint8_t>
                   : type.bytes == 2 ? decode_run<std::uint16_t>
                   : type.bytes == 4 ? decode_run<std::uint32_t>
                                     : decode_run<std::uint64_t>;
    }
}

}  // namespace

std::size_t decode(const char* from, std::size_t stride, std::size_t count, Scalar type,
                   double* to) {
    const bool swap = type.big_endian != (std::endian::native == std::endian::big);
    return decoder(type)(from, stride, count, swap, to);
}

void read_records(Source& source, std::size_t rows, std::span<const Field> fields) {
    std::size_t record = 0;
    for (const Field& field : fields) record += field.type.bytes;
    if (record == 0) return;
    for (const Field& field : fields)
        if (field.to != nullptr) field.to->values.reserve(source.reservable(rows, record));
    const std::size_t step = std::max<std::size_t>(1, chunk_bytes / record);
    std::vector<char> chunk(record * std::min(step, rows));
    for (std::size_t row = 0; row < rows; row += step) {
        const std::size_t count = std::min(step, rows - row);
        source.read(chunk.data(), count * record);
        const char* from = chunk.data();
        for (std::size_t c = 0; c < fields.size(); from += fields[c++].type.bytes) {
            if (fields[c].to == nullptr) continue;
            std::vector<double>& values = fields[c].to->values;
            values.resize(row + count);
            const std::size_t exact =
                decode(from, record, count, fields[c].type, values.data() + row);
            if (exact < count)
                source.fail("row " + std::to_string(row + exact) + ", column " +
                            std::to_string(c) +
                            ": the integer is beyond 2^53 and not exact in a double; store "
                            "the array as float64");
        }
    }
}

}  // namespace vicinal::io
