#include "core/pool.hpp"

#include <algorithm>
#include <memory>
#include <optional>

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
// Shorter waits are load imbalance; a lost time slice costs milliseconds.
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

// Asynchronous signals are for the program's own threads: blocks them for the threads that are
// made while it lives. Faults, and what profilers use, are raised where they happen.
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
    ~SignalsBlocked() {
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

  private:
    sigset_t before_;
#endif
};

// The processor time of another thread since this was made. The maximum where the system does
// not say, so that nothing is taken for a stall.
class RunTime {
  public:
#ifdef __linux__
    explicit RunTime(std::thread& thread)
        : known_(pthread_getcpuclockid(thread.native_handle(), &clock_) == 0), begin_(now()) {}
    nanoseconds elapsed() const {
        return known_ ? now() - begin_ : nanoseconds::max();
    }

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
    nanoseconds elapsed() const {
        return nanoseconds::max();
    }
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
    const std::uint32_t missing = missing_.load(std::memory_order_relaxed);
    if (missing == 0) return helpers;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now < missing_until_) return helpers - std::min(helpers, missing);
    missing_ = 0;
    last_lifted_ = now;
    return helpers;
}

void BackOff::stalled(std::uint32_t helpers) {
    if (!backs_off) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool again = now - last_lifted_ < 4 * pause_;
    pause_ = again ? std::min(2 * pause_, max_pause) : min_pause;
    missing_ = std::min(missing_ + helpers, static_cast<std::uint32_t>(max_threads));
    missing_until_ = now + pause_;
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
        wait(*slot);
        slot->used.store(false, std::memory_order_release);
    }
    if (loop.error) std::rethrow_exception(loop.error);
}

// Null if there is no slot, or nobody to help.
Slot* Pool::open(Loop& loop, std::uint32_t helpers) {
    if (hired_.load(std::memory_order_acquire) < helpers && !short_of_threads_) hire(helpers);
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
        } catch (...) {  // the system has no more threads, or no memory: fewer will do
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
    for (;;) {
        const std::uint32_t seen = epoch_.load();  // first: stop() changes it last
        if (stopped_.load()) return;
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
        // Workers are numbered as they join; 0 is the caller. Back-off may have left the first
        // numbers unused.
        const std::uint32_t worker = slot.loop->team - taken.seats();
        slot.work(taken, static_cast<int>(worker));
    }
    self.serving.store(nullptr, std::memory_order_relaxed);
    return served;
}

void Pool::wait(Slot& slot) {
    const auto left = [&] { return slot.unfinished.load(std::memory_order_acquire); };
    if (spin(wait_spin, [&] { return left() == 0; })) return;
    const auto begin = Clock::now();
    std::array<std::optional<RunTime>, 16> busy;  // a sample of the helpers is enough
    std::uint32_t count = 0;
    {
        const std::lock_guard lock(hiring_);
        for (Helper& helper : helpers_)
            if (count < busy.size() && helper.serving.load(std::memory_order_relaxed) == &slot)
                busy[count++].emplace(helper.thread);
    }
    // Sleep rather than spin, so that a preempted helper can run on this core.
    while (const std::uint32_t pieces = left())
        slot.unfinished.wait(pieces, std::memory_order_acquire);
    const nanoseconds waited = Clock::now() - begin;
    if (waited < min_stall || count == 0) return;
    // If one of them ran most of the time, the caller waited for its work. (A helper that a
    // consumer blocks has not run either: fewer of them are no loss then.)
    nanoseconds ran{};
    for (std::uint32_t k = 0; k < count; ++k) ran = std::max(ran, busy[k]->elapsed());
    if (ran < waited / 2) back_off_.stalled(count);
}

void Pool::stop() {
    auto helpers = std::make_unique<std::deque<Helper>>();
    {
        const std::lock_guard lock(hiring_);
        stopped_ = true;
        hired_ = 0;
        helpers->swap(helpers_);  // they stay where they are in memory
    }
    epoch_.fetch_add(1);
    epoch_.notify_all();
    // Where a loop is running, exit() was called by one of its tasks or beside it: its helpers
    // may wait for what the thread that called it holds.
    bool running = in_helper;
    for (const Slot& slot : slots_) running = running || slot.used.load();
    for (Helper& helper : *helpers)
        if (running)
            helper.thread.detach();
        else
            helper.thread.join();
    if (running) abandoned_ = helpers.release();
}

}  // namespace vicinal
