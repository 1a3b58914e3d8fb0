// The domain a command line or a file asks for.
#pragma once

#include <optional>
#include <string>

#include "io/table.hpp"

#include <vicinal/domain.hpp>

namespace vicinal::tool {

template <int D>
struct Space {
    Domain<D> domain;
    std::string text;  // as --domain would spell it, and where it comes from
};

// `flag` as given to --domain; empty means the cell the file carries, or open. Throws
// UsageError for a text that is no domain; what the numbers may be, the library says.
template <int D>
Space<D> choose_domain(const std::string& flag, const std::optional<io::Cell>& cell);

extern template Space<2> choose_domain<2>(const std::string&, const std::optional<io::Cell>&);
extern template Space<3> choose_domain<3>(const std::string&, const std::optional<io::Cell>&);

}  // namespace vicinal::tool
