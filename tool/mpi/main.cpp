// The command `vicinal-mpi`, started by mpirun. As `vicinal`, but rank 0 alone prints.
#include <fmt/format.h>

#include <cstdio>

#include "common/text.hpp"
#include "tool/mpi/commands.hpp"
#include "tool/mpi/ranks.hpp"
#include "tool/text.hpp"

namespace vicinal::tool {
namespace {

int fail(int code, const std::string& message) {
    if (Ranks().first()) {
        const std::string line = "vicinal-mpi: " + common::one_line(message) + "\n";
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
    return code;
}

int parse_and_run(CLI::App& app, Chosen& chosen, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        if (chosen) return chosen();
        if (Ranks().first()) std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return Ranks().first() ? app.exit(error) : 0;
        return fail(2, fmt::format("{}; see vicinal-mpi --help", error.what()));
    } catch (const UsageError& error) {
        return fail(2, fmt::format("{}; see vicinal-mpi --help", error.what()));
    } catch (const Error& error) {  // the same on all ranks
        return fail(error.kind() == Error::Kind::option ? 2 : 1, error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "vicinal-mpi: unexpected error: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
}

}  // namespace
}  // namespace vicinal::tool

int main(int argc, char** argv) {
    using namespace vicinal::tool;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    Chosen chosen;
    CLI::App app("Which bodies are close enough to interact? On many machines, by MPI.");
    app.name("vicinal-mpi");
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(34);
    add_mpi_pairs(app, chosen);
    add_mpi_run(app, chosen);
    add_mpi_bench(app, chosen);
    add_mpi_plan(app, chosen);
    app.footer("Start it with mpirun, for example: mpirun -n 4 vicinal-mpi bench");
    const int code = parse_and_run(app, chosen, argc, argv);
    MPI_Finalize();
    return code;
}
