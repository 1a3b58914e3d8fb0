// The pairs that this rank reports.
#include "mpi/state.hpp"

namespace vicinal::inline VICINAL_API::mpi {
namespace {

// Keeps the pairs that the filter selects, in place.
template <Real T, int D>
void retain_reported(PairColumns<T, D>& found, const PartFilter& filter) {
    std::size_t kept = 0;
    const auto move = [&](auto& column, std::size_t k) {
        if (!column.empty()) column[kept] = column[k];
    };
    for (std::size_t k = 0; k < found.size(); ++k) {
        const Index i = found.i(k), j = found.j(k);
        found.indices[2 * kept] = i;
        found.indices[2 * kept + 1] = j;
        move(found.images, k);
        move(found.vectors, k);
        move(found.distances, k);
        kept += std::size_t{filter.reports(i, j)};
    }
    const auto resize = [&](auto& column) {
        if (!column.empty()) column.resize(kept);
    };
    found.indices.resize(2 * kept);
    resize(found.images);
    resize(found.vectors);
    resize(found.distances);
}

}  // namespace

template <Real T, int D>
PairColumns<T, D> Finder<T, D>::State::reported_pairs(Columns columns, Order order) {
    require_update();
    PairColumns<T, D> found = search.pairs(columns, {.order = order});
    retain_reported(found, *filter);
    return found;
}

#define VICINAL_INSTANTIATE(T, D) \
    template PairColumns<T, D> Finder<T, D>::State::reported_pairs(Columns, Order);
VICINAL_INSTANTIATE(float, 2)
VICINAL_INSTANTIATE(float, 3)
VICINAL_INSTANTIATE(double, 2)
VICINAL_INSTANTIATE(double, 3)
#undef VICINAL_INSTANTIATE

}  // namespace vicinal::inline VICINAL_API::mpi
