// The methods of this build, and their options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

struct OptionInfo {
    std::string name;
    std::string default_value;
    std::string meaning;
    double minimum = 0, maximum = 0;   // numbers: the allowed range
    std::vector<std::string> choices;  // words: the allowed values; empty for numbers
    enum class Kind : std::uint8_t {
        plain,
        method,      // the value is a method, with options of its own
        list,        // a number, or several: (a, b, ...)
        approximate  // with values other than the default, pairs may be missing
    };
    Kind kind = Kind::plain;
};

struct MethodInfo {
    std::string name;
    std::string summary;  // one line
    std::vector<OptionInfo> options;
};

// Every method, in the registry's order. A method is selected by its name and options,
// `name(key=value, ...)`, in the same syntax everywhere.
VICINAL_EXPORT std::vector<MethodInfo> methods();

}  // namespace vicinal::inline VICINAL_API
