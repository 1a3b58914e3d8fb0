// The settings of a simulator as a list of names, values and meanings, made from its
// visit_settings (see README.md). Scene files, the command line, checkpoints and the
// documentation use this list.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <vicinal/error.hpp>

namespace vicinal::sim {

struct Setting {
    // A setting keeps the type that its struct gives it.
    using Value = std::variant<std::uint64_t, double, bool, std::string>;
    std::string name;
    Value value;
    std::string meaning;
};

template <class S>
std::vector<Setting> list_settings(S settings) {
    std::vector<Setting> list;
    visit_settings(settings, [&](const char* name, const auto& value, const char* meaning) {
        list.push_back({name, value, meaning});
    });
    return list;
}

// The inverse of list_settings: the struct with the values of a list.
template <class S>
S settings_from(std::span<const Setting> list) {
    S settings;
    visit_settings(settings, [&]<class T>(const char* name, T& value, const char*) {
        for (const Setting& given : list)
            if (given.name == name) value = std::get<T>(given.value);
    });
    return settings;
}

// A number for messages: 1e9 rather than 1e+09, with `digits` digits, or with 0 as many as
// needed to read back the same number.
inline std::string written(double value, int digits = 0) {
    char buffer[32];
    char* const last = buffer + sizeof buffer;
    const auto end =
        digits > 0 ? std::to_chars(buffer, last, value, std::chars_format::general, digits)
                   : std::to_chars(buffer, last, value);
    std::string text(buffer, end.ptr);
    if (std::size_t at = text.find('e'); at != std::string::npos) {
        if (text[++at] == '+') text.erase(at, 1);
        if (text[at] == '-') ++at;
        if (text[at] == '0') text.erase(at, 1);
    }
    return text;
}

[[noreturn]] inline void refuse(const std::string& what) {
    throw Error(Error::Kind::option, what);
}

}  // namespace vicinal::sim
