// vicinal-mpi bench: the processor time of a step on these ranks, against one search of all
// bodies on one thread.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "common/text.hpp"
#include "scenes/scenes.hpp"
#include "tool/flags.hpp"
#include "tool/mpi/commands.hpp"
#include "tool/mpi/ranks.hpp"
#include "tool/summary.hpp"

#include <vicinal/vicinal.hpp>

namespace vicinal::tool {
namespace {

struct BenchFlags {
    std::string scene = "uniform", precision = "double", output = "count", method = "auto";
    std::uint64_t n = 1'000'000, repeat = 9;
    bool periodic = false, json = false;

    void add_to(CLI::App& app) {
        app.add_option("SCENE", scene, "see vicinal scenes (default: uniform)");
        app.add_option("--n", n, "bodies of all ranks (default: 1000000)")
            ->check(whole_number())
            ->type_name("N");
        app.add_flag("--periodic", periodic, "in a periodic box with edges of 1");
        app.add_option("--output", output, "count (default), pairs or rows")
            ->check(one_of({"count", "pairs", "rows"}))
            ->type_name("count|pairs|rows");
        app.add_option("--method", method, "of each rank; see vicinal methods")
            ->type_name("METHOD");
        app.add_option("--repeat", repeat, "steps, of which the median counts (default: 9)")
            ->check(whole_number())
            ->type_name("N");
        add_precision(app, precision);
        app.add_flag("--json", json, "print one JSON object and nothing else");
    }
};

// Of this process.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Waits for all ranks without using the processor.
void sleep_until_all_are_here() {
    constexpr useconds_t pause = 1000;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0) usleep(pause);
    }
}

// The first step allocates memory and does not count.
template <class F>
std::vector<double> measure(std::uint64_t repeat, const F& step) {
    std::vector<double> seconds;
    for (std::uint64_t k = 0; k <= repeat; ++k) {
        const double before = processor_seconds();
        step();
        if (k > 0) seconds.push_back(processor_seconds() - before);
    }
    return seconds;
}

struct Measured {
    std::uint64_t most_own = 0, most_copies = 0, pairs = 0, serial_pairs = 0;
    double serial = 0, slowest = 0;  // seconds of a step
};

template <Real T, int D>
Measured bench(const BenchFlags& flags, const Ranks& ranks) {
    const scenes::Arrays<T> all(scenes::make(flags.scene, flags.n, 1, {{"dim", D}}));
    std::array<double, D> edges;
    edges.fill(1);
    const Options<D> options{
        .domain = flags.periodic ? Domain<D>::orthogonal(edges) : Domain<D>::open(),
        .method = flags.method,
        .threads = 1};
    mpi::Finder<T, D> finder(MPI_COMM_WORLD, options);
    Measured result;
    if (ranks.first()) {
        vicinal::Finder<T, D> serial(options);
        result.serial = median(measure(flags.repeat, [&] {
            serial.update(all.template bodies<D>());
            if (flags.output == "count") result.serial_pairs = serial.count();
            if (flags.output == "pairs") result.serial_pairs = serial.pairs().size();
            if (flags.output == "rows")
                result.serial_pairs = serial.neighbours().indices.size() / 2;
        }));
    }
    sleep_until_all_are_here();
    scenes::Arrays<T> mine = all;
    std::vector<std::uint64_t> ids;
    const auto [begin, end] = ranks.share_of(flags.n);
    const auto take = [&](std::vector<T>& values, std::size_t each) {
        if (values.empty()) return;
        values.resize(end * each);
        values.erase(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(begin * each));
    };
    take(mine.position, D);
    take(mine.upper, D);
    take(mine.radius, 1);
    for (std::uint64_t i = begin; i < end; ++i) ids.push_back(i);
    finder.update(mine.template bodies<D>(), ids);
    const mpi::Migration migration = finder.rebalance();
    mine.position = migration.move(std::span<const T>(mine.position), D);
    if (!mine.upper.empty()) mine.upper = migration.move(std::span<const T>(mine.upper), D);
    if (!mine.radius.empty()) mine.radius = migration.move(std::span<const T>(mine.radius));
    ids = migration.move(std::span<const std::uint64_t>(ids));
    std::uint64_t found = 0;  // by this rank
    const double own = median(measure(flags.repeat, [&] {
        finder.update(mine.template bodies<D>(), ids);
        if (flags.output == "count") found = finder.count();
        if (flags.output == "pairs") found = finder.pairs().size();
        if (flags.output == "rows") found = finder.neighbours().indices.size();
    }));
    result.slowest = ranks.max(own);
    result.pairs = flags.output == "count"   ? found
                   : flags.output == "pairs" ? ranks.sum(found)
                                             : ranks.sum(found) / 2;
    result.most_own = ranks.max(std::uint64_t{finder.own()});
    result.most_copies = ranks.max(std::uint64_t{finder.size() - finder.own()});
    return result;
}

int run_bench(const BenchFlags& flags) {
    const Ranks ranks;
    if (flags.repeat == 0) throw Error(Error::Kind::option, "--repeat is 0; give at least 1");
    const int dim = 3;
    const Measured result = dispatch(flags.precision, dim,
                                     [&]<Real T, int D> { return bench<T, D>(flags, ranks); });
    if (!ranks.first()) return 0;
    if (result.pairs != result.serial_pairs)
        throw Error(Error::Kind::input,
                    fmt::format("the ranks found {} pairs, but one search found {}; please "
                                "report this",
                                result.pairs, result.serial_pairs));
    const double share = result.serial / ranks.size;
    if (flags.json) {
        print(nlohmann::ordered_json{{"scene", flags.scene},
                                     {"bodies", flags.n},
                                     {"ranks", ranks.size},
                                     {"output", flags.output},
                                     {"pairs", result.pairs},
                                     {"most_own", result.most_own},
                                     {"most_copies", result.most_copies},
                                     {"serial_seconds", result.serial},
                                     {"slowest_rank_seconds", result.slowest},
                                     {"ratio", result.slowest / share}});
        return 0;
    }
    print(fmt::format(
        "{} bodies of {}, {} pairs, on {} ranks\n"
        "bodies per rank  at most {} own and {} copies\n"
        "one search       {:.1f} ms of processor time per step on one thread\n"
        "slowest rank     {:.1f} ms per step: {:.2f} times its share of one search\n",
        common::grouped(flags.n), flags.scene, common::grouped(result.pairs), ranks.size,
        common::grouped(result.most_own), common::grouped(result.most_copies),
        1e3 * result.serial, 1e3 * result.slowest, result.slowest / share));
    return 0;
}

}  // namespace

void add_mpi_bench(CLI::App& app, Chosen& chosen) {
    add_command<BenchFlags>(app, chosen, "bench",
                            "time a step on these ranks, against one search on one thread",
                            run_bench)
        ->footer(
            "A step is an update and a search; each rank has one thread. Times are processor\n"
            "times, in which waiting for other ranks counts.\n\n"
            "Example:\n  mpirun -n 2 vicinal-mpi bench uniform --n 1000000");
}

}  // namespace vicinal::tool
