// The library's own memory of results. Small blocks come from the heap. Large ones are whole
// huge pages; released ones are kept, up to a limit, and handed out again.
#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>

#include "base/buffer.hpp"

#include <vicinal/array.hpp>

namespace vicinal::inline VICINAL_API {
namespace {

constexpr std::size_t min_kept = huge_page, max_kept_bytes = std::size_t{1} << 30;

// Large blocks have one of eight sizes per power of two, so that a result which changes
// slightly from step to step fits the block of the step before.
std::size_t rounded(std::size_t bytes) {
    if (bytes < min_kept) return bytes;
    const std::size_t step = std::max(huge_page, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}
std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes < min_kept ? 64 : huge_page};
}

struct Kept {
    void* memory;
    std::size_t bytes;
};

// A lock that cannot be had is not waited for: the heap serves instead. So a child forked while
// another thread holds it does not wait for ever.
class Cache {
  public:
    // The latest block of this size, or null.
    void* take(std::size_t bytes) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return nullptr;
        for (std::size_t k = count_; k > 0; --k)
            if (blocks_[k - 1].bytes == bytes) return remove(k - 1).memory;
        return nullptr;
    }
    // Keeps the block, or returns false. Older blocks make room for it.
    bool keep(Kept block) {
        if (block.bytes > max_kept_bytes) return false;
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return false;
        while (count_ == blocks_.size() || bytes_ + block.bytes > max_kept_bytes)
            free(remove(0));
        blocks_[count_++] = block;
        bytes_ += block.bytes;
        return true;
    }
    void trim() {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return;
        while (count_ > 0) free(remove(count_ - 1));
    }
    static void free(Kept block) { ::operator delete(block.memory, alignment(block.bytes)); }

  private:
    Kept remove(std::size_t k) {  // the rest stay in the order of their age
        const Kept block = blocks_[k];
        std::copy(blocks_.begin() + k + 1, blocks_.begin() + count_, blocks_.begin() + k);
        --count_;
        bytes_ -= block.bytes;
        return block;
    }

    std::mutex mutex_;
    std::array<Kept, 32> blocks_{};
    std::size_t count_ = 0, bytes_ = 0;
};

constinit Cache cache;

}  // namespace

void* allocate_recycled(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    if (size >= min_kept)
        if (void* const kept = cache.take(size)) return kept;
    void* const memory = ::operator new(size, alignment(size), std::nothrow);
    if (memory != nullptr && size >= min_kept) advise_huge_pages(memory, size);
    return memory;
}

void release_recycled(void* memory, std::size_t bytes) {
    const Kept block{memory, rounded(bytes)};
    if (block.bytes < min_kept || !cache.keep(block)) Cache::free(block);
}

void trim_recycled() {
    cache.trim();
}

}  // namespace vicinal::inline VICINAL_API
