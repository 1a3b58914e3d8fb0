// Bounding volume hierarchy: bodies are sorted along a Z-curve; a node's bodies are divided in
// four where their places on the curve first differ, so that boxes are as tight as the curve
// allows and no level is empty. O(N). Wins where sizes and densities differ; loses to grids on
// bodies of one size.
//
// While bodies have moved little since the order was made, it is kept and only the boxes are
// fitted anew (`refit=on`): the leaves' boxes tell when they have become too large.
#include "methods/registry.hpp"

#include "core/tree.hpp"

namespace vicinal {
namespace {

template <Real T, int D>
class Bvh final : public Method<T, D> {
  public:
    explicit Bvh(const Choice& choice)
        : leaf_(static_cast<std::size_t>(choice.number("leaf"))),
          refit_(choice.word("refit") == "on") {}

    void build(const Scene<T, D>& scene) override {
        if (refit_ && packed_.size() == scene.size()) {
            fit(scene);
            if (leaf_edges() <= 1.5 * edges_when_sorted_) return tree_.cut();
        }
        order_.assign(scene, scene.size());
        const auto instances = packed_.entries(scene.size());
        parallel_for(scene.threads(), scene.size(),
                     [&](std::size_t e) { instances[e] = order_[e]; });
        tree_.template grow<width>(
            scene.size(), leaf_, scene.threads(),
            [&](std::size_t n, unsigned, std::array<Index, width>& ends) {
                return divide(tree_.nodes[n].begin, tree_.nodes[n].end, ends);
            });
        fit(scene);
        edges_when_sorted_ = leaf_edges();
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
    static constexpr std::size_t width = 4;  // children of a node

    void fit(const Scene<T, D>& scene) {
        packed_.fill(scene, {});
        tree_.fit(scene.threads(), [&](std::size_t e) { return packed_.box(e, scene); });
    }

    // Where the keys of a node's entries first differ and the bit after it make four parts.
    unsigned divide(Index begin, Index end, std::array<Index, width>& ends) const {
        const int bit = order_.differing_bit(begin, end);
        if (bit >= 0)
            return order_.divide(begin, end, static_cast<unsigned>(std::max(bit - 1, 0)), ends);
        for (Index c = 0; c < width; ++c)
            ends[c] =
                begin + static_cast<Index>((std::uint64_t{end} - begin) * (c + 1) / width);
        return width;
    }

    // The edges of all leaves' boxes together.
    double leaf_edges() const {
        double sum = 0;
        for (const auto& node : tree_.nodes)
            for (std::size_t a = 0; a < D && node.children == 0; ++a)
                sum += static_cast<double>(node.box.hi[a]) / 2 -
                       static_cast<double>(node.box.lo[a]) / 2;
        return sum;
    }

    const std::size_t leaf_;
    const bool refit_;
    double edges_when_sorted_ = 0;
    CurveOrder<T, D> order_;
    Packed<T, D> packed_;
    Tree<T, D> tree_;
};

}  // namespace

MethodEntry describe_bvh() {
    return describe_method<Bvh>(
        {"bvh",
         "boxes around neighbours along a Z-curve, in a tree of wide nodes",
         {{"leaf", "16", "most bodies in a leaf", 1, 1000, {}},
          {"refit", "off", "keep the order while bodies move little", 0, 0, {"off", "on"}}}});
}

}  // namespace vicinal
