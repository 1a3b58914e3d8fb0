// Orthtree (P3 A.5, a quadtree; in 3-D an octree): a cell with more than a few bodies is
// divided at its middle on all axes. The tree depends on the bodies alone, not on the order in
// which they come, so it is read off the sorted Z-curve: the cells of a level are runs with the
// same first bits. O(N). Wins on uneven distributions; loses to grids where bodies are spread
// evenly.
//
// Beyond the paper: all dimensions; cells that would have one child are left out, so depth is
// bounded; nodes have the box of what is in them, sizes and motion included. Bodies that the
// finest cells do not separate are divided by number.
#include "methods/registry.hpp"

#include "core/tree.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class Orthtree final : public Method<T, D> {
  public:
    explicit Orthtree(const Choice& choice)
        : leaf_(static_cast<std::size_t>(choice.number("leaf"))) {}

    void build(const Scene<T, D>& scene) override {
        order_.assign(scene, scene.size());
        tree_.template grow<1 << D>(
            scene.size(), leaf_, scene.threads(),
            [&](std::size_t n, unsigned, std::array<Index, 1 << D>& ends) {
                return divide(tree_.nodes[n].begin, tree_.nodes[n].end, ends);
            });
        const auto instances = packed_.entries(scene.size());
        parallel_for(scene.threads(), scene.size(),
                     [&](std::size_t e) { instances[e] = order_[e]; });
        packed_.fill(scene, {});
        tree_.fit(scene.threads(), [&](std::size_t e) { return packed_.box(e, scene); });
        tree_.cut();
    }

    const Packed<T, D>& packed() const override { return packed_; }
    std::size_t tasks() const override { return tree_.tasks(); }
    void search(Range tasks, Sieve<T, D>& sieve) const override { tree_.search(tasks, sieve); }
    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        tree_.probe(queries, instances, sieve);
    }
    bool finds_nearest() const override { return true; }
    void nearest(NearestQuery<T, D>& query) const override { tree_.nearest(query); }
    std::size_t bytes() const override {
        return packed_.bytes() + order_.bytes() + tree_.bytes();
    }

  private:
    // The cells below the smallest one that holds entries begin ... end - 1; empty ones are
    // left out.
    unsigned divide(Index begin, Index end, std::array<Index, 1 << D>& ends) const {
        const int bit = order_.differing_bit(begin, end);
        if (bit < 0) {
            ends[0] = begin + (end - begin) / 2;
            ends[1] = end;
            return 2;
        }
        return order_.divide(begin, end, static_cast<unsigned>(bit) / D * D, ends);
    }

    const std::size_t leaf_;
    CurveOrder<T, D> order_;
    Packed<T, D> packed_;
    Tree<T, D> tree_;
};

}  // namespace

MethodEntry describe_orthtree() {
    return describe_method<Orthtree>({"orthtree",
                                      "a quadtree or octree of boxes (P3)",
                                      {{"leaf", "5", "most bodies in a leaf", 1, 1000, {}}}});
}

}  // namespace vicinal
