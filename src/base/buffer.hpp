// Memory that is kept between steps: it grows, is never cleared, and starts on a cache line.
// Kernels load and store whole vectors: 256 bytes of padding for overrun follow the last
// element.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

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
            // An eighth more than requested, except the first time: a scene that grows slowly
            // does not allocate in every step.
            const std::size_t capacity = capacity_ > 0 ? n + n / 8 : n;
            release();
            const std::size_t bytes = capacity * sizeof(T) + 256;
            aligned_ = bytes >= huge_page ? std::align_val_t{huge_page} : std::align_val_t{64};
            data_ = static_cast<T*>(::operator new(bytes, aligned_));
            if (bytes >= huge_page) advise_huge_pages(data_, bytes);
            capacity_ = capacity;
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
    std::size_t bytes() const { return capacity_ * sizeof(T); }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(aligned_, other.aligned_);
    }

  private:
    void release() {
        ::operator delete(data_, aligned_);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::align_val_t aligned_{64};
};

}  // namespace vicinal::inline VICINAL_API
