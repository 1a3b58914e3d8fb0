// SIGINT during calls of the C interface (vicinal_options.interruptible). An interpreter's own
// handler takes a note, and acts on it when the interpreter runs again, which is after the
// call.
#pragma once

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// Watches for SIGINT while it lives, if `wanted` and on the main thread of the process: the
// process's handler is called as before, and interrupted() is true. A process without a handler
// is left alone.
class InterruptWatch {
  public:
    explicit InterruptWatch(bool wanted);
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch();

  private:
    bool installed_ = false;
};

bool interrupted();

}  // namespace vicinal::inline VICINAL_API
