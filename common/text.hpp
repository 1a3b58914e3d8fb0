// Text output: numbers, lists and tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API::common {

// True if the whole text is one number.
bool parse(std::string_view text, double& value);

std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

// The text with control characters escaped, so that it is one line and cannot control the
// terminal.
std::string one_line(std::string_view text);

// 15011231 as 15,011,231.
std::string grouped(std::uint64_t value);

// "1 frame", "2 frames", "1,000 bodies": a grouped number and the word, given in the plural.
std::string counted(std::uint64_t count, std::string_view plural);

// Whole numbers grouped, others with four digits, NaN as "-".
std::string readable_number(double value);

// A size in B, kB, MB, GB and a time in ms or s.
std::string readable_bytes(std::uint64_t bytes);
std::string readable_seconds(double seconds);

// Formats lines of fields as a table: the first column left-aligned, the others right-aligned.
// No line has trailing blanks.
std::string aligned(const std::vector<std::vector<std::string>>& lines);

}  // namespace vicinal::inline VICINAL_API::common
