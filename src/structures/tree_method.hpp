// Base class of methods on a bounding volume hierarchy: the derived class orders the instances
// and splits the tree; the search and the queries are those of structures/tree.hpp.
#pragma once

#include "structures/tree.hpp"

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

    const std::size_t leaf_;
    Packed<T, D> packed_;
    Tree<T, D> tree_;
};

}  // namespace vicinal::inline VICINAL_API
