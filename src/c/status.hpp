// Status codes and messages of the C interface: no exception leaves it.
#pragma once

#include <exception>
#include <new>
#include <string>

#include <vicinal.h>
#include <vicinal/error.hpp>

namespace vicinal::inline VICINAL_API {

// Keeps the error for vicinal_message() and vicinal_element() of this thread.
vicinal_status record_error(vicinal_status status, const char* message,
                            std::int64_t element = -1) noexcept;
vicinal_status record_error(const Error& error) noexcept;

[[noreturn]] inline void refuse(const std::string& message) {
    throw Error(Error::Kind::input, message);
}

template <class F>
vicinal_status guarded(const F& f) noexcept {
    try {
        f();
        return VICINAL_OK;
    } catch (const Error& error) {
        return record_error(error);
    } catch (const std::bad_alloc&) {
        return record_error(VICINAL_MEMORY, "there is not enough memory");
    } catch (const std::exception& error) {
        return record_error(VICINAL_INTERNAL, error.what());
    } catch (...) {
        return record_error(VICINAL_INTERNAL, "an exception of unknown type");
    }
}

// A pointer that must be given.
template <class P>
P& required(P* pointer, const char* name) {
    if (pointer == nullptr) refuse(std::string(name) + " is a null pointer; it must be given");
    return *pointer;
}

// A struct of the caller, of the size that this library knows.
template <class S>
const S& checked(const S* given, const char* name) {
    const S& s = required(given, name);
    if (s.size != sizeof(S))
        refuse(std::string(name) + ": its size is " + std::to_string(s.size) + ", not " +
               std::to_string(sizeof(S)) + "; set `size` to sizeof(" + name +
               "), and compile with the vicinal.h of the library, version " +
               vicinal_version());
    return s;
}

}  // namespace vicinal::inline VICINAL_API
