// Contiguous results: an array that owns its memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// Memory of results (Options::allocator). Both functions are given together, are called from
// any thread, and must not throw. `allocate` returns memory aligned for any scalar type, or
// null if there is none. Without functions, the library's own memory is used: large blocks are
// kept when they are released and used again, because touching fresh pages costs more than a
// search.
struct Allocator {
    void* (*allocate)(std::size_t bytes, void* context) = nullptr;
    void (*release)(void* memory, std::size_t bytes, void* context) = nullptr;
    void* context = nullptr;
};

// The library's own memory. At most 1 GiB of released blocks is kept for the next results.
VICINAL_EXPORT void* allocate_recycled(std::size_t bytes);
VICINAL_EXPORT void release_recycled(void* memory, std::size_t bytes);
// Returns the kept blocks to the system.
VICINAL_EXPORT void trim_recycled();

// Movable, but not copyable because it is large. A moved-from array is empty.
template <class V>
class Array {
    static_assert(std::is_trivially_copyable_v<V> && std::is_trivially_destructible_v<V>);

  public:
    using value_type = V;

    Array() = default;
    explicit Array(const Allocator& allocator) : allocator_(allocator) {}
    Array(std::initializer_list<V> values) {
        resize(values.size());
        std::copy(values.begin(), values.end(), data_);
    }
    Array(Array&& other) noexcept : allocator_(other.allocator_) { swap(other); }
    Array& operator=(Array&& other) noexcept {
        Array(std::move(other)).swap(*this);
        return *this;
    }
    ~Array() { release(); }

    V* data() { return data_; }
    const V* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    V* begin() { return data_; }
    V* end() { return data_ + size_; }
    const V* begin() const { return data_; }
    const V* end() const { return data_ + size_; }
    V& operator[](std::size_t k) { return data_[k]; }
    const V& operator[](std::size_t k) const { return data_[k]; }
    friend bool operator==(const Array& a, std::span<const V> b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

    // Resizes to n values with unspecified contents. The capacity never shrinks.
    void resize(std::size_t n) {
        if (n > capacity_) {
            // An eighth more than requested, except the first time: results of a simulation
            // change slightly from step to step.
            const std::size_t capacity = capacity_ > 0 ? n + n / 8 : n;
            release();
            allocate(capacity);
        }
        size_ = n;
    }
    std::size_t capacity() const { return capacity_; }

    // The same memory with another type of equal size; this array is empty afterwards.
    template <class W>
    Array<W> reinterpret() {
        static_assert(sizeof(W) == sizeof(V) && alignof(W) == alignof(V));
        Array<W> result(allocator_);
        result.data_ = reinterpret_cast<W*>(std::exchange(data_, nullptr));
        result.size_ = std::exchange(size_, 0);
        result.capacity_ = std::exchange(capacity_, 0);
        return result;
    }

    void swap(Array& other) noexcept {
        std::swap(allocator_, other.allocator_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    template <class W>
    friend class Array;

    void allocate(std::size_t capacity) {
        const std::size_t bytes = capacity * sizeof(V);
        void* const memory = allocator_.allocate != nullptr
                                 ? allocator_.allocate(bytes, allocator_.context)
                                 : allocate_recycled(bytes);
        if (memory == nullptr) throw std::bad_alloc();
        data_ = static_cast<V*>(memory);
        capacity_ = capacity;
    }
    void release() {
        if (data_ == nullptr) return;
        if (allocator_.allocate != nullptr)
            allocator_.release(data_, capacity_ * sizeof(V), allocator_.context);
        else
            release_recycled(data_, capacity_ * sizeof(V));
        data_ = nullptr;
        size_ = capacity_ = 0;
    }

    Allocator allocator_;
    V* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace vicinal::inline VICINAL_API
