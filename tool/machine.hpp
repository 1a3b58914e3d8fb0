// The machine a benchmark ran on, and the memory of this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vicinal::tool {

struct Machine {
    std::string cpu;  // model
    unsigned cores = 0;
    std::uint64_t memory = 0;  // bytes
    std::string compiler, build_type;

    Machine();
    std::string text() const;
};

// How far this process grows beyond what it holds when the object is made: Linux resets the
// peak of resident memory when 5 is written to /proc/self/clear_refs, and VmHWM in
// /proc/self/status tells the peak since.
class PeakMemory {
  public:
    PeakMemory();
    // None where the system does not tell.
    std::optional<std::uint64_t> bytes() const;

  private:
    std::optional<std::uint64_t> before_;
};

}  // namespace vicinal::tool
