// The machine a benchmark ran on, what else ran on it, and the memory of this process.
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

// What other processes, or other guests of the host, take of the cores this process may use,
// from now on: then times on several threads say little. From the processor times that Linux
// keeps in /proc/stat, less those of this process and its children.
class OtherLoad {
  public:
    OtherLoad();
    // In cores, on average; none where the system does not tell. Waits if too little time has
    // passed.
    std::optional<double> cores() const;

  private:
    struct Times {
        double busy, own, wall;  // seconds
    };
    static std::optional<Times> read();
    std::optional<Times> begin_;
};

// What to say of so many; "" if they are too few to matter.
std::string busy_line(std::optional<double> other_cores);

}  // namespace vicinal::bench
