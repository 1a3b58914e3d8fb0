#include "c/interrupt.hpp"

#include <unistd.h>
#include <csignal>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <atomic>

namespace vicinal::inline VICINAL_API {
namespace {

constinit std::atomic<bool> seen = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // for the signal handler

// The process's own handler. Only the main thread writes it, while ours is not installed.
struct sigaction previous;
bool watching = false;

bool has_handler(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 ||
           (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

extern "C" void on_interrupt(int signal, siginfo_t* info, void* context) {
    seen.store(true, std::memory_order_relaxed);
    if ((previous.sa_flags & SA_SIGINFO) != 0)
        previous.sa_sigaction(signal, info, context);
    else
        previous.sa_handler(signal);
}

bool on_main_thread() {
#ifdef __linux__
    return syscall(SYS_gettid) == getpid();
#else
    return false;
#endif
}

}  // namespace

InterruptWatch::InterruptWatch(bool wanted) {
    if (!wanted || !on_main_thread() || watching) return;
    if (sigaction(SIGINT, nullptr, &previous) != 0 || !has_handler(previous)) return;
    struct sigaction ours = previous;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = on_interrupt;
    seen.store(false, std::memory_order_relaxed);
    watching = installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
}

InterruptWatch::~InterruptWatch() {
    if (!installed_) return;
    sigaction(SIGINT, &previous, nullptr);
    watching = false;
    seen.store(false, std::memory_order_relaxed);
}

bool interrupted() {
    return seen.load(std::memory_order_relaxed);
}

}  // namespace vicinal::inline VICINAL_API
