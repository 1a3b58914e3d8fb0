// Code of the caller that runs inside a call: consumers and hooks. Its exceptions are passed on
// as they are, even one that would mean, if the library had thrown it, that memory is missing.
#pragma once

#include <exception>
#include <new>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

struct CallersException {
    std::exception_ptr exception;
};

template <class F>
decltype(auto) run_callers_code(const F& f) {
    try {
        return f();
    } catch (const std::bad_alloc&) {
        throw CallersException{std::current_exception()};
    }
}

}  // namespace vicinal::inline VICINAL_API
