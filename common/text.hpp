// Text for people: numbers, lists and tables.
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

// The text with every control character made visible, so that it stays on one line and
// cannot talk to the terminal.
std::string one_line(std::string_view text);

// 15011231 as 15,011,231.
std::string grouped(std::uint64_t value);

// Whole numbers grouped, others to four digits, what is not a number as "-".
std::string readable_number(double value);

// A size in B, kB, MB, GB and a time in ms or s.
std::string readable_bytes(std::uint64_t bytes);
std::string readable_seconds(double seconds);

// Lines of fields as a table: the first column to the left, the others to the right. No line
// ends in blanks.
std::string aligned(const std::vector<std::vector<std::string>>& lines);

}  // namespace vicinal::inline VICINAL_API::common
