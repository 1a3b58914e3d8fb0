// What the readers of text formats share. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"
#include "io/table.hpp"

namespace vicinal::io {

std::string lower(std::string_view text);
std::string_view trim(std::string_view text);

// The text without characters that would break an error's one line.
std::string printable(std::string_view text);

// The same in quotes and cut to a readable length.
std::string shown(std::string_view text);

// The fewest bytes of a line that holds anything.
inline constexpr std::uint64_t line_bytes = 2;

// True if the whole text is one number that a double can hold; nan and inf are numbers.
bool parse(std::string_view text, double& value);
bool parse(std::string_view text, std::uint64_t& value);

// Fields separated by blanks.
void split(std::string_view line, std::vector<std::string_view>& fields);

// Rows of text fields on their way to columns.
class Rows {
  public:
    // A column with text in every row (an element's name) can be left out of the table, unless
    // its name is one that holds numbers (x, radius, group, ...). Text among numbers is an
    // error in any case.
    enum class Text { leave_out, refuse };

    // Names must differ and not be empty.
    Rows(Source& source, const std::vector<std::string>& names, Text text);

    // For `rows` rows in all, but never more than the rest of the file can hold.
    void reserve(std::size_t rows);
    void add(std::span<const std::string_view> fields);  // the line just read
    std::size_t count() const { return count_; }
    Table table();  // moves the columns out

  private:
    struct Column {
        std::string name;
        std::vector<double> values;
        std::string text;  // what the first row holds, if that is no number
        bool is_text = false;
    };

    [[noreturn]] void fail_field(std::size_t line, const Column& column, std::string_view field,
                                 const std::string& remedy) const;
    void add_first(std::span<const std::string_view> fields);

    Source& source_;
    std::vector<Column> columns_;
    Text text_;
    std::size_t count_ = 0;
    std::size_t first_line_ = 0;
};

}  // namespace vicinal::io
