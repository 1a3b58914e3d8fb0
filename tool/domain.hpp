// The domain given by the command line or a file.
#pragma once

#include <string>

#include "io/bodies.hpp"

#include <vicinal/domain.hpp>

namespace vicinal::tool {

template <int D>
struct Space {
    Domain<D> domain;
    std::string text;  // as --domain spells it
    std::string from;  // the file that contains it; empty: --domain, or the default

    std::string shown() const { return from.empty() ? text : text + " (from " + from + ")"; }
};

// `flag` is the value of --domain. If it is empty, the cell of the file is used, or that of the
// second file, or an open domain. Throws UsageError if the text is not a domain (the library
// checks the numbers) and Error if the two files have different cells.
template <int D>
Space<D> choose_domain(const std::string& flag, const io::BodyFile& file,
                       const io::BodyFile* second = nullptr);

}  // namespace vicinal::tool
