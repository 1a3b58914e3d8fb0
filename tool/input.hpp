// How the files of bodies are read: format, names of columns, frames.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/bodies.hpp"
#include "io/table.hpp"
#include "summary.hpp"

namespace vicinal::tool {

struct InputFlags {
    std::string format;  // of FILE; empty: by its ending or contents
    std::string fields;  // x,y,z,...; empty: the file has names
    std::string frame;   // empty: the first
    bool ids = false;    // pairs hold the ids of the file

    // Whether the command can run for every frame, and whether its result has indices.
    enum class Frames { one, all };
    enum class Ids { offered, none };
    void add_to(CLI::App& app, Frames frames, Ids offered);
    void add_format_to(CLI::App& app);  // --format and --fields alone

    bool all_frames() const { return frame == "all"; }
    io::ReadOptions options(const io::Layout& layout) const;
};

struct InputFile {
    std::string name;  // empty: none
    io::Layout layout;
    bool same_fields = false;  // --fields applies to it too
};

// The file of the bodies and perhaps a second one. Of two trajectories, frames with the same
// number belong together; a second file with one frame belongs to all frames of the first.
class Inputs {
  public:
    Inputs(const InputFlags& flags, const InputFile& first, const InputFile& second = {});

    // The frames that --frame selects, counted from 0.
    const std::vector<std::size_t>& chosen() const { return chosen_; }
    // Empty if the format of the file has no frames.
    std::optional<FrameNumber> number(std::size_t frame);

    io::BodyFile first(std::size_t frame);
    std::optional<io::BodyFile> second(std::size_t frame);

  private:
    io::BodyFile read(io::TableFile& file, const InputFile& from, std::size_t frame) const;
    void choose(const InputFlags& flags);

    InputFile first_, second_;
    bool frame_given_;
    io::TableFile first_file_;
    std::optional<io::TableFile> second_file_;
    std::vector<std::size_t> chosen_;
};

// The FILE of a command, and how it is read, for the help.
extern const char* const file_help;
extern const char* const input_help;

// Throws UsageError if more than one of the files is standard input.
void check_inputs(const std::vector<std::string>& files);

}  // namespace vicinal::tool
