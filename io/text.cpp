#include "io/text.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unordered_set>

#include "common/text.hpp"
#include "io/names.hpp"

namespace vicinal::io {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string printable(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return result;
}

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string result(1, '\'');
    result += printable(text.substr(0, longest));
    return result += text.size() > longest ? "...'" : "'";
}

bool parse(std::string_view text, double& value) {
    // from_chars does not accept a leading plus, which printf("%+g") and spreadsheets write.
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    return parse_whole(text, value);
}

bool parse(std::string_view text, std::uint64_t& value) {
    return parse_whole(text, value);
}

void split(std::string_view line, std::vector<std::string_view>& fields) {
    fields.clear();
    const char* at = line.data();
    const char* end = at + line.size();
    while (true) {
        while (at != end && is_blank(*at)) ++at;
        if (at == end) return;
        const char* first = at;
        while (at != end && !is_blank(*at)) ++at;
        fields.emplace_back(first, static_cast<std::size_t>(at - first));
    }
}

std::size_t Words::number(std::string_view word) {
    const auto found = numbers_.find(word);
    if (found != numbers_.end()) return found->second;
    numbers_.emplace(word, words_.size());
    words_.emplace_back(word);
    return words_.size() - 1;
}

Rows::Rows(Source& source, const std::vector<std::string>& names, Text text, bool kinds)
    : source_(source), text_(text) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names) {
        if (name.empty())
            source.fail_here("column " + std::to_string(columns_.size() + 1) +
                             " has no name; give it one");
        const bool ignored = name == "_";
        if (!ignored && !seen.insert(name).second)
            source.fail_here("two columns are named " + shown(name) + "; rename one");
        columns_.push_back({.name = name,
                            .values = {},
                            .text = {},
                            .is_ignored = ignored,
                            .is_kind = kinds && is_kind(name),
                            .words = {}});
    }
}

void Rows::reserve(std::size_t rows) {
    if (columns_.empty()) return;
    // A field and its separator take at least two bytes, so a file cannot claim more memory
    // than a small multiple of its size.
    rows = source_.reservable(rows, 2 * columns_.size());
    for (Column& column : columns_)
        if (!column.is_text && !column.is_ignored) column.values.reserve(rows);
}

void Rows::fail_field(std::size_t line, const Column& column, std::string_view field,
                      const std::string& remedy) const {
    source_.fail_at(line, "column " + shown(column.name) + " holds " + shown(field) +
                              ", which is not a number that fits a double" + remedy);
}

void Rows::add_first(std::span<const std::string_view> fields) {
    first_line_ = source_.line_number();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        double value = 0;
        if (text_ == Text::refuse && !columns_[i].is_kind) continue;
        columns_[i].is_text = !parse(fields[i], value) && !has_meaning(columns_[i].name);
        if (columns_[i].is_text) columns_[i].text = fields[i];
    }
}

void Rows::add(std::span<const std::string_view> fields) {
    if (fields.size() != columns_.size())
        source_.fail_here("has " + common::counted(fields.size(), "fields") + " where " +
                          common::counted(columns_.size(), "columns") +
                          (columns_.size() == 1 ? " is" : " are") +
                          " declared; complete or remove the line");
    if (count_ == 0) add_first(fields);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        Column& column = columns_[i];
        if (column.is_ignored) continue;
        double value = 0;
        const bool is_number = parse(fields[i], value);
        if (is_number && column.is_text)
            fail_field(first_line_, column, column.text,
                       ", but line " + std::to_string(source_.line_number()) +
                           " has one; make all of them numbers or none of them");
        if (!is_number && !column.is_text)
            fail_field(source_.line_number(), column, fields[i], "; correct the field");
        if (column.is_text && column.is_kind)
            column.values.push_back(static_cast<double>(column.words.number(fields[i])));
        if (is_number) column.values.push_back(value);
    }
    lines_.add(source_.line_number());
    ++count_;
}

Table Rows::table() {
    Table table;
    table.rows = count_;
    table.lines = std::move(lines_);
    for (Column& column : columns_)
        if ((!column.is_text || column.is_kind) && !column.is_ignored)
            table.columns.push_back(
                {std::move(column.name), std::move(column.values), column.words.take()});
    return table;
}

}  // namespace vicinal::io
