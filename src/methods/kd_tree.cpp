// kd-tree (P3 A.3): nodes are split at the spatial middle of the widest axis of their bodies'
// centres, until leaves hold only a few. All pairs by simultaneous descent (dual-tree
// traversal): a node with itself, then pairs of nodes whose boxes overlap. O(N log N). Wins on
// non-uniform distributions; loses to grids on uniform ones.
//
// Beyond the paper: nodes have the AABB of their bodies, sizes and motion included, instead of
// one search radius for all; so no pair is missed, and large bodies slow down only their own
// branch. `build=insert` inserts bodies one by one, as the paper does; `quantiles` builds
// top-down.
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
        if (insert_)
            insert_all();
        else
            this->split_at_spatial_middle(points_.span(), scene.threads());
        this->set_entries(scene, [&](std::size_t e) { return points_[e].instance; });
        this->refit(scene);
        tree_.make_tasks();
    }

  private:
    using TreeMethod<T, D>::leaf_;
    using TreeMethod<T, D>::tree_;

    // A node while bodies are being added.
    struct Slot {
        std::size_t axis = 0;
        T value = 0;
        Index low = 0;  // the lower child; the upper one follows. 0: a leaf
        Index begin = 0;
        std::vector<TreePoint<T, D>> points;  // of a leaf
        bool same = true;                     // all points coincide
        std::size_t size = 0;
    };

    void insert_all() {
        std::vector<Slot> slots(1);
        for (const TreePoint<T, D>& point : points_.span()) {
            std::size_t at = 0;
            for (unsigned level = 0;; ++level) {
                Slot& slot = slots[at];
                if (slot.low == 0 && !divide(slots, at, point, level)) break;
                at = slots[at].low + (point.x[slots[at].axis] <= slots[at].value ? 0u : 1u);
            }
            Slot& leaf = slots[at];
            leaf.same &= leaf.points.empty() || leaf.points[0].x == point.x;
            leaf.points.push_back(point);
        }
        list(slots);
    }

    // Splits the leaf that the point would join if it is full and a split separates points.
    bool divide(std::vector<Slot>& slots, std::size_t at, const TreePoint<T, D>& point,
                unsigned level) {
        Slot& full = slots[at];
        if (full.points.size() < leaf_ || level >= max_spatial_depth ||
            (full.same && full.points[0].x == point.x))
            return false;
        full.points.push_back(point);
        const Middle<T, D> middle{std::span<const TreePoint<T, D>>(full.points)};
        full.points.pop_back();
        if (!middle.divides) return false;
        Slot halves[2];
        for (const TreePoint<T, D>& p : full.points) {
            Slot& half = halves[middle.low(p.x) ? 0 : 1];
            half.same &= half.points.empty() || half.points[0].x == p.x;
            half.points.push_back(p);
        }
        full.points = {};
        full.axis = middle.axis;
        full.value = middle.value;
        full.low = static_cast<Index>(slots.size());
        slots.push_back(std::move(halves[0]));  // `full` is no longer valid
        slots.push_back(std::move(halves[1]));
        return true;
    }

    // Converts the slots to nodes, level by level, and puts the points in the tree's order.
    void list(std::vector<Slot>& slots) {
        tree_.clear();
        if (points_.size() == 0) return;
        for (std::size_t s = slots.size(); s-- > 0;)
            slots[s].size = slots[s].low == 0
                                ? slots[s].points.size()
                                : slots[slots[s].low].size + slots[slots[s].low + 1].size;
        std::vector<Index> source{0};
        tree_.nodes.push_back({empty_box<T, D>(), 0, static_cast<Index>(points_.size())});
        for (std::size_t first = 0; first < tree_.nodes.size();) {
            tree_.level_ends.push_back(tree_.nodes.size());
            for (; first < tree_.level_ends.back(); ++first) {
                const Slot& slot = slots[source[first]];
                Index begin = tree_.nodes[first].begin;
                if (slot.low == 0) {
                    std::copy(slot.points.begin(), slot.points.end(), points_.data() + begin);
                    continue;
                }
                tree_.nodes[first].child = static_cast<Index>(tree_.nodes.size());
                tree_.nodes[first].children = 2;
                for (const Index below : {slot.low, slot.low + 1}) {
                    const Index end = begin + static_cast<Index>(slots[below].size);
                    tree_.nodes.push_back({empty_box<T, D>(), begin, end});
                    source.push_back(below);
                    begin = end;
                }
            }
        }
    }

    const bool insert_;
    Buffer<TreePoint<T, D>> points_;  // in the order of the tree
};

}  // namespace

MethodEntry describe_kd_tree() {
    return describe_method<KdTree>(
        {"kd_tree",
         "a tree of boxes, divided at the middle of the widest extent (P3)",
         {{"leaf", "5", "maximum number of bodies in a leaf", 1, 1000, {}},
          {"build",
           "quantiles",
           "divide all bodies at once, or insert them one by one",
           0,
           0,
           {"quantiles", "insert"}}}});
}

}  // namespace vicinal::inline VICINAL_API
