#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>

#include "common/stopwatch.hpp"
#include "common/text.hpp"

namespace vicinal::tool {

Progress::Progress(const std::string& phase) : phase_(common::one_line(phase)) {
    if (isatty(STDERR_FILENO) == 0) return;
    try {
        thread_ = std::thread([this] { show(); });
    } catch (const std::system_error&) {
        // No thread available: work without a display.
    }
}

Progress::~Progress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

void Progress::phase(const std::string& name) {
    const std::lock_guard lock(mutex_);
    phase_ = common::one_line(name);
}

void Progress::show() {
    using namespace std::chrono_literals;
    const common::Stopwatch watch;
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, 1s, [this] { return end_; })) return;
    constexpr const char* spinner = "|/-\\";
    for (unsigned turn = 0; !end_; ++turn) {
        const std::string line =
            fmt::format("\r\033[K{} {} ({:.0f} s)", spinner[turn % 4], phase_, watch.seconds());
        std::fputs(line.c_str(), stderr);
        std::fflush(stderr);
        ended_.wait_for(lock, 150ms, [this] { return end_; });
    }
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
}

}  // namespace vicinal::tool
