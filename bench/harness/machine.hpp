// The machine of a benchmark, the load of other processes, and the memory of this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vicinal::bench {

struct Machine {
    std::string cpu;  // model
    unsigned cores = 0;
    std::uint64_t memory = 0;  // bytes
    std::string compiler, build_type;

    Machine();
    std::string text() const;
};

// The growth of the peak resident memory since construction. On Linux, writing 5 to
// /proc/self/clear_refs resets the peak, and VmHWM in /proc/self/status is the peak since then.
class PeakMemory {
  public:
    PeakMemory();
    // Empty if the system does not provide it.
    std::optional<std::uint64_t> bytes() const;

  private:
    std::optional<std::uint64_t> before_;
};

// The load of other processes, or of other guests of the host, on the cores available to this
// process, since construction. With such a load, times on several threads are unreliable.
// Computed from /proc/stat minus the processor time of this process and its children.
class OtherLoad {
  public:
    OtherLoad();
    // The mean number of cores used; empty if the system does not provide it. Waits if too
    // little time has passed.
    std::optional<double> cores() const;

  private:
    struct Times {
        double busy, own, wall;  // seconds
    };
    static std::optional<Times> read();
    std::optional<Times> begin_;
};

// The warning for this load; empty if it is negligible.
std::string busy_line(std::optional<double> other_cores);

}  // namespace vicinal::bench
