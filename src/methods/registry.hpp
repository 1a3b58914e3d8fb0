// The list of methods, and the strings that select one: name(key=value, ...).
#pragma once

#include <memory>
#include <string>

#include "structures/method_entry.hpp"

#include <vicinal/methods.hpp>

namespace vicinal::inline VICINAL_API {

// Parses and checks; throws Error::Kind::option with one line that names the alternatives.
Choice choose_method(const std::string& text);

template <Real T, int D>
std::unique_ptr<Method<T, D>> make_method(const Choice& choice);

}  // namespace vicinal::inline VICINAL_API
