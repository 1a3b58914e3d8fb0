// The command `vicinal`. Results go to stdout; an error is one line on stderr and an exit
// code: 1 for data, files and limits (and a list that `verify` found wrong), 2 for usage.
#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "commands.hpp"
#include "common/choices.hpp"
#include "common/text.hpp"
#include "io/write.hpp"
#include "text.hpp"

#include <vicinal/error.hpp>
#include <vicinal/version.hpp>

namespace vicinal::tool {
namespace {

int fail(int code, const std::string& message) {
    const std::string line = "vicinal: " + common::one_line(message) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    return code;
}

// For common/choices.hpp.
struct Named {
    std::string name;
};

// How to get help for the current command.
std::string see_help(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? "see vicinal --help"
                            : "see vicinal " + commands[0]->get_name() + " --help";
}

// Replaces the parser's messages for unknown and repeated flags, which name no remedy.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    const CLI::App& command = commands.empty() ? app : *commands[0];
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
        std::vector<Named> flags;
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : option->get_lnames()) flags.push_back({"--" + name});
        const std::vector<std::string> extra = app.remaining(true);
        for (const std::string& word : extra) {
            if (word.size() < 2 || word[0] != '-') continue;
            const std::string closest =
                common::near_miss(word.substr(0, word.find('=')), flags);
            return fmt::format("unknown flag {}", word) +
                   (closest.empty() ? "" : fmt::format("; did you mean {}?", closest));
        }
        if (!extra.empty()) return fmt::format("unexpected argument '{}'", extra[0]);
    }
    const std::string_view message = error.what();
    const auto twice = message.find(": At Most 1 required");
    if (twice == std::string_view::npos) return error.what();
    return fmt::format("{} is given more than once; give it once", message.substr(0, twice));
}

void set_up(CLI::App& app, Chosen& chosen) {
    app.name("vicinal");
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(34);
    app.set_version_flag("--version",
                         fmt::format("vicinal {}.{}.{}", VICINAL_VERSION_MAJOR,
                                     VICINAL_VERSION_MINOR, VICINAL_VERSION_PATCH));
    add_pairs(app, chosen);
    add_probe(app, chosen);
    add_nearest(app, chosen);
    add_stats(app, chosen);
    add_verify(app, chosen);
    add_split(app, chosen);
    add_run(app, chosen);
    add_view(app, chosen);
    add_bench(app, chosen);
    add_methods(app, chosen);
    add_scenes(app, chosen);
    add_scene(app, chosen);
    add_manual(app, chosen);
    // Last: commands added later would inherit it.
    app.footer(
        "For details: vicinal COMMAND --help. To begin:\n"
        "  vicinal scene uniform -o points.npy\n"
        "then run the command that it prints.\n\n"
        "Environment: VICINAL_THREADS is the number of threads where --threads gives none,\n"
        "VICINAL_SIMD the instruction set (scalar, ssse3, sse4, avx2, avx3, avx3_dl).");
}

void check_command(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    std::vector<Named> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back({command->get_name()});
    for (const Named& command : commands)
        if (command.name == argv[1]) return;
    throw UsageError(
        fmt::format("unknown command '{}'{}", argv[1], common::choices(argv[1], commands)));
}

// A message of the library with the flag of the current command instead of the option. A
// command without this flag leaves out that remedy.
std::string name_flags(std::string message, const CLI::App& app) {
    const auto commands = app.get_subcommands();
    const bool offered = !commands.empty() && commands[0]->get_option_no_throw("--max-pairs");
    const auto replace = [&](std::string_view from, std::string_view to) {
        for (std::size_t at = 0; (at = message.find(from, at)) != std::string::npos;
             at += to.size())
            message.replace(at, from.size(), to);
    };
    if (!offered) replace(", or raise max_pairs", "");
    replace("max_pairs", "--max-pairs");
    return message;
}

// Under mpirun every rank would do all of the work.
void refuse_ranks() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* const ranks = std::getenv(name);
            ranks != nullptr && std::string_view(ranks) != "1")
            throw UsageError(fmt::format(
                "mpirun started {} processes, each of which would do the same work; give it "
                "vicinal-mpi instead of vicinal",
                ranks));
}

int parse_and_run(CLI::App& app, Chosen& chosen, int argc, char** argv) {
    try {
        refuse_ranks();
        check_command(app, argc, argv);
        app.parse(argc, argv);
        if (chosen) return chosen();
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        return fail(2, fmt::format("{}; {}", explain(app, error), see_help(app)));
    } catch (const UsageError& error) {
        return fail(2, fmt::format("{}; {}", error.what(), see_help(app)));
    } catch (const Error& error) {
        return fail(error.kind() == Error::Kind::option ? 2 : 1, name_flags(error.what(), app));
    } catch (const std::bad_alloc&) {
        return fail(1,
                    "there is not enough memory; use fewer bodies or, for pairs, --count or "
                    "--max-pairs");
    } catch (const std::exception& error) {
        return fail(1, fmt::format("unexpected error: {}", error.what()));
    }
}

// A result that cannot be written to stdout is an error, even if the command succeeded.
int flush(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    const std::string reason = std::generic_category().message(errno);
    return fail(code == 0 ? 1 : code,
                fmt::format("cannot write to standard output ({})", reason));
}

// Signals such as Ctrl-C end the tool as usual, after it has removed its unfinished files.
void clean_up_on_signals() {
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action{};
        sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) continue;  // nohup, or a job in the background
        action = {};
        action.sa_handler = [](int caught) {
            io::remove_pending_files();
            raise(caught);
        };
        action.sa_flags = SA_RESETHAND | SA_NODEFER;
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace
}  // namespace vicinal::tool

int main(int argc, char** argv) {
    using namespace vicinal::tool;
    clean_up_on_signals();
    Chosen chosen;
    CLI::App app("Which bodies are close enough to interact?");
    set_up(app, chosen);
    return flush(parse_and_run(app, chosen, argc, argv));
}
