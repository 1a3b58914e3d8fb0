// TORTURE, Machine: searches from threads of the caller, in a forked child, inside another
// search, and with more threads than cores.
#include "torture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>

#ifdef VICINAL_TEST_TBB
#include <tbb/parallel_for.h>
#endif

// Called by the leak sanitizer at exit. A forked child has copies of allocations by its
// parent's threads, to which nothing in the child refers.
static bool forked = false;
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() {
    return forked ? 1 : 0;
}

namespace vicinal::test {
namespace {

// Enough bodies for parallel loops, and the pairs of the double loop.
struct Sample {
    std::vector<float> positions = scattered<float, 3>(9000, 0, 1);
    Bodies<float, 3> bodies = points<3>(positions, 0.04);
    Found<3> expected = reference::plain_pairs(bodies, Domain<3>::open());

    // Empty if a new finder with this many threads finds the pairs.
    std::string differs(int threads, const std::string& method = "auto") const {
        return difference<3>(
            expected,
            listed(find_pairs(bodies, with_method<3>(method, threads), Order::sorted)));
    }
};

// In the child of a fork: returns 0 if it found the pairs. An alarm ends a child that hangs.
int search_in_child(const Sample& sample, int threads) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool right = true;
        for (int k = 0; k < 3; ++k) right = right && sample.differs(threads).empty();
        _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST(Machine, a_forked_child_answers) {
    const Sample sample;
    for (int threads : {2, 8}) {
        EXPECT_EQ(sample.differs(threads), "");  // now the parent has helpers
        EXPECT_EQ(search_in_child(sample, threads), 0);
        EXPECT_EQ(sample.differs(threads), "");
    }
}

TEST(Machine, a_child_of_a_child_answers_while_the_parent_searches) {
    const Sample sample;
    std::atomic<bool> stop = false;
    std::thread busy([&] {
        while (!stop) EXPECT_EQ(sample.differs(2), "");
    });
    for (int k = 0; k < 5; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(120);
            const bool right = sample.differs(2).empty();
            _exit(right && search_in_child(sample, 3) == 0 ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    stop = true;
    busy.join();
}

// A consumer that ends the program on any thread, while other threads wait for it.
TEST(Machine, a_consumer_may_call_exit) {
    const Sample sample;
    for (int k = 0; k < 4; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            forked = true;
            alarm(60);
            static std::mutex mutex;
            const auto caller = std::this_thread::get_id();
            Finder<float, 3> finder(with_method<3>("auto", 4));
            finder.update(sample.bodies);
            finder.for_each_block([&](const Block<3>&) {
                const std::lock_guard lock(mutex);
                if ((std::this_thread::get_id() == caller) == (k % 2 == 0)) std::exit(0);
            });
            _exit(0);  // the thread had no task
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
}

// Handlers of atexit() run between destructors of static objects.
TEST(Machine, a_search_while_the_program_ends) {
    static const Sample sample;
    const pid_t child = fork();
    if (child == 0) {
        forked = true;
        alarm(60);
        static_cast<void>(std::atexit([] {
            if (!sample.differs(2).empty()) _exit(1);
        }));
        if (!sample.differs(2).empty()) _exit(1);
        std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(Machine, many_callers_at_once) {
    const Sample sample;
    std::vector<std::string> differs(40);  // more than the number of loop slots
    std::vector<std::thread> callers;
    for (std::size_t k = 0; k < differs.size(); ++k)
        callers.emplace_back([&, k] {
            for (int step = 0; step < 3 && differs[k].empty(); ++step)
                differs[k] = sample.differs(1 + static_cast<int>(k % 5));
        });
    for (std::thread& caller : callers) caller.join();
    for (const std::string& text : differs) EXPECT_EQ(text, "");
}

// A consumer on the library's threads calls other finders and queries the finder itself.
TEST(Machine, searches_inside_a_search) {
    const Sample sample;
    const auto queries = scattered<float, 3>(300, 0, 1, 2);
    const auto expected =
        reference::plain_probe(sample.bodies, points<3>(queries, 0.04), Domain<3>::open());
    ASSERT_FALSE(expected.empty());
    Finder<float, 3> finder(with_method<3>("auto", 4));
    finder.update(sample.bodies);
    std::mutex mutex;
    Found<3> found;
    std::atomic<int> wrong = 0, nested = 0;
    finder.for_each_block([&](const Block<3>& block) {
        {
            const std::lock_guard lock(mutex);
            append(found, block);
        }
        if (nested++ >= 4) return;
        wrong += !sample.differs(3).empty();
        wrong += !difference<3>(expected,
                                listed(finder.probe(points<3>(queries, 0.04), Order::sorted)))
                      .empty();
    });
    EXPECT_GT(nested, 0);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(difference<3>(sample.expected, sorted<3>(found)), "");
}

// Programs with interval arithmetic change the rounding of their threads.
TEST(Machine, the_callers_rounding_does_not_matter) {
    std::vector<float> positions;
    scenes::Random random(9);
    for (int k = 0; k < 2000; ++k) {  // pairs about as far apart as the cut-off
        const float x = static_cast<float>(random.uniform()),
                    y = static_cast<float>(random.uniform());
        const double angle = random.uniform(0, 6);
        for (const float v : {x, y, x + static_cast<float>(0.01 * std::cos(angle)),
                              y + static_cast<float>(0.01 * std::sin(angle))})
            positions.push_back(v);
    }
    const auto bodies = points<2>(positions, 0.01);
    const auto expected = reference::plain_pairs(bodies, Domain<2>::open());
    const auto search = [&](const std::string& method, int threads) {
        Finder<float, 2> finder(with_method<2>(method, threads));
        finder.update(bodies);
        auto found = listed(finder.pairs(Order::sorted));
        EXPECT_EQ(finder.count(), found.size());
        return found;
    };
    ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
    const auto upward = reference::plain_pairs(bodies, Domain<2>::open());
    std::vector<std::string> differs;
    for (const char* const method : {"auto", "brute_force", "kd_tree"})
        for (const int threads : {1, 3})
            differs.push_back(difference<2>(expected, search(method, threads)));
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    for (const std::string& text : differs) EXPECT_EQ(text, "");
    EXPECT_NE(difference<2>(expected, upward), "");  // the double loop is not protected
}

TEST(Machine, inside_a_region_of_openmp) {
#ifndef _OPENMP
    GTEST_SKIP() << "built without OpenMP";
#endif
    const Sample sample;
    std::vector<std::string> differs(8);
#pragma omp parallel for num_threads(4) schedule(dynamic, 1)
    for (std::size_t k = 0; k < differs.size(); ++k)
        differs[k] = sample.differs(1 + static_cast<int>(k % 4));
    for (const std::string& text : differs) EXPECT_EQ(text, "");
}

TEST(Machine, inside_a_region_of_tbb) {
#ifdef VICINAL_TEST_TBB
    const Sample sample;
    std::vector<std::string> differs(8);
    tbb::parallel_for(std::size_t{0}, differs.size(), [&](std::size_t k) {
        differs[k] = sample.differs(1 + static_cast<int>(k % 4));
    });
    for (const std::string& text : differs) EXPECT_EQ(text, "");
#else
    GTEST_SKIP() << "built without oneTBB";
#endif
}

TEST(Machine, more_threads_than_cores) {
    const Sample sample;
    for (const char* const method : {"auto", "kd_tree", "compact_grid"})
        EXPECT_EQ(sample.differs(64, method), "") << method;
}

// The environment variable determines only the meaning of 0 threads.
class ThreadsVariable : public ::testing::Test {
  protected:
    void TearDown() override { unsetenv("VICINAL_THREADS"); }
    static int threads(const char* value, int requested = 0) {
        setenv("VICINAL_THREADS", value, 1);
        Options<2> options;
        options.threads = requested;
        return Finder<float, 2>(options).report().threads;
    }
};

TEST_F(ThreadsVariable, is_the_default) {
    EXPECT_EQ(threads("3"), 3);
    EXPECT_EQ(threads("3", 2), 2);
    const int none = threads("");  // as if it were unset
    unsetenv("VICINAL_THREADS");
    EXPECT_EQ(none, available_threads());
}

TEST_F(ThreadsVariable, must_be_a_number) {
    for (const char* value : {"0", "-1", "two", "2x", "5000", " 2", "1e9"})
        expect_error(Error::Kind::option, {"VICINAL_THREADS", value, "1 to 4096", "unset"},
                     [&] { threads(value); });
}

}  // namespace
}  // namespace vicinal::test
