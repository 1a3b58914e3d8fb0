// Comma-separated text with a header line. A field may be in double quotes.
#include <algorithm>

#include "io/readers.hpp"
#include "io/text.hpp"

namespace vicinal::io {

namespace {

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

// Quotes around a field are removed; doubled quotes inside it are left unchanged.
void split_commas(const Source& source, std::string_view line,
                  std::vector<std::string_view>& fields) {
    fields.clear();
    std::size_t at = 0;
    while (true) {
        const std::size_t first = line.find_first_not_of(" \t", at);
        const bool in_quotes = first != std::string_view::npos && line[first] == '"';
        const std::size_t close = in_quotes ? closing_quote(source, line, first) : at;
        const std::size_t comma = std::min(line.find(',', close), line.size());
        if (!in_quotes) {
            fields.push_back(trim(line.substr(at, comma - at)));
        } else {
            if (!trim(line.substr(close + 1, comma - close - 1)).empty())
                source.fail_here("text follows a closing quote; separate fields by commas");
            fields.push_back(trim(line.substr(first + 1, close - first - 1)));
        }
        if (comma == line.size()) return;
        at = comma + 1;
    }
}

// The next line that is neither blank nor a comment.
bool content_line(Source& source, std::string_view& line) {
    while (source.line(line)) {
        constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        if (source.line_number() == 1 && line.starts_with(byte_order_mark))
            line.remove_prefix(byte_order_mark.size());
        const std::string_view text = trim(line);
        if (!text.empty() && text.front() != '#') return true;
    }
    return false;
}

std::vector<std::string> read_names(Source& source) {
    constexpr const char* remedy = "begin the file with a header line such as x,y,z";
    std::string_view line;
    if (!content_line(source, line)) source.fail(std::string("holds no data; ") + remedy);
    std::vector<std::string_view> fields;
    split_commas(source, line, fields);
    double value = 0;
    if (std::all_of(fields.begin(), fields.end(), [&](auto f) { return parse(f, value); }))
        source.fail_here(std::string("numbers where the header is expected; ") + remedy);
    std::vector<std::string> names;
    for (const std::string_view field : fields) {
        std::string& name = names.emplace_back(lower(field));
        for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at)
            name.erase(at, 1);
    }
    return names;
}

}  // namespace

Table read_csv(Source& source) {
    Rows rows(source, read_names(source), Rows::Text::leave_out);
    std::string_view line;
    std::vector<std::string_view> fields;
    const std::uint64_t bytes = source.left();
    while (content_line(source, line)) {
        split_commas(source, line, fields);
        rows.add(fields);
        // Lines have similar lengths: reserve once, with some slack, instead of doubling.
        constexpr std::uint64_t sample = 1000;
        if (rows.count() == sample)
            rows.reserve(sample + source.left() / ((bytes - source.left()) / sample) * 17 / 16);
    }
    Table table = rows.table();
    if (table.columns.empty())
        source.fail("no column holds numbers; separate the fields by commas");
    return table;
}

}  // namespace vicinal::io
