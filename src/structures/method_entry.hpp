// The registry entry of a method, and the options that a method is constructed with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "structures/method.hpp"

#include <vicinal/methods.hpp>

namespace vicinal::inline VICINAL_API {

// A chosen method: its name and all its options, defaults filled in.
struct Choice {
    std::string name;
    std::string why;
    std::vector<std::pair<std::string, std::string>> options;
    bool exact = true;  // false: an option lets it miss pairs

    double number(std::string_view option) const;
    std::vector<double> numbers(std::string_view option) const;  // one, or (a, b, ...)
    const std::string& word(std::string_view option) const;
    std::string text() const;  // name(key=value, ...)
};

// The registry entry that a method's file defines.
struct MethodEntry {
    template <Real T, int D>
    using Make = std::unique_ptr<Method<T, D>> (*)(const Choice&);

    MethodInfo info;
    Make<float, 2> make_float_2;
    Make<float, 3> make_float_3;
    Make<double, 2> make_double_2;
    Make<double, 3> make_double_3;
};

template <template <Real, int> class M, Real T, int D>
std::unique_ptr<Method<T, D>> make_one(const Choice& choice) {
    return std::make_unique<M<T, D>>(choice);
}

template <template <Real, int> class M>
MethodEntry describe_method(MethodInfo info) {
    return {std::move(info), make_one<M, float, 2>, make_one<M, float, 3>,
            make_one<M, double, 2>, make_one<M, double, 3>};
}

}  // namespace vicinal::inline VICINAL_API
