// Words of a command line, and the error for one that makes no sense.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal::tool {

// Bad usage (exit code 2), as opposed to bad data (exit code 1).
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The fields between separators; "" has one empty field.
std::vector<std::string_view> split(std::string_view text, char separator);

// The same, but a separator within brackets does not count.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator);

// A word that a shell reads as it stands.
std::string shell_word(const std::string& word);

}  // namespace vicinal::tool
