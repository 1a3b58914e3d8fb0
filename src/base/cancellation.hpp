// Ends a call when the caller's hook says so (Options::cancelled). Loops report their work with
// poll_cancelled(); parallel loops do so between tasks, and pass the current call on to their
// helpers as they pass the ledger.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// The hook of a finder. Workers of all its calls ask it, one at a time.
class CancelHook {
  public:
    explicit CancelHook(std::function<bool()> hook) : hook_(std::move(hook)) {}

    bool given() const { return static_cast<bool>(hook_); }
    // False without asking if the hook was asked a moment ago or is being asked right now.
    bool ask();

    // The shortest time between two questions. A constant except in tests, which set it to 0.
    using Clock = std::chrono::steady_clock;
    static std::atomic<Clock::rep> min_interval;

  private:
    const std::function<bool()> hook_;
    std::atomic<bool> asking_ = false;
    std::atomic<Clock::rep> last_asked_ = Clock::now().time_since_epoch().count();
};

// One call, with all its workers.
class Cancellation {
  public:
    explicit Cancellation(CancelHook& hook) : hook_(hook) {}

    // Asks the hook if it is time to. Throws if the call has been cancelled, on any thread.
    void poll();

    // The call that this thread works for; null if it has no hook.
    static Cancellation* current();

  private:
    CancelHook& hook_;
    std::atomic<bool> cancelled_ = false;
};

// Makes a call (or none) current on this thread until the end of the scope.
class CancellationScope {
  public:
    explicit CancellationScope(Cancellation* call);
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;
    ~CancellationScope();

  private:
    Cancellation* before_;
};

// A thread polls after this much work, in steps of a few nanoseconds to a hundred: testing a
// candidate, reading a body.
constexpr std::size_t work_per_poll = std::size_t{1} << 16;

namespace detail {
struct CancelState {
    Cancellation* call = nullptr;
    std::size_t work = 0;  // since the last poll
};
extern constinit thread_local CancelState cancel_state;
void spend_work(std::size_t work);
}  // namespace detail

// To be called in long loops, after each piece of work. Costs nothing without a hook.
inline void poll_cancelled(std::size_t work) {
    if (detail::cancel_state.call != nullptr) [[unlikely]]
        detail::spend_work(work);
}

}  // namespace vicinal::inline VICINAL_API
