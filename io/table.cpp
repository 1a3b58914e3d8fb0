#include "io/table.hpp"

#include <algorithm>
#include <filesystem>

#include "common/text.hpp"
#include "io/readers.hpp"
#include "io/text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::io {

void Lines::add(std::size_t line) {
    if (jumps_.empty() || jumps_.back().line + (rows_ - jumps_.back().row) != line)
        jumps_.push_back({rows_, line});
    ++rows_;
}

std::string Lines::where(std::size_t row) const {
    if (row >= rows_) return "row " + std::to_string(rows_before_ + row + 1);
    const auto after = std::ranges::upper_bound(jumps_, row, {}, &Jump::row);
    const Jump& jump = *std::prev(after);
    return "line " + std::to_string(jump.line + (row - jump.row));
}

const NamedColumn* Table::find(const std::string& name) const {
    const auto found = std::ranges::find(columns, name, &NamedColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const Format& format : formats()) names.emplace_back(format.name);
    return names;
}

namespace {

// Frames that follow one another in a source. The beginning of each is kept as it is found.
class SourceFrames : public TableFile::Frames {
  public:
    SourceFrames(std::unique_ptr<Source> source, const Format& format, ReadOptions options)
        : source_(std::move(source)), format_(format), options_(std::move(options)) {}

    bool many() const override { return format_.skip != nullptr; }

    std::size_t count() override {
        while (find_next()) {
        }
        return begins_.size();
    }

    Table read(std::size_t k) override {
        while (begins_.size() <= k && find_next()) {
        }
        if (k >= begins_.size())
            source_->fail("there is no frame " + std::to_string(k + 1) + "; the file has " +
                          common::counted(begins_.size(), "frames"));
        source_->seek(begins_[k]);
        Table table = format_.read(*source_, options_);
        if (k + 1 == begins_.size()) find_end();
        return table;
    }

  private:
    // Passes over the last frame known; true if there is another one. A frame that is not as
    // it should be counts as the last.
    bool find_next() {
        if (complete_) return false;
        const std::size_t known = begins_.size();
        if (!many()) return complete_ = true, false;
        try {
            source_->seek(begins_.back());
            format_.skip(*source_);
            find_end();
        } catch (const Error&) {
            complete_ = true;
        }
        return begins_.size() > known;
    }

    // After a frame: the beginning of the next one, unless the file ends.
    void find_end() {
        complete_ = !many() || source_->ends();
        if (!complete_) begins_.push_back(source_->position());
    }

    std::unique_ptr<Source> source_;
    const Format& format_;
    ReadOptions options_;
    std::vector<Source::Position> begins_{Source::Position{}};
    bool complete_ = false;
};

bool has_parts(std::string_view file) {
    const std::string name = lower(file);
    const Format* const format =
        format_ending(std::filesystem::path(name).extension().string());
    return format != nullptr && (format->name == "npz" || format->name == "h5md");
}

// Separates a.npz:positions, unless there is a file of that name.
std::string split_part(const std::string& name, std::string& part) {
    const std::size_t colon = name.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || !has_parts(name.substr(0, colon)) ||
        std::filesystem::exists(name, ignored))
        return name;
    part = name.substr(colon + 1);
    return name.substr(0, colon);
}

std::string ending_of(const std::string& file) {
    std::filesystem::path path(lower(file));
    if (path.extension() == ".gz") path = path.stem();
    return path.extension().string();
}

std::string known_endings() {
    std::string result;
    for (const Format& format : formats())
        for (const std::string_view ending : format.endings)
            result += (result.empty() ? "" : ", ") + std::string(ending);
    return result;
}

const Format& choose(Source& source, const std::string& file, const ReadOptions& options) {
    if (!options.format.empty()) {
        if (const Format* const format = format_named(options.format)) return *format;
        source.fail("the format " + shown(options.format) + " is unknown");
    }
    const std::string ending = ending_of(file);
    if (const Format* const format = format_ending(ending)) return *format;
    constexpr std::size_t start = 4096;
    if (const Format* const format = format_of(source.peek(start))) return *format;
    if (file == "-") source.fail("the contents do not show the format; give --format");
    source.fail("the ending " + shown(ending) + " is not a known format; use one of " +
                known_endings() + ", or give --format");
}

}  // namespace

TableFile::TableFile(const std::string& name, ReadOptions options) : name_(name) {
    const std::string file = split_part(name, options.part);
    auto source = std::make_unique<Source>(file);
    const Format& format = choose(*source, file, options);
    constexpr std::string_view nameless[] = {"csv", "npy", "npz"};
    if (!options.fields.empty() &&
        std::ranges::find(nameless, format.name) == std::end(nameless))
        source->fail("its columns have names; leave out --fields");
    if (format.read == nullptr)
        frames_ = open_h5md(file, options);
    else
        frames_ = std::make_unique<SourceFrames>(std::move(source), format, std::move(options));
}

TableFile::TableFile(TableFile&&) noexcept = default;
TableFile::~TableFile() = default;

bool TableFile::has_frames() const {
    return frames_->many();
}

std::size_t TableFile::frames() {
    return frames_->count();
}

Table TableFile::read(std::size_t k) {
    return frames_->read(k);
}

Table read_table(const std::string& name, ReadOptions options) {
    return TableFile(name, std::move(options)).read(0);
}

}  // namespace vicinal::io
