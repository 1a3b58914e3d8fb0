// The state of a simulation as a number and as a file.
//
// A checkpoint is a line that says so, a text about the run, the records that
// Simulation::visit shows, each with its name and size, and a checksum of all of it. It takes
// its name when it is complete on the disk, in the place of the one before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/simulation.hpp"

namespace vicinal::sim {

// Two states with one hash are alike bit for bit, for all that chance allows.
std::uint64_t state_hash(Simulation& simulation);

void write_checkpoint(const std::filesystem::path& file, std::string_view about,
                      Simulation& simulation);

// Throws vicinal::Error for a file that is no checkpoint, or a damaged one.
class Checkpoint {
  public:
    explicit Checkpoint(std::filesystem::path file);
    const std::string& about() const { return about_; }
    // Throws vicinal::Error if the simulation keeps other things than those in the file.
    void restore(Simulation& simulation) const;

  private:
    std::filesystem::path file_;
    std::string about_;
};

}  // namespace vicinal::sim
