// vicinal bench: times methods, other libraries and experiments of papers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "bench/harness/bench.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/subject.hpp"
#include "bench/papers/experiments.hpp"
#include "commands.hpp"
#include "common/choices.hpp"
#include "common/text.hpp"
#include "domain.hpp"
#include "flags.hpp"
#include "input.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "scene.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

std::string experiment_names() {
    std::vector<std::string> names;
    for (const auto& experiment : papers::experiments()) names.emplace_back(experiment.name);
    return common::join(names);
}

struct BenchFlags {
    std::vector<std::string> words;  // FILE, or the parameters of the scene
    SceneChoice scene;
    InputFlags input;
    ShapeFlags shape;
    std::string methods = "auto", peers, threads = "0";
    std::string output = "pairs", domain, precision = "double";
    std::uint64_t repeat = 7;
    bench::Motion motion;
    bool scaling = false;
    std::string experiment;
    bool quick = false, full = false;
    std::string file;
    bool json = false;

    void add_to(CLI::App& app);
    void check() const;
    papers::Extent extent() const {
        return quick  ? papers::Extent::quick
               : full ? papers::Extent::full
                      : papers::Extent::usual;
    }
};

void BenchFlags::add_to(CLI::App& app) {
    app.add_option("FILE", words,
                   "bodies, as for vicinal pairs; with --scene, its parameters key=value ...")
        ->type_name("");
    app.add_option("--scene", scene.name, "a scene of vicinal scenes instead of a file")
        ->check(not_empty())
        ->type_name("NAME");
    scene.add_numbers_to(app);
    input.add_to(app, InputFlags::Frames::one, InputFlags::Ids::none);
    shape.add_to(app);
    constexpr const char* group = "Rows";
    app.add_option("--methods", methods, "a,b(key=value),...; default: auto")
        ->type_name("METHODS")
        ->group(group);
    app.add_option("--peers", peers, "other libraries: all, or a,b,...")
        ->check(not_empty())
        ->type_name("PEERS")
        ->group(group);
    app.add_option("--threads", threads, "1,2,...; 0 (default): VICINAL_THREADS, or all cores")
        ->type_name("N,...")
        ->group(group);
    add_domain(app, domain);
    add_precision(app, precision);
    constexpr const char* measuring = "Measurement";
    app.add_option("--repeat", repeat, "timed runs of each row (7)")
        ->check(whole_number())
        ->type_name("K")
        ->group(measuring);
    app.add_option("--output", output,
                   "kind of result: pairs (default), columns (plain arrays with images, "
                   "distances, vectors), "
                   "rows, ordered-rows, row-columns, stream or count")
        ->check(one_of([] {
            std::vector<std::string> names;
            for (const auto& known : bench::outputs) names.push_back(known.first);
            return names;
        }()))
        ->type_name("KIND")
        ->group(measuring);
    app.add_option("--moving", motion.fraction,
                   "each body moves by this fraction of its size between repeats")
        ->type_name("FRACTION")
        ->group(measuring);
    app.add_option("--movers", motion.movers,
                   "with --moving: the fraction of bodies that move (1)")
        ->type_name("FRACTION")
        ->group(measuring);
    app.add_flag("--scaling", scaling,
                 "sizes from 1000 to 10 million, with the growth of the time")
        ->group(measuring);
    app.add_option("--experiment", experiment,
                   "run an experiment of a paper instead: " + experiment_names())
        ->check(not_empty())
        ->type_name("NAME")
        ->group(measuring);
    app.add_flag("--quick", quick, "with --experiment: sizes that take seconds")
        ->group(measuring);
    app.add_flag("--full", full, "with --experiment: the paper's sizes; may take hours")
        ->excludes("--quick")
        ->group(measuring);
    constexpr const char* result = "Result";
    app.add_option("-o", file, "write the rows as .csv")
        ->check(not_empty())
        ->type_name("OUT")
        ->group(result);
    app.add_flag("--json", json, "print one JSON object and nothing else")->group(result);
}

void BenchFlags::check() const {
    if (!experiment.empty()) {
        if (!scene.name.empty() || !words.empty() || !file.empty())
            throw UsageError("--experiment has its own scene; leave out FILE, --scene and -o");
        return;
    }
    if (quick || full)
        throw UsageError(fmt::format("{} needs --experiment; use --n for the size of a scene",
                                     quick ? "--quick" : "--full"));
    if (scene.name.empty() && words.size() != 1)
        throw UsageError("give one FILE, or --scene NAME");
    if (scene.name.empty() && (scene.n || scaling))
        throw UsageError(scaling ? "--scaling needs --scene: a file has only one size"
                                 : "--n needs --scene: the size of a file is fixed");
    if (scaling && scene.n) throw UsageError("--scaling chooses the sizes; leave out --n");
    if (shape.by_kind()) throw UsageError("bench has one cut-off for all; give --cutoff R");
    if (repeat == 0) throw UsageError("--repeat must be at least 1");
    if (!(std::isfinite(motion.fraction) && motion.fraction >= 0))
        throw UsageError("--moving must be a finite number >= 0");
    if (!(motion.movers > 0 && motion.movers <= 1))
        throw UsageError("--movers must be greater than 0 and at most 1");
    if (motion.movers < 1 && motion.fraction == 0)
        throw UsageError("--movers needs --moving, the distance");
    if (!file.empty() && !file.ends_with(".csv"))
        throw UsageError(fmt::format("-o '{}' must end in .csv", file));
    if (!file.empty())
        check_writable(file, scene.name.empty() ? words : std::vector<std::string>{});
}

// A scene has its own shape and cut-off unless the flags give others.
bench::Subject make_subject(const SceneChoice& choice, const ShapeFlags& flags) {
    layout_of(flags, false);  // rejects contradictions before the scene is made
    const scenes::Workload scene = choice.make();
    if (flags.boxes && scene.shape == Shape::points)
        throw UsageError(
            fmt::format("scene '{}' has points, not boxes; leave out --boxes", choice.name));
    const bool boxed = flags.boxes && scene.shape == Shape::spheres;
    const bool given = flags.boxes || !flags.cutoff.empty() || !flags.radius.empty();
    ShapeFlags shape = flags;
    if (boxed || !given) {
        shape.boxes = scene.shape == Shape::boxes;
        if (scene.shape == Shape::spheres) shape.radius = "column";
        if (scene.shape == Shape::points) shape.cutoff = fmt::format("{}", scene.cutoff);
    }
    std::vector<std::string> words{choice.name};
    words.insert(words.end(), choice.parameters.begin(), choice.parameters.end());
    const std::string name = common::join(words, " ");
    return {name, io::BodyFile(name, layout_of(shape, true), to_table(scene)), boxed};
}

bench::Subject read_subject(const BenchFlags& flags, std::optional<std::uint64_t> n) {
    if (flags.scene.name.empty()) {
        Inputs inputs(flags.input, {flags.words[0], layout_of(flags.shape, true)});
        return {flags.words[0], inputs.first(inputs.chosen().front())};
    }
    SceneChoice choice = flags.scene;
    choice.parameters = flags.words;
    if (n) choice.n = n;
    return make_subject(choice, flags.shape);
}

// Throws if there is no such method: early, not after a long warm-up. Tries both dimensions,
// because options may suit only one of them and the dimension is not known yet.
// Returns true if the method is exact.
bool expect_method(const std::string& text) {
    try {
        return Finder<float, 3>(Options<3>{.method = text}).report().exact;
    } catch (const Error&) {
        try {
            return Finder<float, 2>(Options<2>{.method = text}).report().exact;
        } catch (const Error&) {
        }
        throw;
    }
}

std::vector<std::string> parse_methods(const std::string& text) {
    std::vector<std::string> result;
    for (const std::string_view field : split_outside_brackets(text, ',')) {
        if (field.find_first_not_of(' ') == std::string_view::npos)
            throw UsageError(
                fmt::format("--methods '{}' has an empty name; write a,b,...", text));
        result.emplace_back(field);
        if (!expect_method(result.back()) && result.size() == 1)
            throw UsageError(fmt::format(
                "--methods: the first method is the reference for the others, but {} may "
                "miss pairs; put an exact method first",
                result.back()));
    }
    return result;
}

// The number of threads that 0 stands for.
int all_threads() {
    const std::vector<float> none;
    Finder<float, 2> finder;
    finder.update(points<2>(none, 1));
    return finder.report().threads;
}

std::vector<int> parse_threads(const std::string& text) {
    std::vector<int> result;
    for (const std::string_view field : split(text, ',')) {
        double value = 0;
        if (!common::parse(field, value) || !(value >= 0 && value <= 1e6) ||
            value != std::floor(value))
            throw UsageError(fmt::format(
                "--threads '{}' is not a list of whole numbers >= 0; write 1,2,...", text));
        result.push_back(value > 0 ? static_cast<int>(value) : all_threads());
    }
    return result;
}

// With `all`, the peers that support the problem; a peer given by name must support it.
std::vector<peers::PeerInfo> choose_peers(const std::string& text,
                                          const peers::Problem& problem) {
    const auto all = peers::list();
    if (all.empty())
        throw Error(Error::Kind::input,
                    "this build has no other libraries to compare with; run scripts/bench.sh, "
                    "which installs them and builds with them");
    std::vector<peers::PeerInfo> result;
    if (text == "all") {
        std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                     [&](const auto& info) { return info.fits(problem); });
        if (result.empty())
            throw Error(Error::Kind::input, "no peer supports such bodies; leave out --peers");
        return result;
    }
    for (const std::string_view name : split_outside_brackets(text, ',')) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const auto& info) { return info.name == name; });
        if (found == all.end())
            throw UsageError(fmt::format("unknown peer '{}'{}", name,
                                         common::choices(std::string(name), all)));
        if (!found->fits(problem))
            throw UsageError(
                fmt::format("{} supports {} only, not {} in {}-D, {}; leave it out", name,
                            found->takes, io::shape_name(problem.shape), problem.dim,
                            problem.single ? "float" : "double"));
        result.push_back(*found);
    }
    return result;
}

// Peers support only bodies at rest in an open domain, without filters.
template <Real T, int D>
void check_plain(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    if (!domain.is_open() || bodies.swept() || bodies.group.given() ||
        (bodies.shape == Shape::spheres && bodies.rule != ReachRule::sum))
        throw UsageError(
            "--peers needs an open domain and bodies at rest, without --rule, groups and "
            "masks; leave out --peers");
}

bench::Bench make_bench(const BenchFlags& flags) {
    bench::Bench bench({.methods = parse_methods(flags.methods),
                        .threads = parse_threads(flags.threads),
                        .output = bench::outputs.at(flags.output),
                        .repeat = flags.repeat,
                        .motion = flags.motion,
                        .seed = flags.scene.seed});
    bench.result.precision = flags.precision;
    bench.result.output = flags.output;
    bench.result.moving = flags.motion.fraction;
    bench.result.movers = flags.motion.movers;
    return bench;
}

template <Real T, int D>
void measure(const BenchFlags& flags, bench::Subject& subject, bench::Bench& bench,
             Progress& progress) {
    const Space<D> space = choose_domain<D>(flags.domain, subject.bodies);
    io::BodyArrays<T, D> arrays = subject.take<T, D>();
    bench.result.input = subject.name;
    bench.result.shape = io::shape_name(arrays.layout.shape);
    bench.result.dim = D;
    bench.result.domain = space.text;
    if (!flags.peers.empty()) check_plain(arrays.view(), space.domain);
    bench::Contest<T, D> contest(subject.name, std::move(arrays),
                                 [&](const std::string& phase) { progress.phase(phase); });
    std::vector<peers::PeerInfo> peers;
    if (!flags.peers.empty()) peers = choose_peers(flags.peers, contest.problem());
    bench.measure(contest, space.domain, peers);
}

void measure_size(const BenchFlags& flags, std::optional<std::uint64_t> n, bench::Bench& bench,
                  Progress& progress) {
    progress.phase(flags.scene.name.empty() ? "reading " + flags.words.front()
                                            : "making " + flags.scene.name);
    bench::Subject subject = read_subject(flags, n);
    dispatch(flags.precision, subject.bodies.dim(),
             [&]<Real T, int D> { measure<T, D>(flags, subject, bench, progress); });
}

int run_experiment(const BenchFlags& flags) {
    const auto all = papers::experiments();
    const auto found = std::ranges::find(all, flags.experiment, &papers::Experiment::name);
    if (found == all.end())
        throw UsageError(fmt::format("unknown experiment '{}'{}", flags.experiment,
                                     common::choices(flags.experiment, all)));
    const bench::OtherLoad others;
    const papers::ResultTable table = found->run(flags.extent());
    const std::string busy = bench::busy_line(others.cores());
    if (flags.json) {
        nlohmann::ordered_json json = to_json(table);
        json["machine"] = bench::Machine().text();
        json["busy"] = !busy.empty();
        print(json);
    } else {
        print(to_text(table) + busy + (busy.empty() ? "" : "\n"));
    }
    return 0;
}

void complain(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const std::string text = "vicinal: " + common::one_line(line) + "\n";
        std::fwrite(text.data(), 1, text.size(), stderr);
    }
}

int run_bench(const BenchFlags& flags) {
    flags.check();
    if (!flags.experiment.empty()) return run_experiment(flags);
    bench::Bench bench = make_bench(flags);
    {
        const bench::OtherLoad others;
        Progress progress("starting");
        if (flags.scaling)
            bench.scale([&](std::uint64_t n) { measure_size(flags, n, bench, progress); });
        else
            measure_size(flags, {}, bench, progress);
        bench.result.other_cores = others.cores();
    }
    if (!flags.file.empty()) bench::write_csv(flags.file, bench.result);
    if (flags.json)
        print(to_json(bench.result));
    else
        print(to_text(bench.result));
    complain(bench.notes);
    complain(bench.differing);
    return bench.differing.empty() ? 0 : 1;
}

}  // namespace

void add_bench(CLI::App& app, Chosen& chosen) {
    add_command<BenchFlags>(app, chosen, "bench",
                            "measure methods and other libraries side by side", run_bench)
        ->footer(
            "A row is the median of --repeat runs of update and search with one finder, after\n"
            "a warm-up; runs of the rows alternate. spread: interquartile range over median.\n"
            "ratio: time over the time of the first row. faster: speed-up of our first row\n"
            "with as many threads over this peer. memory: growth of the peak resident memory\n"
            "during the row. differs: pairs found only by the peer or only by the first row.\n"
            "A method whose pairs differ from the first row is left out, and the exit code\n"
            "is 1. BUSY: other processes used the cores during the measurement.\n\n" +
            std::string(domain_help) +
            "Examples:\n"
            "  vicinal bench --scene uniform --n 100000 --methods auto,brute_force\n"
            "  vicinal bench balls.csv --radius column --threads 1,2 --peers all\n"
            "  vicinal bench --scene sheets --precision float --scaling -o growth.csv\n"
            "  vicinal bench --experiment p1-table1");
}

}  // namespace vicinal::tool
