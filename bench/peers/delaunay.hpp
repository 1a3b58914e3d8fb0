// A Delaunay triangulation as a broad phase (Poirrier 2009, section 6): the candidates are its
// edges. Overlapping spheres need not share an edge, so it may miss pairs. Only an experiment
// uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace vicinal::peers {

struct Delaunay {
    double seconds = 0;          // of processor time: building and testing of edges
    std::uint64_t edges = 0;     // candidates
    std::uint64_t touching = 0;  // edges of touching spheres
    std::uint64_t bytes = 0;     // of the triangulation
};

// True in a build with CGAL.
bool has_delaunay();

// Empty without CGAL. `position`: x0 y0 z0 x1 ...
std::optional<Delaunay> delaunay(std::span<const double> position,
                                 std::span<const double> radius);

}  // namespace vicinal::peers
