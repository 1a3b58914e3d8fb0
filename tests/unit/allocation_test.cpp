// After the third step a finder allocates nothing: every allocation of this program is counted.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vicinal/vicinal.hpp>

#if defined(__GNUC__) && !defined(__clang__)  // it sees free() behind delete, not our new
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {
std::atomic<std::size_t> allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    // aligned_alloc wants whole multiples of the alignment.
    void* memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

void* operator new(std::size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace vicinal {
namespace {

// A slow drift back and forth: buffers meet their largest sizes within two steps.
std::vector<float> places(std::size_t n, int step) {
    std::vector<float> x(3 * n);
    std::uint32_t state = 12345;
    for (float& v : x) {
        state = state * 1664525u + 1013904223u;
        v = static_cast<float>(state >> 8) * 0x1p-24f + (step % 2 == 0 ? 0.0f : 0.001f);
    }
    return x;
}

class Steady : public ::testing::TestWithParam<std::string> {};

TEST_P(Steady, StateAllocatesNothing) {
    const bool slow = GetParam() == "brute_force" || GetParam().ends_with("cells_per_body=8)");
    const std::size_t n = slow ? 4000 : 20000;
    const std::vector<float> radius(n, 0.01f);
    // One thread: with more, which worker needs how much is a matter of timing, and a worker
    // may meet its largest task late.
    for (const bool periodic : {false, true})
        for (const Shape shape : {Shape::points, Shape::spheres, Shape::boxes}) {
            Options<3> options;
            options.method = GetParam();
            options.threads = 1;
            if (periodic) options.domain = Domain<3>::orthogonal({1.1, 1.1, 1.1});
            Finder<float, 3> finder(options);
            std::size_t before = 0;
            for (int step = 0; step < 6; ++step) {
                const std::vector<float> lower = places(n, step);
                std::vector<float> upper = lower;
                for (float& v : upper) v += 0.02f;
                if (step >= 3) before = allocations;
                if (shape == Shape::points)
                    finder.update(points<3>(lower, 0.03f));
                else if (shape == Shape::spheres)
                    finder.update(spheres<3>(lower, radius));
                else
                    finder.update(boxes<3>(lower, upper));
                ASSERT_GT(finder.pairs().size(), 200u);
                finder.count();
                finder.neighbours();
                finder.neighbours(RowKind::full, Order::any, RowOrder::spatial);
                if (step >= 3) {
                    EXPECT_EQ(allocations - before, 0u)
                        << "step " << step << (periodic ? ", periodic" : ", open") << ", shape "
                        << static_cast<int>(shape);
                }
            }
        }
}

// Filters of all kinds, the exclusions unchanged.
TEST(SteadyFilters, AllocateNothing) {
    constexpr std::uint32_t n = 20000;
    std::vector<std::uint32_t> group, vertices;
    std::vector<Pair> excluded;
    for (std::uint32_t i = 0; i < n; ++i) {
        group.push_back(1 + i % 3);
        for (std::uint32_t k = 0; k < 3; ++k) vertices.push_back((i * 7 + k * 5) % 100);
        if (i > 100) excluded.push_back({i - 1, i % 90});
    }
    for (const bool periodic : {false, true}) {
        Options<3> options;
        options.threads = 1;
        if (periodic) options.domain = Domain<3>::orthogonal({1.1, 1.1, 1.1});
        Finder<float, 3> finder(options);
        for (int step = 0; step < 6; ++step) {
            const std::vector<float> x = places(n, step);
            const std::size_t before = allocations;
            finder.update(points<3>(x, 0.03f)
                              .grouped(group, group)
                              .excluding(excluded)
                              .with_vertices(vertices, 3));
            ASSERT_GT(finder.pairs().size(), 200u);
            finder.count();
            finder.neighbours();
            if (step >= 3) {
                EXPECT_EQ(allocations - before, 0u) << "step " << step;
            }
        }
    }
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const MethodInfo& method : methods()) result.push_back(method.name);
    // What has memory of its own.
    for (const char* method : {"compact_grid(sort=auto)", "compact_grid(cells_per_body=8)",
                               "hierarchical_hash(neighbours=insert)"})
        result.push_back(method);
    return result;
}

std::string test_name(std::string method) {
    std::replace_if(
        method.begin(), method.end(), [](char c) { return c < '0' || (c > '9' && c < 'A'); },
        '_');
    return method;
}

INSTANTIATE_TEST_SUITE_P(Methods, Steady, ::testing::ValuesIn(names()),
                         [](const auto& method) { return test_name(method.param); });

}  // namespace
}  // namespace vicinal
