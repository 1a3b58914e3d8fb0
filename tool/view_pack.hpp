// Numbers as compact text for a page, which tool/view/unpack.js reads back.
//
// A frame: each column is quantised. Where that makes it smaller, what is expected from the
// frames before is subtracted, and small differences of either sign become small numbers
// (zigzag). Low bytes are stored together, and high bytes (byte planes). The whole is
// compressed (gzip) and written as base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vicinal::tool {

// A value is stored as a whole number q from 0 to 2^bits - 1 and read back as low + quantum q,
// which is within half a quantum of it.
struct Quantiser {
    double low = 0, quantum = 1;
    int bits = 8;  // at most 16

    // From `low` to `high`.
    static Quantiser over(double low, double high, int bits);
    std::uint16_t operator()(double value) const;
};

// Frames in the order of time.
class FramePacker {
  public:
    explicit FramePacker(std::vector<Quantiser> columns) : columns_(std::move(columns)) {}
    // The text of the next frame; `values` are those of each column.
    std::string add(std::span<const std::vector<double>> values);

  private:
    using Numbers = std::vector<std::uint16_t>;
    std::vector<Quantiser> columns_;
    std::vector<Numbers> last_, before_last_;  // per column
};

// Columns of equal length: each number minus the one above it, zigzag, four byte planes.
std::string pack_words(std::span<const std::vector<std::uint32_t>> columns);

// The bits of the values in single precision, as such a column.
std::string pack_floats(std::span<const double> values);

}  // namespace vicinal::tool
