#include "c/json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string_view>
#include <vector>

#include <vicinal/methods.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

std::string text_of(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result + '"';
}

// JSON has no infinities and no NaN.
std::string text_of(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 32> digits;
    return {digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr};
}
std::string text_of(bool value) {
    return value ? "true" : "false";
}
std::string text_of(std::uint64_t value) {
    return std::to_string(value);
}
std::string text_of(int value) {
    return std::to_string(value);
}
template <class R>
    requires requires(const R& r) { r.begin(); } && (!std::convertible_to<R, std::string_view>)
std::string text_of(const R& values) {
    std::string result = "[";
    for (const auto& value : values) {
        if (result.size() > 1) result += ", ";
        result += text_of(value);
    }
    return result + "]";
}

class Object {
  public:
    template <class V>
    Object& add(std::string_view name, const V& value) {
        return add_json(name, text_of(value));
    }
    Object& add_json(std::string_view name, const std::string& value) {
        if (text_.size() > 1) text_ += ", ";
        text_ += text_of(name) + ": " + value;
        return *this;
    }
    std::string json() const { return text_ + "}"; }

  private:
    std::string text_ = "{";
};

std::string_view kind_name(OptionInfo::Kind kind) {
    switch (kind) {
        case OptionInfo::Kind::plain:
            return "plain";
        case OptionInfo::Kind::method:
            return "method";
        case OptionInfo::Kind::list:
            return "list";
        case OptionInfo::Kind::approximate:
            return "approximate";
    }
    return "";
}

std::string json_of(const OptionInfo& option) {
    Object object;
    object.add("name", option.name)
        .add("default", option.default_value)
        .add("meaning", option.meaning)
        .add("kind", kind_name(option.kind));
    if (!option.choices.empty())
        object.add("choices", option.choices);
    else
        object.add("minimum", option.minimum).add("maximum", option.maximum);
    return object.json();
}

std::string json_of(const std::vector<OptionInfo>& options) {
    std::string result = "[";
    for (const OptionInfo& option : options)
        result += (result.size() > 1 ? ", " : "") + json_of(option);
    return result + "]";
}

std::string json_of(const MethodInfo& method) {
    return Object()
        .add("name", method.name)
        .add("summary", method.summary)
        .add_json("options", json_of(method.options))
        .json();
}

}  // namespace

template <int D>
std::string json_of(const Report<D>& report) {
    Object statistics, seconds;
    for (const Statistic& s : report.statistics) statistics.add(s.name, s.value);
    seconds.add("scene", report.seconds.scene)
        .add("build", report.seconds.build)
        .add("search", report.seconds.search)
        .add("output", report.seconds.output)
        .add("total", report.seconds.total());
    return Object()
        .add("method", report.method)
        .add("why", report.why)
        .add("nearest_method", report.nearest_method)
        .add("exact", report.exact)
        .add("simd", report.simd)
        .add("threads", report.threads)
        .add("bodies", report.bodies)
        .add("ghosts", report.ghosts)
        .add("candidates", report.candidates)
        .add("pairs", report.pairs)
        .add("bytes", report.bytes)
        .add("lattice", report.lattice)
        .add_json("statistics", statistics.json())
        .add_json("seconds", seconds.json())
        .json();
}

template std::string json_of(const Report<2>&);
template std::string json_of(const Report<3>&);

std::string json_of_methods() {
    std::string result = "[";
    for (const MethodInfo& method : methods())
        result += (result.size() > 1 ? ",\n" : "") + json_of(method);
    return result + "]";
}

}  // namespace vicinal::inline VICINAL_API
