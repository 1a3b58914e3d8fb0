// Parsing of command-line words, and the error for invalid ones.
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

// The same, but separators within brackets are ignored.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator);

// Names of columns are compared in lower case.
std::string lower_case(std::string text);

// Quotes a word for a shell, if needed.
std::string shell_word(const std::string& word);

}  // namespace vicinal::tool
