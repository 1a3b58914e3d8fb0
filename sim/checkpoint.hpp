// The state of a simulation as a hash and as a file.
//
// A checkpoint is a magic line, a text about the run, the records that Simulation::visit()
// visits, each with its name and size, and a checksum of everything. It is written to a
// temporary file, synced, and then replaces the previous one by renaming.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/simulation.hpp"

namespace vicinal::sim {

// States with equal hashes are identical, up to hash collisions.
std::uint64_t state_hash(Simulation& simulation);

void write_checkpoint(const std::filesystem::path& file, std::string_view about,
                      Simulation& simulation);

// Throws vicinal::Error if the file is not a checkpoint or is damaged.
class Checkpoint {
  public:
    explicit Checkpoint(std::filesystem::path file);
    const std::string& about() const { return about_; }
    // Throws vicinal::Error if the records of the simulation differ from those in the file.
    void restore(Simulation& simulation) const;

  private:
    std::filesystem::path file_;
    std::string about_;
};

}  // namespace vicinal::sim
