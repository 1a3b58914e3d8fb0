// The files in a zip archive (.npz). Internal to io/.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"

namespace vicinal::io {

struct ZipEntry {
    std::string name;
    std::string_view data;  // as stored
    bool deflated = false;
    std::uint64_t size = 0;  // decompressed
    std::uint32_t checksum = 0;
};

// The entries of an archive in memory, which the entries refer to.
std::vector<ZipEntry> zip_entries(const Source& source, std::string_view archive);

// The contents of an entry, decompressed and checked; `buffer` holds them if necessary.
std::string_view zip_contents(const Source& source, const ZipEntry& entry, std::string& buffer);

}  // namespace vicinal::io
