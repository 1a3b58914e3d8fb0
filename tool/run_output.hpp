// The folder of a run: series.csv, the frames with bodies.pvd and their page, solids.vtp if
// there are static bodies, and the checkpoint.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/vtp.hpp"
#include "run_plan.hpp"
#include "sim/hash.hpp"
#include "sim/simulation.hpp"

namespace vicinal::tool {

class RunFolder {
  public:
    // The folder of a new run, created with its parents if it does not exist. Throws
    // vicinal::Error if it holds a run.
    explicit RunFolder(std::filesystem::path folder);

    // The folder of a run to be resumed. Nothing in it is changed yet. Throws vicinal::Error if
    // its checkpoint is missing, damaged or of another run.
    struct Resumed;
    static Resumed resume(const std::filesystem::path& folder);

    void add_step(std::uint64_t step, const sim::Simulation& simulation);
    void add_solids(const sim::Simulation& simulation);
    void add_frame(std::uint64_t step, const sim::Simulation& simulation);
    void checkpoint(const RunPlan& plan, std::uint64_t step, sim::Simulation& simulation);

    std::string series() const { return (folder_ / "series.csv").string(); }
    std::string list_of_frames() const { return (folder_ / "bodies.pvd").string(); }
    std::string solids() const { return (folder_ / "solids.vtp").string(); }
    std::string page() const { return (folder_ / "view.html").string(); }
    std::string checkpoint_file() const { return (folder_ / "checkpoint").string(); }
    std::string folder() const { return folder_.string(); }
    std::size_t frames() const { return frames_.size(); }

  private:
    RunFolder() = default;
    void open_series(const char* mode);
    void check_series(std::uint64_t bytes, std::uint64_t hash);
    void cut_series();

    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    std::filesystem::path folder_;
    std::unique_ptr<std::FILE, Close> series_;
    std::uint64_t series_bytes_ = 0;
    sim::Hash series_hash_;  // of these bytes; differs between runs by the times
    std::vector<io::Frame> frames_;
};

struct RunFolder::Resumed {
    RunFolder folder;
    RunPlan plan;
    std::uint64_t step;
    // Restores the folder, and a simulation made by plan.make(), to their state at the
    // checkpoint.
    void restore(sim::Simulation& simulation);
};

}  // namespace vicinal::tool
