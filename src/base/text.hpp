// Numbers in messages: the shortest text that reads back as the same number.
#pragma once

#include <charconv>
#include <string>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

template <class T>
std::string number_text(T value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

}  // namespace vicinal::inline VICINAL_API
