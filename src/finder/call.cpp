#include "finder/call.hpp"

namespace vicinal::inline VICINAL_API {

void RunningCalls::begin(Access access) {
    const std::uint32_t refused = access == Access::exclusive   ? ~0u
                                  : access == Access::streaming ? exclusive | streaming
                                                                : exclusive;
    std::uint32_t running = running_.load(std::memory_order_relaxed);
    do {
        if ((running & refused) != 0)
            throw Error(Error::Kind::busy,
                        "the finder is running another call, on another thread or around the "
                        "consumer that calls it; wait for its end, or use a second finder (a "
                        "consumer may call the const queries: probe, nearest, pairs_with)");
    } while (!running_.compare_exchange_weak(running, running + count_of(access),
                                             std::memory_order_acquire,
                                             std::memory_order_relaxed));
}

void throw_out_of_memory(const char* what_for) {
    throw Error(Error::Kind::memory,
                std::string("there is not enough memory to ") + what_for +
                    "; free some, count or stream the pairs instead of storing them, or reduce "
                    "the reach or the number of bodies");
}

}  // namespace vicinal::inline VICINAL_API
