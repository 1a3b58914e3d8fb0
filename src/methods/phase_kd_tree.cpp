// Phase-space kd-tree (P3 A.4): like the kd-tree, but nodes are split along the widest axis of
// position or motion; two nodes are joined only if some of their bodies could touch during the
// step. For fast swept bodies whose neighbours have similar velocities (a sheared flow); at
// rest it is a kd-tree. O(N log N); loses where motion is small, because then it is only
// overhead.
//
// Beyond the paper: motion is compared with lengths as the distance moved during the step (the
// printed source compares raw numbers), bounds include the bodies' sizes, and the tree is built
// top-down instead of by insertion.
#include "methods/registry.hpp"

#include <cmath>

#include "structures/tree_method.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

// Bounds of bodies at the beginning of the step, and of their motion during it.
template <Real T, int D>
struct Phase {
    Box<T, D> start = empty_box<T, D>();
    Box<T, D> motion = empty_box<T, D>();

    void add(const Phase& other) {
        extend(start, other.start);
        extend(motion, other.motion);
    }
};

// True if there may be a time in [0, 1] at which the bounds overlap on every axis.
// Conservative: facing sides approach at the highest speed of either node.
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
    // Times are rounded; the boxes already cover the rounding of the decision.
    return enter <= leave + 1e-12;
}

template <Real T, int D>
class PhaseKdTree final : public TreeMethod<T, D> {
  public:
    explicit PhaseKdTree(const Choice& choice) : TreeMethod<T, D>(choice.number("leaf")) {}

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
        this->split_at_spatial_middle(points_.span(), scene.threads());
        this->set_entries(scene, [&](std::size_t e) { return points_[e].instance; });
        this->refit(scene);
        fit_phases(scene);
        tree_.make_tasks(overlap());
    }

    void search(Range tasks, const SearchContext<T, D>& context) const override {
        Sieve<T, D> sieve(context, packed_);
        tree_.search(tasks, sieve, overlap());
    }

  private:
    using TreeMethod<T, D>::packed_;
    using TreeMethod<T, D>::tree_;

    // The scene's box covers the whole step: subtracting the motion from its leading side
    // leaves the body at the beginning, with the same margin for rounding.
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

    auto overlap() const {
        return [this](std::size_t a, std::size_t b) {
            return overlaps(tree_.nodes[a].box, tree_.nodes[b].box) &&
                   may_meet(phases_[a], phases_[b]);
        };
    }

    Buffer<TreePoint<T, 2 * D>> points_;  // in the order of the tree
    Buffer<Phase<T, D>> phases_;          // of the nodes
};

}  // namespace

MethodEntry describe_phase_kd_tree() {
    return describe_method<PhaseKdTree>(
        {"phase_kd_tree",
         "a kd-tree over positions and motion, for fast swept bodies (P3)",
         {{"leaf", "5", "maximum number of bodies in a leaf", 1, 1000, {}}}});
}

}  // namespace vicinal::inline VICINAL_API
