#include "simd/targets.hpp"

#include <hwy/targets.h>

#include <cstdlib>

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

// Spelling as in VICINAL_SIMD: Highway's names, without regard to case.
std::string lower_case(std::string name) {
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
}

}  // namespace

std::string target_name(std::int64_t target) {
    // The baseline of x86-64 has no useful permutes: Highway compiles scalar loops for it.
    if (target == HWY_EMU128 || target == HWY_SCALAR) return "scalar";
    return lower_case(hwy::TargetName(target));
}

std::size_t target_index(std::int64_t target) {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    return chosen.GetIndex();
}

std::vector<std::int64_t> available_targets() {
    // Lower bits are better; the build's baseline is always available.
    const auto available =
        static_cast<std::uint64_t>((hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS);
    std::vector<std::int64_t> targets;
    for (std::uint64_t rest = available; rest != 0; rest &= rest - 1)
        targets.push_back(static_cast<std::int64_t>(rest & ~(rest - 1)));
    return targets;
}

std::int64_t choose_target() {
    const std::vector<std::int64_t> targets = available_targets();
    const char* requested = std::getenv("VICINAL_SIMD");
    if (requested == nullptr || *requested == '\0') return targets.front();
    std::string names;
    for (const std::int64_t target : targets) {
        if (lower_case(requested) == target_name(target)) return target;
        names += (names.empty() ? "" : ", ") + target_name(target);
    }
    throw Error(Error::Kind::option, "VICINAL_SIMD is " + std::string(requested) +
                                         ", which this machine or build does not have; "
                                         "unset it or choose one of " +
                                         names);
}

}  // namespace vicinal::inline VICINAL_API
