// A process-wide object, created on first use. A static local would be guarded by a lock, and a
// child forked while another thread creates the object would wait for that lock forever.
#pragma once

#include <atomic>
#include <memory>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

template <class T>
class Lazy {
  public:
    // Returns the object; make() returns it as a std::unique_ptr. If several threads call this
    // first at the same time, each makes an object and only one of them is kept.
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
