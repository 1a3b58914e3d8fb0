// Base class of methods on a bounding volume hierarchy: the derived class orders the instances
// and splits the tree; the search and the queries are those of structures/tree.hpp.
#pragma once

#include "structures/insertion_tree.hpp"
#include "structures/method_entry.hpp"

namespace vicinal::inline VICINAL_API {

template <Real T, int D>
class TreeMethod : public Method<T, D>, public NearestFinder<T, D> {
  public:
    const Packed<T, D>& packed() const override { return packed_; }
    std::size_t tasks() const override { return tree_.tasks(); }
    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);
        tree_.search(tasks, sieve);
    }
    void probe(const Scene<T, D>& queries, Range instances,
               const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);
        tree_.probe(queries, instances, sieve);
    }
    void nearest(NearestQuery<T, D>& query) const override { tree_.nearest(query); }

  protected:
    // `leaf`: the maximum number of bodies in a leaf.
    explicit TreeMethod(double leaf) : leaf_(static_cast<std::size_t>(leaf)) {}

    // Splits nodes at the spatial middle of the widest axis of their points.
    template <int K>
    void split_at_spatial_middle(std::span<TreePoint<T, K>> points, int threads) {
        tree_.template build<2>(
            points.size(), leaf_, threads,
            [&](std::size_t n, unsigned level, std::array<Index, 2>& ends) {
                const auto& node = tree_.nodes[n];
                ends[0] =
                    node.begin + divide_points(points.subspan(node.begin, node.size()), level);
                ends[1] = node.end;
                return 2u;
            });
    }
    // The instances in the order of the tree.
    template <class F>
    void set_entries(const Scene<T, D>& scene, const F& instance_of) {
        const auto instances = packed_.entries(scene.size());
        parallel_for(scene.threads(), scene.size(),
                     [&](std::size_t e) { instances[e] = instance_of(e); });
    }
    // Packs the entries and refits the boxes of the tree.
    void refit(const Scene<T, D>& scene) {
        packed_.fill(scene, {});
        tree_.refit(scene.threads(), [&](std::size_t e) { return packed_.box(e, scene); });
    }

    // As printed by Lara (2005): inserts the points one by one, and tests all pairs of leaves
    // that are near each other.
    template <class Split, int K>
    void insert(InsertionTree<Split, T, K>& grown, const Buffer<TreePoint<T, K>>& points) {
        grown.build(points.span(), leaf_);
        const auto instances = packed_.entries(points.size());
        grown.list(tree_, [&](Index entry, const TreePoint<T, K>& point) {
            instances[entry] = point.instance;
        });
        tree_.whole_leaves = true;
    }
    // The printed bound of a node: its cell, and one search distance for all bodies. The box of
    // its bodies is within it but for rounding, and remains included.
    template <int K, class CellOf>
    void widen_to_cells(const Scene<T, D>& scene, const CellOf& cell_of) {
        if (tree_.nodes.empty()) return;
        const T half = half_edge<K>(scene);
        const Box<T, D> all = tree_.nodes[0].box;
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
            if (n % work_per_poll == 0) poll_cancelled(work_per_poll);
            const Box<T, K> cell = cell_of(n);
            Box<T, D> box = all;  // axes that the tree does not divide
            for (std::size_t a = 0; a < K; ++a) {
                box.lo[a] = cell.lo[a] - half;
                box.hi[a] = cell.hi[a] + half;
            }
            extend(tree_.nodes[n].box, box);
        }
    }
    // Half the longest edge of any body's box, on the first K axes.
    template <int K>
    static T half_edge(const Scene<T, D>& scene) {
        T half = 0;
        for (std::size_t k = 0; k < scene.size(); ++k) {
            if (k % work_per_poll == 0) poll_cancelled(work_per_poll);
            const Box<T, D> box = scene.box(static_cast<Index>(k));
            for (std::size_t a = 0; a < K; ++a)
                half = std::max(half, box.hi[a] / 2 - box.lo[a] / 2);
        }
        return half;
    }

    const std::size_t leaf_;
    Packed<T, D> packed_;
    Tree<T, D> tree_;
};

inline OptionInfo leaf_option() {
    return {"leaf", "5", "maximum number of bodies in a leaf", 1, 1000, {}};
}
inline OptionInfo build_option() {
    return {
        "build",
        "bulk",
        "divide all bodies at once; or insert them one by one, and bound nodes by their cells",
        0,
        0,
        {"bulk", "insert"}};
}

}  // namespace vicinal::inline VICINAL_API
