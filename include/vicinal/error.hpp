// The only exception of the library, apart from those that a consumer or another function of
// the caller throws. After an error a finder is still usable: its next update works as in a new
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include <vicinal/version.hpp>

namespace vicinal::inline VICINAL_API {

class VICINAL_EXPORT Error : public std::runtime_error {
  public:
    enum class Kind {
        input,      // the bodies or the domain violate the contract
        option,     // unknown method, unknown option, value out of range
        limit,      // max_bytes, max_pairs, or the 2^32 - 1 bodies of a process
        memory,     // the system has no more memory
        cancelled,  // Options::cancelled returned true
        busy,       // the finder is running another call
    };

    // `message` is one line that names the fault and the remedy. `element` is the index of the
    // offending body, if there is one.
    Error(Kind kind, const std::string& message, std::optional<std::uint64_t> element = {})
        : std::runtime_error(message), kind_(kind), element_(element) {}

    Kind kind() const { return kind_; }
    std::optional<std::uint64_t> element() const { return element_; }

  private:
    Kind kind_;
    std::optional<std::uint64_t> element_;
};

}  // namespace vicinal::inline VICINAL_API
