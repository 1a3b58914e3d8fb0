// Wall-clock time.
#pragma once

#include <chrono>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API::common {

class Stopwatch {
  public:
    // Since the last lap, or since construction.
    double seconds() const { return since(Clock::now()); }

    // The same, and starts the next lap.
    double lap() {
        const auto now = Clock::now();
        const double passed = since(now);
        start_ = now;
        return passed;
    }

  private:
    using Clock = std::chrono::steady_clock;

    double since(Clock::time_point now) const {
        return std::chrono::duration<double>(now - start_).count();
    }

    Clock::time_point start_ = Clock::now();
};

}  // namespace vicinal::inline VICINAL_API::common
