// vicinal bench: how long does it take, by which method, and how long do others take?
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "bench_subject.hpp"
#include "commands.hpp"
#include "contest.hpp"
#include "domain.hpp"
#include "experiments.hpp"
#include "io/write.hpp"
#include "output.hpp"
#include "text.hpp"

namespace vicinal::tool {
namespace {

struct BenchFlags {
    std::vector<std::string> words;  // FILE, or the parameters of the scene
    SceneChoice scene;
    ShapeFlags shape;
    std::string methods = "auto", peers, threads = "0";
    std::string output = "pairs", domain, precision = "double";
    std::uint64_t repeat = 7;
    Motion motion;
    bool scaling = false;
    std::string experiment;
    bool quick = false, full = false;
    std::string file;
    bool json = false;

    void add_to(CLI::App& app);
    void check() const;
    Extent extent() const {
        return quick ? Extent::quick : full ? Extent::full : Extent::usual;
    }
};

void BenchFlags::add_to(CLI::App& app) {
    app.add_option("FILE", words,
                   "bodies, as for vicinal pairs; with --scene instead key=value ...")
        ->type_name("");
    app.add_option("--scene", scene.name,
                   "make one of vicinal scenes instead of reading a file")
        ->check(not_empty())
        ->type_name("NAME");
    scene.add_numbers_to(app);
    shape.add_to(app);
    constexpr const char* group = "The rows";
    app.add_option("--methods", methods, "a,b(key=value),...; auto without it")
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
    constexpr const char* measuring = "The measurement";
    app.add_option("--repeat", repeat, "timed runs of each row (7)")
        ->check(whole_number())
        ->type_name("K")
        ->group(measuring);
    app.add_option("--output", output,
                   "what is asked for: pairs (default), rows, ordered-rows or count")
        ->check(one_of({"pairs", "rows", "ordered-rows", "count"}))
        ->type_name("pairs|rows|ordered-rows|count")
        ->group(measuring);
    app.add_option("--moving", motion.fraction,
                   "between repeats each body moves by this much of its size")
        ->type_name("FRACTION")
        ->group(measuring);
    app.add_option("--movers", motion.movers, "with --moving: only this share of the bodies")
        ->type_name("FRACTION")
        ->group(measuring);
    app.add_flag("--scaling", scaling, "sizes from 1000 to 10 million, and how the time grows")
        ->group(measuring);
    app.add_option("--experiment", experiment,
                   "instead of all that, one of a paper's: " + join(experiments()))
        ->check(not_empty())
        ->type_name("NAME")
        ->group(measuring);
    app.add_flag("--quick", quick, "with --experiment: sizes that take seconds")
        ->group(measuring);
    app.add_flag("--full", full,
                 "with --experiment: the paper's sizes, however long that takes")
        ->excludes("--quick")
        ->group(measuring);
    constexpr const char* result = "The result";
    app.add_option("-o", file, "write the rows as .csv")
        ->check(not_empty())
        ->type_name("OUT")
        ->group(result);
    app.add_flag("--json", json, "print one JSON object and nothing else")->group(result);
}

void BenchFlags::check() const {
    if (!experiment.empty()) {
        if (!scene.name.empty() || !words.empty() || !file.empty())
            throw UsageError(
                "--experiment brings its own scene: leave out FILE, --scene and -o");
        return;
    }
    if (quick || full)
        throw UsageError(fmt::format("{} needs --experiment: --n chooses the size of a scene",
                                     quick ? "--quick" : "--full"));
    if (scene.name.empty() && words.size() != 1)
        throw UsageError("give one FILE, or --scene NAME");
    if (scene.name.empty() && (scene.n || scaling))
        throw UsageError(scaling ? "--scaling needs --scene: a file has one size"
                                 : "--n needs --scene: a file has its own size");
    if (scaling && scene.n) throw UsageError("--scaling chooses the sizes: leave out --n");
    if (repeat == 0) throw UsageError("--repeat must be at least 1");
    if (!(std::isfinite(motion.fraction) && motion.fraction >= 0))
        throw UsageError("--moving must be a finite number >= 0");
    if (!(motion.movers > 0 && motion.movers <= 1))
        throw UsageError("--movers must be a number above 0, at most 1");
    if (motion.movers < 1 && motion.fraction == 0)
        throw UsageError("--movers needs --moving: how far do they move?");
    if (!file.empty() && !file.ends_with(".csv"))
        throw UsageError(fmt::format("-o '{}' must end in .csv", file));
    if (!file.empty())
        check_place(file, scene.name.empty() ? words : std::vector<std::string>{});
}

Subject read_subject(const BenchFlags& flags, std::optional<std::uint64_t> n) {
    if (flags.scene.name.empty())
        return {flags.words[0], BodyFile(flags.words[0], Layout(flags.shape, true))};
    SceneChoice choice = flags.scene;
    choice.parameters = flags.words;
    if (n) choice.n = n;
    return make_subject(choice, flags.shape);
}

// Throws if there is no such method: better now than after a long warm-up. Options may suit
// bodies of one dimension only, and which they are is not known yet.
// Returns whether it is sure to find all pairs.
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
                "--methods: the others are compared with the first, and {} may miss "
                "pairs; put one before it that does not",
                result.back()));
    }
    return result;
}

// What 0 stands for.
int all_threads() {
    Finder<float, 2> finder;
    finder.update(points<2>(std::vector<float>{}, 1));
    return finder.report().threads;
}

std::vector<int> parse_threads(const std::string& text) {
    std::vector<int> result;
    for (const std::string_view field : split(text, ',')) {
        double value = 0;
        if (!parse(field, value) || !(value >= 0 && value <= 1e6) || value != std::floor(value))
            throw UsageError(fmt::format(
                "--threads '{}' is no list of whole numbers >= 0; write 1,2,...", text));
        result.push_back(value > 0 ? static_cast<int>(value) : all_threads());
    }
    return result;
}

std::vector<std::string> names_of(const std::vector<peers::PeerInfo>& infos) {
    std::vector<std::string> names;
    for (const auto& info : infos) names.push_back(info.name);
    return names;
}

// With `all` those that fit; a peer that is asked for by name must.
std::vector<peers::PeerInfo> choose_peers(const std::string& text,
                                          const peers::Problem& problem) {
    const auto all = peers::list();
    if (all.empty())
        throw Error(Error::Kind::input,
                    "this tool is built without other libraries to compare with; "
                    "scripts/bench.sh installs them and builds one with them");
    std::vector<peers::PeerInfo> result;
    if (text == "all") {
        std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                     [&](const auto& info) { return info.fits(problem); });
        if (result.empty())
            throw Error(Error::Kind::input,
                        "none of the peers takes such bodies: leave --peers out");
        return result;
    }
    for (const std::string_view name : split_outside_brackets(text, ',')) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const auto& info) { return info.name == name; });
        if (found == all.end())
            throw UsageError(
                fmt::format("unknown peer '{}'; there are {}", name, join(names_of(all))));
        if (!found->fits(problem))
            throw UsageError(fmt::format("{} takes {} only, not {} in {}-D, {}; leave it out",
                                         name, found->takes, shape_name(problem.shape),
                                         problem.dim, problem.single ? "float" : "double"));
        result.push_back(*found);
    }
    return result;
}

// Peers see bodies at rest in open space, all of which may pair.
template <Real T, int D>
void check_plain(const Bodies<T, D>& bodies, const Domain<D>& domain) {
    if (!domain.is_open() || bodies.swept() || bodies.group.given() ||
        (bodies.shape == Shape::spheres && bodies.rule != ReachRule::sum))
        throw UsageError(
            "--peers is for an open domain and bodies at rest, without --rule, groups and "
            "masks; leave it out");
}

class Bench {
  public:
    BenchResult result;
    std::vector<std::string> differing;  // rows left out, because they found other pairs
    std::vector<std::string> notes;

    explicit Bench(const BenchFlags& flags)
        : flags_(flags),
          methods_(parse_methods(flags.methods)),
          threads_(parse_threads(flags.threads)) {
        result.precision = flags.precision;
        result.output = flags.output;
        result.moving = flags.motion.fraction;
        result.movers = flags.motion.movers;
    }

    void run(Progress& progress) {
        if (!flags_.scaling) return run_size({}, progress);
        for (std::uint64_t n = 1'000; n <= largest; n *= 10) {
            run_size(n, progress);
            if (!foresee(n)) break;
        }
        for (Growth& growth : result.growth) growth.exponent = growth_exponent(rows_of(growth));
    }

  private:
    static constexpr std::uint64_t largest = 10'000'000;
    static constexpr double too_long = 20;  // seconds a repeat

    void run_size(std::optional<std::uint64_t> n, Progress& progress) {
        progress.phase(flags_.scene.name.empty() ? "reading " + flags_.words.front()
                                                 : "making " + flags_.scene.name);
        Subject subject = read_subject(flags_, n);
        dispatch(flags_.precision, subject.bodies.dim(),
                 [&]<Real T, int D> { measure<T, D>(subject, progress); });
    }

    template <Real T, int D>
    void measure(Subject& subject, Progress& progress) {
        const Space<D> space = choose_domain<D>(flags_.domain, subject.bodies);
        BodyArrays<T, D> arrays = subject.take<T, D>();
        result.input = subject.name;
        result.shape = shape_name(arrays.layout.shape);
        result.dim = D;
        result.domain = space.text;
        if (!flags_.peers.empty()) check_plain(arrays.view(), space.domain);
        Contest<T, D> contest(subject.name, std::move(arrays), progress);
        std::vector<peers::PeerInfo> peers;
        if (!flags_.peers.empty()) peers = choose_peers(flags_.peers, contest.problem());
        for (const int threads : threads_)
            for (const std::string& method : methods_)
                if (goes_on(method, threads))
                    contest.add(std::make_unique<MethodContender<T, D>>(
                        method, threads, space.domain, output()));
        for (const int threads : threads_)
            for (const auto& peer : peers)
                if (peer.parallel || threads == threads_.front())
                    add_peer(contest, peer, peer.parallel ? threads : 1);
        contest.repeat(flags_.repeat, flags_.motion, flags_.scene.seed);
        std::ranges::move(contest.rows(), std::back_inserter(result.rows));
        std::ranges::move(contest.differing, std::back_inserter(differing));
        std::ranges::move(contest.notes, std::back_inserter(notes));
    }

    template <Real T, int D>
    void add_peer(Contest<T, D>& contest, const peers::PeerInfo& peer, int threads) {
        if (goes_on(peer.name, threads))
            contest.add(
                std::make_unique<PeerContender<T, D>>(peer, threads, contest.problem()));
    }

    BenchOutput output() const {
        return flags_.output == "rows"           ? BenchOutput::rows
               : flags_.output == "ordered-rows" ? BenchOutput::ordered_rows
               : flags_.output == "count"        ? BenchOutput::count
                                                 : BenchOutput::pairs;
    }

    bool goes_on(const std::string& name, int threads) const {
        return std::none_of(result.growth.begin(), result.growth.end(), [&](const Growth& g) {
            return g.name == name && g.threads == threads && !g.stopped.empty();
        });
    }

    std::vector<const BenchRow*> rows_of(const Growth& growth) const {
        std::vector<const BenchRow*> rows;
        for (const BenchRow& row : result.rows)
            if (row.name == growth.name && row.threads == growth.threads) rows.push_back(&row);
        return rows;
    }

    // Stops the rows whose next size would take too long, as far as the last two sizes
    // tell. Returns whether a method is left.
    bool foresee(std::uint64_t n) {
        if (result.growth.empty())
            for (const BenchRow& row : result.rows)
                result.growth.push_back({row.name, row.threads, {}, ""});
        bool method_left = false;
        for (Growth& growth : result.growth) {
            const auto rows = rows_of(growth);
            if (!growth.stopped.empty() || rows.back()->bodies != n) continue;
            const double last = rows.back()->seconds();
            const double before = rows.size() > 1 ? rows[rows.size() - 2]->seconds() : last;
            const double next = last * std::max(10.0, last / before);
            if (n < largest && next > too_long)
                growth.stopped = fmt::format(
                    "up to {}: ten times as many would take about {:.0f} s a repeat",
                    grouped(n), next);
            else if (!rows.back()->peer)
                method_left = true;
        }
        return method_left;
    }

    const BenchFlags& flags_;
    std::vector<std::string> methods_;
    std::vector<int> threads_;
};

void complain(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const std::string text = "vicinal: " + one_line(line) + "\n";
        std::fwrite(text.data(), 1, text.size(), stderr);
    }
}

int run_bench(const BenchFlags& flags) {
    flags.check();
    if (!flags.experiment.empty()) {
        const OtherLoad others;
        const ResultTable table = run_experiment(flags.experiment, flags.extent());
        const std::string busy = busy_line(others.cores());
        if (flags.json) {
            nlohmann::ordered_json json = to_json(table);
            json["busy"] = !busy.empty();
            print(json);
        } else {
            print(to_text(table) + busy + (busy.empty() ? "" : "\n"));
        }
        return 0;
    }
    Bench bench(flags);
    {
        const OtherLoad others;
        Progress progress("starting");
        bench.run(progress);
        bench.result.other_cores = others.cores();
    }
    if (!flags.file.empty()) {
        io::PendingFile out(flags.file);
        out.write(to_csv(bench.result));
        out.commit();
    }
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
            "A row is the median of --repeat runs of update and search by one finder, after\n"
            "warming up; the rows take turns. spread: distance of the quartiles over the\n"
            "median. ratio: time over that of the first row. faster: how many times faster\n"
            "than this peer our first row on as many threads is. memory: the peak beyond what\n"
            "the process held before the row. differs: pairs that only the peer or only the\n"
            "first row has. A method that finds other pairs than the first row is left out,\n"
            "and the exit code is 1. BUSY: other processes took the cores meanwhile.\n\n" +
            std::string(domain_help) +
            "Examples:\n"
            "  vicinal bench --scene uniform --n 100000 --methods auto,brute_force\n"
            "  vicinal bench balls.csv --radius column --threads 1,2 --peers all\n"
            "  vicinal bench --scene sheets --precision float --scaling -o growth.csv\n"
            "  vicinal bench --experiment p1-table1");
}

}  // namespace vicinal::tool
