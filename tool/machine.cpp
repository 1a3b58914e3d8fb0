#include "machine.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "text.hpp"

namespace vicinal::tool {
namespace {

// The rest of the first line that begins with `key`, without what surrounds the value.
std::string value_in(const char* file, const std::string& key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(key)) continue;
        const std::size_t at = line.find_first_not_of(" \t:", key.size());
        return at == std::string::npos ? "" : line.substr(at);
    }
    return "";
}

std::optional<std::uint64_t> resident_peak() {
    double kilobytes = 0;
    const std::string text = value_in("/proc/self/status", "VmHWM");
    if (!parse(text.substr(0, text.find(' ')), kilobytes)) return {};
    return static_cast<std::uint64_t>(kilobytes) * 1024;
}

}  // namespace

Machine::Machine()
    : cpu(value_in("/proc/cpuinfo", "model name")), cores(std::thread::hardware_concurrency()) {
    if (cpu.empty()) cpu = "unknown processor";
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    if (pages > 0 && page > 0) memory = static_cast<std::uint64_t>(pages) * page;
#if defined(__clang__)
    compiler = "clang " __clang_version__;
#else
    compiler = "g++ " __VERSION__;
#endif
    build_type = VICINAL_BUILD_TYPE;
}

std::string Machine::text() const {
    return fmt::format("{}, {} core{}, {}, {}, {}", cpu, cores, cores == 1 ? "" : "s",
                       readable_bytes(memory), compiler, build_type);
}

PeakMemory::PeakMemory() {
    malloc_trim(0);  // what earlier work freed would otherwise be used again unseen
    std::ofstream("/proc/self/clear_refs") << 5;
    before_ = resident_peak();
}

std::optional<std::uint64_t> PeakMemory::bytes() const {
    const auto now = resident_peak();
    if (!before_ || !now) return {};
    return *now > *before_ ? *now - *before_ : 0;
}

}  // namespace vicinal::tool
