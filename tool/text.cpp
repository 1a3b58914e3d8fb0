#include "text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace vicinal::tool {

bool parse(std::string_view text, double& value) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end && !text.empty();
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    for (;;) {
        const std::size_t at = text.find(separator);
        fields.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return fields;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '(') ++depth;
        if (text[at] == ')') --depth;
        if (text[at] != separator || depth > 0) continue;
        fields.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    fields.push_back(text.substr(begin));
    return fields;
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

std::string shell_word(const std::string& word) {
    constexpr std::string_view safe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
    if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) return word;
    std::string result = "'";
    for (const char c : word) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

}  // namespace vicinal::tool
