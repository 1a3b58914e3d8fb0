#include "view_pack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "io/write.hpp"

namespace vicinal::tool {
namespace {

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        std::uint32_t group = 0;
        for (std::size_t b = 0; b < 3; ++b)
            group = group << 8 |
                    (k + b < bytes.size() ? static_cast<unsigned char>(bytes[k + b]) : 0u);
        for (int shift = 18; shift >= 0; shift -= 6) text += digits[group >> shift & 63];
    }
    std::fill_n(text.rbegin(), (3 - bytes.size() % 3) % 3, '=');
    return text;
}

// Differences modulo 2^16 and 2^32: reading back adds modulo the same power.
std::uint16_t zigzag(std::uint16_t difference) {
    const bool negative = (difference & 0x8000u) != 0;
    const auto doubled = static_cast<std::uint16_t>(difference << 1);
    return negative ? static_cast<std::uint16_t>(~doubled) : doubled;
}
std::uint32_t zigzag(std::uint32_t difference) {
    return (difference & 0x80000000u) != 0 ? ~(difference << 1) : difference << 1;
}

template <class T>
void append_planes(const std::vector<T>& numbers, std::vector<std::string>& planes) {
    for (std::size_t plane = 0; plane < sizeof(T); ++plane) {
        std::string& bytes = planes.emplace_back();
        bytes.reserve(numbers.size());
        for (const T number : numbers) bytes += static_cast<char>(number >> (8 * plane) & 0xff);
    }
}

// What is left of `numbers` if each is expected where it was in the last frame (order 1), or as
// far from there as it came in that frame (2).
std::vector<std::uint16_t> residuals(int order, const std::vector<std::uint16_t>& numbers,
                                     const std::vector<std::uint16_t>& last,
                                     const std::vector<std::uint16_t>& before_last) {
    std::vector<std::uint16_t> result(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const int expected = order == 1 ? last[k] : 2 * last[k] - before_last[k];
        result[k] = zigzag(static_cast<std::uint16_t>(numbers[k] - expected));
    }
    return result;
}

// The entropy of the two byte planes, about what is left after compression.
double entropy(const std::vector<std::uint16_t>& numbers) {
    std::array<std::array<std::uint32_t, 256>, 2> counts{};
    for (const std::uint16_t number : numbers) {
        ++counts[0][number & 0xff];
        ++counts[1][number >> 8];
    }
    double bits = 0;
    for (const auto& plane : counts)
        for (const std::uint32_t count : plane)
            if (count > 0)
                bits -= count * std::log2(count / static_cast<double>(numbers.size()));
    return bits;
}

}  // namespace

Quantiser Quantiser::over(double low, double high, int bits) {
    const double steps = std::exp2(bits) - 1;
    if (!(high > low)) return {low, 1, bits};
    // A range of subnormal numbers would underflow to a quantum of 0.
    return {low, std::max((high - low) / steps, std::numeric_limits<double>::denorm_min()),
            bits};
}

std::uint16_t Quantiser::operator()(double value) const {
    const double q = std::round((value - low) / quantum);
    return static_cast<std::uint16_t>(std::clamp(q, 0.0, std::exp2(bits) - 1));
}

std::string FramePacker::add(std::span<const std::vector<double>> values) {
    last_.resize(columns_.size());
    before_last_.resize(columns_.size());
    std::vector<std::string> planes(1);  // the orders come first
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        Numbers numbers;
        numbers.reserve(values[c].size());
        for (const double value : values[c]) numbers.push_back(columns_[c](value));
        int order = 0;
        Numbers best = numbers;
        for (const Numbers* reference : {&last_[c], &before_last_[c]}) {
            if (reference->size() != numbers.size()) break;
            const int next = reference == &last_[c] ? 1 : 2;
            Numbers other = residuals(next, numbers, last_[c], before_last_[c]);
            if (entropy(other) >= entropy(best)) continue;
            best = std::move(other);
            order = next;
        }
        planes[0] += static_cast<char>(order);
        append_planes(best, planes);
        before_last_[c] = std::exchange(last_[c], std::move(numbers));
    }
    return base64(io::gzipped(planes));
}

std::string pack_words(std::span<const std::vector<std::uint32_t>> columns) {
    std::vector<std::string> planes;
    for (const std::vector<std::uint32_t>& column : columns) {
        std::vector<std::uint32_t> differences;
        differences.reserve(column.size());
        std::uint32_t above = 0;
        for (const std::uint32_t number : column)
            differences.push_back(zigzag(number - std::exchange(above, number)));
        append_planes(differences, planes);
    }
    return base64(io::gzipped(planes));
}

std::string pack_floats(std::span<const double> values) {
    std::vector<std::uint32_t> bits;
    bits.reserve(values.size());
    for (const double value : values)
        bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    return pack_words({&bits, 1});
}

}  // namespace vicinal::tool
