// vicinal verify: checks a list of pairs by a plain evaluation that shares no code with the
// library's search.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "commands.hpp"
#include "common/text.hpp"
#include "domain.hpp"
#include "flags.hpp"
#include "input.hpp"
#include "io/bodies.hpp"
#include "io/pairs.hpp"
#include "progress.hpp"
#include "reference/compare.hpp"
#include "summary.hpp"
#include "text.hpp"

#include <vicinal/finder.hpp>

namespace vicinal::tool {
namespace {

struct VerifyFlags {
    std::string file, pairs;
    InputFlags input;
    PartnerFlags partners;
    ShapeFlags shape;
    SearchFlags search;
    bool full = false, rows = false, json = false;
    std::int64_t sample = -1;  // negative: depends on the number of bodies; 0: all
    std::uint64_t seed = 1;

    void add_to(CLI::App& app) {
        app.add_option("FILE", file, "bodies, as for vicinal pairs")->required();
        app.add_option("PAIRS", pairs, "their pairs, by any program: .csv, .npy or .npz")
            ->required();
        input.add_to(app, InputFlags::Frames::one, InputFlags::Ids::offered);
        shape.add_to(app);
        partners.add_to(app);
        search.add_to(app);
        constexpr const char* group = "Check";
        app.add_flag("--full", full, "PAIRS holds both (i, j) and (j, i)")->group(group);
        app.add_flag("--rows", rows, "PAIRS is the OUT of pairs --rows")->group(group);
        app.add_option(
               "--sample", sample,
               "number of bodies to check; 0: all; default: depends on the number of bodies")
            ->check(whole_number())
            ->type_name("K")
            ->group(group);
        app.add_option("--seed", seed, "seed of the random sample")
            ->check(whole_number())
            ->type_name("S")
            ->group(group);
        app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
    }
};

// The result, for any dimension.
struct Finding {
    struct Kind {
        std::string name;
        std::uint64_t count = 0;
        std::vector<nlohmann::ordered_json> first;
        std::vector<std::string> lines;
    };
    std::uint64_t bodies = 0, listed = 0, checked = 0, rows = 0;
    bool exact = true;
    std::string domain, domain_shown;
    std::vector<Kind> kinds;
    bool good = true;
};

// All bodies, or a sample that needs at most 5e8 tests.
std::vector<Index> choose_bodies(std::size_t n, std::size_t partners,
                                 const VerifyFlags& flags) {
    constexpr std::size_t exact_up_to = 20'000, sample_size = 1'000;
    std::size_t k = n;
    if (flags.sample > 0)
        k = std::min(n, static_cast<std::size_t>(flags.sample));
    else if (flags.sample < 0 && std::max(n, partners) > exact_up_to)
        k = std::min(
            {n, sample_size,
             std::max<std::size_t>(10, 500'000'000 / std::max<std::size_t>(1, partners))});
    std::vector<Index> result;
    if (k == n) {
        for (std::size_t i = 0; i < n; ++i) result.push_back(static_cast<Index>(i));
        return result;
    }
    std::mt19937_64 random(flags.seed);
    std::set<Index> sample;
    while (sample.size() < k) sample.insert(static_cast<Index>(random() % n));
    result.assign(sample.begin(), sample.end());
    return result;
}

// Distance from i to image n of j at the beginning of the step: between the centres of round
// bodies, between the sides of boxes.
template <Real T, int D>
double distance(const Bodies<T, D>& a, const Bodies<T, D>& b, const Domain<D>& domain,
                const reference::PlainPair<D>& pair) {
    const auto r = reference::relative(a, pair.i, b, pair.j, pair.n, domain);
    double sum = 0;
    for (std::size_t x = 0; x < D; ++x) {
        const auto low = static_cast<double>(r.low[x]), high = static_cast<double>(r.high[x]);
        const double e = low > 0 ? low : std::min(high, 0.0);
        sum += e * e;
    }
    return std::sqrt(sum);
}

template <Real T, int D>
Finding::Kind describe(const char* name, const reference::Differences<D>& differences,
                       const Bodies<T, D>& a, const Bodies<T, D>& b, const Domain<D>& domain) {
    Finding::Kind kind{name, differences.count, {}, {}};
    for (const auto& pair : differences.first) {
        const double d = distance(a, b, domain, pair);
        nlohmann::ordered_json json{{"i", pair.i}, {"j", pair.j}};
        std::string text = fmt::format("({}, {})", pair.i, pair.j);
        if (!domain.is_open()) {
            json["image"] = pair.n;
            std::vector<std::string> numbers;
            for (const int n : pair.n) numbers.push_back(std::to_string(n));
            text += fmt::format(" image ({})", common::join(numbers));
        }
        json["distance"] = d;
        text += fmt::format(" at distance {:.9g}", d);
        if (a.shape != Shape::boxes) {
            const auto reach =
                static_cast<double>(reference::plain_reach(a, pair.i, b, pair.j));
            json["reach"] = reach;
            text += fmt::format(", reach {:.9g}", reach);
        }
        kind.first.push_back(json);
        kind.lines.push_back(text);
    }
    return kind;
}

// The bodies of one or two files, and their domain.
template <Real T, int D>
struct Sets {
    Space<D> space;
    io::BodyArrays<T, D> first, second;
    bool two = false;

    Sets(const VerifyFlags& flags, io::BodyFile& file, std::optional<io::BodyFile>& with)
        : space(choose_domain<D>(flags.search.domain, file, with ? &*with : nullptr)),
          first(file.take<T, D>()),
          two(with.has_value()) {
        if (with) second = with->take<T, D>();
        flags.partners.read(first, with ? &second : nullptr);
        check_input(file.origin(), a(), flags.search.threads);
        if (with) check_input(with->origin(), b(), flags.search.threads);
    }

    Bodies<T, D> a() const { return first.view(); }
    Bodies<T, D> b() const { return two ? second.view() : first.view(); }

  private:
    // The library checks the input, so that invalid bodies give the same messages as in
    // `pairs`; its search is not used.
    void check_input(const io::Origin& origin, const Bodies<T, D>& bodies, int threads) const {
        Finder<T, D> finder(
            Options<D>{.domain = space.domain, .method = "brute_force", .threads = threads});
        io::naming(origin, [&] { finder.update(bodies); });
    }
};

template <Real T, int D>
std::vector<reference::PlainPair<D>> read_list(const VerifyFlags& flags,
                                               const Sets<T, D>& sets) {
    const io::Images images = sets.space.domain.is_open() ? io::Images::none : io::Images::read;
    const auto listed =
        flags.rows ? io::read_rows<D>(flags.pairs, sets.first.count, images)
                   : io::read_pairs<D>(flags.pairs, sets.first.ids,
                                       sets.two ? sets.second.ids : sets.first.ids, images);
    std::vector<reference::PlainPair<D>> result;
    result.reserve(listed.size());
    for (const auto& pair : listed) result.push_back({pair.i, pair.j, pair.image});
    return result;
}

template <Real T, int D>
reference::Verdict<D> compare(const Sets<T, D>& sets, const reference::Scope& scope,
                              std::vector<reference::PlainPair<D>> list, int threads) {
    using Search = reference::PlainSearch<T, D>;
    const Bodies<T, D> a = sets.a(), b = sets.b();
    const Search search(a, b, sets.space.domain,
                        sets.two ? Search::Sets::two : Search::Sets::one);
    const std::size_t bodies = std::max(a.size(), b.size());
    const reference::Comparison<T, D> comparison(search, scope, bodies, !sets.two,
                                                 std::move(list));
    const unsigned all = std::max(1u, std::thread::hardware_concurrency());
    return comparison.run(threads > 0 ? threads : static_cast<int>(all));
}

template <Real T, int D>
Finding verify(const VerifyFlags& flags, io::BodyFile& file, std::optional<io::BodyFile>& with,
               Progress& progress) {
    const Sets<T, D> sets(flags, file, with);
    const Bodies<T, D> a = sets.a(), b = sets.b();
    progress.phase("reading " + flags.pairs);
    auto list = read_list<T, D>(flags, sets);

    progress.phase("checking");
    reference::Scope scope;
    scope.bodies = choose_bodies(a.size(), b.size(), flags);
    scope.both_ways = flags.full || flags.rows;
    scope.whole_rows = scope.both_ways || scope.bodies.size() < a.size();
    Finding finding;
    finding.listed = list.size();
    finding.bodies = a.size();
    finding.rows = scope.bodies.size();
    finding.exact = finding.rows == finding.bodies;
    finding.domain = sets.space.text;
    finding.domain_shown = sets.space.shown();
    const auto verdict = compare(sets, scope, std::move(list), flags.search.threads);
    finding.checked = verdict.checked;
    finding.good = verdict.good();
    const Domain<D>& domain = sets.space.domain;
    finding.kinds = {describe("missing", verdict.missing, a, b, domain),
                     describe("extra", verdict.extra, a, b, domain),
                     describe("repeated", verdict.repeated, a, b, domain)};
    return finding;
}

nlohmann::ordered_json to_json(const VerifyFlags& flags, const Finding& finding) {
    nlohmann::ordered_json json{
        {"file", flags.file},       {"pairs_file", flags.pairs},
        {"ok", finding.good},       {"exact", finding.exact},
        {"bodies", finding.bodies}, {"bodies_checked", finding.rows},
        {"listed", finding.listed}, {"pairs_checked", finding.checked},
        {"domain", finding.domain}, {"precision", flags.search.precision}};
    for (const auto& kind : finding.kinds)
        json[kind.name] = {{"count", kind.count}, {"first", kind.first}};
    return json;
}

std::string to_text(const VerifyFlags& flags, const Finding& finding) {
    const std::string which =
        finding.exact ? fmt::format("all {}", common::counted(finding.bodies, "bodies"))
                      : fmt::format("{} chosen at random from {}",
                                    common::counted(finding.rows, "bodies"),
                                    common::grouped(finding.bodies));
    std::string text =
        fmt::format("{}: {} listed; plain evaluation of {} finds {} ({}, {})\n",
                    common::one_line(flags.pairs), common::counted(finding.listed, "pairs"),
                    which, common::counted(finding.checked, "pairs"), flags.search.precision,
                    common::one_line(finding.domain_shown));
    for (const auto& kind : finding.kinds) {
        text += fmt::format("{:<10}{}\n", kind.name, common::grouped(kind.count));
        for (const std::string& line : kind.lines) text += "          " + line + "\n";
        if (kind.count > kind.lines.size()) text += "          ...\n";
    }
    if (!finding.good) return text + "the list is WRONG\n";
    return text +
           (finding.exact
                ? "the list is right\n"
                : "no pair is repeated, and this sample shows no other error; --sample 0 "
                  "checks all bodies\n");
}

Finding check(const VerifyFlags& flags) {
    io::Layout layout = layout_of(flags.shape, true);
    layout.ids = flags.input.ids;
    flags.partners.apply(layout);
    std::vector<std::string> files = flags.partners.files();
    files.insert(files.end(), {flags.file, flags.pairs});
    check_inputs(files);
    if ((flags.full || flags.rows) && !flags.partners.with.empty())
        throw UsageError(
            "pairs between two files have one direction; leave out --full and --rows");
    if (flags.rows && flags.input.ids)
        throw UsageError("--rows counts bodies by index; leave out --ids or --rows");
    Progress progress("reading " + flags.file);
    Inputs inputs(flags.input, {flags.file, layout}, {flags.partners.with, layout, true});
    const std::size_t frame = inputs.chosen().front();
    io::BodyFile file = inputs.first(frame);
    std::optional<io::BodyFile> with = inputs.second(frame);
    if (with) check_same_dim(file, *with);
    return dispatch(flags.search.precision, file.dim(),
                    [&]<Real T, int D> { return verify<T, D>(flags, file, with, progress); });
}

int run_verify(const VerifyFlags& flags) {
    const Finding finding = check(flags);
    if (flags.json)
        print(to_json(flags, finding));
    else
        print(to_text(flags, finding));
    return finding.good ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, Chosen& chosen) {
    add_command<VerifyFlags>(app, chosen, "verify",
                             "check a list of pairs against a plain evaluation", run_verify)
        ->footer(
            "Takes the same flags as vicinal pairs; --method, --sorted and --max-pairs\n"
            "have no effect. The order of the two bodies of a pair is free. Up to 20,000\n"
            "bodies are all checked, beyond that a random sample; repeated pairs are\n"
            "always found. The exit code is 1 if any pair is missing, extra or repeated.\n\n" +
            std::string(input_help) + std::string(domain_help) +
            "Examples:\n"
            "  vicinal verify atoms.xyz pairs.npy --cutoff 3.5\n"
            "  vicinal verify balls.csv theirs.csv --radius column --full --sample 500");
}

}  // namespace vicinal::tool
