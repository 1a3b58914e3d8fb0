// Seconds since it was made or last read.
#pragma once

#include <chrono>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

class Stopwatch {
  public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> seconds = now - last_;
        last_ = now;
        return seconds.count();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace vicinal::inline VICINAL_API
