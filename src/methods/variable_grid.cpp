// Variable grid (Lara 2005, section 3.2.1 and appendix A.2): linked lists in an array of cells
// as in fixed_grid, but cells are narrow where bodies are dense. Per axis a histogram of fine
// bins, each the search distance wide, is divided into coarse bins of equal population; about 7
// cells per body in all. A coarse bin is at least one fine bin, so a stencil of 3^D cells
// suffices. O(N) memory. Wins over fixed_grid where density varies along the axes. Like
// fixed_grid it loses on one giant, which widens all bins, and on one distant body, because the
// number of fine bins is limited.
#include "methods/registry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/ledger.hpp"
#include "structures/list_grid.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class VariableGrid final : public ListGridMethod<VariableGrid<T, D>, T, D> {
    using Base = ListGridMethod<VariableGrid, T, D>;

  public:
    explicit VariableGrid(const Choice& choice) : Base(choice) {}

    void build(const Scene<T, D>& scene) override {
        shift_bounds_ = Spread<T, D>(scene, this->axes_);
        const double max_cells = ListGrid<T, D>::max_cells(scene.size());
        const double half_coarse =
            shift_bounds_.bounded(std::numeric_limits<double>::min(), max_cells);
        for (std::size_t a = 0; a < D; ++a) {
            half_fine_[a] = std::max(shift_bounds_.search_distance(),
                                     shift_bounds_.half_extent[a] / max_cells);
            map_[a].assign(static_cast<std::size_t>(shift_bounds_.cells(a, half_fine_[a])), 0);
        }
        count(scene);
        for (std::size_t a = 0; a < D; ++a)
            counts_[a] = cut(map_[a], scene.size(), shift_bounds_.cells(a, half_coarse));
        this->assign(scene, counts_);
    }

    std::int32_t cell_of(T x, std::size_t axis) const {
        return static_cast<std::int32_t>(map_[axis][fine_bin(x, axis)]);
    }

  private:
    std::size_t fine_bin(T x, std::size_t axis) const {
        const double bin = shift_bounds_.cell(x, axis, half_fine_[axis]);
        return static_cast<std::size_t>(
            std::clamp(bin, 0.0, static_cast<double>(map_[axis].size() - 1)));
    }

    void count(const Scene<T, D>& scene) {
        parallel_for(1, scene.size(), [&](std::size_t k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            for (std::size_t a = 0; a < D; ++a) ++map_[a][fine_bin(box.lo[a], a)];
        });
    }

    // Replaces the count of bodies in each fine bin by the coarse bin it belongs to: a coarse
    // bin ends once it has its share of the bodies, and the last one takes the rest.
    static std::int32_t cut(CountedVector<Index>& map, std::size_t bodies, double bins) {
        const double share = std::ceil(static_cast<double>(bodies) / bins);
        double held = 0;
        Index bin = 0;
        for (Index& fine : map) {
            if (held >= share && bin + 1 < bins) {
                ++bin;
                held = 0;
            }
            held += fine;
            fine = bin;
        }
        return static_cast<std::int32_t>(bin) + 1;
    }

    Spread<T, D> shift_bounds_;
    std::array<double, D> half_fine_{};
    // Per axis and fine bin: how many bodies begin in it; then its coarse bin.
    std::array<CountedVector<Index>, D> map_;
    Cell<D> counts_{};
};

}  // namespace

MethodEntry describe_variable_grid() {
    return describe_method<VariableGrid>(
        {"variable_grid", "cells of equal population per axis with linked lists (Lara 2005)",
         list_grid_options()});
}

}  // namespace vicinal::inline VICINAL_API
