// The floating-point environment in which the contract's formula is evaluated: rounding to
// nearest, subnormal numbers kept, no traps. A program may have set another one for its
// threads.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

// The default environment on this thread until the end of the scope.
class FloatEnvironment {
  public:
    FloatEnvironment() {
#if defined(__SSE2__)
        constexpr unsigned flags = 0x3f, masked_to_nearest = 0x1f80;
        before_ = _mm_getcsr();
        _mm_setcsr((before_ & flags) | masked_to_nearest);
#else
        std::feholdexcept(&before_);
        std::fesetround(FE_TONEAREST);
#endif
    }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;
    ~FloatEnvironment() {
#if defined(__SSE2__)
        _mm_setcsr(before_);
#else
        std::fesetenv(&before_);
#endif
    }

  private:
#if defined(__SSE2__)
    unsigned before_;
#else
    std::fenv_t before_;
#endif
};

}  // namespace vicinal::inline VICINAL_API
