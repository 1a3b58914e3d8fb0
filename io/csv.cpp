// Tables as text: fields separated by commas, semicolons, tabs or blanks, with names in a
// header line or in the last comment before the numbers (numpy.savetxt). A field may be in
// double quotes.
#include <algorithm>
#include <array>
#include <limits>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

constexpr const char* remedy =
    "begin the file with a header line such as x,y,z, or name the columns with --fields x,y,z";

// The closing quote of a field that opens with one; a doubled quote is part of the text.
std::size_t closing_quote(const Source& source, std::string_view line, std::size_t open) {
    std::size_t at = open + 1;
    while (true) {
        at = line.find('"', at);
        if (at == std::string_view::npos)
            source.fail_here("a quote is not closed; a field must end on its line");
        if (at + 1 >= line.size() || line[at + 1] != '"') return at;
        at += 2;
    }
}

// Calls f for every character outside quotes.
template <class F>
void for_each_unquoted(std::string_view line, const F& f) {
    bool in_quotes = false;
    for (const char c : line) {
        if (c == '"') in_quotes = !in_quotes;
        if (!in_quotes) f(c);
    }
}

// A semicolon wins, because commas may then be decimal ones; a blank stands for blanks.
char find_separator(std::string_view line) {
    std::size_t semicolons = 0, commas = 0, tabs = 0;
    for_each_unquoted(line, [&](char c) {
        semicolons += c == ';' ? 1 : 0;
        commas += c == ',' ? 1 : 0;
        tabs += c == '\t' ? 1 : 0;
    });
    if (semicolons > 0) return ';';
    if (tabs > commas) return '\t';
    return commas > 0 ? ',' : ' ';
}

using Fields = std::vector<std::string_view>;

// Quotes around a field are removed; doubled quotes inside it are left unchanged.
void split_at(const Source& source, std::string_view line, char separator, Fields& fields) {
    fields.clear();
    std::size_t at = 0;
    while (true) {
        const std::size_t first = line.find_first_not_of(separator == '\t' ? " " : " \t", at);
        if (separator == ' ' && first == std::string_view::npos) return;
        const bool in_quotes = first != std::string_view::npos && line[first] == '"';
        const std::size_t begin = in_quotes || separator == ' ' ? first : at;
        const std::size_t close = in_quotes ? closing_quote(source, line, first) : begin;
        const std::size_t end = std::min(
            separator == ' ' ? line.find_first_of(" \t", close) : line.find(separator, close),
            line.size());
        if (!in_quotes) {
            fields.push_back(trim(line.substr(begin, end - begin)));
        } else {
            if (!trim(line.substr(close + 1, end - close - 1)).empty())
                source.fail_here("text follows a closing quote; separate the fields");
            fields.push_back(trim(line.substr(first + 1, close - first - 1)));
        }
        if (end == line.size()) return;
        at = end + 1;
    }
}

bool is_number(std::string_view field) {
    double value = 0;
    return parse(field, value);
}

// ParaView's names of the coordinates, unless there is a column x.
void rename_points(std::vector<std::string>& names) {
    if (std::ranges::find(names, "x") != names.end()) return;
    for (std::string& name : names)
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (const char* const before : {"points:", "points_"})
                if (name == before + std::to_string(axis)) name = "xyz"[axis];
}

class CsvReader {
  public:
    CsvReader(Source& source, const ReadOptions& options)
        : source_(source), kinds_(options.kinds) {
        read_header(options);
    }

    Table read() {
        Rows rows(source_, names_, Rows::Text::leave_out, kinds_);
        const std::uint64_t begin = source_.position().byte;
        std::string_view line = first_;
        bool more = has_first_;
        while (more || content_line(line)) {
            more = false;
            split_row(line);
            rows.add(fields_);
            // Lines have similar lengths: reserve once, with some slack, instead of doubling.
            constexpr std::uint64_t sample = 1000;
            if (rows.count() == sample) {
                const auto bytes = (source_.position().byte - begin) / sample + 1;
                constexpr auto any = std::numeric_limits<std::uint64_t>::max();
                rows.reserve(sample + source_.reservable(any, bytes) / 16 * 17);
            }
        }
        Table table = rows.table();
        if (table.columns.empty())
            source_.fail("no column holds numbers; separate the fields by commas");
        return table;
    }

  private:
    // The next line that is neither blank nor a comment; keeps the last comment before it.
    bool content_line(std::string_view& line) {
        while (source_.line(line)) {
            constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
            if (source_.line_number() == 1 && line.starts_with(byte_order_mark))
                line.remove_prefix(byte_order_mark.size());
            const std::string_view text = trim(line);
            if (text.empty()) continue;
            if (text.front() != '#') return true;
            if (!has_names_)
                comment_ = text.substr(text.find_first_not_of('#') == text.npos
                                           ? text.size()
                                           : text.find_first_not_of('#'));
        }
        return false;
    }

    void read_header(const ReadOptions& options) {
        std::string_view line;
        if (!content_line(line)) {
            if (!is_table_header(comment_) && options.fields.empty())
                source_.fail(std::string("holds no data; ") + remedy);
            line = comment_;
        } else {
            first_ = line;
            has_first_ = true;
        }
        has_names_ = true;
        separator_ = find_separator(line);
        split_at(source_, line, separator_, fields_);
        if (!options.fields.empty()) {
            names_ = options.fields;
            // A line without any number is a header, whose names are not wanted.
            if (has_first_ && std::ranges::none_of(fields_, is_number)) has_first_ = false;
        } else if (!take_comment()) {
            take_names(fields_);
            has_first_ = false;
        }
    }

    // The names are in the last comment if the numbers begin without any.
    bool take_comment() {
        if (!has_first_ || std::ranges::none_of(fields_, is_number)) return false;
        Fields names;
        for (const char separator : {find_separator(comment_), separator_}) {
            split_at(source_, comment_, separator, names);
            if (names.size() != fields_.size() || std::ranges::any_of(names, is_number))
                continue;
            take_names(names);
            return true;
        }
        if (std::ranges::all_of(fields_, is_number))
            source_.fail_here(std::string("numbers where the header is expected; ") + remedy);
        return false;
    }

    void take_names(const Fields& fields) {
        for (const std::string_view field : fields) {
            std::string& name = names_.emplace_back(lower(field));
            for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at)
                name.erase(at, 1);
        }
        // pandas writes the index of its rows without a name.
        if (names_.size() > 1 && names_.front().empty()) names_.front().assign(1, '_');
        if (names_.size() > 1 && names_.back().empty()) names_.pop_back();
        rename_points(names_);
    }

    void split_row(std::string_view line) {
        if (separator_ == ';' && line.find(',') != line.npos) {
            decimal_ = line;
            std::ranges::replace(decimal_, ',', '.');
            line = decimal_;
        }
        split_at(source_, line, separator_, fields_);
        // A separator at the end of every line.
        if (fields_.size() == names_.size() + 1 && fields_.back().empty()) fields_.pop_back();
    }

    Source& source_;
    bool kinds_;
    std::string comment_;  // the last one before the first row
    std::string first_;    // the first line with fields
    bool has_first_ = false, has_names_ = false;
    char separator_ = ',';
    std::vector<std::string> names_;
    Fields fields_;
    std::string decimal_;
};

}  // namespace

Table read_csv(Source& source, const ReadOptions& options) {
    return CsvReader(source, options).read();
}

}  // namespace vicinal::io
