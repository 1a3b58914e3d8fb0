// The faces or cells of a mesh as bodies: one box each. Internal to io/, but for adjacency().
#pragma once

#include <vector>

#include "io/source.hpp"
#include "io/table.hpp"
#include "io/vertices.hpp"

#include <vicinal/pairs.hpp>

namespace vicinal::io {

// Adds a corner to the element that is being read.
void add_corner(const Source& source, Elements& elements, double vertex);
// Ends that element. It must have a corner.
void end_element(const Source& source, Elements& elements);

// Throws if a corner is not among the vertices, the rows of the table.
void check_corners(const Source& source, const Table& table);

// The boxes of the elements: columns x0, y0, z0, x1, y1, z1 and those of the elements. Throws
// Error if the table has no elements or a coordinate is not finite.
Table element_boxes(const std::string& file, Table&& mesh);

// What keeps elements with a common vertex from pairing. A body of the library has at most 8
// vertices; elements with more corners share the rest by excluded pairs.
struct Adjacency {
    Vertices vertices;
    std::vector<Pair> excluded;
};
Adjacency adjacency(const Elements& elements);

}  // namespace vicinal::io
