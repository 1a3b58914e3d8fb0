// Orthtree (P3 A.5, a quadtree; in 3-D an octree): a cell with more than a few bodies is split
// at its middle on all axes. The tree does not depend on the order of insertion, so it is
// derived from the sorted Morton keys: the cells of a level are runs of keys with the same
// prefix. O(N). Wins on non-uniform distributions; loses to grids on uniform ones.
//
// Beyond the paper: 3-D as well; cells that would have one child are left out, so depth is
// bounded; nodes have the AABB of their bodies, sizes and motion included. Bodies that the
// finest cells do not separate are divided by count.
#include "methods/registry.hpp"

#include "scene/curve_order.hpp"
#include "structures/tree_method.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class Orthtree final : public TreeMethod<T, D> {
  public:
    explicit Orthtree(const Choice& choice) : TreeMethod<T, D>(choice.number("leaf")) {}

    void build(const Scene<T, D>& scene) override {
        order_.assign(scene, scene.size());
        tree_.template build<1 << D>(
            scene.size(), leaf_, scene.threads(),
            [&](std::size_t n, unsigned, std::array<Index, 1 << D>& ends) {
                return divide(tree_.nodes[n].begin, tree_.nodes[n].end, ends);
            });
        this->set_entries(scene, [&](std::size_t e) { return order_[e]; });
        this->refit(scene);
        tree_.make_tasks();
    }

  private:
    using TreeMethod<T, D>::leaf_;
    using TreeMethod<T, D>::tree_;

    // The non-empty children of the smallest cell that holds entries begin ... end - 1.
    unsigned divide(Index begin, Index end, std::array<Index, 1 << D>& ends) const {
        const int bit = order_.differing_bit(begin, end);
        if (bit < 0) {
            ends[0] = begin + (end - begin) / 2;
            ends[1] = end;
            return 2;
        }
        return order_.divide(begin, end, static_cast<unsigned>(bit) / D * D, ends);
    }

    CurveOrder<T, D> order_;
};

}  // namespace

MethodEntry describe_orthtree() {
    return describe_method<Orthtree>(
        {"orthtree",
         "a quadtree or octree of boxes (P3)",
         {{"leaf", "5", "maximum number of bodies in a leaf", 1, 1000, {}}}});
}

}  // namespace vicinal::inline VICINAL_API
