#include "core/pool.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

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

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// Between the loops of a search helpers stay awake; then they sleep.
constexpr nanoseconds idle_spin = std::chrono::microseconds(30);
// A caller spins about as long as a wake-up would take.
constexpr nanoseconds wait_spin = std::chrono::microseconds(50);
// Time slices are longer.
constexpr nanoseconds min_stall = std::chrono::microseconds(250);

// Under the thread sanitizer stalls mean nothing, and every thread is wanted.
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

// Helpers must not run the program's signal handlers: blocks all signals for the threads that
// are made while it lives.
class SignalsBlocked {
#ifdef VICINAL_SIGNALS
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
#endif
};

// How long another thread has run since this was made. Zero where the system does not say.
class RunTime {
  public:
#ifdef __linux__
    explicit RunTime(std::thread& thread)
        : known_(pthread_getcpuclockid(thread.native_handle(), &clock_) == 0), begin_(now()) {}
    nanoseconds elapsed() const { return now() - begin_; }

  private:
    nanoseconds now() const {
        timespec time{};
        if (!known_ || clock_gettime(clock_, &time) != 0) return {};
        return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
    }
    clockid_t clock_{};
    bool known_;
    nanoseconds begin_;
#else
    explicit RunTime(std::thread&) {}
    nanoseconds elapsed() const { return {}; }
#endif
};

}  // namespace

void Loop::run_piece(std::uint32_t piece, int worker) {
    const std::size_t begin = piece * piece_tasks;
    const std::size_t end = std::min(tasks, begin + piece_tasks);
    for (std::size_t t = begin; t < end; ++t) {
        if (t > lowest_failure.load(std::memory_order_relaxed)) return;
        try {
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

Ticket Slot::take(std::uint32_t generation, std::uint32_t seats) {
    std::uint64_t word = ticket.load(std::memory_order_acquire);
    for (;;) {
        const Ticket now(word);
        if (now.generation() != generation || now.pieces() == 0 || now.seats() < seats)
            return {generation, 0, 0};
        const Ticket then(generation, now.seats() - seats, now.pieces() - 1);
        if (ticket.compare_exchange_weak(word, then.word(), std::memory_order_acq_rel,
                                         std::memory_order_acquire))
            return now;
    }
}

void Slot::work(Ticket taken, int worker) {
    for (; taken.pieces() != 0; taken = take(taken.generation(), 0)) {
        loop->run_piece(loop->pieces - taken.pieces(), worker);
        // Only the caller waits, and only for the last one.
        if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1 && worker != 0)
            unfinished.notify_one();
    }
}

std::uint32_t BackOff::admit(std::uint32_t helpers) {
    const std::uint32_t limit = limit_.load(std::memory_order_relaxed);
    if (helpers <= limit) return helpers;
    const auto now = Clock::now();
    if (now < resume_.load(std::memory_order_relaxed)) return limit;
    const std::lock_guard lock(mutex_);
    resumed_ = now;
    limit_ = no_limit;
    return helpers;
}

void BackOff::stalled(std::uint32_t helpers, std::uint32_t stalled) {
    if (!backs_off) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool again = now - resumed_ < 4 * pause_;
    pause_ = again ? std::min(2 * pause_, max_pause) : min_pause;
    limit_ = helpers - std::min(helpers, stalled);
    resume_ = now + pause_;
}

void Pool::run(Loop& loop) {
    const std::uint32_t helpers = back_off_.admit(loop.team - 1);
    Slot* const slot = helpers > 0 ? open(loop, helpers) : nullptr;
    if (slot == nullptr) {
        for (std::uint32_t p = 0; p < loop.pieces; ++p) loop.run_piece(p, 0);
    } else {
        wake(helpers);
        const Ticket now(slot->ticket.load(std::memory_order_relaxed));
        slot->work(slot->take(now.generation(), 0), 0);
        wait(*slot, helpers);
        slot->used.store(false, std::memory_order_release);
    }
    if (loop.error) std::rethrow_exception(loop.error);
}

// Null if there is no slot, or nobody to help.
Slot* Pool::open(Loop& loop, std::uint32_t helpers) {
    if (hired_.load(std::memory_order_acquire) < helpers) hire(helpers);
    if (hired_.load(std::memory_order_acquire) == 0) return nullptr;
    for (Slot& slot : slots_) {
        if (slot.used.load(std::memory_order_relaxed) ||
            slot.used.exchange(true, std::memory_order_acquire))
            continue;
        const Ticket last(slot.ticket.load(std::memory_order_relaxed));
        slot.loop = &loop;
        slot.unfinished.store(loop.pieces, std::memory_order_relaxed);
        slot.ticket.store(Ticket(last.generation() + 1, helpers, loop.pieces).word(),
                          std::memory_order_release);
        return &slot;
    }
    return nullptr;
}

void Pool::hire(std::size_t helpers) {
    const std::lock_guard lock(hiring_);
    const SignalsBlocked blocked;
    while (helpers_.size() < helpers && !stopped_ && !short_of_threads_) {
        Helper& helper = helpers_.emplace_back();
        try {
            helper.thread = std::thread([this, &helper] { help(helper); });
        } catch (const std::system_error&) {  // the system has no more: fewer will do
            helpers_.pop_back();
            short_of_threads_ = true;
        }
    }
    if (!stopped_) hired_.store(helpers_.size(), std::memory_order_release);
}

// Those that spin see the new epoch by themselves. One that is on its way to sleep sees it too,
// for it sleeps only while the epoch is the one it saw.
void Pool::wake(std::uint32_t helpers) {
    epoch_.fetch_add(1);
    const std::uint32_t awake = spinning_.load(), asleep = sleeping_.load();
    if (awake >= helpers || asleep == 0) return;
    if (helpers - awake >= asleep) return epoch_.notify_all();
    for (std::uint32_t k = awake; k < helpers; ++k) epoch_.notify_one();
}

void Pool::help(Helper& self) {
    in_helper = true;
    while (!stopped_.load(std::memory_order_relaxed)) {
        const std::uint32_t seen = epoch_.load();
        bool served = false;
        for (Slot& slot : slots_) served = serve(slot, self) || served;
        if (served) continue;
        spinning_.fetch_add(1);
        const bool changed = spin(idle_spin, [&] { return epoch_.load() != seen; });
        spinning_.fetch_sub(1);
        if (changed) continue;
        sleeping_.fetch_add(1);
        epoch_.wait(seen);
        sleeping_.fetch_sub(1);
    }
}

bool Pool::serve(Slot& slot, Helper& self) {
    const Ticket now(slot.ticket.load(std::memory_order_relaxed));
    if (now.pieces() == 0 || now.seats() == 0) return false;
    self.serving.store(&slot, std::memory_order_relaxed);
    const Ticket taken = slot.take(now.generation(), 1);
    const bool served = taken.pieces() != 0;
    if (served) {
        // Seats are handed out from the caller's on.
        const std::uint32_t worker = slot.loop->team - taken.seats();
        slot.work(taken, static_cast<int>(worker));
    }
    self.serving.store(nullptr, std::memory_order_relaxed);
    return served;
}

void Pool::wait(Slot& slot, std::uint32_t helpers) {
    const auto left = [&] { return slot.unfinished.load(std::memory_order_acquire); };
    if (spin(wait_spin, [&] { return left() == 0; })) return;
    const auto begin = Clock::now();
    std::array<std::optional<RunTime>, 16> busy;  // as many as tell how it is
    std::uint32_t count = 0;
    {
        const std::lock_guard lock(hiring_);
        for (Helper& helper : helpers_)
            if (count < busy.size() && helper.serving.load(std::memory_order_relaxed) == &slot)
                busy[count++].emplace(helper.thread);
    }
    // Asleep: a helper that has no core may have this one.
    while (const std::uint32_t pieces = left())
        slot.unfinished.wait(pieces, std::memory_order_acquire);
    const nanoseconds waited = Clock::now() - begin;
    if (waited < min_stall || count == 0) return;
    // If one of them ran, the caller waited for its work.
    nanoseconds ran{};
    for (std::uint32_t k = 0; k < count; ++k) ran = std::max(ran, busy[k]->elapsed());
    if (ran < waited / 2) back_off_.stalled(helpers, count);
}

void Pool::stop() {
    const std::lock_guard lock(hiring_);
    stopped_ = true;
    hired_ = 0;
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (Helper& helper : helpers_)
        if (in_helper)  // a task called exit()
            helper.thread.detach();
        else
            helper.thread.join();
}

}  // namespace vicinal
