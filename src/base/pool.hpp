// The thread pool behind run_tasks(). A loop ends when its tasks are done, not when every
// thread has arrived: the calling thread takes tasks like any other, so on a machine with busy
// cores it does most of them itself. It waits only for tasks that another thread has begun.
//
// A loop is cut into pieces and published in a slot. Threads claim pieces by a compare-and-swap
// on the slot's state and count down `unfinished` when they are done; no lock is taken for
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

#include "base/ledger.hpp"

#include <vicinal/parallel.hpp>

namespace vicinal::inline VICINAL_API {

constexpr int max_threads = 4096;

// One call of run_tasks(), on the stack of the caller.
struct Loop {
    TaskFunction function;
    const void* context;
    std::size_t tasks;
    std::size_t piece_tasks;  // tasks that are taken at once
    std::uint32_t pieces;
    std::uint32_t team;    // threads, the caller included
    MemoryLedger* ledger;  // in force where the loop was called, and for its helpers
    // Tasks below the lowest failure so far still run, so which error is thrown does not
    // depend on timing.
    std::atomic<std::size_t> lowest_failure = std::numeric_limits<std::size_t>::max();
    std::exception_ptr error = nullptr;
    std::mutex failing = {};

    void run_piece(std::uint32_t piece, int worker);
};

// The rest of a loop in one word: the generation of its slot, how many helpers may still join,
// and the unclaimed pieces. A helper that slept while the slot was closed and reopened finds
// another generation and claims nothing.
class LoopState {
  public:
    static constexpr unsigned piece_bits = 20, free_bits = 12;
    static constexpr std::uint32_t max_pieces = (1u << piece_bits) - 1;
    static_assert(max_threads <= 1 << free_bits);

    explicit LoopState(std::uint64_t word) : word_(word) {}
    LoopState(std::uint32_t generation, std::uint32_t free_workers, std::uint32_t pieces)
        : word_(std::uint64_t{generation} << (free_bits + piece_bits) |
                std::uint64_t{free_workers} << piece_bits | pieces) {}

    std::uint64_t word() const { return word_; }
    std::uint32_t generation() const {
        return static_cast<std::uint32_t>(word_ >> (free_bits + piece_bits));
    }
    std::uint32_t free_workers() const {
        return static_cast<std::uint32_t>(word_ >> piece_bits) & ((1u << free_bits) - 1);
    }
    std::uint32_t pieces() const { return static_cast<std::uint32_t>(word_) & max_pieces; }

  private:
    std::uint64_t word_;
};

// A loop that is open to helpers. Slots live as long as the pool, so a late helper may read the
// state at any time; it may use `loop` only while it holds an unfinished piece.
struct alignas(64) Slot {
    std::atomic<std::uint64_t> state = 0;
    std::atomic<std::uint32_t> unfinished = 0;  // pieces
    std::atomic<bool> used = false;
    Loop* loop = nullptr;

    // Claims a piece, for `joining` helpers that join the loop (0 or 1); returns the state as
    // it was before. If no piece is left or the generation is another, nothing is claimed and
    // the state returned has no pieces.
    LoopState claim(std::uint32_t generation, std::uint32_t joining);
    // Runs the piece that was claimed, then others until none is left.
    void work(LoopState claimed, int worker);
};

// Limits the helpers of a loop. A helper that is preempted while it holds a piece makes the
// caller wait for milliseconds. After such a stall loops get fewer helpers for a while, twice
// as long each time it soon happens again.
class BackOff {
  public:
    std::uint32_t admit(std::uint32_t helpers);
    // Reports that this many helpers of a loop did not run while the caller waited for them.
    void stalled(std::uint32_t helpers);

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration min_pause = std::chrono::milliseconds(16);
    static constexpr Clock::duration max_pause = std::chrono::milliseconds(1024);

    std::atomic<std::uint32_t> missing_ = 0;  // helpers that every loop does without
    std::mutex mutex_;                        // for the members below
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
        std::atomic<const Slot*> joined = nullptr;
    };
    // Loops that are open to helpers at the same time; others run on their callers alone.
    static constexpr std::size_t max_loops = 32;

    Slot* open(Loop& loop, std::uint32_t helpers);
    void start_helpers(std::size_t helpers);
    void wake(std::uint32_t helpers);
    void helper_main(Helper& self);
    bool try_join(Slot& slot, Helper& self);
    void wait(Slot& slot);

    std::array<Slot, max_loops> slots_;
    std::atomic<std::uint32_t> epoch_ = 0;  // counts the loops opened; idle helpers wait for it
    std::atomic<std::uint32_t> spinning_ = 0, sleeping_ = 0;  // idle helpers
    std::atomic<bool> stopped_ = false;
    BackOff back_off_;
    std::mutex starting_;
    std::atomic<std::size_t> started_ = 0;
    std::atomic<bool> short_of_threads_ = false;
    std::deque<Helper> helpers_;               // never move
    std::deque<Helper>* abandoned_ = nullptr;  // detached when the process ended
};

}  // namespace vicinal::inline VICINAL_API
