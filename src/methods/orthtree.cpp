// Orthtree (Lara 2005, A.5, a quadtree; in 3-D an octree): a cell with more than a few bodies
// is split at its middle on all axes. The tree does not depend on the order of insertion, so it
// is derived from the sorted Morton keys: the cells of a level are runs of keys with the same
// prefix. O(N). Wins on non-uniform distributions; loses to grids on uniform ones.
//
// Beyond the paper: 3-D as well (`axes=2` divides x and y only, as printed); cells that would
// have one child are left out, so depth is bounded; nodes have the AABB of their bodies, sizes
// and motion included. Bodies that the finest cells do not separate are divided by count.
// `build=insert` is the printed form: bodies inserted one by one from the square or cube around
// all of them on, nodes bounded by cells and one search radius, all pairs of two leaves tested.
#include "methods/registry.hpp"

#include "scene/curve_order.hpp"
#include "structures/tree_method.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class Orthtree final : public TreeMethod<T, D> {
  public:
    explicit Orthtree(const Choice& choice)
        : TreeMethod<T, D>(choice.number("leaf")),
          insert_(choice.word("build") == "insert"),
          axes_(D == 3 && choice.word("axes") == "2" ? 2 : D),
          order_(axes_) {}

    void build(const Scene<T, D>& scene) override {
        if (insert_)
            axes_ == D ? insert(scene, grown_) : insert(scene, grown_flat_);
        else
            build_bulk(scene);
        tree_.make_tasks();
    }

  private:
    using TreeMethod<T, D>::leaf_;
    using TreeMethod<T, D>::tree_;

    void build_bulk(const Scene<T, D>& scene) {
        order_.assign(scene, scene.size());
        tree_.template build<1 << D>(
            scene.size(), leaf_, scene.threads(),
            [&](std::size_t n, unsigned, std::array<Index, 1 << D>& ends) {
                return divide(tree_.nodes[n].begin, tree_.nodes[n].end, ends);
            });
        this->set_entries(scene, [&](std::size_t e) { return order_[e]; });
        this->refit(scene);
    }

    template <int K>
    struct Grown {
        Buffer<TreePoint<T, K>> points;
        InsertionTree<MiddleSplit<T, K>, T, K> tree;
    };

    template <int K>
    void insert(const Scene<T, D>& scene, Grown<K>& grown) {
        auto& points = grown.points;
        points.resize(scene.size());
        parallel_for(scene.threads(), scene.size(), [&](std::size_t k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            for (std::size_t a = 0; a < K; ++a) points[k].x[a] = box.lo[a] / 2 + box.hi[a] / 2;
            points[k].instance = static_cast<Index>(k);
        });
        TreeMethod<T, D>::insert(grown.tree, points);
        this->refit(scene);
        this->template widen_to_cells<K>(scene,
                                         [&](std::size_t n) { return grown.tree.cell(n); });
    }

    // The non-empty children of the smallest cell that holds entries begin ... end - 1.
    unsigned divide(Index begin, Index end, std::array<Index, 1 << D>& ends) const {
        const int bit = order_.differing_bit(begin, end);
        if (bit < 0) {
            ends[0] = begin + (end - begin) / 2;
            ends[1] = end;
            return 2;
        }
        return order_.divide(begin, end, static_cast<unsigned>(bit) / axes_ * axes_, ends);
    }

    const bool insert_;
    const unsigned axes_;  // that are divided
    CurveOrder<T, D> order_;
    Grown<D> grown_;
    Grown<2> grown_flat_;  // axes=2 in 3-D
};

}  // namespace

MethodEntry describe_orthtree() {
    return describe_method<Orthtree>(
        {"orthtree",
         "a quadtree or octree of boxes (Lara 2005)",
         {leaf_option(),
          build_option(),
          {"axes", "3", "divide x and y only, or all axes", 0, 0, {"3", "2"}}}});
}

}  // namespace vicinal::inline VICINAL_API
