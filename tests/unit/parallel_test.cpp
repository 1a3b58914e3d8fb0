// Parallel loops and the thread pool.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "base/lazy.hpp"
#include "base/parallel.hpp"
#include "base/pool.hpp"

namespace vicinal {
namespace {

TEST(Parallel, TasksRunOnceEach) {
    for (int threads : {1, 2, 3, 8})
        for (std::size_t tasks : {0u, 1u, 2u, 7u, 1000u}) {
            std::vector<std::atomic<int>> runs(tasks);
            parallel_tasks(threads, tasks, [&](std::size_t t, int worker) {
                EXPECT_LT(worker, threads);
                ++runs[t];
            });
            for (const auto& run : runs) EXPECT_EQ(run, 1);
        }
}

// More than the number of pieces that fit a loop's state.
TEST(Parallel, MillionsOfTasksRunOnceEach) {
    const std::size_t tasks = (std::size_t{1} << 21) + 5;
    const auto runs = std::make_unique<std::atomic<unsigned char>[]>(tasks);
    parallel_tasks(3, tasks, [&](std::size_t t, int) { ++runs[t]; });
    for (std::size_t t = 0; t < tasks; ++t) ASSERT_EQ(runs[t], 1) << t;
}

TEST(Parallel, NoTwoTasksHaveOneWorkerAtATime) {
    for (int loop = 0; loop < 200; ++loop) {
        std::vector<std::atomic<int>> tasks_of(5);
        parallel_tasks(5, 50, [&](std::size_t, int worker) {
            auto& mine = tasks_of[static_cast<std::size_t>(worker)];
            EXPECT_EQ(mine++, 0);
            for (int k = 0; k < 1000; ++k) static_cast<void>(mine.load());
            --mine;
        });
    }
}

TEST(Parallel, TheLowestFailureIsThrown) {
    for (int threads : {1, 2, 8}) {
        try {
            parallel_tasks(threads, 1000, [](std::size_t t, int) {
                if (t >= 17) throw t;
            });
            FAIL();
        } catch (std::size_t t) {
            EXPECT_EQ(t, 17u);
        }
    }
}

// The caller could run all tasks itself, but with helpers, some of them help.
TEST(Parallel, OthersHelp) {
    using namespace std::chrono_literals;
    std::atomic<bool> helped = false;
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!helped && std::chrono::steady_clock::now() < end)
        parallel_tasks(2, 2, [&](std::size_t, int worker) {
            if (worker == 1) helped = true;
            const auto wait = std::chrono::steady_clock::now() + 2ms;
            while (!helped && std::chrono::steady_clock::now() < wait)
                std::this_thread::yield();
        });
    EXPECT_TRUE(helped);
}

// A loop whose helpers are busy elsewhere still completes.
TEST(Parallel, TheCallerNeedsNobody) {
    using namespace std::chrono_literals;
    std::atomic<bool> release = false;
    std::atomic<int> held = 0;
    std::thread other([&] {
        parallel_tasks(3, 3, [&](std::size_t, int) {
            ++held;
            while (!release) std::this_thread::yield();
        });
    });
    // All three, unless the machine is so busy that helpers do not run.
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (held == 0 || (held < 3 && std::chrono::steady_clock::now() < end))
        std::this_thread::yield();
    std::atomic<int> runs = 0;
    for (int loop = 0; loop < 100; ++loop)
        parallel_tasks(2, 10, [&](std::size_t, int) { ++runs; });
    EXPECT_EQ(runs, 1000);
    release = true;
    other.join();
    EXPECT_EQ(held, 3);
}

TEST(Parallel, LoopsInsideLoops) {
    for (int loop = 0; loop < 20; ++loop) {
        std::atomic<std::size_t> sum = 0;
        parallel_tasks(3, 8, [&](std::size_t outer, int) {
            parallel_tasks(3, 8, [&](std::size_t middle, int) {
                parallel_tasks(2, 4, [&](std::size_t inner, int) {
                    sum += 100 * outer + 10 * middle + inner;
                });
            });
        });
        EXPECT_EQ(sum, std::size_t{28 * 3200 + 28 * 320 + 6 * 64});
    }
}

// An error of a nested loop is an error of the outer task.
TEST(Parallel, AFailureInsideGoesThroughAllLoops) {
    EXPECT_THROW(parallel_tasks(3, 8,
                                [](std::size_t, int) {
                                    parallel_tasks(3, 8, [](std::size_t t, int) {
                                        if (t == 5) throw std::runtime_error("inner");
                                    });
                                }),
                 std::runtime_error);
}

TEST(Parallel, ManyCallers) {
    std::vector<std::thread> callers;
    std::atomic<int> wrong = 0;
    for (std::size_t c = 0; c < 40; ++c)  // more than the number of slots
        callers.emplace_back([&, c] {
            for (std::size_t loop = 0; loop < 100; ++loop) {
                std::atomic<std::size_t> sum = 0;
                const std::size_t tasks = 1 + (c * 7 + loop) % 30;
                parallel_tasks(1 + static_cast<int>(loop % 4), tasks,
                               [&](std::size_t t, int) { sum += t + 1; });
                wrong += sum != tasks * (tasks + 1) / 2;
            }
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

void run_loop(Pool& pool, std::uint32_t team, std::atomic<std::size_t>& sum) {
    Loop loop{[](const void* context, std::size_t task, int) {
                  *static_cast<std::atomic<std::size_t>*>(const_cast<void*>(context)) += task;
              },
              &sum,
              10,
              1,
              10,
              team,
              nullptr,
              nullptr};
    pool.run(loop);
}

// Also a pool whose helpers are just going to sleep or have not started.
TEST(Pool, StopsAtAnyTime) {
    for (int k = 0; k < 500; ++k) {
        Pool pool;
        std::atomic<std::size_t> sum = 0;
        for (int loops = 0; loops <= k % 3; ++loops) run_loop(pool, 3, sum);
        if (k % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(10 * (k % 10)));
        pool.stop();
        run_loop(pool, 3, sum);  // by the caller alone
        EXPECT_EQ(sum, std::size_t{45} * static_cast<std::size_t>(k % 3 + 2));
    }
}

TEST(Pool, NothingIsTakenWithAnotherGeneration) {
    Slot slot;
    slot.state = LoopState(7, 2, 3).word();
    EXPECT_EQ(slot.claim(6, 1).pieces(), 0u);
    EXPECT_EQ(slot.state, LoopState(7, 2, 3).word());
    EXPECT_EQ(slot.claim(7, 1).pieces(), 3u);
    EXPECT_EQ(slot.state, LoopState(7, 1, 2).word());
    EXPECT_EQ(slot.claim(7, 1).pieces(), 2u);
    EXPECT_EQ(slot.claim(7, 1).pieces(), 0u);  // no worker is free
    EXPECT_EQ(slot.claim(7, 0).pieces(), 1u);
    EXPECT_EQ(slot.claim(7, 0).pieces(), 0u);  // no piece is left
}

TEST(Pool, BacksOffForAWhile) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "it does not under the thread sanitizer";
#endif
#endif
    BackOff back_off;
    EXPECT_EQ(back_off.admit(63), 63u);
    back_off.stalled(1);
    // The test itself may be preempted for as long: then the limit has expired.
    const auto limited = back_off.admit(63);
    EXPECT_TRUE(limited == 62 || limited == 63) << limited;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(back_off.admit(63), 63u);
    std::uint32_t smallest = 63;
    for (int k = 0; k < 8; ++k) {  // repeated: the back-off grows
        back_off.stalled(2);
        smallest = std::min(smallest, back_off.admit(63));
        smallest = std::min(smallest, back_off.admit(1));
    }
    EXPECT_EQ(smallest, 0u);
}

TEST(Parallel, ScanSumsWhatComesBefore) {
    for (int threads : {1, 2, 5})
        for (std::size_t n : {0u, 1u, 4095u, 100000u}) {
            std::vector<std::uint64_t> values(n), expected(n);
            std::iota(values.begin(), values.end(), 1);
            std::exclusive_scan(values.begin(), values.end(), expected.begin(),
                                std::uint64_t{0});
            const std::uint64_t total = exclusive_scan(threads, std::span(values));
            EXPECT_EQ(values, expected);
            EXPECT_EQ(total, n * (n + 1) / 2);
        }
}

TEST(Lazy, IsMadeOnce) {
    Lazy<int> number;
    EXPECT_EQ(number.get_if_made(), nullptr);
    int& first = number.get([] { return std::make_unique<int>(3); });
    EXPECT_EQ(&number.get([] { return std::make_unique<int>(4); }), &first);
    EXPECT_EQ(first, 3);
    EXPECT_EQ(number.release(), &first);
    EXPECT_EQ(number.get_if_made(), nullptr);
    delete &first;
}

// With a static local variable the child would wait for a thread that does not exist in it.
TEST(Lazy, IsMadeInAChildForkedMeanwhile) {
    Lazy<int> number;
    std::atomic<bool> making = false, forked = false;
    std::thread maker([&] {
        number.get([&] {
            making = true;
            while (!forked) std::this_thread::yield();
            return std::make_unique<int>(1);
        });
    });
    while (!making) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(number.get([] { return std::make_unique<int>(2); }) == 2 ? 0 : 1);
    }
    forked = true;
    int status = -1;
    waitpid(child, &status, 0);
    maker.join();
    EXPECT_EQ(status, 0);
    delete number.release();
}

}  // namespace
}  // namespace vicinal
