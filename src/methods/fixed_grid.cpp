// Fixed grid (Lara 2005, section 3.2.1 and appendix A.1): a plain array of equal cells, a
// linked list of bodies in each. The cell edge is the search distance, that is the longest edge
// of all bodies' boxes, but never so small that there are more than 7 cells per body. O(N) time
// and memory on bodies of equal size and uniform density. Loses on everything else: one giant
// or one distant body makes all cells large, and the time quadratic.
#include "methods/registry.hpp"

#include <algorithm>

#include "structures/list_grid.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class FixedGrid final : public ListGridMethod<FixedGrid<T, D>, T, D> {
    using Base = ListGridMethod<FixedGrid, T, D>;

  public:
    explicit FixedGrid(const Choice& choice) : Base(choice) {}

    void build(const Scene<T, D>& scene) override {
        shift_bounds_ = Spread<T, D>(scene, this->axes_);
        half_cell_ = shift_bounds_.bounded(shift_bounds_.search_distance(),
                                           ListGrid<T, D>::max_cells(scene.size()));
        for (std::size_t a = 0; a < D; ++a)
            counts_[a] = static_cast<std::int32_t>(shift_bounds_.cells(a, half_cell_));
        this->assign(scene, counts_);
    }

    std::int32_t cell_of(T x, std::size_t axis) const {
        const double cell = shift_bounds_.cell(x, axis, half_cell_);
        return static_cast<std::int32_t>(
            std::clamp(cell, 0.0, static_cast<double>(counts_[axis] - 1)));
    }

  private:
    Spread<T, D> shift_bounds_;
    double half_cell_ = 1;
    Cell<D> counts_{};
};

}  // namespace

MethodEntry describe_fixed_grid() {
    return describe_method<FixedGrid>(
        {"fixed_grid", "an array of equal cells with linked lists of bodies (Lara 2005)",
         list_grid_options()});
}

}  // namespace vicinal::inline VICINAL_API
