// vicinal-mpi run: a simulation over all ranks, with checkpoints that any number of ranks, or
// none, resumes.
#include <fmt/format.h>

#include <filesystem>

#include "sim/checkpoint.hpp"
#include "sim/mpi/ranked_fluid.hpp"
#include "tool/flags.hpp"
#include "tool/mpi/commands.hpp"
#include "tool/mpi/ranks.hpp"
#include "tool/run_plan.hpp"
#include "tool/summary.hpp"
#include "tool/text.hpp"

namespace vicinal::tool {
namespace {

struct RunFlags {
    std::string what, checkpoint, resume;
    std::vector<std::string> words;
    std::uint64_t steps = 100, every = 0;
    bool json = false;

    void add_to(CLI::App& app) {
        app.add_option("SIMULATION", what, "fluid (model=collide), or a scene file of it");
        app.add_option("SETTINGS", words, "key=value; see vicinal run")->type_name("KEY=VALUE");
        app.add_option("--steps", steps, "number of steps (default: 100)")
            ->check(whole_number())
            ->type_name("N");
        app.add_option("--checkpoint", checkpoint, "write the state at the end to this file")
            ->check(not_empty())
            ->type_name("FILE");
        app.add_option("--every", every, "also write it every so many steps (0: never)")
            ->check(whole_number())
            ->type_name("N");
        app.add_option("--resume", resume, "continue from this checkpoint")
            ->check(not_empty())
            ->type_name("FILE");
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

struct Begin {
    RunPlan plan;
    std::uint64_t step = 0;
    std::unique_ptr<sim::Simulation> whole;
};

// Before the particles are made, which takes long.
void check(const RunPlan& plan) {
    if (plan.simulation != "fluid")
        throw UsageError(
            fmt::format("{} runs in one process; use vicinal run, or fluid", plan.simulation));
    sim::check_ranked(sim::settings_from<sim::FluidSettings>(plan.settings));
}

Begin begin_of(const RunFlags& flags) {
    if (flags.resume.empty()) {
        RunPlan plan = read_plan(flags.what, flags.words);
        check(plan);
        auto whole = plan.make();
        return {std::move(plan), 0, std::move(whole)};
    }
    if (!flags.what.empty())
        throw UsageError("a checkpoint has its simulation; leave out SIMULATION or --resume");
    const sim::Checkpoint checkpoint(flags.resume);
    try {
        const auto about = nlohmann::ordered_json::parse(checkpoint.about());
        RunPlan plan = plan_from(about.at("plan"), flags.resume);
        check(plan);
        auto whole = plan.make();
        checkpoint.restore(*whole);
        return {std::move(plan), about.at("step").get<std::uint64_t>(), std::move(whole)};
    } catch (const nlohmann::json::exception&) {
        throw Error(
            Error::Kind::input,
            fmt::format("{}: is not a checkpoint of a run; give another file", flags.resume));
    }
}

int run_ranks(const RunFlags& flags) {
    const Ranks ranks;
    if (flags.what.empty() && flags.resume.empty())
        throw UsageError("give a simulation, for example fluid, or --resume");
    if (flags.every > 0 && flags.checkpoint.empty())
        throw UsageError("--every is for checkpoints; give --checkpoint a file");
    Begin begin = begin_of(flags);  // the same on all ranks
    sim::RankedFluid fluid(MPI_COMM_WORLD,
                           sim::settings_from<sim::FluidSettings>(begin.plan.settings),
                           {.method = begin.plan.how.method, .threads = 1}, *begin.whole);
    std::uint64_t step = begin.step;
    const auto write = [&] {
        fluid.collect(*begin.whole);
        ranks.together([&] {
            if (!ranks.first() || flags.checkpoint.empty()) return;
            const nlohmann::ordered_json about{{"plan", to_json(begin.plan)}, {"step", step}};
            sim::write_checkpoint(flags.checkpoint, about.dump(), *begin.whole);
        });
    };
    for (std::uint64_t k = 0; k < flags.steps; ++k) {
        fluid.step();
        ++step;
        if (flags.every > 0 && step % flags.every == 0) write();
    }
    write();
    const std::uint64_t most = ranks.max(std::uint64_t{fluid.particles()});
    if (!ranks.first()) return 0;
    const std::string state = fmt::format("{:016x}", sim::state_hash(*begin.whole));
    if (flags.json)
        print(nlohmann::ordered_json{{"simulation", begin.plan.simulation},
                                     {"ranks", ranks.size},
                                     {"step", step},
                                     {"most_particles", most},
                                     {"state", state}});
    else
        print(fmt::format("{} at step {} on {} ranks, at most {} particles each\nstate {}\n",
                          begin.plan.simulation, step, ranks.size, most, state));
    return 0;
}

}  // namespace

void add_mpi_run(CLI::App& app, Chosen& chosen) {
    add_command<RunFlags>(app, chosen, "run", "run the fluid on all ranks", run_ranks)
        ->footer(
            "The state after a step is that of vicinal run, bit by bit, for any number of\n"
            "ranks. A checkpoint is resumed on any number of ranks.\n\n"
            "Example:\n"
            "  mpirun -n 4 vicinal-mpi run fluid n=50000 --steps 50 --checkpoint fluid.state");
}

}  // namespace vicinal::tool
