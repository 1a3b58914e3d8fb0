// Numbers in messages: the shortest text that reads back as the same number.
#pragma once

#include <charconv>
#include <string>

namespace vicinal {

template <class T>
std::string number_text(T value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

}  // namespace vicinal
