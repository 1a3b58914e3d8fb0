// The library's thread pool, also for the caller's own loops: one pool per process, so that a
// simulation and its searches do not compete for the cores.
#pragma once

#include <cstddef>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// The number of threads that 0 stands for: VICINAL_THREADS, or the number of processors the
// calling thread may run on. An Error if VICINAL_THREADS is neither empty nor a number from 1
// to 4096.
VICINAL_EXPORT int available_threads();

// `threads` itself, or available_threads() for 0. An Error if it is not from 0 to 4096.
VICINAL_EXPORT int checked_threads(int threads);

// As parallel_tasks() below, with a function pointer.
using TaskFunction = void (*)(const void* context, std::size_t task, int worker);
VICINAL_EXPORT void run_tasks(int threads, std::size_t tasks, TaskFunction function,
                              const void* context);

// Calls f(task, worker) once for every task, 0 <= task < tasks, on up to `threads` threads at
// once, in no particular order, and returns when all calls have returned. 0 <= worker <
// threads, and no two calls run at the same time with the same worker; the calling thread is
// worker 0. If calls throw, the exception of the lowest failing task is thrown here; tasks
// below it have run, those above may or may not have. May be called from several threads at
// once, and from inside a task. Fewer than one thread count as one; use checked_threads() if 0
// shall mean all.
template <class F>
void parallel_tasks(int threads, std::size_t tasks, const F& f) {
    if (tasks > 1)
        return run_tasks(
            threads, tasks,
            [](const void* context, std::size_t task, int worker) {
                (*static_cast<const F*>(context))(task, worker);
            },
            &f);
    if (tasks == 1) f(0, 0);
}

}  // namespace vicinal::inline VICINAL_API
