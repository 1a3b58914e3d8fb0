#include "base/cancellation.hpp"

#include "base/callers_code.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

// A fifth of what is promised: most of the rest is for pieces of work between two polls.
constinit std::atomic<CancelHook::Clock::rep> CancelHook::min_interval =
    Clock::duration(std::chrono::milliseconds(10)).count();

bool CancelHook::ask() {
    const auto now = [] { return Clock::now().time_since_epoch().count(); };
    if (now() - last_asked_.load(std::memory_order_relaxed) <
        min_interval.load(std::memory_order_relaxed))
        return false;
    // Not a mutex: the hook may itself make calls that ask.
    if (asking_.exchange(true, std::memory_order_acquire)) return false;
    struct Release {
        std::atomic<bool>& asking;
        ~Release() { asking.store(false, std::memory_order_release); }
    } const release{asking_};
    const bool cancelled = run_callers_code([this] { return hook_(); });
    last_asked_.store(now(), std::memory_order_relaxed);
    return cancelled;
}

void Cancellation::poll() {
    if (!cancelled_.load(std::memory_order_relaxed) && hook_.ask())
        cancelled_.store(true, std::memory_order_relaxed);
    if (cancelled_.load(std::memory_order_relaxed))
        throw Error(Error::Kind::cancelled,
                    "the call was cancelled: Options::cancelled returned true; call update() "
                    "to use the finder again");
}

constinit thread_local detail::CancelState detail::cancel_state;

Cancellation* Cancellation::current() {
    return detail::cancel_state.call;
}

void detail::spend_work(std::size_t work) {
    cancel_state.work += work;
    if (cancel_state.work < work_per_poll) return;
    cancel_state.work = 0;
    cancel_state.call->poll();
}

CancellationScope::CancellationScope(Cancellation* call)
    : before_(std::exchange(detail::cancel_state.call, call)) {}

CancellationScope::~CancellationScope() {
    detail::cancel_state.call = before_;
}

}  // namespace vicinal::inline VICINAL_API
