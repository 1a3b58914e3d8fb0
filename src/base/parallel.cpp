#include <vicinal/parallel.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/lazy.hpp"
#include "base/pool.hpp"

#include <vicinal/error.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define VICINAL_FORK
#endif
#ifdef __linux__
#include <sched.h>
#endif

namespace vicinal::inline VICINAL_API {
namespace {

constinit Lazy<Pool> current_pool;
Pool* parents_pool = nullptr;  // in a forked child: never used, never freed

Pool& pool() {
    return current_pool.get([] { return std::make_unique<Pool>(); });
}

// A forked child has none of its parent's threads, and locks they held at the fork stay held,
// so the child gets a new pool. The destructor ends the threads before the library is unloaded.
struct Process {
    Process() {
#ifdef VICINAL_FORK
        pthread_atfork(nullptr, nullptr, [] { parents_pool = current_pool.release(); });
#endif
    }
    ~Process() {
        if (Pool* const existing = current_pool.get_if_made()) existing->stop();
    }
} process;

}  // namespace

int available_threads() {
    const char* text = std::getenv("VICINAL_THREADS");
    if (text != nullptr && *text != '\0') {
        const std::string_view all = text;
        int threads = 0;
        const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), threads);
        if (error != std::errc{} || end != all.data() + all.size() || threads < 1 ||
            threads > max_threads)
            throw Error(Error::Kind::option, "VICINAL_THREADS is '" + std::string(all) +
                                                 "'; give a number from 1 to " +
                                                 std::to_string(max_threads) + ", or unset it");
        return threads;
    }
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
        return std::clamp(CPU_COUNT(&allowed), 1, max_threads);
#endif
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u,
                                       static_cast<unsigned>(max_threads)));
}

int checked_threads(int threads) {
    if (threads < 0 || threads > max_threads)
        throw Error(Error::Kind::option, "threads is " + std::to_string(threads) +
                                             "; give a number from 1 to " +
                                             std::to_string(max_threads) + ", or 0 for all");
    return threads == 0 ? available_threads() : threads;
}

void run_tasks(int threads, std::size_t tasks, TaskFunction function, const void* context) {
    if (threads <= 1 || tasks <= 1) {
        for (std::size_t t = 0; t < tasks; ++t) {
            poll_cancelled(work_per_poll);
            function(context, t, 0);
        }
        return;
    }
    const std::size_t piece_tasks = (tasks - 1) / LoopState::max_pieces + 1;
    const auto pieces = static_cast<std::uint32_t>((tasks - 1) / piece_tasks + 1);
    const auto team =
        std::min(static_cast<std::uint32_t>(std::clamp(threads, 1, max_threads)), pieces);
    Loop loop{function,
              context,
              tasks,
              piece_tasks,
              pieces,
              team,
              MemoryLedger::current(),
              Cancellation::current()};
    pool().run(loop);
}

}  // namespace vicinal::inline VICINAL_API
