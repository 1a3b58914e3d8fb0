#include "input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/text.hpp"
#include "flags.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

// A frame number, or 0 if the text is no whole number from 1.
std::size_t parse_number(const std::string& text) {
    std::size_t value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? value : 0;
}

constexpr const char* input_group = "Input";

CLI::Validator frame_validator(bool all) {
    return CLI::Validator(
        [all](std::string& text) {
            if (text == "first" || text == "last" || (all && text == "all") ||
                parse_number(text) > 0)
                return std::string();
            return fmt::format("'{}' is not a frame; give first, last{} or a number from 1",
                               text, all ? ", all" : "");
        },
        "");
}

std::vector<std::string> parse_fields(const std::string& text) {
    std::vector<std::string> names;
    if (text.empty()) return names;
    for (const std::string_view field : split(text, ',')) {
        const std::string name = lower_case(std::string(field));
        if (name.empty())
            throw UsageError(fmt::format(
                "--fields '{}' has an empty name; write _ for a column to ignore", text));
        if (name != "_" && std::ranges::find(names, name) != names.end())
            throw UsageError(fmt::format("--fields '{}' names '{}' twice", text, name));
        names.push_back(name);
    }
    return names;
}

}  // namespace

const char* const file_help =
    "bodies: .npy .npz .csv .xyz .dump .ply .obj .stl .vtp .vtu .h5, or compressed (.gz); -: "
    "standard input";

const char* const input_help =
    "Trajectories (.xyz, .dump, .h5) have frames, counted from 1. With --frame all (of pairs,\n"
    "probe and nearest) the search runs for each of them, and -o pairs.csv writes\n"
    "pairs.1.csv, pairs.2.csv and so on, with leading zeros. A second file with several\n"
    "frames is read frame by frame as well. Of a .npz file, a.npz:NAME is the array NAME; of\n"
    "an .h5 file, a group of particles. With --ids all files of pairs hold ids; the body with\n"
    "the lower index still comes first.\n\n";

void InputFlags::add_format_to(CLI::App& app) {
    app.add_option("--format", format, "format of FILE, if its ending does not show it")
        ->check(one_of(io::format_names()))
        ->type_name(common::join(io::format_names(), "|"))
        ->group(input_group);
    app.add_option(
           "--fields", fields,
           "names of the columns of a file without any, such as x,y,z,radius; _ is ignored")
        ->check(not_empty())
        ->type_name("NAMES")
        ->group(input_group);
}

void InputFlags::add_to(CLI::App& app, Frames frames, Ids offered) {
    add_format_to(app);
    const bool all = frames == Frames::all;
    app.add_option(
           "--frame", frame,
           all ? "of a trajectory: first (default), last, a number from 1, or all in turn"
               : "of a trajectory: first (default), last or a number from 1")
        ->check(frame_validator(all))
        ->type_name(all ? "K|first|last|all" : "K|first|last")
        ->group(input_group);
    if (offered == Ids::offered)
        app.add_flag("--ids", ids, "pairs hold the ids in the column id instead of indices")
            ->group(input_group);
}

io::ReadOptions InputFlags::options(const io::Layout& layout) const {
    io::ReadOptions options = io::read_options(layout);
    options.format = format;
    options.fields = parse_fields(fields);
    return options;
}

Inputs::Inputs(const InputFlags& flags, const InputFile& first, const InputFile& second)
    : first_(first),
      second_(second),
      frame_given_(!flags.frame.empty()),
      first_file_(first.name, flags.options(first.layout)) {
    if (!second.name.empty()) {
        io::ReadOptions options = io::read_options(second.layout);
        if (second.same_fields) options.fields = parse_fields(flags.fields);
        second_file_.emplace(second.name, std::move(options));
    }
    choose(flags);
}

void Inputs::choose(const InputFlags& flags) {
    if (flags.frame.empty() || flags.frame == "first") {
        chosen_ = {0};
    } else if (flags.frame == "last") {
        chosen_ = {first_file_.frames() - 1};
    } else if (flags.all_frames()) {
        for (std::size_t k = 0; k < first_file_.frames(); ++k) chosen_.push_back(k);
    } else {
        chosen_ = {parse_number(flags.frame) - 1};
    }
}

std::optional<FrameNumber> Inputs::number(std::size_t frame) {
    if (!first_file_.has_frames()) return {};
    return FrameNumber{frame + 1, first_file_.frames(), frame_given_};
}

io::BodyFile Inputs::read(io::TableFile& file, const InputFile& from, std::size_t frame) const {
    return {from.name, from.layout, file.read(frame), file.has_frames() ? frame + 1 : 0};
}

io::BodyFile Inputs::first(std::size_t frame) {
    return read(first_file_, first_, frame);
}

std::optional<io::BodyFile> Inputs::second(std::size_t frame) {
    if (!second_file_) return {};
    // Counting may read a long file to its end, so only if it matters.
    const bool alone = frame > 0 && second_file_->frames() == 1;
    return read(*second_file_, second_, alone ? 0 : frame);
}

void check_inputs(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1)
        throw UsageError("only one file can be standard input; name the other one");
}

}  // namespace vicinal::tool
