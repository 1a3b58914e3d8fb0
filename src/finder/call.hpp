// What every call of the public interface does: refuses to disturb another one, sets the
// floating-point environment, charges memory to the finder's ledger, asks the caller's hook,
// and reports missing memory as an Error.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <string>

#include "base/callers_code.hpp"
#include "base/cancellation.hpp"
#include "base/float_environment.hpp"
#include "base/ledger.hpp"

#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

// What may run on a finder at the same time as a call.
enum class Access : std::uint8_t {
    exclusive,  // nothing
    streaming,  // queries: they read only what a streaming search does not change
    query,      // queries, and one streaming search
};

// The calls that are running on a finder.
class RunningCalls {
  public:
    // Throws if the call would disturb another one, or be disturbed.
    void begin(Access access);
    void end(Access access) { running_.fetch_sub(count_of(access), std::memory_order_release); }

  private:
    static constexpr std::uint32_t exclusive = 1u << 31, streaming = 1u << 30;
    static constexpr std::uint32_t count_of(Access access) {
        return access == Access::exclusive   ? exclusive
               : access == Access::streaming ? streaming
                                             : 1u;
    }
    std::atomic<std::uint32_t> running_ = 0;  // flags, and the number of queries
};

[[noreturn]] void throw_out_of_memory(const char* what_for);

// `what_for` completes "there is not enough memory to".
template <class F>
decltype(auto) with_memory_errors(const char* what_for, const F& f) {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        throw_out_of_memory(what_for);
    } catch (const CallersException& own) {
        std::rethrow_exception(own.exception);
    }
}

// A call from its begin to its end. `what_for` is for with_memory_errors().
template <class F>
decltype(auto) run_call(RunningCalls& running, Access access, MemoryLedger* ledger,
                        CancelHook* hook, const char* what_for, const F& f) {
    running.begin(access);
    struct End {
        RunningCalls& running;
        Access access;
        ~End() { running.end(access); }
    } const end{running, access};
    const FloatEnvironment environment;
    const LedgerScope ledger_scope(ledger);
    // Without a hook of its own, the call belongs to the batch that makes it, if any.
    std::optional<Cancellation> call;
    if (hook != nullptr && hook->given()) call.emplace(*hook);
    const CancellationScope call_scope(call ? &*call : Cancellation::current());
    poll_cancelled(work_per_poll);
    return with_memory_errors(what_for, f);
}

}  // namespace vicinal::inline VICINAL_API
