#include "view_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/text.hpp"
#include "io/pairs.hpp"
#include "io/write.hpp"
#include "text.hpp"
#include "view_pack.hpp"
#include "view_parts.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

using Json = nlohmann::ordered_json;

// "<" in a script must not start or end a tag.
std::string script_json(const Json& json) {
    std::string text;
    for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

std::string script(const std::string& id, const std::string& content) {
    return fmt::format("<script type=\"text/plain\" id=\"packed_{}\">{}</script>\n", id,
                       content);
}

struct ValueRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool whole = true;  // all are whole numbers

    void add(std::span<const double> values) {
        for (const double value : values) {
            low = std::min(low, value);
            high = std::max(high, value);
            whole = whole && value == std::floor(value);
        }
    }
    // Throws unless quanta of the range are finite. `what` has these values.
    void check(const std::string& what) const {
        if (high - low > std::numeric_limits<double>::max())
            throw Error(Error::Kind::input,
                        what + " span more than the largest double; scale them");
    }
};

// The quantisers of all columns. Coordinates have one quantum.
class Scales {
  public:
    Scales(ViewInput& input, std::uint64_t every, int bits) : names_(input.names) {
        std::vector<ValueRange> ranges(names_.size());
        for (std::size_t k = 0; k < input.frames(); k += every) {
            const ViewFrame frame = input.read(k);
            rows_ = std::max<std::uint64_t>(rows_, frame.rows);
            for (std::size_t c = 0; c < ranges.size(); ++c) ranges[c].add(frame.columns[c]);
        }
        fit_coordinates(input, ranges, bits);
        for (std::size_t c = input.coordinates; c < ranges.size(); ++c) {
            const ValueRange& range = ranges[c];
            range.check(fmt::format("the values of column '{}'", names_[c]));
            const bool is_radius = input.radius_column && c == input.coordinates;
            columns_.push_back(rows_ == 0  ? Quantiser{}
                               : is_radius ? Quantiser::over(range.low, range.high, bits)
                                           : shades(range));
            highs_.push_back(rows_ == 0 ? 0 : range.high);
        }
    }

    const std::vector<Quantiser>& columns() const { return columns_; }
    std::uint64_t rows() const { return rows_; }  // of the largest frame
    double quantum() const { return columns_[0].quantum; }

    Json to_json() const {
        Json result = Json::array();
        for (std::size_t c = 0; c < columns_.size(); ++c)
            result.push_back({{"name", names_[c]},
                              {"low", columns_[c].low},
                              {"high", highs_[c]},
                              {"quantum", columns_[c].quantum}});
        return result;
    }

  private:
    // Counts up to 255 are exact.
    static Quantiser shades(const ValueRange& range) {
        constexpr int bits = 5;
        if (range.whole && range.high - range.low < 256) return {range.low, 1, 8};
        return Quantiser::over(range.low, range.high, bits);
    }

    void fit_coordinates(const ViewInput& input, std::span<const ValueRange> ranges, int bits) {
        const auto dim = static_cast<std::size_t>(input.dim);
        std::vector<ValueRange> axes(dim);
        double longest = 0;
        for (std::size_t a = 0; a < dim; ++a) {
            for (std::size_t c = a; c < input.coordinates; c += dim)
                if (rows_ > 0) axes[a].add(std::array{ranges[c].low, ranges[c].high});
            if (input.solids) axes[a].add(input.solids->columns[a]);
            if (!(axes[a].low <= axes[a].high)) axes[a].low = axes[a].high = 0;
            axes[a].check("the coordinates");
            longest = std::max(longest, axes[a].high - axes[a].low);
        }
        const double quantum = Quantiser::over(0, longest, bits).quantum;
        for (std::size_t c = 0; c < input.coordinates; ++c) {
            columns_.push_back({axes[c % dim].low, quantum, bits});
            highs_.push_back(axes[c % dim].high);
        }
    }

    std::vector<std::string> names_;
    std::vector<Quantiser> columns_;
    std::vector<double> highs_;  // the largest values
    std::uint64_t rows_ = 0;
};

// The pairs of a file. Those across a periodic face come last, because no line is drawn for
// them.
struct ViewPairs {
    std::vector<std::vector<std::uint32_t>> columns{{}, {}};
    std::uint64_t across = 0;

    ViewPairs(const std::string& file, std::size_t bodies) {
        const io::Table table = io::read_table(file);
        const bool images = table.find("nx") != nullptr || table.columns.size() == 4 ||
                            table.columns.size() == 5;
        const bool flat = images && table.find("nz") == nullptr && table.columns.size() != 5;
        if (flat)
            take(io::pairs_of<2>(table, file, bodies, bodies, io::Images::read));
        else
            take(io::pairs_of<3>(table, file, bodies, bodies,
                                 images ? io::Images::read : io::Images::none));
    }

  private:
    template <int D>
    void take(std::vector<io::ListedPair<D>> pairs) {
        const auto last = std::ranges::stable_partition(
            pairs, [](const auto& pair) { return pair.image == std::array<int, D>{}; });
        across = last.size();
        for (const auto& pair : pairs) {
            columns[0].push_back(pair.i);
            columns[1].push_back(pair.j);
        }
    }
};

// The rows of a series.csv, at most so many: of several in one, the least and the largest
// values are kept.
struct Series {
    static constexpr std::size_t max_rows = 1000;
    std::vector<std::string> names;
    std::vector<double> values;  // times, then of each name the least and the largest values
    std::size_t rows = 0;

    explicit Series(const std::string& file) {
        std::ifstream in(file);
        std::string line;
        if (!std::getline(in, line)) return;
        for (const std::string_view name : split(line, ',')) names.emplace_back(name);
        std::vector<std::vector<double>> columns(names.size());
        while (std::getline(in, line)) {
            std::vector<double> row;
            for (const std::string_view field : split(line, ','))
                if (double value = 0; common::parse(field, value)) row.push_back(value);
            if (row.size() != names.size()) continue;  // a killed run may be writing it
            for (std::size_t c = 0; c < row.size(); ++c) columns[c].push_back(row[c]);
        }
        thin(columns);
    }

  private:
    void thin(const std::vector<std::vector<double>>& columns) {
        const auto time = std::ranges::find(names, "time") - names.begin();
        if (columns.empty() || static_cast<std::size_t>(time) == names.size()) return;
        const std::size_t all = columns[0].size(), each = all / max_rows + 1;
        for (std::size_t begin = 0; begin < all; begin += each)
            values.push_back(columns[time][begin]);
        rows = values.size();
        for (std::size_t c = 0; c < names.size(); ++c) {
            if (names[c] == "time" || names[c] == "step") continue;
            for (const bool largest : {false, true})
                for (std::size_t begin = 0; begin < all; begin += each) {
                    const auto part =
                        std::span(columns[c]).subspan(begin, std::min(each, all - begin));
                    values.push_back(largest ? std::ranges::max(part) : std::ranges::min(part));
                }
        }
        std::erase_if(names, [](const auto& name) { return name == "time" || name == "step"; });
    }
};

// What every page of the same input has: all but the frames.
struct Parts {
    Json header;
    std::string data;  // scripts
    std::uint64_t pairs = 0;
};

const char* shape_word(ViewShape shape) {
    switch (shape) {
        case ViewShape::points:
            return "points";
        case ViewShape::spheres:
            return "spheres";
        case ViewShape::boxes:
            return "boxes";
        default:
            return "mesh";
    }
}

Parts make_parts(ViewInput& input, const ViewOptions& options, const Scales& scales) {
    Parts parts;
    parts.header = {{"title", input.title},
                    {"shape", shape_word(input.shape)},
                    {"dim", input.dim},
                    {"timed", input.timed},
                    {"bits", options.bits},
                    {"columns", scales.to_json()},
                    {"coordinates", input.coordinates}};
    if (input.shape == ViewShape::spheres && !input.radius_column)
        parts.header["radius"] = input.radius;
    if (input.shape == ViewShape::mesh) {
        parts.header["triangles"] = input.triangles[0].size();
        parts.header["elements"] = input.elements;
        parts.data += script("triangles", pack_words(input.triangles));
    }
    if (input.solids) {
        // Coordinates as those of the bodies; the radius has its own range.
        ValueRange radius;
        radius.add(input.solids->columns[3]);
        radius.check("the radii of the solids");
        std::vector<Quantiser> columns(scales.columns().begin(), scales.columns().begin() + 3);
        columns.push_back(Quantiser::over(radius.low, radius.high, options.bits));
        parts.header["solids"] = {{"rows", input.solids->rows},
                                  {"low", columns[3].low},
                                  {"quantum", columns[3].quantum}};
        parts.data += script("solids", FramePacker(columns).add(input.solids->columns));
    }
    if (!options.pairs.empty()) {
        const ViewPairs pairs(options.pairs, input.bodies_of(input.read(0)));
        parts.pairs = pairs.columns[0].size();
        parts.header["pairs"] = {{"count", parts.pairs}, {"across", pairs.across}};
        parts.data += script("pairs", pack_words(pairs.columns));
    }
    if (!input.series.empty()) {
        const Series series(input.series);
        if (series.rows > 1) {
            parts.header["series"] = {{"rows", series.rows}, {"names", series.names}};
            parts.data += script("series", pack_floats(series.values));
        }
    }
    return parts;
}

constexpr const char* view_head = R"(<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Vicinal</title>
)";

// The page with one of `every` frames. Nothing if it would exceed the bytes and could have
// fewer frames.
std::optional<std::string> make_view(ViewInput& input, const ViewOptions& options,
                                     const Scales& scales, const Parts& parts,
                                     std::uint64_t every) {
    const auto too_large = [&](const std::string& page) {
        return page.size() > options.max_bytes && input.frames() > every;
    };
    FramePacker packer(scales.columns());
    Json header = parts.header;
    header["frames"] = Json::array();
    std::string page =
        fmt::format("{}<style>{}</style></head><body>\n{}\n", view_head, view_css, view_html);
    page += parts.data;
    for (std::size_t k = 0; k < input.frames(); k += every) {
        const ViewFrame frame = input.read(k);
        page +=
            script(fmt::format("frame{}", header["frames"].size()), packer.add(frame.columns));
        header["frames"].push_back({{"time", frame.time}, {"rows", frame.rows}});
        if (too_large(page)) return {};
    }
    page += fmt::format("<script type=\"application/json\" id=\"header\">{}</script>\n<script>",
                        script_json(header));
    for (const char* part :
         {view_unpack_js, view_draw_js, view_plots_js, view_bodies_js, view_page_js})
        page += part;
    page += "</script>\n</body></html>\n";
    if (too_large(page)) return {};
    return page;
}

}  // namespace

ViewSummary write_view(ViewInput& input, const ViewOptions& options, const std::string& file) {
    const Scales scales(input, options.every, options.bits);
    const Parts parts = make_parts(input, options, scales);
    ViewSummary summary{
        .file = file,
        .bodies = input.shape == ViewShape::mesh ? input.elements : scales.rows(),
        .every = options.every,
        .pairs = parts.pairs,
        .error = scales.quantum() / 2};
    std::optional<std::string> page;
    while (!(page = make_view(input, options, scales, parts, summary.every)))
        summary.every *= 2;
    if (page->size() > options.max_bytes)
        throw Error(Error::Kind::limit,
                    fmt::format("a page of one frame has {} bytes, more than --max-bytes {}; "
                                "raise it, or give fewer --bits",
                                page->size(), options.max_bytes));
    summary.frames = (input.frames() + summary.every - 1) / summary.every;
    summary.bytes = page->size();
    io::PendingFile out(file);
    out.write(*page);
    out.commit();
    return summary;
}

std::string to_text(const ViewSummary& summary) {
    std::string text =
        fmt::format("{} ({}, {}", summary.file, common::readable_bytes(summary.bytes),
                    common::counted(summary.frames, "frames"));
    if (summary.every > 1) text += fmt::format(", one of {}", summary.every);
    return text + ")";
}

}  // namespace vicinal::tool
