// vicinal run: simulations that use the library through its public interface.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "commands.hpp"
#include "common/stopwatch.hpp"
#include "common/text.hpp"
#include "flags.hpp"
#include "progress.hpp"
#include "run_output.hpp"
#include "run_plan.hpp"
#include "sim/checkpoint.hpp"
#include "summary.hpp"
#include "text.hpp"
#include "view_page.hpp"

namespace vicinal::tool {
namespace {

// Real numbers always have a decimal point, integers never.
std::string to_word(const sim::Setting::Value& value) {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr
               ? fmt::format("{:#}", *number)
               : std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

struct RunFlags {
    std::vector<std::string> words;  // what to run, then key=value
    std::optional<std::uint64_t> n, steps, every, checkpoint;
    std::optional<std::string> method;
    std::optional<int> threads;
    std::string folder, resume;
    bool no_view = false, json = false;

    void add_to(CLI::App& app) {
        std::vector<std::string> names;
        for (const sim::Simulator& simulator : sim::simulators())
            names.push_back(simulator.name);
        app.add_option("SIM", words,
                       fmt::format("{}, or a scene file FILE.json; then key=value ...",
                                   common::join(names)))
            ->type_name("");
        const auto number = [&](const char* name, auto& to, const char* meaning) {
            app.add_option(name, to, meaning)->check(whole_number())->type_name("N");
        };
        number("--n", n, "number of bodies (the setting n)");
        number("--steps", steps,
               "total number of steps; the default of each simulation is below");
        app.add_option("--method", method, "name(key=value, ...); see vicinal methods")
            ->type_name("METHOD");
        number("--threads", threads, "0 (default): VICINAL_THREADS, or all cores");
        constexpr const char* group = "Result";
        app.add_option(
               "-o,--output", folder,
               "a new folder for series.csv, frames, their page view.html and the checkpoint")
            ->check(not_empty())
            ->type_name("DIR")
            ->group(group);
        app.add_option("--every", every,
                       "steps between frames (.vtp); default 10, or more for at most 1000 "
                       "frames; 0: none")
            ->check(whole_number())
            ->type_name("K")
            ->group(group);
        app.add_option("--checkpoint", checkpoint,
                       "steps between checkpoints; the first and the last step always have one")
            ->check(whole_number())
            ->type_name("K")
            ->group(group);
        app.add_option("--resume", resume, "resume the run in this folder")
            ->check(not_empty())
            ->type_name("DIR")
            ->group(group);
        app.add_flag("--no-view", no_view, "make no page view.html")->group(group);
        app.add_flag("--json", json, "print one JSON object and nothing else")->group(group);
        app.footer(settings_help());
    }

    static std::string settings_help() {
        std::string text;
        for (const sim::Simulator& simulator : sim::simulators()) {
            text += fmt::format("{}: {}; --steps {} by default\n", simulator.name,
                                simulator.summary, simulator.steps);
            for (const sim::Setting& setting : simulator.settings)
                text += fmt::format("  {:<28}{}\n", setting.name + '=' + to_word(setting.value),
                                    setting.meaning);
        }
        return text;
    }

    void check() const {
        if (resume.empty() && words.empty())
            throw UsageError("nothing to run; give a simulation, a file, or --resume DIR");
        if (!resume.empty() && (!words.empty() || n || !folder.empty()))
            throw UsageError(
                "--resume keeps the simulation, settings and folder; leave out SIM, "
                "key=value, --n and -o");
        if (n &&
            std::ranges::any_of(words, [](const auto& word) { return word.starts_with("n="); }))
            throw UsageError("'n' is given twice, as n= and as --n; give it once");
        if (folder.empty() && resume.empty() && (every || checkpoint || no_view))
            throw UsageError("--every, --checkpoint and --no-view need a folder; give -o DIR");
    }

    void apply_to(RunPlan& plan) const {
        if (n) {
            const auto found = std::ranges::find(plan.settings, "n", &sim::Setting::name);
            if (found == plan.settings.end())
                throw UsageError(
                    fmt::format("{} has no setting n; leave out --n", plan.simulation));
            found->value = *n;
        }
        plan.steps = steps.value_or(plan.steps);
        if (every) plan.every = every;
        plan.checkpoint = checkpoint.value_or(plan.checkpoint);
        plan.how.method = method.value_or(plan.how.method);
        plan.how.threads = threads.value_or(plan.how.threads);
    }
};

// The first Ctrl-C (or termination signal of a batch system) ends the run after the current
// step, the second one immediately.
template <int signal>
class Interrupt {
  public:
    Interrupt() {
        sigaction(signal, nullptr, &before_);
        if (before_.sa_handler == SIG_IGN) return;
        caught_ = 0;
        struct sigaction action{};
        action.sa_handler = [](int) {
            caught_ = 1;
            sigaction(signal, &before_, nullptr);
        };
        sigaction(signal, &action, nullptr);
    }
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt() { sigaction(signal, &before_, nullptr); }
    static bool caught() { return caught_ != 0; }

  private:
    inline static volatile sig_atomic_t caught_ = 0;
    inline static struct sigaction before_{};
};

struct Run {
    RunPlan plan;
    std::unique_ptr<sim::Simulation> simulation = nullptr;
    std::optional<RunFolder> folder = {};
    std::uint64_t first = 0,
                  step = 0;    // completed steps: at the start of this process, and now
    std::string resumed = {};  // what --resume does; empty: a new run
    double search = 0, response = 0, writing = 0;  // seconds
    int signal = 0;                                // what ended it, if any
    bool stopped = false;
    std::string page = {};     // the file; empty: none
    std::string no_page = {};  // why, if there are frames

    void go();
    void make_page();
    void one_step();
    std::string progress(double seconds) const;
};

std::string Run::progress(double seconds) const {
    constexpr std::uint64_t width = 20;
    const std::uint64_t done = plan.steps == 0 ? width : width * step / plan.steps;
    const double rate = static_cast<double>(step - first) / seconds;
    return fmt::format("[{:<{}}] step {} of {}, {:.3g} steps/s, {}, {}, {:.0f} s left",
                       std::string(done, '#'), width, step, plan.steps, rate,
                       common::counted(simulation->bodies(), "bodies"),
                       common::counted(simulation->statistics().pairs, "pairs"),
                       static_cast<double>(plan.steps - step) / rate);
}

void Run::one_step() {
    simulation->step();
    ++step;
    search += simulation->statistics().search_seconds;
    response += simulation->statistics().response_seconds;
    if (!folder) return;
    common::Stopwatch watch;
    folder->add_step(step, *simulation);
    const std::uint64_t every = plan.frame_interval();
    if (every > 0 && step % every == 0) folder->add_frame(step, *simulation);
    if (plan.checkpoint > 0 && step % plan.checkpoint == 0)
        folder->checkpoint(plan, step, *simulation);
    writing += watch.lap();
}

void Run::go() {
    Progress display(fmt::format("starting {}", plan.simulation));
    const Interrupt<SIGINT> key;
    const Interrupt<SIGTERM> request;
    if (folder && step == 0) {
        folder->add_solids(*simulation);
        if (plan.frame_interval() > 0) folder->add_frame(0, *simulation);
        folder->checkpoint(plan, 0, *simulation);
    }
    common::Stopwatch watch;
    double seconds = 0, shown = 0;
    while (step < plan.steps && !stopped) {
        one_step();
        seconds += watch.lap();
        signal = key.caught() ? SIGINT : request.caught() ? SIGTERM : 0;
        stopped = signal != 0 && step < plan.steps;
        constexpr double refresh = 0.1;  // seconds
        if (seconds < shown + refresh) continue;
        shown = seconds;
        display.phase(progress(seconds));
    }
    if (folder) folder->checkpoint(plan, step, *simulation);
}

// The run has ended well even if its page cannot be made. After a signal there may be no time
// for it.
void Run::make_page() {
    if (!folder || folder->frames() == 0) return;
    if (signal != 0) {
        no_page = fmt::format("a signal ended the run; to make it: vicinal view {} -o {}",
                              shell_word(folder->folder()), shell_word(folder->page()));
        return;
    }
    const Progress display("making the page");
    try {
        ViewInput input(folder->folder(), {}, {});
        write_view(input, {}, folder->page());
        page = folder->page();
    } catch (const Error& error) {
        no_page = error.what();
    }
}

std::string resume_command(const Run& run) {
    return "vicinal run --resume " + shell_word(run.folder->folder());
}

nlohmann::ordered_json to_json(const Run& run) {
    const sim::StepStatistics& figures = run.simulation->statistics();
    nlohmann::ordered_json json{
        {"plan", to_json(run.plan)},
        {"bodies", run.simulation->bodies()},
        {"step", run.step},
        {"resumed_at", nullptr},
        {"stopped", run.stopped},
        {"time", run.simulation->time()},
        {"candidates", figures.candidates},
        {"pairs", figures.pairs},
        {"contacts", figures.contacts},
        {"kinetic", figures.kinetic},
        {"potential", figures.potential},
        {"momentum", figures.momentum},
        {"overlap", figures.overlap},
        {"own", nlohmann::ordered_json::object()},
        {"seconds",
         {{"search", run.search}, {"response", run.response}, {"writing", run.writing}}},
        {"state", fmt::format("{:016x}", sim::state_hash(*run.simulation))},
        {"output", nullptr}};
    for (const auto& own : figures.own) json["own"][own.name] = own.value;
    if (!run.resumed.empty()) json["resumed_at"] = run.first;
    if (run.folder) {
        json["output"] = {{"folder", run.folder->folder()},
                          {"frames", run.folder->frames()},
                          {"page", nullptr}};
        if (!run.page.empty()) json["output"]["page"] = run.page;
        json["resume"] = resume_command(run);
    }
    return json;
}

std::string to_text(const Run& run) {
    const sim::StepStatistics& f = run.simulation->statistics();
    std::string text;
    const auto row = [&](const std::string& name, const std::string& value) {
        text += fmt::format("{:<12}{}\n", name, common::one_line(value));
    };
    const auto per_body = [&](std::uint64_t count) {
        return fmt::format(
            "{} ({:.3g} per body)", common::grouped(count),
            run.simulation->bodies() == 0
                ? 0
                : static_cast<double>(count) / static_cast<double>(run.simulation->bodies()));
    };
    const std::uint64_t steps = run.step - run.first;
    const auto each = [&](double seconds) {
        return common::readable_seconds(steps == 0 ? 0 : seconds / static_cast<double>(steps));
    };
    row("simulation", fmt::format("{}, {}", run.plan.simulation,
                                  common::counted(run.simulation->bodies(), "bodies")));
    row("steps", fmt::format("{} of {}, {:.4g} of simulated time", run.step, run.plan.steps,
                             run.simulation->time()));
    row("per step", fmt::format("{} (search {}, response {}, writing {})",
                                each(run.search + run.response + run.writing), each(run.search),
                                each(run.response), each(run.writing)));
    row("candidates", per_body(f.candidates));
    row("pairs", per_body(f.pairs));
    row("contacts", per_body(f.contacts));
    row("energy", fmt::format("{:.6g} kinetic, {:.6g} potential", f.kinetic, f.potential));
    row("momentum",
        fmt::format("{:.4g}, {:.4g}, {:.4g}", f.momentum[0], f.momentum[1], f.momentum[2]));
    row("overlap", fmt::format("{:.4g} at most", f.overlap));
    for (const auto& own : f.own) row("", fmt::format("{}: {:.4g}", own.meaning, own.value));
    row("state", fmt::format("{:016x}", sim::state_hash(*run.simulation)));
    if (run.folder) {
        row("written", run.folder->series());
        if (run.folder->frames() > 0)
            row("", fmt::format("{} ({}; open in ParaView)", run.folder->list_of_frames(),
                                common::counted(run.folder->frames(), "frames")));
        if (!run.simulation->solids().empty())
            row("",
                fmt::format("{} (static bodies; open in ParaView too)", run.folder->solids()));
        row("", run.folder->checkpoint_file());
        if (!run.page.empty()) row("to see it", run.page + " (open in a browser)");
        if (!run.no_page.empty()) row("no page", run.no_page);
    }
    if (run.stopped)
        text += fmt::format("\nstopped after step {}; {}\n", run.step,
                            run.folder ? "resume with: " + resume_command(run)
                                       : "it cannot be resumed without -o DIR");
    return text;
}

Run start(const RunFlags& flags) {
    RunPlan plan = read_plan(flags.words[0], {flags.words.begin() + 1, flags.words.end()});
    flags.apply_to(plan);
    Run run{.plan = std::move(plan)};
    run.simulation = run.plan.make();
    if (!flags.folder.empty()) run.folder.emplace(flags.folder);
    return run;
}

// What a resumed run does, if --steps differs from the plan of the run.
std::string explain_steps(std::uint64_t done, std::uint64_t planned, std::uint64_t steps) {
    const std::string text = fmt::format("resuming after step {}", done);
    if (steps == planned) return fmt::format("{} of {}", text, steps);
    return fmt::format("{}; --steps {} is the total, so {} {}; it was planned for {}", text,
                       steps, common::counted(steps - done, "steps"),
                       steps - done == 1 ? "remains" : "remain",
                       common::counted(planned, "steps"));
}

Run resume(const RunFlags& flags) {
    auto resumed = RunFolder::resume(flags.resume);
    const std::uint64_t planned = resumed.plan.steps;
    flags.apply_to(resumed.plan);
    if (resumed.step >= resumed.plan.steps)
        throw UsageError(fmt::format(
            "{}: the run has completed {}; --steps is the total number, give more than {}",
            flags.resume, common::counted(resumed.step, "steps"), resumed.step));
    Run run{.plan = resumed.plan};
    run.simulation = run.plan.make();
    resumed.restore(*run.simulation);
    run.first = run.step = resumed.step;
    run.resumed = explain_steps(resumed.step, planned, resumed.plan.steps);
    run.folder = std::move(resumed.folder);
    return run;
}

int run_run(const RunFlags& flags) {
    flags.check();
    Run run = flags.resume.empty() ? start(flags) : resume(flags);
    if (!flags.json && !run.resumed.empty()) {
        print(run.resumed + "\n");
        std::fflush(stdout);  // before a long run, even into a pipe
    }
    run.go();
    if (!flags.no_view) run.make_page();
    if (flags.json)
        print(to_json(run));
    else
        print(to_text(run));
    return run.stopped ? 128 + run.signal : 0;  // as a shell does
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
    add_command(app, chosen, "run", "simulate falling, colliding or flowing bodies", run_run);
}

}  // namespace vicinal::tool
