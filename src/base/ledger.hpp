// Memory accounting. A ledger counts the bytes that its owner holds. Memory is charged to the
// current ledger of the thread that allocates it and credited to the same ledger when it is
// released, on any thread, so no class has to sum up its members.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "base/assert.hpp"

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// Must outlive all memory that is charged to it.
class MemoryLedger {
  public:
    MemoryLedger() = default;
    MemoryLedger(const MemoryLedger&) = delete;
    MemoryLedger& operator=(const MemoryLedger&) = delete;
    ~MemoryLedger() { VICINAL_ASSERT(bytes() == 0); }

    std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    void charge(std::size_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
    void credit(std::size_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

    // The current ledger of this thread; if null, memory is not counted.
    static MemoryLedger* current();

  private:
    std::atomic<std::uint64_t> bytes_ = 0;
};

// Makes a ledger (or none) current on this thread until the end of the scope. Parallel loops
// (base/parallel.hpp) pass it on to their helper threads.
class LedgerScope {
  public:
    explicit LedgerScope(MemoryLedger* ledger);
    LedgerScope(const LedgerScope&) = delete;
    LedgerScope& operator=(const LedgerScope&) = delete;
    ~LedgerScope();

  private:
    MemoryLedger* before_;
};

// For containers that grow element by element. The ledger's address precedes the elements, so
// that containers can be swapped and moved freely.
template <class T>
struct LedgerAllocator {
    using value_type = T;

    LedgerAllocator() = default;
    template <class U>
    LedgerAllocator(const LedgerAllocator<U>&) {}

    T* allocate(std::size_t n) {
        const std::size_t bytes = header() + n * sizeof(T);
        void* const memory = ::operator new(bytes, std::align_val_t{header()});
        MemoryLedger* const ledger = MemoryLedger::current();
        ::new (memory) MemoryLedger*(ledger);
        if (ledger != nullptr) ledger->charge(bytes);
        return reinterpret_cast<T*>(static_cast<std::byte*>(memory) + header());
    }
    void deallocate(T* data, std::size_t n) {
        std::byte* const memory = reinterpret_cast<std::byte*>(data) - header();
        MemoryLedger* const ledger = *reinterpret_cast<MemoryLedger**>(memory);
        if (ledger != nullptr) ledger->credit(header() + n * sizeof(T));
        ::operator delete(memory, std::align_val_t{header()});
    }
    bool operator==(const LedgerAllocator&) const = default;

  private:
    static constexpr std::size_t header() {
        return std::max(alignof(T), alignof(std::max_align_t));
    }
};

template <class T>
using CountedVector = std::vector<T, LedgerAllocator<T>>;

// Memory of a plain vector, which no ledger counts. Results in public types are such vectors.
template <class T>
std::uint64_t heap_bytes(const std::vector<T>& values) {
    return values.capacity() * sizeof(T);
}

}  // namespace vicinal::inline VICINAL_API
