#include "text.hpp"

namespace vicinal::tool {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    for (;;) {
        const std::size_t at = text.find(separator);
        fields.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return fields;
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator) {
    std::vector<std::string_view> fields;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '(') ++depth;
        if (text[at] == ')') --depth;
        if (text[at] != separator || depth > 0) continue;
        fields.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    fields.push_back(text.substr(begin));
    return fields;
}

std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::string shell_word(const std::string& word) {
    constexpr std::string_view safe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
    if (!word.empty() && word.find_first_not_of(safe) == std::string::npos) return word;
    std::string result = "'";
    for (const char c : word) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

}  // namespace vicinal::tool
