// The library's threads, for a caller's own loops too: one pool per process, so that a
// simulation and its searches do not compete for the cores.
#pragma once

#include <algorithm>
#include <cstddef>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// What 0 threads stand for: VICINAL_THREADS, or the processors that this process may run on.
// An Error if VICINAL_THREADS is no number from 1 to 4096.
VICINAL_EXPORT int available_threads();

// `threads` itself, or available_threads() for 0. An Error if it is not from 0 to 4096.
VICINAL_EXPORT int checked_threads(int threads);

// One task of a loop; `worker` is below the number of threads, and no two tasks run at the same
// time with the same one.
using TaskFunction = void (*)(const void* context, std::size_t task, int worker);
VICINAL_EXPORT void run_tasks(int threads, std::size_t tasks, TaskFunction function,
                              const void* context);

// Calls f(task, worker) once for every task, 0 <= task < tasks, 0 <= worker < threads, and
// returns when all are done. The calling thread works as worker 0; others help as long as tasks
// are left, and one that comes late costs nothing. May be called from several threads at once,
// and from inside a task. An exception ends the loop: that of the lowest task is thrown here.
template <class F>
void parallel_tasks(int threads, std::size_t tasks, const F& f) {
    if (threads > 1 && tasks > 1)
        return run_tasks(
            threads, tasks,
            [](const void* context, std::size_t task, int worker) {
                (*static_cast<const F*>(context))(task, worker);
            },
            &f);
    for (std::size_t t = 0; t < tasks; ++t) f(t, 0);
}

}  // namespace vicinal::inline VICINAL_API
