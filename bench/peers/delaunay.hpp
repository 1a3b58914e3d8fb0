// A Delaunay triangulation as a broad phase (P1 §6): the candidates are its edges. Pairs of
// spheres that overlap need not share an edge, so it may miss some: only an experiment asks it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace vicinal::peers {

struct Delaunay {
    double seconds = 0;          // of processor time: building it and testing its edges
    std::uint64_t edges = 0;     // candidates
    std::uint64_t touching = 0;  // of them, those of spheres that touch
    std::uint64_t bytes = 0;     // what the triangulation takes
};

// Whether CGAL was there when this was built.
bool has_delaunay();

// Nothing without CGAL. `position`: x0 y0 z0 x1 ...
std::optional<Delaunay> delaunay(std::span<const double> position,
                                 std::span<const double> radius);

}  // namespace vicinal::peers
