#include "run_output.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "io/write.hpp"
#include "sim/checkpoint.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(Error::Kind::input, file + ": " + what);
}

std::string reason() {
    return std::generic_category().message(errno);
}

std::string header(const sim::StepStatistics& figures) {
    std::string text =
        "step,time,search_seconds,response_seconds,candidates,pairs,contacts,kinetic,"
        "potential,momentum_x,momentum_y,momentum_z,overlap";
    for (const auto& own : figures.own) text += ',' + own.name;
    return text + '\n';
}

std::string line(std::uint64_t step, double time, const sim::StepStatistics& f) {
    std::string text = fmt::format("{},", step);
    io::append_number(text, time);
    text += fmt::format(",{:.6f},{:.6f},{},{},{}", f.search_seconds, f.response_seconds,
                        f.candidates, f.pairs, f.contacts);
    const auto add = [&](double value) {
        text += ',';
        io::append_number(text, value);
    };
    for (const double value :
         {f.kinetic, f.potential, f.momentum[0], f.momentum[1], f.momentum[2], f.overlap})
        add(value);
    for (const auto& own : f.own) add(own.value);
    return text + '\n';
}

void write_fields(const fs::path& file, const std::vector<sim::Field>& fields) {
    std::vector<io::PointArray> arrays;
    for (std::size_t k = 1; k < fields.size(); ++k)
        arrays.push_back({fields[k].name, fields[k].components, fields[k].values});
    io::write_vtp(file, fields[0].values, arrays);
}

// A killed process may have left unfinished files.
void remove_unfinished_files(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> unfinished;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(".vicinal-") && name.ends_with(".tmp"))
            unfinished.push_back(entry.path());
    }
    for (const fs::path& file : unfinished) fs::remove(file, ignored);
}

}  // namespace

RunFolder::RunFolder(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error || !fs::is_directory(folder_))
        fail(folder_.string(), "cannot be created as a folder" +
                                   (error ? " (" + error.message() + ")" : std::string()) +
                                   "; choose another folder for -o");
    for (const std::string& file : {series(), checkpoint_file(), list_of_frames()})
        if (fs::exists(file))
            fail(folder_.string(),
                 "already holds a run; choose another folder for -o, or resume that run: "
                 "vicinal run --resume FOLDER");
    open_series("wbx");
}

void RunFolder::open_series(const char* mode) {
    series_.reset(std::fopen(series().c_str(), mode));
    if (!series_)
        fail(series(), errno == ENOENT
                           ? "is missing; restore it, or start the run again"
                           : "cannot be written (" + reason() + "); check its permissions");
    // Locked until the process ends: two runs would interleave their steps.
    if (flock(fileno(series_.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        fail(folder_.string(), "is in use by another vicinal run; wait until that run ends");
}

void RunFolder::add_step(std::uint64_t step, const sim::Simulation& simulation) {
    const sim::StepStatistics& figures = simulation.statistics();
    std::string text = series_bytes_ == 0 ? header(figures) : "";
    text += line(step, simulation.time(), figures);
    if (std::fwrite(text.data(), 1, text.size(), series_.get()) < text.size() ||
        std::fflush(series_.get()) != 0)
        fail(series(), "writing failed (" + reason() + "); free space and resume the run");
    series_bytes_ += text.size();
    series_hash_.add(text.data(), text.size());
}

// Checks that the series begins with the bytes it had when the checkpoint was written.
// Otherwise it belongs to another run, and truncating it would destroy it.
void RunFolder::check_series(std::uint64_t bytes, std::uint64_t hash) {
    std::array<char, 4096> buffer;
    while (series_bytes_ < bytes) {
        const auto max_size = static_cast<std::size_t>(
            std::min<std::uint64_t>(buffer.size(), bytes - series_bytes_));
        const std::size_t size = std::fread(buffer.data(), 1, max_size, series_.get());
        if (size == 0)
            fail(series(),
                 "is shorter than when the checkpoint was written, or the checkpoint is of "
                 "another "
                 "run; restore the files of one run");
        series_hash_.add(buffer.data(), size);
        series_bytes_ += size;
    }
    if (series_hash_.value() != hash)
        fail(checkpoint_file(),
             "does not belong to the series.csv in this folder; restore the series.csv of this "
             "run");
}

// Truncates the series to the checkpoint: later steps will be written again.
void RunFolder::cut_series() {
    if (ftruncate(fileno(series_.get()), static_cast<off_t>(series_bytes_)) != 0 ||
        std::fseek(series_.get(), 0, SEEK_END) != 0)
        fail(series(), "cannot be truncated (" + reason() + "); check its permissions");
}

void RunFolder::add_solids(const sim::Simulation& simulation) {
    const auto fields = simulation.solids();
    if (fields.empty()) return;
    write_fields(solids(), fields);
}

void RunFolder::add_frame(std::uint64_t step, const sim::Simulation& simulation) {
    const std::string name = fmt::format("bodies_{:06}.vtp", step);
    write_fields(folder_ / name, simulation.fields());
    frames_.push_back({simulation.time(), name});
    io::write_pvd(list_of_frames(), frames_);
}

void RunFolder::checkpoint(const RunPlan& plan, std::uint64_t step,
                           sim::Simulation& simulation) {
    // The checkpoint is durable when this returns; so must be the series it is compared with.
    if (fsync(fileno(series_.get())) != 0)
        fail(series(), "writing failed (" + reason() + "); free space and resume the run");
    Json frames = Json::array();
    for (const io::Frame& frame : frames_) frames.push_back({frame.time, frame.file});
    const Json about{{"plan", to_json(plan)},
                     {"step", step},
                     {"series_bytes", series_bytes_},
                     {"series_hash", series_hash_.value()},
                     {"frames", frames}};
    sim::write_checkpoint(checkpoint_file(), about.dump(), simulation);
}

RunFolder::Resumed RunFolder::resume(const fs::path& folder) {
    RunFolder result;
    result.folder_ = folder;
    const std::string file = result.checkpoint_file();
    if (!fs::is_regular_file(file))
        fail(file, "does not exist; name a folder that vicinal run -o wrote");
    const sim::Checkpoint checkpoint(file);
    try {
        const Json about = Json::parse(checkpoint.about());
        for (const auto& frame : about.at("frames"))
            result.frames_.push_back(
                {frame.at(0).get<double>(), frame.at(1).get<std::string>()});
        RunPlan plan = plan_from(about.at("plan"), file);
        const auto step = about.at("step").get<std::uint64_t>();
        result.open_series("r+b");
        result.check_series(about.at("series_bytes").get<std::uint64_t>(),
                            about.at("series_hash").get<std::uint64_t>());
        return {std::move(result), std::move(plan), step};
    } catch (const Json::exception&) {
        fail(file, "was written by another version of vicinal; start the run again");
    }
}

void RunFolder::Resumed::restore(sim::Simulation& simulation) {
    sim::Checkpoint(folder.checkpoint_file()).restore(simulation);
    remove_unfinished_files(folder.folder_);
    folder.cut_series();
}

}  // namespace vicinal::tool
