#include "methods/registry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "base/lazy.hpp"
#include "base/text.hpp"
#include "common/edit_distance.hpp"

#include <vicinal/error.hpp>

// The only list of methods: the factory, the tool, tests and benchmark rows are generated from
// it; tests/docs compares the table in the docs with it.
#define VICINAL_METHODS(X) \
    X(brute_force)         \
    X(bvh)                 \
    X(compact_grid)        \
    X(cuckoo_hash)         \
    X(fixed_grid)          \
    X(hierarchical_hash)   \
    X(kd_tree)             \
    X(linear_kd_tree)      \
    X(multilevel_hash)     \
    X(orthtree)            \
    X(phase_kd_tree)       \
    X(row_grid)            \
    X(sweep_all_pairs)     \
    X(sweep_axis)          \
    X(sweep_persistent)    \
    X(uniform_hash)        \
    X(variable_grid)       \
    X(verlet)

namespace vicinal::inline VICINAL_API {

#define X(name) MethodEntry describe_##name();
VICINAL_METHODS(X)
#undef X

namespace {

// The method that `auto` selects, until it depends on the scene.
constexpr std::string_view automatic = "row_grid";

std::unique_ptr<std::vector<MethodEntry>> make_entries() {
#define X(name) describe_##name(),
    std::vector<MethodEntry> all{VICINAL_METHODS(X)};
#undef X
    for (MethodEntry& entry : all)  // a layer wraps any method except itself
        for (OptionInfo& option : entry.info.options)
            for (const MethodEntry& other : all)
                if (option.kind == OptionInfo::Kind::method &&
                    other.info.name != entry.info.name)
                    option.choices.push_back(other.info.name);
    return std::make_unique<std::vector<MethodEntry>>(std::move(all));
}

const std::vector<MethodEntry>& entries() {
    static constinit Lazy<std::vector<MethodEntry>> list;
    return list.get(make_entries);
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(Error::Kind::option, message);
}

// "; did you mean 'x'? methods: a, b" for a word that is not among the names.
std::string suggestion(std::string_view word, const std::vector<std::string>& names,
                       std::string_view heading) {
    std::string closest, all;
    std::size_t best = std::max<std::size_t>(2, word.size() / 2) + 1;
    for (const std::string& name : names) {
        all += (all.empty() ? "" : ", ") + name;
        std::size_t distance = common::edit_distance(word, name);
        // "grid" should suggest compact_grid, and so should "gird".
        if (const auto part = name.rfind('_'); part != std::string::npos)
            distance = std::min(distance, common::edit_distance(word, name.substr(part + 1)));
        if (distance < best) {
            best = distance;
            closest = name;
        }
    }
    const std::string list = all.empty() ? "it has no options" : std::string(heading) + all;
    return closest.empty() ? "; " + list : "; did you mean '" + closest + "'? " + list;
}

const MethodEntry& find_entry(const std::string& name) {
    std::vector<std::string> names;
    for (const MethodEntry& entry : entries()) {
        if (entry.info.name == name) return entry;
        names.push_back(entry.info.name);
    }
    names.push_back("auto");
    refuse("unknown method '" + name + "'" + suggestion(name, names, "methods: "));
}

std::string_view trimmed(std::string_view s) {
    const auto first = s.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

// Splits at commas outside parentheses.
std::vector<std::string_view> split_arguments(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(trimmed(text.substr(begin, i - begin)));
            begin = i + 1;
        } else {
            depth += (text[i] == '(') - (text[i] == ')');
        }
    }
    if (parts.size() == 1 && parts[0].empty()) parts.clear();
    return parts;
}

double parse_number(const std::string& text, bool& whole) {
    double value = 0;
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    whole = result.ec == std::errc() && result.ptr == end;
    return value;
}

// The numbers of "a" or "(a, b, ...)"; none if one of them is not a number.
std::vector<double> parse_numbers(std::string_view text) {
    if (text.size() >= 2 && text.front() == '(' && text.back() == ')')
        text = text.substr(1, text.size() - 2);
    std::vector<double> values;
    for (const std::string_view part : split_arguments(text)) {
        bool whole = false;
        values.push_back(parse_number(std::string(part), whole));
        if (!whole) return {};
    }
    return values;
}

// Checks a value and returns it as the report spells it.
std::string checked_value(const std::string& method, const OptionInfo& option,
                          const std::string& value) {
    const std::string where = "method " + method + ": option " + option.name;
    if (option.kind == OptionInfo::Kind::method) {
        const Choice inner = [&] {
            try {
                return choose_method(value);
            } catch (const Error& error) {
                refuse(where + ": " + error.what());
            }
        }();
        if (inner.name == method)
            refuse(where + " is " + method + " again; give it another method");
        return inner.text();
    }
    // The method itself interprets several numbers.
    if (option.kind == OptionInfo::Kind::list && value.starts_with('(') &&
        !parse_numbers(value).empty())
        return value;
    const bool word =
        std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
    if (word) return value;
    const bool numbers = option.minimum < option.maximum || option.choices.empty();
    if (!numbers)
        refuse(where + " is '" + value + "'" + suggestion(value, option.choices, "values: "));
    bool whole = false;
    const double number = parse_number(value, whole);
    if (!whole || !(number >= option.minimum && number <= option.maximum))
        refuse(where + " is '" + value + "'; it must be a number from " +
               number_text(option.minimum) + " to " + number_text(option.maximum) +
               (option.choices.empty() ? "" : ", or " + option.choices.front()));
    return value;
}

}  // namespace

const std::string& Choice::word(std::string_view option) const {
    for (const auto& [key, value] : options)
        if (key == option) return value;
    throw std::logic_error("method " + name + " has no option " + std::string(option));
}

double Choice::number(std::string_view option) const {
    bool whole = false;
    return parse_number(word(option), whole);
}

std::vector<double> Choice::numbers(std::string_view option) const {
    return parse_numbers(word(option));
}

std::string Choice::text() const {
    std::string result = name;
    for (std::size_t i = 0; i < options.size(); ++i)
        result += (i == 0 ? "(" : ", ") + options[i].first + "=" + options[i].second;
    return options.empty() ? result : result + ")";
}

Choice choose_method(const std::string& text) {
    const std::string_view spec = trimmed(text);
    const auto open = spec.find('(');
    if (open != std::string_view::npos && spec.back() != ')')
        refuse("method '" + text +
               "' lacks its closing parenthesis; write name(key=value, ...)");
    Choice choice;
    choice.name = trimmed(spec.substr(0, open));
    choice.why = "as requested";
    if (choice.name == "auto") {
        choice.name = automatic;
        choice.why = "the default";
    }
    const MethodInfo& info = find_entry(choice.name).info;
    for (const OptionInfo& option : info.options)
        choice.options.emplace_back(option.name,
                                    option.kind == OptionInfo::Kind::method
                                        ? choose_method(option.default_value).text()
                                        : option.default_value);
    if (open == std::string_view::npos) return choice;
    std::vector<std::string> given;
    for (std::string_view part :
         split_arguments(spec.substr(open + 1, spec.size() - open - 2))) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos)
            refuse("method " + choice.name + ": '" + std::string(part) +
                   "' is not an option; write key=value");
        const std::string key(trimmed(part.substr(0, equals)));
        const auto option = std::find_if(info.options.begin(), info.options.end(),
                                         [&](const OptionInfo& o) { return o.name == key; });
        if (option == info.options.end()) {
            std::vector<std::string> names;
            for (const OptionInfo& o : info.options) names.push_back(o.name);
            refuse("method " + choice.name + " has no option '" + key + "'" +
                   suggestion(key, names, "options: "));
        }
        if (std::find(given.begin(), given.end(), key) != given.end())
            refuse("method " + choice.name + ": option " + key +
                   " is given twice; give it once");
        given.push_back(key);
        std::string& value =
            choice.options[static_cast<std::size_t>(option - info.options.begin())].second;
        value =
            checked_value(choice.name, *option, std::string(trimmed(part.substr(equals + 1))));
        const bool misses =
            (option->kind == OptionInfo::Kind::approximate && value != option->default_value) ||
            (option->kind == OptionInfo::Kind::method && !choose_method(value).exact);
        if (!misses) continue;
        choice.exact = false;
        choice.why += "; approximate: " + key + "=" + value + " may miss pairs";
    }
    return choice;
}

#define VICINAL_MAKE(T, D)                                            \
    template <>                                                       \
    std::unique_ptr<Method<T, D>> make_method(const Choice& choice) { \
        return find_entry(choice.name).make_##T##_##D(choice);        \
    }
VICINAL_MAKE(float, 2)
VICINAL_MAKE(float, 3)
VICINAL_MAKE(double, 2)
VICINAL_MAKE(double, 3)
#undef VICINAL_MAKE

}  // namespace vicinal::inline VICINAL_API

namespace vicinal::inline VICINAL_API {

std::vector<MethodInfo> methods() {
    std::vector<MethodInfo> result;
    for (const MethodEntry& entry : entries()) result.push_back(entry.info);
    return result;
}

}  // namespace vicinal::inline VICINAL_API
