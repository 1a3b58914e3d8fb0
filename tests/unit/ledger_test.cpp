// Memory accounting: which ledger is charged, and that it is credited on release.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/parallel.hpp"

namespace vicinal {
namespace {

TEST(Ledger, IsCreditedWhereItWasCharged) {
    MemoryLedger one, other;
    {
        Buffer<int> a, b;
        CountedVector<int> c, d;
        {
            const LedgerScope scope(&one);
            a.resize(1000);
            c.resize(1000);
        }
        const std::uint64_t charged = one.bytes();
        EXPECT_GE(charged, 2 * 1000 * sizeof(int));
        const LedgerScope scope(&other);
        a.resize(10);  // allocates nothing
        b = std::move(a);
        d.swap(c);
        EXPECT_EQ(one.bytes(), charged);
        EXPECT_EQ(other.bytes(), 0u);
        b.resize(2000);
        d.resize(2000);
        EXPECT_EQ(one.bytes(), 0u);
        EXPECT_GE(other.bytes(), 2 * 2000 * sizeof(int));
    }
    EXPECT_EQ(other.bytes(), 0u);
}

TEST(Ledger, NoneIsChargedOutsideAScope) {
    Buffer<int> uncounted;
    uncounted.resize(1000);
    MemoryLedger ledger;
    const LedgerScope scope(&ledger);
    uncounted = {};
    EXPECT_EQ(ledger.bytes(), 0u);
    {
        const LedgerScope none(nullptr);
        uncounted.resize(1000);
        EXPECT_EQ(ledger.bytes(), 0u);
    }
    EXPECT_EQ(MemoryLedger::current(), &ledger);
}

struct alignas(64) Wide {
    int value;
};

TEST(Ledger, KeepsTheAlignmentOfElements) {
    for (std::size_t n = 1; n < 100; ++n) {
        const CountedVector<Wide> values(n);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % alignof(Wide), 0u);
    }
}

TEST(Ledger, IsHandedOnToHelpers) {
    constexpr std::size_t tasks = 64;
    MemoryLedger ledger, nested;
    std::vector<Buffer<int>> outer(tasks), inner(tasks);
    {
        const LedgerScope scope(&ledger);
        parallel_tasks(4, tasks, [&](std::size_t t, int) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // helpers join
            outer[t].resize(1000);
            const LedgerScope own(&nested);
            parallel_tasks(2, 1, [&](std::size_t, int) { inner[t].resize(1000); });
        });
    }
    EXPECT_EQ(ledger.bytes(), tasks * Buffer<int>::bytes_for(1000));
    EXPECT_EQ(nested.bytes(), tasks * Buffer<int>::bytes_for(1000));
    parallel_tasks(4, tasks, [&](std::size_t t, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(MemoryLedger::current(), nullptr);
        outer[t] = {};
        inner[t] = {};
    });
    EXPECT_EQ(ledger.bytes() + nested.bytes(), 0u);
}

}  // namespace
}  // namespace vicinal
