// Small matters of text, and the error for a command line that makes no sense.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal::tool {

// Bad usage (exit code 2), as opposed to bad data (exit code 1).
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// True if the whole text is one number.
bool parse(std::string_view text, double& value);

// The fields between separators; "" has one empty field.
std::vector<std::string_view> split(std::string_view text, char separator);

// The same, but a separator within brackets does not count.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator);

std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

// The text with every control character made visible, so that it stays on one line and
// cannot talk to the terminal.
std::string one_line(std::string_view text);

// 15011231 as 15,011,231.
std::string grouped(std::uint64_t value);

// Whole numbers grouped, others to four digits, what is not a number as "-".
std::string readable_number(double value);

// A size in B, kB, MB, GB and a time in ms or s, for people.
std::string readable_bytes(std::uint64_t bytes);
std::string readable_seconds(double seconds);

// A word that a shell reads as it stands.
std::string shell_word(const std::string& word);

}  // namespace vicinal::tool
