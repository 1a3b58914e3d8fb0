#include "bench/peers/delaunay.hpp"

#ifdef VICINAL_DELAUNAY

#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

#include <ctime>
#include <utility>
#include <vector>

#include <vicinal/types.hpp>

namespace vicinal::peers {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Vertex = CGAL::Triangulation_vertex_base_with_info_3<Index, Kernel>;
using Cell = CGAL::Delaunay_triangulation_cell_base_3<Kernel>;
using Triangulation =
    CGAL::Delaunay_triangulation_3<Kernel, CGAL::Triangulation_data_structure_3<Vertex, Cell>>;

}  // namespace

bool has_delaunay() {
    return true;
}

std::optional<Delaunay> delaunay(std::span<const double> position,
                                 std::span<const double> radius) {
    std::vector<std::pair<Kernel::Point_3, Index>> points;
    points.reserve(radius.size());
    for (std::size_t i = 0; i < radius.size(); ++i)
        points.emplace_back(
            Kernel::Point_3(position[3 * i], position[3 * i + 1], position[3 * i + 2]),
            static_cast<Index>(i));
    Delaunay found;
    const std::clock_t before = std::clock();
    const Triangulation triangulation(points.begin(), points.end());
    for (auto edge = triangulation.finite_edges_begin();
         edge != triangulation.finite_edges_end(); ++edge) {
        const auto a = edge->first->vertex(edge->second), b = edge->first->vertex(edge->third);
        const double reach = radius[a->info()] + radius[b->info()];
        ++found.edges;
        found.touching += CGAL::squared_distance(a->point(), b->point()) <= reach * reach;
    }
    found.seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    found.bytes = triangulation.tds().cells().capacity() * sizeof(Triangulation::Cell) +
                  triangulation.tds().vertices().capacity() * sizeof(Triangulation::Vertex);
    return found;
}

}  // namespace vicinal::peers

#else

namespace vicinal::peers {

bool has_delaunay() {
    return false;
}

std::optional<Delaunay> delaunay(std::span<const double>, std::span<const double>) {
    return {};
}

}  // namespace vicinal::peers

#endif
