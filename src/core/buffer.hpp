// Memory that is kept between steps: it grows, is never cleared, and starts on a cache line.
// Kernels load and store whole vectors: 256 bytes behind the last element are ours too.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace vicinal {

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

    // Room for n elements with unspecified contents.
    void resize(std::size_t n) {
        if (n > capacity_) {
            // An eighth more than asked, if this is not the first time: a scene that grows
            // slowly does not allocate each step.
            const std::size_t capacity = capacity_ > 0 ? n + n / 8 : n;
            release();
            data_ = static_cast<T*>(::operator new(capacity * sizeof(T) + 256, alignment));
            capacity_ = capacity;
        }
        size_ = n;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::span<T> span() { return {data_, size_}; }
    std::span<const T> span() const { return {data_, size_}; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

  private:
    static constexpr std::align_val_t alignment{64};
    void release() {
        ::operator delete(data_, alignment);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace vicinal
