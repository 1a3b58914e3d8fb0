#include "common/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace vicinal::inline VICINAL_API::common {

bool parse(std::string_view text, double& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end && !text.empty();
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string result;
    for (const std::string& word : words) {
        if (!result.empty()) result += separator;
        result += word;
    }
    return result;
}

std::string one_line(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result;
}

std::string grouped(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    std::string result;
    for (std::size_t k = 0; k < digits.size(); ++k) {
        if (k > 0 && (digits.size() - k) % 3 == 0) result += ',';
        result += digits[k];
    }
    return result;
}

std::string counted(std::uint64_t count, std::string_view plural) {
    std::string word(plural);
    if (count == 1 && word.ends_with("ies"))
        word.replace(word.size() - 3, 3, "y");
    else if (count == 1)
        word.erase(word.size() - (word.ends_with("xes") ? 2 : 1));
    return grouped(count) + ' ' + word;
}

std::string readable_number(double value) {
    if (std::isnan(value)) return "-";
    return value == std::floor(value) && value >= 0 && value < 1e15
               ? grouped(static_cast<std::uint64_t>(value))
               : fmt::format("{:.4g}", value);
}

std::string readable_bytes(std::uint64_t bytes) {
    auto value = static_cast<double>(bytes);
    for (const char* unit : {"B", "kB", "MB"}) {
        if (value < 1000) return fmt::format("{:.{}f} {}", value, *unit == 'B' ? 0 : 1, unit);
        value /= 1000;
    }
    return fmt::format("{:.1f} GB", value);
}

std::string readable_seconds(double seconds) {
    return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1e3)
                       : fmt::format("{:.2f} s", seconds);
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines)
        for (std::size_t k = 0; k < line.size(); ++k) {
            if (k == widths.size()) widths.push_back(0);
            widths[k] = std::max(widths[k], line[k].size());
        }
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t k = 0; k < line.size(); ++k)
            text += k == 0 ? fmt::format("{:<{}}", line[k], widths[k])
                           : fmt::format("  {:>{}}", line[k], widths[k]);
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

}  // namespace vicinal::inline VICINAL_API::common
