#include "base/pool.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/float_environment.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#define VICINAL_SIGNALS
#endif
#ifdef __linux__
#include <time.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VICINAL_THREAD_SANITIZER
#endif
#endif

namespace vicinal::inline VICINAL_API {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// Helpers spin this long between the loops of a search before they sleep.
constexpr nanoseconds idle_spin = std::chrono::microseconds(30);
// A caller spins about as long as a wake-up would take.
constexpr nanoseconds wait_spin = std::chrono::microseconds(50);
// Shorter waits are load imbalance; a lost time slice costs milliseconds.
constexpr nanoseconds min_stall = std::chrono::microseconds(250);

// Under the thread sanitizer stalls are meaningless, and every thread should run.
#ifdef VICINAL_THREAD_SANITIZER
constexpr bool backs_off = false;
#else
constexpr bool backs_off = true;
#endif

thread_local bool in_helper = false;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
}

// Spins until done() or until the time is over; returns done().
template <class F>
bool spin(nanoseconds time, const F& done) {
    const auto end = Clock::now() + time;
    do {
        for (int k = 0; k < 16; ++k) {
            if (done()) return true;
            relax();
        }
    } while (Clock::now() < end);
    return done();
}

// Blocks asynchronous signals for threads started during its lifetime, because the program's
// own threads handle them. Faults and profiling signals stay unblocked: they are delivered to
// the thread that causes them.
class SignalsBlocked {
#ifdef VICINAL_SIGNALS
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (const int fault :
             {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
            sigdelset(&all, fault);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
#endif
};

// CPU time of another thread since construction. The maximum if the system does not report it,
// so that no stall is inferred.
class RunTime {
  public:
#ifdef __linux__
    explicit RunTime(std::thread& thread)
        : known_(pthread_getcpuclockid(thread.native_handle(), &clock_) == 0), begin_(now()) {}
    nanoseconds elapsed() const { return known_ ? now() - begin_ : nanoseconds::max(); }

  private:
    nanoseconds now() const {
        timespec time{};
        if (known_) clock_gettime(clock_, &time);
        return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
    }
    clockid_t clock_{};
    bool known_;
    nanoseconds begin_;
#else
    explicit RunTime(std::thread&) {}
    nanoseconds elapsed() const { return nanoseconds::max(); }
#endif
};

}  // namespace

void Loop::run_piece(std::uint32_t piece, int worker) {
    const std::size_t begin = piece * piece_tasks;
    const std::size_t end = std::min(tasks, begin + piece_tasks);
    for (std::size_t t = begin; t < end; ++t) {
        if (t > lowest_failure.load(std::memory_order_relaxed)) return;
        try {
            poll_cancelled(work_per_poll);
            function(context, t, worker);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (t < lowest_failure) {
                lowest_failure = t;
                error = std::current_exception();
            }
        }
    }
}

LoopState Slot::claim(std::uint32_t generation, std::uint32_t joining) {
    std::uint64_t word = state.load(std::memory_order_acquire);
    for (;;) {
        const LoopState now(word);
        if (now.generation() != generation || now.pieces() == 0 || now.free_workers() < joining)
            return {generation, 0, 0};
        const LoopState then(generation, now.free_workers() - joining, now.pieces() - 1);
        if (state.compare_exchange_weak(word, then.word(), std::memory_order_acq_rel,
                                        std::memory_order_acquire))
            return now;
    }
}

void Slot::work(LoopState claimed, int worker) {
    for (; claimed.pieces() != 0; claimed = claim(claimed.generation(), 0)) {
        loop->run_piece(loop->pieces - claimed.pieces(), worker);
        // Only the caller waits, and only for the last piece.
        if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1 && worker != 0)
            unfinished.notify_one();
    }
}

std::uint32_t BackOff::admit(std::uint32_t helpers) {
    const std::uint32_t withheld = withheld_.load(std::memory_order_relaxed);
    if (withheld == 0) return helpers;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now < withheld_until_) return helpers - std::min(helpers, withheld);
    withheld_ = 0;
    last_lifted_ = now;
    return helpers;
}

void BackOff::stalled(std::uint32_t helpers) {
    if (!backs_off) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool again = now - last_lifted_ < 4 * pause_;
    pause_ = again ? std::min(2 * pause_, max_pause) : min_pause;
    withheld_ = std::min(withheld_ + helpers, static_cast<std::uint32_t>(max_threads));
    withheld_until_ = now + pause_;
}

void Pool::run(Loop& loop) {
    const std::uint32_t helpers = back_off_.admit(loop.team - 1);
    Slot* const slot = helpers > 0 ? open(loop, helpers) : nullptr;
    if (slot == nullptr) {
        for (std::uint32_t p = 0; p < loop.pieces; ++p) loop.run_piece(p, 0);
    } else {
        wake(helpers);
        const LoopState now(slot->state.load(std::memory_order_relaxed));
        slot->work(slot->claim(now.generation(), 0), 0);
        wait(*slot);
        slot->used.store(false, std::memory_order_release);
    }
    if (loop.error) std::rethrow_exception(loop.error);
}

// Null if no slot is free or there are no helpers.
Slot* Pool::open(Loop& loop, std::uint32_t helpers) {
    if (started_.load(std::memory_order_acquire) < helpers && !short_of_threads_)
        start_helpers(helpers);
    if (started_.load(std::memory_order_acquire) == 0) return nullptr;
    for (Slot& slot : slots_) {
        if (slot.used.load(std::memory_order_relaxed) ||
            slot.used.exchange(true, std::memory_order_acquire))
            continue;
        const LoopState last(slot.state.load(std::memory_order_relaxed));
        slot.loop = &loop;
        slot.unfinished.store(loop.pieces, std::memory_order_relaxed);
        slot.state.store(LoopState(last.generation() + 1, helpers, loop.pieces).word(),
                         std::memory_order_release);
        return &slot;
    }
    return nullptr;
}

void Pool::start_helpers(std::size_t helpers) {
    const std::lock_guard lock(starting_);
    const SignalsBlocked blocked;
    while (helpers_.size() < helpers && !stopped_ && !short_of_threads_) {
        Helper& helper = helpers_.emplace_back();
        try {
            helper.thread = std::thread([this, &helper] { helper_main(helper); });
        } catch (...) {  // no more threads or memory: continue with fewer helpers
            helpers_.pop_back();
            short_of_threads_ = true;
        }
    }
    if (!stopped_) started_.store(helpers_.size(), std::memory_order_release);
}

// Spinning helpers see the new epoch by themselves. So does a helper about to sleep, because it
// sleeps only while the epoch is the one it saw.
void Pool::wake(std::uint32_t helpers) {
    epoch_.fetch_add(1);
    const std::uint32_t awake = spinning_.load(), asleep = sleeping_.load();
    if (awake >= helpers || asleep == 0) return;
    if (helpers - awake >= asleep) return epoch_.notify_all();
    for (std::uint32_t k = awake; k < helpers; ++k) epoch_.notify_one();
}

void Pool::helper_main(Helper& self) {
    in_helper = true;
    const FloatEnvironment environment;  // not that of the thread that started this one
    for (;;) {
        const std::uint32_t seen = epoch_.load();  // first: stop() changes it last
        if (stopped_.load()) return;
        bool any_joined = false;
        for (Slot& slot : slots_) any_joined = try_join(slot, self) || any_joined;
        if (any_joined) continue;
        spinning_.fetch_add(1);
        const bool changed = spin(idle_spin, [&] { return epoch_.load() != seen; });
        spinning_.fetch_sub(1);
        if (changed) continue;
        sleeping_.fetch_add(1);
        epoch_.wait(seen);
        sleeping_.fetch_sub(1);
    }
}

bool Pool::try_join(Slot& slot, Helper& self) {
    const LoopState now(slot.state.load(std::memory_order_relaxed));
    if (now.pieces() == 0 || now.free_workers() == 0) return false;
    self.joined.store(&slot, std::memory_order_relaxed);
    const LoopState claimed = slot.claim(now.generation(), 1);
    const bool claimed_any = claimed.pieces() != 0;
    if (claimed_any) {
        // Workers are numbered as they join; 0 is the caller. Back-off may have left the first
        // numbers unused.
        const std::uint32_t worker = slot.loop->team - claimed.free_workers();
        const LedgerScope ledger(slot.loop->ledger);
        const CancellationScope call(slot.loop->call);
        slot.work(claimed, static_cast<int>(worker));
    }
    self.joined.store(nullptr, std::memory_order_relaxed);
    return claimed_any;
}

void Pool::wait(Slot& slot) {
    const auto left = [&] { return slot.unfinished.load(std::memory_order_acquire); };
    if (spin(wait_spin, [&] { return left() == 0; })) return;
    const auto begin = Clock::now();
    std::array<std::optional<RunTime>, 16> busy;  // a sample of the helpers is enough
    std::uint32_t count = 0;
    {
        const std::lock_guard lock(starting_);
        for (Helper& helper : helpers_)
            if (count < busy.size() && helper.joined.load(std::memory_order_relaxed) == &slot)
                busy[count++].emplace(helper.thread);
    }
    // Sleep rather than spin, so that a preempted helper can run on this core.
    while (const std::uint32_t pieces = left())
        slot.unfinished.wait(pieces, std::memory_order_acquire);
    const nanoseconds waited = Clock::now() - begin;
    if (waited < min_stall || count == 0) return;
    // If one helper ran most of the time, the caller waited for its work. (A helper
    // blocked in a consumer has not run either; fewer helpers are no loss then.)
    nanoseconds ran{};
    for (std::uint32_t k = 0; k < count; ++k) ran = std::max(ran, busy[k]->elapsed());
    if (ran < waited / 2) back_off_.stalled(count);
}

void Pool::stop() {
    auto helpers = std::make_unique<std::deque<Helper>>();
    {
        const std::lock_guard lock(starting_);
        stopped_ = true;
        started_ = 0;
        helpers->swap(helpers_);  // does not move them in memory
    }
    epoch_.fetch_add(1);
    epoch_.notify_all();
    // If a loop is running, exit() was called by one of its tasks or concurrently: its helpers
    // may wait for locks that the calling thread holds.
    bool running = in_helper;
    for (const Slot& slot : slots_) running = running || slot.used.load();
    for (Helper& helper : *helpers)
        if (running)
            helper.thread.detach();
        else
            helper.thread.join();
    if (running) abandoned_ = helpers.release();
}

}  // namespace vicinal::inline VICINAL_API
