// The thread pool behind run_tasks(). A loop ends when its tasks are done, without a barrier
// for all threads: the calling thread takes tasks like any other, so on a machine with busy
// cores it does most of them itself. It waits only for tasks that another thread has begun.
//
// A loop is divided into pieces and published in a slot. Threads claim pieces by a lock-free
// compare-and-swap on the slot's state and decrement `unfinished` when they are done. Nothing
// is allocated once the helpers have been started.
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

#include "base/cancellation.hpp"
#include "base/ledger.hpp"

#include <vicinal/parallel.hpp>

namespace vicinal::inline VICINAL_API {

constexpr int max_threads = 4096;

// One call of run_tasks(), on the stack of the caller.
struct Loop {
    TaskFunction function;
    const void* context;
    std::size_t tasks;
    std::size_t piece_tasks;  // tasks per piece
    std::uint32_t pieces;
    std::uint32_t team;  // threads, the caller included
    // Current ledger and call of the caller, and of its helpers.
    MemoryLedger* ledger;
    Cancellation* call;
    // Tasks below the lowest failure so far still run, so which error is thrown does not
    // depend on timing.
    std::atomic<std::size_t> lowest_failure = std::numeric_limits<std::size_t>::max();
    std::exception_ptr error = nullptr;
    std::mutex failing = {};

    void run_piece(std::uint32_t piece, int worker);
};

// The state of a running loop in one word: the generation of its slot, how many helpers may
// still join, and the number of unclaimed pieces. A helper that slept while the slot was closed
// and reopened finds another generation and claims nothing.
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

    // Claims a piece; `joining` is 1 if a helper joins the loop with this claim, else 0.
    // Returns the state before the claim. If no piece is left or the generation differs,
    // nothing is claimed and the returned state has no pieces.
    LoopState claim(std::uint32_t generation, std::uint32_t joining);
    // Runs the piece that was claimed, then others until none is left.
    void work(LoopState claimed, int worker);
};

// Limits the helpers of a loop. A helper that is preempted while it holds a piece makes the
// caller wait for milliseconds. After such a stall loops get fewer helpers for a while, with
// exponential back-off: twice as long each time another stall soon follows.
class BackOff {
  public:
    std::uint32_t admit(std::uint32_t helpers);
    // Reports that this many helpers of a loop did not run while the caller waited for them.
    void stalled(std::uint32_t helpers);

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration min_pause = std::chrono::milliseconds(16);
    static constexpr Clock::duration max_pause = std::chrono::milliseconds(1024);

    std::atomic<std::uint32_t> withheld_ = 0;  // helpers withheld from every loop
    std::mutex mutex_;                         // for the members below
    Clock::time_point withheld_until_ = {}, last_lifted_ = {};
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
    std::deque<Helper> helpers_;               // elements never move
    std::deque<Helper>* abandoned_ = nullptr;  // detached when the process ended
};

}  // namespace vicinal::inline VICINAL_API
