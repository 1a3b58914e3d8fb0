// An array whose memory is reused between steps: uninitialised, aligned to a cache line, and
// charged to a ledger (base/ledger.hpp). Its capacity never shrinks.
// Kernels load and store whole vectors: 256 bytes of padding for overrun follow the last
// element.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"
#include "base/ledger.hpp"

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// Touching fresh 4 KB pages costs more than a whole search, and scattering into many of them
// misses the TLB each time: large buffers ask for 2 MB pages.
constexpr std::size_t huge_page = std::size_t{1} << 21;
void advise_huge_pages(void* data, std::size_t bytes);

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { release(); }

    // Resizes to n elements with unspecified contents.
    void resize(std::size_t n) {
        if (n > capacity_) {
            // An eighth more than requested, except the first time, so that a slowly growing
            // scene does not allocate in every step.
            const std::size_t capacity = capacity_ > 0 ? n + n / 8 : n;
            release();
            allocate(capacity);
        }
        size_ = n;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) {
        VICINAL_ASSERT(i < size_);
        return data_[i];
    }
    const T& operator[](std::size_t i) const {
        VICINAL_ASSERT(i < size_);
        return data_[i];
    }
    std::span<T> span() { return {data_, size_}; }
    std::span<const T> span() const { return {data_, size_}; }
    // Bytes allocated and counted for n elements, padding included.
    static constexpr std::size_t bytes_for(std::size_t n) { return n * sizeof(T) + 256; }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(ledger_, other.ledger_);
    }

  private:
    static std::align_val_t alignment(std::size_t capacity) {
        return std::align_val_t{bytes_for(capacity) >= huge_page ? huge_page : 64};
    }
    void allocate(std::size_t capacity) {
        const std::size_t bytes = bytes_for(capacity);
        data_ = static_cast<T*>(::operator new(bytes, alignment(capacity)));
        capacity_ = capacity;
        ledger_ = MemoryLedger::current();
        if (ledger_ != nullptr) ledger_->charge(bytes);
        if (bytes >= huge_page) advise_huge_pages(data_, bytes);
    }
    void release() {
        if (data_ == nullptr) return;
        ::operator delete(data_, alignment(capacity_));
        if (ledger_ != nullptr) ledger_->credit(bytes_for(capacity_));
        data_ = nullptr;
        size_ = capacity_ = 0;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    MemoryLedger* ledger_ = nullptr;  // the memory is charged to it
};

}  // namespace vicinal::inline VICINAL_API
