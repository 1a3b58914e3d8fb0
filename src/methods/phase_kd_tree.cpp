// Phase-space kd-tree (P3 A.4): like the kd-tree, but bodies are divided by where they are and
// by how they move, whichever differs more; two nodes are put against each other only if some
// of their bodies could meet within the step. Made for swept bodies that move fast and alike
// where they are near (a sheared flow); at rest it is a kd-tree. O(N log N); loses where motion
// is small, for then it only costs.
//
// Beyond the paper: motion is compared with lengths as the way made during the step (the
// printed source compares raw numbers), bounds hold the bodies' sizes, and bodies are divided
// in bulk.
#include "methods/registry.hpp"

#include <cmath>

#include "core/tree.hpp"

namespace vicinal {
namespace {

// Where bodies are when the step begins, and how far they move during it.
template <Real T, int D>
struct Phase {
    Box<T, D> start = no_box<T, D>();
    Box<T, D> motion = no_box<T, D>();

    void add(const Phase& other) {
        enclose(start, other.start);
        enclose(motion, other.motion);
    }
};

// Is there a time from 0 to 1 at which, on every axis, the sides could overlap? While the
// farthest side of each that could face the other, at the speed that helps most, does.
template <Real T, int D>
bool may_meet(const Phase<T, D>& a, const Phase<T, D>& b) {
    double enter = 0, leave = 1;
    // gap + t * speed <= 0
    const auto close = [&](T side_a, T side_b, T speed_a, T speed_b) {
        const double gap = static_cast<double>(side_b) - static_cast<double>(side_a);
        const double speed = static_cast<double>(speed_b) - static_cast<double>(speed_a);
        if (gap > 0)
            enter = speed < 0 ? std::max(enter, -gap / speed) : 2;
        else if (speed > 0)
            leave = std::min(leave, -gap / speed);
    };
    for (std::size_t k = 0; k < D; ++k) {
        close(a.start.hi[k], b.start.lo[k], a.motion.hi[k], b.motion.lo[k]);
        close(b.start.hi[k], a.start.lo[k], b.motion.hi[k], a.motion.lo[k]);
    }
    // Times are rounded; the boxes are wide enough for what the decision may err by.
    return enter <= leave + 1e-12;
}

template <Real T, int D>
class PhaseKdTree final : public Method<T, D> {
  public:
    explicit PhaseKdTree(const Choice& choice)
        : leaf_(static_cast<std::size_t>(choice.number("leaf"))) {}

    void build(const Scene<T, D>& scene) override {
        points_.resize(scene.size());
        parallel_for(scene.threads(), scene.size(), [&](std::size_t k) {
            const Phase<T, D> phase = phase_of(scene, static_cast<Index>(k));
            for (std::size_t a = 0; a < D; ++a) {
                points_[k].x[a] = phase.start.lo[a] / 2 + phase.start.hi[a] / 2;
                points_[k].x[D + a] = phase.motion.lo[a];
            }
            points_[k].instance = static_cast<Index>(k);
        });
        tree_.template grow<2>(
            scene.size(), leaf_, scene.threads(),
            [&](std::size_t n, unsigned level, std::array<Index, 2>& ends) {
                const auto& node = tree_.nodes[n];
                ends[0] = node.begin +
                          divide_points(points_.span().subspan(node.begin, node.size()), level);
                ends[1] = node.end;
                return 2u;
            });
        const auto instances = packed_.entries(scene.size());
        parallel_for(scene.threads(), scene.size(),
                     [&](std::size_t e) { instances[e] = points_[e].instance; });
        packed_.fill(scene, {});
        tree_.fit(scene.threads(), [&](std::size_t e) { return packed_.box(e, scene); });
        fit_phases(scene);
        tree_.cut(meet());
    }

    const Packed<T, D>& packed() const override { return packed_; }
    std::size_t tasks() const override { return tree_.tasks(); }
    void search(Range tasks, Sieve<T, D>& sieve) const override {
        tree_.search(tasks, sieve, meet());
    }
    void probe(const Scene<T, D>& queries, Range instances, Sieve<T, D>& sieve) const override {
        tree_.probe(queries, instances, sieve);
    }
    bool finds_nearest() const override { return true; }
    void nearest(NearestQuery<T, D>& query) const override { tree_.nearest(query); }
    std::size_t bytes() const override {
        return packed_.bytes() + points_.bytes() + phases_.bytes() + tree_.bytes();
    }

  private:
    // The scene's box covers the whole step: taking the way made off its leading side leaves
    // where the body begins, with the same allowance for rounding.
    static Phase<T, D> phase_of(const Scene<T, D>& scene, Index k) {
        constexpr T eps = std::numeric_limits<T>::epsilon();
        const Vector<T, D> drift = scene.lattice().drift(scene.shift(k));
        Phase<T, D> phase{scene.box(k), {}};
        for (std::size_t a = 0; a < D; ++a) {
            T u = drift[a];
            if (scene.view().swept()) u += scene.view().displacement.axis[a][scene.body(k)];
            phase.motion.lo[a] = phase.motion.hi[a] = u;
            T& side = u > 0 ? phase.start.hi[a] : phase.start.lo[a];
            const T pad = 4 * eps * (std::abs(side) + std::abs(u));
            side += u > 0 ? pad - u : -(pad + u);
        }
        return phase;
    }

    void fit_phases(const Scene<T, D>& scene) {
        phases_.resize(tree_.nodes.size());
        for (std::size_t n = tree_.nodes.size(); n-- > 0;) {
            const auto& node = tree_.nodes[n];
            Phase<T, D> sum;
            for (Index c = 0; c < node.children; ++c) sum.add(phases_[node.child + c]);
            for (Index e = node.begin; e < node.end && node.children == 0; ++e)
                sum.add(phase_of(scene, packed_.instance(e)));
            phases_[n] = sum;
        }
    }

    auto meet() const {
        return [this](std::size_t a, std::size_t b) {
            return boxes_meet(tree_.nodes[a].box, tree_.nodes[b].box) &&
                   may_meet(phases_[a], phases_[b]);
        };
    }

    const std::size_t leaf_;
    Buffer<TreePoint<T, 2 * D>> points_;  // in the order of the tree
    Packed<T, D> packed_;
    Tree<T, D> tree_;
    Buffer<Phase<T, D>> phases_;  // of the nodes
};

}  // namespace

MethodEntry describe_phase_kd_tree() {
    return describe_method<PhaseKdTree>(
        {"phase_kd_tree",
         "a kd-tree over positions and motion, for fast swept bodies (P3)",
         {{"leaf", "5", "most bodies in a leaf", 1, 1000, {}}}});
}

}  // namespace vicinal
