// kd-tree (Lara 2005, A.3): nodes are split at the spatial middle of the widest axis of their
// bodies' centres, until leaves hold only a few. All pairs by simultaneous descent (dual-tree
// traversal): a node with itself, then pairs of nodes whose boxes overlap. O(N log N). Wins on
// non-uniform distributions; loses to grids on uniform ones.
//
// Beyond the paper: nodes have the AABB of their bodies, sizes and motion included, instead of
// their cell and one search radius for all; so large bodies slow down only their own branch.
// The tree is built top-down. `build=insert` is the printed form: bodies inserted one by one,
// nodes bounded by cells, all pairs of two leaves tested.
#include "methods/registry.hpp"

#include "structures/tree_method.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class KdTree final : public TreeMethod<T, D> {
  public:
    explicit KdTree(const Choice& choice)
        : TreeMethod<T, D>(choice.number("leaf")), insert_(choice.word("build") == "insert") {}

    void build(const Scene<T, D>& scene) override {
        points_.resize(scene.size());
        parallel_for(scene.threads(), scene.size(), [&](std::size_t k) {
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            for (std::size_t a = 0; a < D; ++a) points_[k].x[a] = box.lo[a] / 2 + box.hi[a] / 2;
            points_[k].instance = static_cast<Index>(k);
        });
        if (insert_) {
            this->insert(grown_, points_);
            this->refit(scene);
            this->template widen_to_cells<D>(scene,
                                             [&](std::size_t n) { return grown_.cell(n); });
        } else {
            this->split_at_spatial_middle(points_.span(), scene.threads());
            this->set_entries(scene, [&](std::size_t e) { return points_[e].instance; });
            this->refit(scene);
        }
        tree_.make_tasks();
    }

  private:
    using TreeMethod<T, D>::tree_;

    const bool insert_;
    Buffer<TreePoint<T, D>> points_;  // built top-down: in the order of the tree
    InsertionTree<WidestSplit<T, D>, T, D> grown_;
};

}  // namespace

MethodEntry describe_kd_tree() {
    return describe_method<KdTree>(
        {"kd_tree",
         "a tree of boxes, divided at the middle of the widest extent (Lara 2005)",
         {leaf_option(), build_option()}});
}

}  // namespace vicinal::inline VICINAL_API
