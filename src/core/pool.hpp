// The pool of threads behind run_tasks(). A loop ends when its tasks are done, not when every
// thread has come: the calling thread takes tasks like any other, so on a machine with busy
// cores it does most of them itself. It waits only for tasks that another thread has begun.
//
// A loop is cut into pieces and published in a slot. Threads take pieces by a compare-and-swap
// on the slot's ticket and count down `unfinished` when they are done; no lock is taken for
// that. Nothing is allocated once the helpers have been started.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include <vicinal/parallel.hpp>

namespace vicinal {

constexpr int max_threads = 4096;

// One call of run_tasks(), on the stack of the caller.
struct Loop {
    TaskFunction function;
    const void* context;
    std::size_t tasks;
    std::size_t piece_tasks;  // tasks that are taken at once
    std::uint32_t pieces;
    std::uint32_t team;  // threads, the caller included
    // Tasks below the lowest failure so far still run, so which error is thrown does not
    // depend on timing.
    std::atomic<std::size_t> lowest_failure = std::numeric_limits<std::size_t>::max();
    std::exception_ptr error = nullptr;
    std::mutex failing = {};

    void run_piece(std::uint32_t piece, int worker);
};

// What is left of a loop, in one word: the generation of its slot, the seats for further
// helpers, the pieces that nobody has taken. A helper that slept while the slot was closed and
// opened again finds another generation and takes nothing.
class Ticket {
  public:
    static constexpr unsigned piece_bits = 20, seat_bits = 12;
    static constexpr std::uint32_t max_pieces = (1u << piece_bits) - 1;
    static_assert(max_threads <= 1 << seat_bits);

    explicit Ticket(std::uint64_t word) : word_(word) {}
    Ticket(std::uint32_t generation, std::uint32_t seats, std::uint32_t pieces)
        : word_(std::uint64_t{generation} << (seat_bits + piece_bits) |
                std::uint64_t{seats} << piece_bits | pieces) {}

    std::uint64_t word() const { return word_; }
    std::uint32_t generation() const {
        return static_cast<std::uint32_t>(word_ >> (seat_bits + piece_bits));
    }
    std::uint32_t seats() const {
        return static_cast<std::uint32_t>(word_ >> piece_bits) & ((1u << seat_bits) - 1);
    }
    std::uint32_t pieces() const { return static_cast<std::uint32_t>(word_) & max_pieces; }

  private:
    std::uint64_t word_;
};

// Where a loop is open to helpers. Slots live as long as the pool, so a late helper may look at
// the ticket at any time; it may use `loop` only while it holds an unfinished piece.
struct alignas(64) Slot {
    std::atomic<std::uint64_t> ticket = 0;
    std::atomic<std::uint32_t> unfinished = 0;  // pieces
    std::atomic<bool> used = false;
    Loop* loop = nullptr;

    // Takes a piece, and so many seats; returns the ticket as it was before. None is taken, and
    // the ticket returned has no pieces, if none is left or the generation is another.
    Ticket take(std::uint32_t generation, std::uint32_t seats);
    // Runs the next piece of a ticket that was taken, then others until none is left.
    void work(Ticket taken, int worker);
};

// Limits the helpers of a loop. A helper that is preempted while it holds a piece makes the
// caller wait for milliseconds. After that has been seen, loops get fewer helpers for a while,
// twice as long each time it happens again soon.
class BackOff {
  public:
    std::uint32_t admit(std::uint32_t helpers);
    // So many helpers of a loop did not run while the caller waited for them.
    void stalled(std::uint32_t helpers);

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration min_pause = std::chrono::milliseconds(16);
    static constexpr Clock::duration max_pause = std::chrono::milliseconds(1024);

    std::atomic<std::uint32_t> missing_ = 0;  // helpers that every loop does without
    std::mutex mutex_;                        // for the rest
    Clock::time_point missing_until_ = {}, last_lifted_ = {};
    Clock::duration pause_ = min_pause;
};

class Pool {
  public:
    void run(Loop& loop);
    // Ends the helpers; from then on loops run on their callers alone.
    void stop();

  private:
    struct Helper {
        std::thread thread;
        std::atomic<const Slot*> serving = nullptr;
    };
    // Loops that are open to helpers at the same time; others run on their callers alone.
    static constexpr std::size_t max_loops = 32;

    Slot* open(Loop& loop, std::uint32_t helpers);
    void hire(std::size_t helpers);
    void wake(std::uint32_t helpers);
    void help(Helper& self);
    bool serve(Slot& slot, Helper& self);
    void wait(Slot& slot);

    std::array<Slot, max_loops> slots_;
    std::atomic<std::uint32_t> epoch_ = 0;  // counts the loops opened; idle helpers wait for it
    std::atomic<std::uint32_t> spinning_ = 0, sleeping_ = 0;  // idle helpers
    std::atomic<bool> stopped_ = false;
    BackOff back_off_;
    std::mutex hiring_;
    std::atomic<std::size_t> hired_ = 0;
    std::atomic<bool> short_of_threads_ = false;
    std::deque<Helper> helpers_;               // never move
    std::deque<Helper>* abandoned_ = nullptr;  // detached when the process ended
};

}  // namespace vicinal
