// The domain a command line or a file asks for.
#pragma once

#include <string>

#include "io/bodies.hpp"

#include <vicinal/domain.hpp>

namespace vicinal::tool {

template <int D>
struct Space {
    Domain<D> domain;
    std::string text;  // as --domain spells it
    std::string from;  // the file that carries it; empty: --domain, or nobody says anything

    std::string shown() const { return from.empty() ? text : text + " (from " + from + ")"; }
};

// `flag` as given to --domain; empty means the cell that the file carries, or the second file
// where there is one, or open. Throws UsageError for a text that is no domain (what the numbers
// may be, the library says) and Error if the two files carry different ones.
template <int D>
Space<D> choose_domain(const std::string& flag, const io::BodyFile& file,
                       const io::BodyFile* second = nullptr);

}  // namespace vicinal::tool
