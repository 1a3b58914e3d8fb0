#include "bench/harness/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.hpp"
#include "io/write.hpp"

namespace vicinal::bench {
namespace {

// Linear interpolation; `sorted` must not be empty.
double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double per(double value, std::uint64_t count) {
    return count == 0 ? 0 : value / static_cast<double>(count);
}

// The row that a peer is compared with: the first method with the same number of threads and
// bodies.
const Row* reference_row(const Result& result, const Row& peer) {
    for (const Row& row : result.rows)
        if (!row.peer && row.threads == peer.threads && row.bodies == peer.bodies) return &row;
    return nullptr;
}

const Row& first_of_size(const Result& result, std::uint64_t bodies) {
    return *std::find_if(result.rows.begin(), result.rows.end(),
                         [&](const Row& row) { return row.bodies == bodies; });
}

double ratio(const Result& result, const Row& row) {
    const double first = first_of_size(result, row.bodies).seconds();
    return first > 0 ? row.seconds() / first : 0;
}

std::optional<double> faster(const Result& result, const Row& row) {
    const Row* ours = row.peer ? reference_row(result, row) : nullptr;
    if (ours == nullptr || !(ours->seconds() > 0)) return {};
    return row.seconds() / ours->seconds();
}

bool has_peers(const Result& result) {
    return std::any_of(result.rows.begin(), result.rows.end(),
                       [](const Row& row) { return row.peer; });
}

// Three significant digits.
std::string short_number(double value) {
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.0995 ? 2 : 3;
    return fmt::format("{:.{}f}", value, digits);
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

using Lines = std::vector<std::vector<std::string>>;

std::vector<std::string> heading(bool peers) {
    std::vector<std::string> line{"", "threads", "runs", "ms", "spread", "ratio"};
    if (peers) line.emplace_back("faster");
    for (const char* phase : phase_names) line.emplace_back(phase);
    for (const char* name : {"cand/pair", "ns/body", "ns/pair", "memory"})
        line.emplace_back(name);
    if (peers) line.emplace_back("differs");
    return line;
}

std::vector<std::string> line_of(const Result& result, const Row& row, bool peers) {
    const double seconds = row.seconds();
    std::vector<std::string> line{common::one_line(row.name),
                                  std::to_string(row.threads),
                                  std::to_string(row.samples.size()),
                                  short_number(seconds * 1e3),
                                  fmt::format("{:.1f}%", spread(row.totals()) * 100),
                                  short_number(ratio(result, row))};
    const auto times = faster(result, row);
    if (peers) line.push_back(times ? short_number(*times) + "x" : "");
    for (std::size_t k = 0; k < phase_names.size(); ++k)
        line.push_back(row.peer ? "" : short_number(row.phase(k) * 1e3));
    line.push_back(row.candidates
                       ? short_number(per(static_cast<double>(*row.candidates), row.pairs))
                       : "");
    line.push_back(short_number(per(seconds * 1e9, row.bodies)));
    line.push_back(short_number(per(seconds * 1e9, row.pairs)));
    line.push_back(row.peak_bytes ? common::readable_bytes(*row.peak_bytes) : "");
    if (peers) line.push_back(row.differs ? common::grouped(*row.differs) : "");
    return line;
}

std::string title(const Result& result, const Row& first) {
    return fmt::format(
        "{}: {}{} in {}-D, {}, {}{}; {}, output as {}\n", common::one_line(result.input),
        common::counted(first.bodies, result.shape),
        first.cutoff ? fmt::format(" within {:.4g}", *first.cutoff) : "", result.dim,
        result.precision, result.domain,
        result.moving > 0
            ? fmt::format(
                  ", {}moving by {} of their size",
                  result.movers < 1 ? fmt::format("a fraction of {} ", result.movers) : "",
                  result.moving)
            : "",
        common::counted(first.pairs, "pairs"), result.output);
}

std::string growth_text(const Result& result) {
    std::string text = "\nexponents of the growth of time with the number of bodies\n";
    Lines lines;
    for (const Growth& growth : result.growth)
        lines.push_back({common::one_line(growth.name), std::to_string(growth.threads),
                         growth.exponent ? fmt::format("{:.3f}", *growth.exponent) : "-",
                         growth.stopped});
    return text + common::aligned(lines);
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + '"';
}

template <class T>
std::string or_empty(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : "";
}

nlohmann::ordered_json to_json(const Result& result, const Row& row) {
    const double seconds = row.seconds();
    nlohmann::ordered_json json{{"name", row.name},
                                {"kind", row.peer ? "peer" : "method"},
                                {"threads", row.threads},
                                {"bodies", row.bodies},
                                {"cutoff", or_null(row.cutoff)},
                                {"repeats", row.samples.size()},
                                {"median_ms", seconds * 1e3},
                                {"spread", spread(row.totals())},
                                {"ratio", ratio(result, row)}};
    json["phases"] = nullptr;
    json["method"] = nullptr;
    if (!row.peer) {
        json["method"] = row.method;
        for (std::size_t k = 0; k < phase_names.size(); ++k)
            json["phases"][fmt::format("{}_ms", phase_names[k])] = row.phase(k) * 1e3;
    }
    json["pairs"] = row.pairs;
    json["candidates"] = or_null(row.candidates);
    json["candidates_per_pair"] = nullptr;
    if (row.candidates)
        json["candidates_per_pair"] = per(static_cast<double>(*row.candidates), row.pairs);
    json["ns_per_body"] = per(seconds * 1e9, row.bodies);
    json["ns_per_pair"] = per(seconds * 1e9, row.pairs);
    json["peak_bytes"] = or_null(row.peak_bytes);
    if (row.peer) {
        json["differs"] = or_null(row.differs);
        json["faster"] = or_null(faster(result, row));
    }
    return json;
}

}  // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : quantile(values, 0.5);
}

double spread(const std::vector<double>& values) {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const double middle = median(sorted);
    return middle > 0 ? (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / middle : 0;
}

std::vector<double> Row::totals() const {
    std::vector<double> result;
    for (const Sample& sample : samples) result.push_back(sample.total);
    return result;
}

double Row::phase(std::size_t k) const {
    std::vector<double> result;
    for (const Sample& sample : samples) result.push_back(sample.phases[k]);
    return median(result);
}

std::string Row::label() const {
    return fmt::format("{} on {} thread{}", name, threads, threads == 1 ? "" : "s");
}

std::optional<double> growth_exponent(const std::vector<const Row*>& rows) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Row* row : rows) {
        const double u = std::log(static_cast<double>(row->bodies));
        const double v = std::log(row->seconds());
        n += 1, x += u, y += v, xx += u * u, xy += u * v;
    }
    if (n < 2) return {};
    return (n * xy - x * y) / (n * xx - x * x);
}

nlohmann::ordered_json to_json(const Result& result) {
    nlohmann::ordered_json json{{"input", result.input},
                                {"shape", result.shape},
                                {"dim", result.dim},
                                {"precision", result.precision},
                                {"domain", result.domain},
                                {"output", result.output},
                                {"moving", result.moving},
                                {"movers", result.movers},
                                {"rows", nlohmann::ordered_json::array()}};
    for (const Row& row : result.rows) json["rows"].push_back(to_json(result, row));
    if (!result.growth.empty()) {
        json["scaling"] = nlohmann::ordered_json::array();
        for (const Growth& growth : result.growth)
            json["scaling"].push_back({{"name", growth.name},
                                       {"threads", growth.threads},
                                       {"exponent", or_null(growth.exponent)},
                                       {"stopped", growth.stopped}});
    }
    const Machine& machine = result.machine;
    json["machine"] = {{"cpu", machine.cpu},
                       {"cores", machine.cores},
                       {"memory_bytes", machine.memory},
                       {"compiler", machine.compiler},
                       {"build_type", machine.build_type},
                       {"other_cores", or_null(result.other_cores)},
                       {"busy", !busy_line(result.other_cores).empty()}};
    return json;
}

std::string to_csv(const Result& result) {
    std::string text =
        "input,shape,cutoff,dim,precision,domain,output,moving,bodies,name,kind,threads,"
        "repeats,"
        "median_ms,spread,scene_ms,build_ms,search_ms,output_ms,pairs,candidates,peak_bytes,"
        "differs,other_cores,machine\n";
    for (const Row& row : result.rows) {
        std::vector<std::string> fields{result.input,
                                        result.shape,
                                        or_empty(row.cutoff),
                                        std::to_string(result.dim),
                                        result.precision,
                                        result.domain,
                                        result.output,
                                        fmt::format("{}", result.moving),
                                        std::to_string(row.bodies),
                                        row.name,
                                        row.peer ? "peer" : "method",
                                        std::to_string(row.threads),
                                        std::to_string(row.samples.size()),
                                        fmt::format("{:.6g}", row.seconds() * 1e3),
                                        fmt::format("{:.4g}", spread(row.totals()))};
        for (std::size_t k = 0; k < phase_names.size(); ++k)
            fields.push_back(row.peer ? "" : fmt::format("{:.6g}", row.phase(k) * 1e3));
        fields.push_back(std::to_string(row.pairs));
        fields.push_back(or_empty(row.candidates));
        fields.push_back(or_empty(row.peak_bytes));
        fields.push_back(or_empty(row.differs));
        fields.push_back(result.other_cores ? fmt::format("{:.2f}", *result.other_cores) : "");
        fields.push_back(result.machine.text());
        for (std::string& field : fields) field = csv_field(field);
        text += common::join(fields, ",") + '\n';
    }
    return text;
}

void write_csv(const std::string& file, const Result& result) {
    io::PendingFile out(file);
    out.write(to_csv(result));
    out.commit();
}

std::string to_text(const Result& result) {
    const bool peers = has_peers(result);
    std::string text;
    for (std::size_t begin = 0; begin < result.rows.size();) {
        const Row& first = result.rows[begin];
        Lines lines{heading(peers)};
        for (; begin < result.rows.size() && result.rows[begin].bodies == first.bodies; ++begin)
            lines.push_back(line_of(result, result.rows[begin], peers));
        if (!text.empty()) text += '\n';
        text += title(result, first) + common::aligned(lines);
    }
    if (!result.growth.empty()) text += growth_text(result);
    text += fmt::format("({})\n", common::one_line(result.machine.text()));
    if (const std::string busy = busy_line(result.other_cores); !busy.empty())
        text += busy + "\n";
    return text;
}

}  // namespace vicinal::bench
