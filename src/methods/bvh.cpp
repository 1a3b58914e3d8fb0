// Bounding volume hierarchy (linear BVH): bodies are sorted along a Z-curve, and a node is
// split in four at the highest bits in which its Morton keys differ, so that boxes are as tight
// as the curve allows and no level is empty. O(N). Wins where sizes and densities differ; loses
// to grids on bodies of one size.
//
// While bodies have moved little since the order was made, it is kept and only the boxes are
// refitted (`refit=on`). The order is renewed when the leaves' boxes have become too large.
#include "methods/registry.hpp"

#include "scene/curve_order.hpp"
#include "structures/tree_method.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
class Bvh final : public TreeMethod<T, D> {
  public:
    explicit Bvh(const Choice& choice)
        : TreeMethod<T, D>(choice.number("leaf")), refit_(choice.word("refit") == "on") {}

    void build(const Scene<T, D>& scene) override {
        if (refit_ && packed_.size() == scene.size()) {
            this->refit(scene);
            if (leaf_edges() <= 1.5 * edges_when_sorted_) return tree_.make_tasks();
        }
        order_.assign(scene, scene.size());
        this->set_entries(scene, [&](std::size_t e) { return order_[e]; });
        tree_.template build<width>(
            scene.size(), leaf_, scene.threads(),
            [&](std::size_t n, unsigned, std::array<Index, width>& ends) {
                return divide(tree_.nodes[n].begin, tree_.nodes[n].end, ends);
            });
        this->refit(scene);
        edges_when_sorted_ = leaf_edges();
        tree_.make_tasks();
    }

  private:
    using TreeMethod<T, D>::leaf_;
    using TreeMethod<T, D>::packed_;
    using TreeMethod<T, D>::tree_;

    static constexpr std::size_t width = 4;  // children of a node

    // Splits in four by the highest bit in which the keys of a node's entries differ, and the
    // next lower bit.
    unsigned divide(Index begin, Index end, std::array<Index, width>& ends) const {
        const int bit = order_.differing_bit(begin, end);
        if (bit >= 0)
            return order_.divide(begin, end, static_cast<unsigned>(std::max(bit - 1, 0)), ends);
        for (Index c = 0; c < width; ++c)
            ends[c] =
                begin + static_cast<Index>((std::uint64_t{end} - begin) * (c + 1) / width);
        return width;
    }

    // Half the sum of the edges of all leaf boxes.
    double leaf_edges() const {
        double sum = 0;
        for (const auto& node : tree_.nodes)
            for (std::size_t a = 0; a < D && node.children == 0; ++a)
                sum += static_cast<double>(node.box.hi[a]) / 2 -
                       static_cast<double>(node.box.lo[a]) / 2;
        return sum;
    }

    const bool refit_;
    double edges_when_sorted_ = 0;
    CurveOrder<T, D> order_;
};

}  // namespace

MethodEntry describe_bvh() {
    return describe_method<Bvh>(
        {"bvh",
         "boxes around neighbours along a Z-curve, in a tree of wide nodes",
         {{"leaf", "16", "maximum number of bodies in a leaf", 1, 1000, {}},
          {"refit", "off", "keep the order while bodies move little", 0, 0, {"off", "on"}}}});
}

}  // namespace vicinal::inline VICINAL_API
