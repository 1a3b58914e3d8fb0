#include "c/status.hpp"

#include <cstdio>

namespace vicinal::inline VICINAL_API {
namespace {

// Plain memory: recording an error must not fail.
struct LastError {
    char message[2048];
    std::int64_t element;
};
constinit thread_local LastError last = {{}, -1};

vicinal_status status_of(Error::Kind kind) {
    switch (kind) {
        case Error::Kind::input:
            return VICINAL_INPUT;
        case Error::Kind::option:
            return VICINAL_OPTION;
        case Error::Kind::limit:
            return VICINAL_LIMIT;
        case Error::Kind::memory:
            return VICINAL_MEMORY;
        case Error::Kind::cancelled:
            return VICINAL_CANCELLED;
        case Error::Kind::busy:
            return VICINAL_BUSY;
    }
    return VICINAL_INTERNAL;
}

}  // namespace

vicinal_status record_error(vicinal_status status, const char* message,
                            std::int64_t element) noexcept {
    std::snprintf(last.message, sizeof last.message, "%s", message);
    last.element = element;
    return status;
}

vicinal_status record_error(const Error& error) noexcept {
    return record_error(status_of(error.kind()), error.what(),
                        error.element() ? static_cast<std::int64_t>(*error.element()) : -1);
}

}  // namespace vicinal::inline VICINAL_API

const char* vicinal_message(void) {
    return vicinal::last.message;
}

int64_t vicinal_element(void) {
    return vicinal::last.element;
}

#define VICINAL_TEXT_OF(x) #x
#define VICINAL_TEXT(x) VICINAL_TEXT_OF(x)
const char* vicinal_version(void) {
    return VICINAL_TEXT(VICINAL_VERSION_MAJOR) "." VICINAL_TEXT(
        VICINAL_VERSION_MINOR) "." VICINAL_TEXT(VICINAL_VERSION_PATCH);
}
