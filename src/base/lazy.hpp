// An object of the whole process, made on first use. A static local would be guarded by a lock,
// and a child forked while another thread makes the object would wait for that lock for ever.
#pragma once

#include <atomic>
#include <memory>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

template <class T>
class Lazy {
  public:
    // The object; make() returns it by std::unique_ptr. Threads that come first at the same
    // time all make one, and one of these stays.
    template <class Make>
    T& get(const Make& make) {
        if (T* const existing = get_if_made()) return *existing;
        std::unique_ptr<T> made = make();
        T* existing = nullptr;
        if (object_.compare_exchange_strong(existing, made.get(), std::memory_order_acq_rel))
            return *made.release();
        return *existing;
    }
    T* get_if_made() const { return object_.load(std::memory_order_acquire); }
    // Forgets the object: the next get() makes another.
    T* release() { return object_.exchange(nullptr, std::memory_order_acq_rel); }

  private:
    std::atomic<T*> object_ = nullptr;  // never destroyed: a search may outlive static objects
};

}  // namespace vicinal::inline VICINAL_API
