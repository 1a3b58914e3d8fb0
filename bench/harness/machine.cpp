#include "bench/harness/machine.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/text.hpp"

namespace vicinal::bench {
namespace {

// The value on the first line that begins with `key`, without separators.
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
    if (!common::parse(text.substr(0, text.find(' ')), kilobytes)) return {};
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
                       common::readable_bytes(memory), compiler, build_type);
}

OtherLoad::OtherLoad() : begin_(read()) {}

std::optional<double> OtherLoad::cores() const {
    if (!begin_) return {};
    constexpr double shortest = 0.25;  // /proc/stat has a resolution of 10 ms
    auto end = read();
    if (end && end->wall - begin_->wall < shortest) {
        std::this_thread::sleep_for(
            std::chrono::duration<double>(shortest - (end->wall - begin_->wall)));
        end = read();
    }
    if (!end) return {};
    const double others = (end->busy - begin_->busy) - (end->own - begin_->own);
    return std::max(others, 0.0) / (end->wall - begin_->wall);
}

std::optional<OtherLoad::Times> OtherLoad::read() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return {};
    std::ifstream in("/proc/stat");
    double ticks = 0;
    bool found = false;
    for (std::string line; std::getline(in, line);) {
        // cpu0 user nice system idle iowait irq softirq steal ...
        std::istringstream fields(line);
        std::string name;
        double user, nice, system, idle, iowait, irq, softirq, steal, core;
        fields >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
        if (!fields || !name.starts_with("cpu") || !common::parse(name.substr(3), core))
            continue;
        if (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) continue;
        ticks += user + nice + system + irq + softirq + steal;
        found = true;
    }
    const long ticks_per_second = sysconf(_SC_CLK_TCK);
    if (!found || ticks_per_second <= 0) return {};
    double own = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        if (getrusage(who, &usage) != 0) return {};
        for (const timeval& time : {usage.ru_utime, usage.ru_stime})
            own += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
    const std::chrono::duration<double> wall =
        std::chrono::steady_clock::now().time_since_epoch();
    return Times{ticks / static_cast<double>(ticks_per_second), own, wall.count()};
}

std::string busy_line(std::optional<double> other_cores) {
    constexpr double tolerated = 0.2;
    if (!other_cores || *other_cores < tolerated) return "";
    return fmt::format(
        "BUSY: other processes used {:.2f} cores; times are unreliable, especially on several "
        "threads. Measure again when the machine is idle.",
        *other_cores);
}

PeakMemory::PeakMemory() {
    malloc_trim(0);  // otherwise freed memory would be reused without growth
    std::ofstream("/proc/self/clear_refs") << 5;
    before_ = resident_peak();
}

std::optional<std::uint64_t> PeakMemory::bytes() const {
    const auto now = resident_peak();
    if (!before_ || !now) return {};
    return *now > *before_ ? *now - *before_ : 0;
}

}  // namespace vicinal::bench
