// The page of vicinal view: one file that draws bodies over time with WebGL 2 and fetches
// nothing.
#pragma once

#include <cstdint>
#include <string>

#include "view_input.hpp"

namespace vicinal::tool {

struct ViewOptions {
    std::string pairs;        // a file; empty: none
    int bits = 12;            // per coordinate
    std::uint64_t every = 1;  // of the frames
    std::uint64_t max_bytes = 200'000'000;
};

struct ViewSummary {
    std::string file;
    std::uint64_t bytes = 0, bodies = 0, frames = 0, every = 1, pairs = 0;
    double error = 0;  // of a coordinate, at most
};

// Writes the page. If it would exceed max_bytes, it shows every second frame, or every fourth,
// and so on. Throws vicinal::Error if a page of one frame is too large.
ViewSummary write_view(ViewInput& input, const ViewOptions& options, const std::string& file);

// "view.html (1.2 MB, 31 frames, every second of 62)"
std::string to_text(const ViewSummary& summary);

}  // namespace vicinal::tool
