// Shared by the readers of text formats. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

std::string lower(std::string_view text);
std::string_view trim(std::string_view text);

// The text without characters that would break the single line of an error message.
std::string printable(std::string_view text);

// The same in quotes, truncated to a readable length.
std::string shown(std::string_view text);

// The minimum number of bytes of a non-empty line.
inline constexpr std::uint64_t line_bytes = 2;

// True if the whole text is one number that a double can hold; nan and inf are numbers.
bool parse(std::string_view text, double& value);
bool parse(std::string_view text, std::uint64_t& value);

// Fields separated by blanks.
void split(std::string_view line, std::vector<std::string_view>& fields);

// Different words, numbered in the order in which they first occur.
class Words {
  public:
    std::size_t number(std::string_view word);
    std::vector<std::string> take() { return std::move(words_); }

  private:
    std::vector<std::string> words_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
};

// Collects rows of text fields as columns.
class Rows {
  public:
    // A column with text in every row (such as names of elements) is skipped, unless its name
    // requires numbers (x, radius, group, ...). Text among numbers is always an error.
    enum class Text { leave_out, refuse };

    // Names must be unique and not empty; columns named "_" are ignored. With `kinds`, text in
    // a column of kinds is read.
    Rows(Source& source, const std::vector<std::string>& names, Text text, bool kinds = false);

    // Reserves memory for `rows` rows, but not more than the rest of the file can hold.
    void reserve(std::size_t rows);
    void add(std::span<const std::string_view> fields);  // of the current line
    std::size_t count() const { return count_; }
    Table table();  // moves the columns out

  private:
    struct Column {
        std::string name;
        std::vector<double> values;
        std::string text;  // the value in the first row, if it is not a number
        bool is_text = false;
        bool is_ignored = false;
        bool is_kind = false;
        Words words;  // of a column of kinds that holds text
    };

    [[noreturn]] void fail_field(std::size_t line, const Column& column, std::string_view field,
                                 const std::string& remedy) const;
    void add_first(std::span<const std::string_view> fields);

    Source& source_;
    std::vector<Column> columns_;
    Text text_;
    Lines lines_;
    std::size_t count_ = 0;
    std::size_t first_line_ = 0;
};

}  // namespace vicinal::io
