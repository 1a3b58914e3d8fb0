#include "io/vtk_array.hpp"

#include <algorithm>
#include <array>

#include "io/compress.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

[[noreturn]] void fail(const Source& source, const VtkArray& array, const std::string& what) {
    source.fail("the array " + shown(array.name) + " " + what +
                "; the file is truncated or damaged, write it again");
}

// 0 to 63; -1: padding; -2: no character of base64.
int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? -1 : -2;
}

// The bytes of an array, one piece after another. VTK encodes sizes and data separately, so
// that padding may occur in the middle of base64.
class Pieces {
  public:
    Pieces(const Source& source, const VtkArray& array) : source_(source), array_(array) {}

    std::string take(std::uint64_t bytes) {
        std::string result;
        if (array_.form == VtkArray::Form::raw) {
            if (bytes > array_.data.size() - at_) fail(source_, array_, "ends too early");
            result = array_.data.substr(at_, bytes);
            at_ += bytes;
            return result;
        }
        if (bytes / 3 > array_.data.size() / 4) fail(source_, array_, "ends too early");
        result.reserve(bytes + 3);
        result.swap(rest_);
        while (result.size() < bytes) decode_group(result);
        rest_.assign(result, bytes);
        result.resize(bytes);
        return result;
    }

  private:
    static bool is_blank(char c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f';
    }

    // Four characters, which are one to three bytes.
    void decode_group(std::string& to) {
        std::array<int, 4> values{};
        for (int& value : values) {
            while (at_ < array_.data.size() && is_blank(array_.data[at_])) ++at_;
            if (at_ == array_.data.size()) fail(source_, array_, "ends too early");
            value = base64_value(array_.data[at_++]);
            if (value == -2) fail(source_, array_, "holds a character that is not base64");
        }
        const int padding = values[3] >= 0 ? 0 : values[2] >= 0 ? 1 : 2;
        if (values[0] < 0 || values[1] < 0 || (values[2] < 0 && values[3] >= 0))
            fail(source_, array_, "has base64 padding in a wrong place");
        const auto bits =
            static_cast<unsigned>(values[0] << 18 | values[1] << 12 |
                                  std::max(values[2], 0) << 6 | std::max(values[3], 0));
        for (int k = 0; k < 3 - padding; ++k)
            to += static_cast<char>(bits >> (16 - 8 * k) & 0xff);
    }

    const Source& source_;
    const VtkArray& array_;
    std::size_t at_ = 0;
    std::string rest_;  // decoded, but not taken yet: at most two bytes
};

std::uint64_t take_size(Pieces& pieces, const VtkEncoding& encoding) {
    std::string bytes = pieces.take(encoding.header_bytes);
    if (!encoding.big_endian) std::ranges::reverse(bytes);
    std::uint64_t value = 0;
    for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

// Compressed arrays: the number of blocks, the size of a block and of the last one if it is
// shorter, the compressed size of each, and the blocks.
std::string take_blocks(const Source& source, const VtkEncoding& encoding,
                        const VtkArray& array, Pieces& pieces) {
    const std::uint64_t blocks = take_size(pieces, encoding);
    if (blocks == 0) return {};
    if (blocks > array.data.size()) fail(source, array, "declares too many blocks");
    const std::uint64_t full = take_size(pieces, encoding);
    const std::uint64_t partial = take_size(pieces, encoding);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t k = 0; k < blocks; ++k) sizes.push_back(take_size(pieces, encoding));
    std::string result, block;
    for (std::uint64_t k = 0; k < blocks; ++k) {
        const bool shorter = k + 1 == blocks && partial > 0;
        const std::string error = inflate_all(pieces.take(sizes[k]), Inflater::Kind::zlib,
                                              shorter ? partial : full, block);
        if (!error.empty()) fail(source, array, "is damaged (" + error + ")");
        result += block;
    }
    return result;
}

std::vector<double> text_values(const Source& source, const VtkArray& array) {
    std::vector<double> values;
    std::string_view text = array.data;
    constexpr std::string_view blanks = " \t\r\n\v\f";
    while (true) {
        const std::size_t begin = text.find_first_not_of(blanks);
        if (begin == text.npos) return values;
        text.remove_prefix(begin);
        const std::string_view word = text.substr(0, text.find_first_of(blanks));
        double value = 0;
        if (!parse(word, value))
            source.fail("the array " + shown(array.name) + " holds " + shown(word) +
                        ", which is not a number; correct it");
        values.push_back(value);
        text.remove_prefix(word.size());
    }
}

}  // namespace

std::vector<double> vtk_values(const Source& source, const VtkEncoding& encoding,
                               const VtkArray& array, bool& inexact) {
    inexact = false;
    if (array.form == VtkArray::Form::ascii) return text_values(source, array);
    Pieces pieces(source, array);
    const std::string bytes = encoding.compressed ? take_blocks(source, encoding, array, pieces)
                                                  : pieces.take(take_size(pieces, encoding));
    if (bytes.size() % array.type.bytes != 0) fail(source, array, "does not hold whole values");
    Scalar type = array.type;
    type.big_endian = encoding.big_endian;
    std::vector<double> values(bytes.size() / type.bytes);
    inexact =
        decode(bytes.data(), type.bytes, values.size(), type, values.data()) < values.size();
    return values;
}

}  // namespace vicinal::io
